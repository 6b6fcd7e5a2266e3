/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text_options options = {.sources = true, .threads = size % 2};

	fuzz_text(&perfscript_format, &options, data, size);
	return 0;
}
