/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_formats.h"
#include "lib/util.h"

#include <stdlib.h>

#define TRACING_MAGIC "\x17\x08\x44tracing"

/* Number of bytes of the order of bytes, of the size of long, and of the size of a page. */
enum { SIZES = 1 + 1 + 4 };

void perfdata_formats_init(struct perfdata_formats *fs)
{
	*fs = (struct perfdata_formats){0};
	table_init(&fs->by_id);
}

void perfdata_formats_release(struct perfdata_formats *fs)
{
	for (size_t i = 0; i < fs->nr; i++)
		free(fs->list[i]);
	free(fs->list);
	table_release(&fs->by_id);
}

/* Moves past a text and its NUL. */
static void skip_text(struct bytes *b)
{
	size_t left = (size_t)(b->end - b->at), len = strnlen((const char *)b->at, left);

	bytes_take(b, len + 1);
}

/* Moves past bytes and the 64-bit number of them. */
static void skip_sized(struct bytes *b)
{
	bytes_take(b, bytes_number(b, 8));
}

/* Sets *ID to the number in the line "ID: NUMBER" of TEXT. Returns false if there is none. */
static bool read_id(const char *text, uint64_t *id)
{
	static const char key[] = "\nID: ";
	const char *at = strstr(text, key);

	if (!at)
		return false;
	at += strlen(key);
	return parse_u64(at, strcspn(at, "\n"), 10, id);
}

static void read_format(struct perfdata_formats *fs, struct bytes *b)
{
	uint64_t size = bytes_number(b, 8), id;
	const unsigned char *bytes = bytes_take(b, size);
	bool is_new;
	char *text;

	if (!bytes)
		return;
	text = xstrndup((const char *)bytes, strnlen((const char *)bytes, size));
	if (!read_id(text, &id)) {
		free(text);
		return;
	}
	*table_put(&fs->by_id, id, 0, &is_new) = (uint32_t)fs->nr;
	ALLOC_GROW(fs->list, fs->nr, fs->alloc);
	fs->list[fs->nr++] = text;
}

void perfdata_formats_read(struct perfdata_formats *fs, struct bytes b)
{
	const unsigned char *magic = bytes_take(&b, strlen(TRACING_MAGIC));

	if (!magic || memcmp(magic, TRACING_MAGIC, strlen(TRACING_MAGIC)) != 0)
		return;
	skip_text(&b); /* version */
	bytes_take(&b, SIZES);
	for (int i = 0; i < 2; i++) { /* the headers of pages and of events */
		skip_text(&b);
		skip_sized(&b);
	}
	for (uint64_t nr = bytes_number(&b, 4); nr && !b.bad; nr--)
		skip_sized(&b); /* the events of ftrace itself */
	for (uint64_t systems = bytes_number(&b, 4); systems && !b.bad; systems--) {
		skip_text(&b);
		for (uint64_t nr = bytes_number(&b, 4); nr && !b.bad; nr--)
			read_format(fs, &b);
	}
}

const char *perfdata_formats_find(const struct perfdata_formats *fs, uint64_t id)
{
	const uint32_t *at = table_get(&fs->by_id, id, 0);

	return at ? fs->list[*at] : NULL;
}
