/* SPDX-License-Identifier: GPL-2.0-or-later */
/* off-cpu: records waits; see off_cpu.bpf.c. */
#include "off_cpu.h"
#include "engine/bpf/bpf_tool.h"
#include "lib/util.h"
#include "wait_spans.h"

#include <stdlib.h>

#include "bpf/off_cpu.skel.h"

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct wait_spans));
	wait_spans_begin(run);
}

static void release(struct tool_run *run)
{
	free(run->data);
}

const struct bpf_tool off_cpu_tool = {
	.program = "off_cpu",
	.object = off_cpu__elf_bytes,
	.begin = begin,
	.attach = wait_spans_attach,
	.labels = wait_spans_labels,
	.add_open = wait_spans_add_open,
	.release = release,
};
