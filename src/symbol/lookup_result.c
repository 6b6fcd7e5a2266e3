/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup_result.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { STRING_MAX = 1 << 16 };

void lookup_result_init(struct lookup_result *result)
{
	*result = (struct lookup_result){0};
	strpool_init(&result->strings);
}

void lookup_result_release(struct lookup_result *result)
{
	strpool_release(&result->strings);
	free(result->names);
	free(result->frames);
	free(result->starts);
	*result = (struct lookup_result){0};
}

void lookup_result_begin(struct lookup_result *result, uint32_t location)
{
	ALLOC_GROW(result->frames, result->header.nr_frames, result->frames_alloc);
	result->frames[result->header.nr_frames++] =
		(struct lookup_frame){location, result->header.nr_names, 0};
}

/* Longer names are cut. */
static uint32_t add_string(struct lookup_result *result, const char *s)
{
	return strpool_add(&result->strings, s, strnlen(s, STRING_MAX));
}

void lookup_result_add(struct lookup_result *result, const char *function, uint64_t offset,
	const char *file, uint32_t line)
{
	ALLOC_GROW(result->names, result->header.nr_names, result->names_alloc);
	result->names[result->header.nr_names++] = (struct lookup_name){
		.function = add_string(result, function),
		.file = file ? add_string(result, file) : 0,
		.offset = offset,
		.line = line,
	};
	result->frames[result->header.nr_frames - 1].nr++;
}

void lookup_result_add_start(struct lookup_result *result, const struct lookup_start *start)
{
	ALLOC_GROW(result->starts, result->header.nr_starts, result->starts_alloc);
	result->starts[result->header.nr_starts++] = *start;
}

void lookup_result_write(const struct lookup_result *result, struct strbuf *out)
{
	struct lookup_header header = result->header;

	header.nr_strings = result->strings.nr;
	strbuf_add(out, &header, sizeof(header));
	for (uint32_t i = 1; i < result->strings.nr; i++) {
		uint32_t len = (uint32_t)strpool_len(&result->strings, i);

		strbuf_add(out, &len, sizeof(len));
		strbuf_add(out, strpool_get(&result->strings, i), len);
	}
	if (header.nr_names)
		strbuf_add(out, result->names, header.nr_names * sizeof(*result->names));
	if (header.nr_frames)
		strbuf_add(out, result->frames, header.nr_frames * sizeof(*result->frames));
	if (header.nr_starts)
		strbuf_add(out, result->starts, header.nr_starts * sizeof(*result->starts));
}

/* Reads SIZE bytes at *AT; false if there are fewer. */
static bool read_bytes(const char **at, const char *end, void *to, size_t size)
{
	if (size > (size_t)(end - *at))
		return false;
	memcpy(to, *at, size);
	*at += size;
	return true;
}

static bool read_strings(struct lookup_result *result, const char **at, const char *end)
{
	for (uint32_t i = 1; i < result->header.nr_strings; i++) {
		uint32_t len;

		if (!read_bytes(at, end, &len, sizeof(len)) || len > (size_t)(end - *at) ||
			strpool_add(&result->strings, *at, len) != i)
			return false;
		*at += len;
	}
	return true;
}

/* NR elements of SIZE bytes, NULL if there are fewer. */
static void *read_array(const char **at, const char *end, size_t nr, size_t size)
{
	void *array;

	if (nr > (size_t)(end - *at) / size)
		return NULL;
	array = xcalloc(nr + 1, size);
	read_bytes(at, end, array, nr * size);
	return array;
}

static bool is_valid(const struct lookup_result *result)
{
	const struct lookup_header *h = &result->header;

	for (uint32_t i = 0; i < h->nr_names; i++)
		if (!result->names[i].function || result->names[i].function >= result->strings.nr ||
			result->names[i].file >= result->strings.nr)
			return false;
	for (uint32_t i = 0; i < h->nr_frames; i++)
		if (!result->frames[i].nr || result->frames[i].first > h->nr_names ||
			result->frames[i].nr > h->nr_names - result->frames[i].first)
			return false;
	return h->source <= SOURCE_PERFMAP && h->gap <= GAP_NO_MAP &&
	       memchr(h->detail, '\0', sizeof(h->detail)) &&
	       memchr(h->other_id, '\0', sizeof(h->other_id)) &&
	       memchr(h->alt_id, '\0', sizeof(h->alt_id));
}

int lookup_result_read(struct lookup_result *result, const struct strbuf *in)
{
	const char *at = in->buf, *end = in->buf + in->len;

	if (!read_bytes(&at, end, &result->header, sizeof(result->header)) ||
		!read_strings(result, &at, end))
		return -1;
	result->names = read_array(&at, end, result->header.nr_names, sizeof(*result->names));
	result->frames = read_array(&at, end, result->header.nr_frames, sizeof(*result->frames));
	result->starts = read_array(&at, end, result->header.nr_starts, sizeof(*result->starts));
	return result->names && result->frames && result->starts && at == end && is_valid(result)
		       ? 0
		       : -1;
}
