/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "model/labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct label_filter filter = {0};
	struct text_options options = {.sources = true, .by = "uri"};

	fuzz_whole(&pprof_format, &options, data, size);
	label_filter_add(&filter, "uri=/cart,/");
	options = (struct text_options){.labels = &filter, .event = "cpu"};
	fuzz_whole(&pprof_format, &options, data, size);
	label_filter_release(&filter);
	return 0;
}
