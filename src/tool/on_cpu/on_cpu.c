/* SPDX-License-Identifier: GPL-2.0-or-later */
/* on-cpu: adds a row for each tick of the clock; see on_cpu.bpf.c. */
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/kern/shared.h"

#include "bpf/on_cpu.object.h"
#include "bpf/on_cpu.plain.object.h"

const struct bpf_tool on_cpu_tool = {
	.program = "on_cpu", .object = &on_cpu_object, .plain_object = &on_cpu_plain_object};
