/* SPDX-License-Identifier: GPL-2.0-or-later */
/* off-cpu: see off_cpu.bpf.c. */
#include "off_cpu.h"
#include "engine/bpf/bpf_tool.h"
#include "wait_parts.h"

#include "bpf/off_cpu.skel.h"

const struct bpf_tool off_cpu_tool = {
	.program = "off_cpu",
	.object = off_cpu__elf_bytes,
	.begin = wait_parts_begin,
	.add_open = wait_parts_add_open,
};
