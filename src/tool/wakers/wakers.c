/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakers: see wakers.bpf.c. */
#include "engine/bpf/bpf_tool.h"
#include "tool/off_cpu/off_cpu.h"
#include "tool/off_cpu/wait_parts.h"

#include "bpf/wakers.skel.h"

const struct bpf_tool wakers_tool = {
	.program = "wakers",
	.object = wakers__elf_bytes,
	.begin = wait_parts_begin,
	.add_open = wait_parts_add_open,
};
