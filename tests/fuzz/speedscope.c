/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text_options options = {.threads = true, .sources = true};

	fuzz_whole(&speedscope_format, &options, data, size);
	return 0;
}
