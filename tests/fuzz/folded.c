/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(&folded_format, &(struct text_options){0}, data, size);
	return 0;
}
