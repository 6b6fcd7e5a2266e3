/* SPDX-License-Identifier: GPL-2.0-or-later */
/* off-cpu: records waits; see off_cpu.bpf.c. */
#include "engine/bpf/bpf_tool.h"
#include "off_cpu.h"
#include "wait_spans.h"

#include "bpf/off_cpu.object.h"
#include "bpf/off_cpu.plain.object.h"

const struct bpf_tool off_cpu_tool = {
	.program = "off_cpu",
	.object = &off_cpu_object,
	.plain_object = &off_cpu_plain_object,
	.begin = wait_spans_begin,
	.attach = wait_spans_attach,
	.labels = wait_spans_labels,
	.add_open = wait_spans_add_open,
	.release = wait_spans_release,
};
