/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_SOURCE(KIND, name) &name##_labels,
const struct label_source *const label_sources[NR_LABEL_SOURCES] = {LABEL_LIST(LABEL_SOURCE)};
#undef LABEL_SOURCE

const struct label_source *label_named(const char *name)
{
	for (int i = 0; i < NR_LABEL_SOURCES; i++)
		if (!strcmp(label_sources[i]->name, name))
			return label_sources[i];
	return NULL;
}

void label_choose(struct chosen_sources *chosen, const struct label_source *source)
{
	if (!label_chosen(chosen, source->kind))
		chosen->list[chosen->nr++].source = source;
}

const struct chosen_source *label_chosen(const struct chosen_sources *chosen, uint32_t kind)
{
	for (size_t i = 0; i < chosen->nr; i++)
		if (chosen->list[i].source->kind == kind)
			return &chosen->list[i];
	return NULL;
}

const struct label_source *label_only(const struct chosen_sources *chosen)
{
	return chosen->nr == 1 ? chosen->list[0].source : NULL;
}

const struct label_source *label_that_ends(const struct chosen_sources *chosen)
{
	for (size_t i = 0; i < chosen->nr; i++)
		if (chosen->list[i].source->end)
			return chosen->list[i].source;
	return NULL;
}

bool label_need_children(const struct chosen_sources *chosen)
{
	for (size_t i = 0; i < chosen->nr; i++)
		if (chosen->list[i].source->children)
			return true;
	return false;
}

void label_add_titles(const struct chosen_sources *chosen, struct strbuf *out)
{
	for (size_t i = 0; i < chosen->nr; i++)
		strbuf_addf(out, "%s%s",
			!i                    ? ""
			: i + 1 == chosen->nr ? " or "
					      : ", ",
			chosen->list[i].source->title);
}

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
	return source->dotted && memchr(name, '.', len) ? source->dotted : -1;
}

uint32_t label_key_bit(const struct label_source *source, const char *name, size_t len)
{
	int index = label_key_index(source, name, len);

	return index < 0 ? 0 : 1U << index;
}

bool label_name_is_usable(const char *name, size_t len)
{
	enum { LEN_MAX = 128 };

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] <= ' ' || strchr(",=\x7f", name[i]))
			return false;
	return len && len <= LEN_MAX;
}

void label_take_chosen(const struct label_taker *taker, const char *prefix, const char *name,
	size_t name_len, const void *value, size_t len)
{
	if (!label_name_is_usable(name, name_len))
		return;
	char *key =
		xasprintf("%s%.*s", memchr(name, '.', name_len) ? "" : prefix, (int)name_len, name);
	char *text = xasprintf("%.*s", (int)len, (const char *)value);

	if (*text)
		taker->take(taker->context, key, text);
	free(text);
	free(key);
}
