/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(&stacktext_format, &(struct text_options){.sources = true}, data, size);
	return 0;
}
