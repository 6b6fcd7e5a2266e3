/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps of bpftrace, the stacks of bcc's tools, and traces of function_graph. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text_options options = {.threads = true};

	fuzz_text(&bpftrace_format, &options, data, size);
	fuzz_text(&bcc_format, &options, data, size);
	fuzz_text(&graph_format, &options, data, size);
	return 0;
}
