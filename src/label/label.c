/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label.h"

#include <string.h>

#define LABEL_SOURCE(KIND, name) &name##_labels,
const struct label_source *const label_sources[NR_LABEL_SOURCES] = {LABEL_LIST(LABEL_SOURCE)};
#undef LABEL_SOURCE

uint32_t label_default_keys(const struct label_source *source)
{
	uint32_t keys = 0;

	for (int i = 0; source->keys[i].name; i++)
		keys |= (uint32_t)source->keys[i].by_default << i;
	return keys;
}

int label_key_index(const struct label_source *source, const char *name, size_t len)
{
	for (int i = 0; source->keys[i].name; i++)
		if (strlen(source->keys[i].name) == len && !memcmp(source->keys[i].name, name, len))
			return i;
	return -1;
}

uint32_t label_key_bit(const struct label_source *source, const char *name, size_t len)
{
	int index = label_key_index(source, name, len);

	return index < 0 ? 0 : 1U << index;
}
