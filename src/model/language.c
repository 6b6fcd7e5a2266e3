/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "language.h"

#include <string.h>

#define LANGUAGE_ROW(ID, name, title, letter, light, dark) {name, title, "[" name "]", letter},
const struct language languages[NR_LANGUAGES] = {LANGUAGE_LIST(LANGUAGE_ROW)};
#undef LANGUAGE_ROW

const struct language *language_of_module(const char *module, size_t len)
{
	for (size_t i = 0; i < NR_LANGUAGES; i++)
		if (strlen(languages[i].module) == len && !memcmp(languages[i].module, module, len))
			return &languages[i];
	return NULL;
}
