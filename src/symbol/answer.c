/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answer.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { STRING_MAX = 1 << 16 };

void answer_init(struct answer *a)
{
	*a = (struct answer){0};
	strpool_init(&a->strings);
}

void answer_release(struct answer *a)
{
	strpool_release(&a->strings);
	free(a->names);
	free(a->frames);
	*a = (struct answer){0};
}

void answer_begin(struct answer *a, uint32_t place)
{
	ALLOC_GROW(a->frames, a->head.nr_frames, a->frames_alloc);
	a->frames[a->head.nr_frames++] = (struct answer_frame){place, a->head.nr_names, 0};
}

/* A name longer than any that people give is not worth its memory. */
static uint32_t add_string(struct answer *a, const char *s)
{
	return strpool_add(&a->strings, s, strnlen(s, STRING_MAX));
}

void answer_add(
	struct answer *a, const char *function, uint64_t offset, const char *file, uint32_t line)
{
	ALLOC_GROW(a->names, a->head.nr_names, a->names_alloc);
	a->names[a->head.nr_names++] = (struct answer_name){
		.function = add_string(a, function),
		.file = file ? add_string(a, file) : 0,
		.offset = offset,
		.line = line,
	};
	a->frames[a->head.nr_frames - 1].nr++;
}

void answer_write(const struct answer *a, struct strbuf *out)
{
	struct answer_head head = a->head;

	head.nr_strings = a->strings.nr;
	strbuf_add(out, &head, sizeof(head));
	for (uint32_t i = 1; i < a->strings.nr; i++) {
		uint32_t len = (uint32_t)strpool_len(&a->strings, i);

		strbuf_add(out, &len, sizeof(len));
		strbuf_add(out, strpool_get(&a->strings, i), len);
	}
	if (head.nr_names)
		strbuf_add(out, a->names, head.nr_names * sizeof(*a->names));
	if (head.nr_frames)
		strbuf_add(out, a->frames, head.nr_frames * sizeof(*a->frames));
}

/* SIZE bytes out of *AT; false when there are fewer. */
static bool take(const char **at, const char *end, void *to, size_t size)
{
	if (size > (size_t)(end - *at))
		return false;
	memcpy(to, *at, size);
	*at += size;
	return true;
}

static bool take_strings(struct answer *a, const char **at, const char *end)
{
	for (uint32_t i = 1; i < a->head.nr_strings; i++) {
		uint32_t len;

		if (!take(at, end, &len, sizeof(len)) || len > (size_t)(end - *at) ||
			strpool_add(&a->strings, *at, len) != i)
			return false;
		*at += len;
	}
	return true;
}

/* NR elements of SIZE bytes, NULL when there are not so many. */
static void *take_array(const char **at, const char *end, size_t nr, size_t size)
{
	void *array;

	if (nr > (size_t)(end - *at) / size)
		return NULL;
	array = xcalloc(nr + 1, size);
	take(at, end, array, nr * size);
	return array;
}

static bool is_sound(const struct answer *a)
{
	const struct answer_head *h = &a->head;

	for (uint32_t i = 0; i < h->nr_names; i++)
		if (!a->names[i].function || a->names[i].function >= a->strings.nr ||
			a->names[i].file >= a->strings.nr)
			return false;
	for (uint32_t i = 0; i < h->nr_frames; i++)
		if (!a->frames[i].nr || a->frames[i].first > h->nr_names ||
			a->frames[i].nr > h->nr_names - a->frames[i].first)
			return false;
	return h->source <= SOURCE_PERFMAP && h->gap <= GAP_NO_MAP &&
	       memchr(h->detail, '\0', sizeof(h->detail)) &&
	       memchr(h->other, '\0', sizeof(h->other)) && memchr(h->alt, '\0', sizeof(h->alt));
}

int answer_read(struct answer *a, const struct strbuf *in)
{
	const char *at = in->buf, *end = in->buf + in->len;

	if (!take(&at, end, &a->head, sizeof(a->head)) || !take_strings(a, &at, end))
		return -1;
	a->names = take_array(&at, end, a->head.nr_names, sizeof(*a->names));
	a->frames = take_array(&at, end, a->head.nr_frames, sizeof(*a->frames));
	return a->names && a->frames && at == end && is_sound(a) ? 0 : -1;
}
