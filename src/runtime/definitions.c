/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "definitions.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void definitions_release(struct definitions *d)
{
	free(d->list);
	strbuf_release(&d->names);
	*d = DEFINITIONS_INIT;
}

void definitions_add(
	struct definitions *d, uint32_t line, enum defined how, const char *name, size_t len)
{
	ALLOC_GROW(d->list, d->nr, d->alloc);
	d->list[d->nr++] = (struct definition){line, how, d->names.len};
	strbuf_add(&d->names, name, len);
	strbuf_addch(&d->names, '\0');
}

void definitions_write(const struct definitions *d, struct strbuf *out)
{
	for (size_t i = 0; i < d->nr; i++)
		strbuf_addf(out, "%" PRIu32 " %d %s\n", d->list[i].line, (int)d->list[i].how,
			d->names.buf + d->list[i].name);
}

/* Adds the function that a line of text describes. Returns false if it is not valid. */
static bool read_one(struct definitions *d, const char *s, size_t len)
{
	const char *blank = memchr(s, ' ', len);
	uint64_t line;

	if (!blank || len < (size_t)(blank - s) + 3 || blank[2] != ' ' || blank[1] < '0' ||
		blank[1] > '0' + DEFINED_SOMEHOW || !parse_u64(s, (size_t)(blank - s), 10, &line) ||
		line > UINT32_MAX || (d->nr && d->list[d->nr - 1].line > line))
		return false;
	definitions_add(d, (uint32_t)line, (enum defined)(blank[1] - '0'), blank + 3,
		len - (size_t)(blank + 3 - s));
	return true;
}

void definitions_read(struct definitions *d, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	for (; text < end && (nl = memchr(text, '\n', (size_t)(end - text))); text = nl + 1)
		if (!read_one(d, text, (size_t)(nl - text)))
			return;
}

static size_t first_at(const struct definitions *d, uint32_t line)
{
	size_t low = 0, high = d->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->list[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *definitions_find(const struct definitions *d, uint32_t line, const char *called)
{
	size_t first = first_at(d, line), i = first;
	const char *name = NULL;

	for (; i < d->nr && d->list[i].line == line; i++) {
		name = d->list[i].how == DEFINED_SOMEHOW ? NULL : d->names.buf + d->list[i].name;
		if (name && *name && called && !strcmp(name, called))
			return name;
	}
	return i == first + 1 ? name : NULL;
}
