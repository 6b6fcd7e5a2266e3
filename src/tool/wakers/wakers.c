/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakers: see wakers.bpf.c. */
#include "engine/bpf/bpf_tool.h"
#include "tool/off_cpu/off_cpu.h"
#include "tool/off_cpu/wait_spans.h"

#include "bpf/wakers.object.h"
#include "bpf/wakers.plain.object.h"

const struct bpf_tool wakers_tool = {
	.program = "wakers",
	.object = &wakers_object,
	.plain_object = &wakers_plain_object,
	.begin = wait_spans_begin,
	.attach = wait_spans_attach,
	.labels = wait_spans_labels,
	.add_open = wait_spans_add_open,
	.release = wait_spans_release,
};
