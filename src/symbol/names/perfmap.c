/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfmap.h"
#include "lib/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SIZE_MAX_READ = 256 << 20, /* bytes; the rest is ignored */
	FUNCTIONS_MAX = 4 << 20,
	READ_SIZE = 1 << 20,
};

#define NO_OWNER UINT32_MAX

struct perfmap_function {
	uint64_t start, end;
	uint32_t name; /* in the text */
	uint32_t line; /* of overlapping functions the one in the later line is used */
};

struct perfmap {
	char *text; /* the file, split into strings */
	struct perfmap_function *functions;
	size_t nr, alloc;
	/* the address space split into parts: starts[i] to starts[i + 1] belongs to owners[i] */
	uint64_t *starts;
	uint32_t *owners;
	size_t nr_parts;
};

/* Reads FD up to the limit; the caller frees the bytes. */
static char *read_text(int fd, size_t *len)
{
	size_t alloc = 0;
	char *text = NULL;
	ssize_t n;

	*len = 0;
	do {
		if (alloc - *len < READ_SIZE && alloc < SIZE_MAX_READ) {
			alloc = alloc ? 2 * alloc : READ_SIZE;
			text = xrealloc(text, alloc, 1);
		}
		n = read(fd, text + *len, alloc - *len);
		if (n > 0)
			*len += (size_t)n;
	} while ((n > 0 && *len < SIZE_MAX_READ) || (n < 0 && errno == EINTR));
	return text;
}

/* Parses a hex number, with or without 0x, and the blank after it; NULL: invalid. */
static char *parse_hex(char *s, uint64_t *value)
{
	uint64_t v = 0;
	char *first;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (first = s;; s++) {
		unsigned c = (unsigned char)*s, letter = (c | 0x20) - 'a';

		if (c - '0' > 9 && letter > 5)
			break;
		if (v >> 60)
			return NULL;
		v = v << 4 | (c - '0' <= 9 ? c - '0' : letter + 10);
	}
	*value = v;
	return s > first && *s == ' ' ? s + 1 : NULL;
}

/* Parses a line. False: not a function. */
static bool parse_line(char *line, const char *text, struct perfmap_function *f)
{
	uint64_t size = 0;
	char *s = parse_hex(line, &f->start);

	s = s ? parse_hex(s, &size) : NULL;
	if (!s || !*s || !size || size > UINT64_MAX - f->start)
		return false;
	f->end = f->start + size;
	f->name = (uint32_t)(s - text);
	return true;
}

/* The text after the last newline is still being written. */
static void parse_text(struct perfmap *map, size_t len)
{
	char *end = map->text + len;

	for (char *line = map->text, *next; map->nr < FUNCTIONS_MAX; line = next) {
		struct perfmap_function f = {.line = (uint32_t)map->nr};

		next = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
		if (!next)
			break;
		*next++ = '\0';
		if (!parse_line(line, map->text, &f))
			continue;
		ALLOC_GROW(map->functions, map->nr, map->alloc);
		map->functions[map->nr++] = f;
	}
}

static int compare_functions(const void *va, const void *vb)
{
	const struct perfmap_function *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Functions that start at or before an address: a heap with the latest line on top. */
struct open_functions {
	const struct perfmap_function *functions;
	uint32_t *heap;
	size_t nr;
};

static bool is_later(const struct open_functions *o, size_t a, size_t b)
{
	return o->functions[o->heap[a]].line > o->functions[o->heap[b]].line;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t c = *a;

	*a = *b;
	*b = c;
}

static void open_push(struct open_functions *o, uint32_t function)
{
	size_t at = o->nr++;

	o->heap[at] = function;
	for (; at && is_later(o, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(&o->heap[at], &o->heap[(at - 1) / 2]);
}

static void open_pop(struct open_functions *o)
{
	o->heap[0] = o->heap[--o->nr];
	for (size_t at = 0, child; (child = 2 * at + 1) < o->nr; at = child) {
		if (child + 1 < o->nr && is_later(o, child + 1, child))
			child++;
		if (!is_later(o, child, at))
			break;
		swap(&o->heap[child], &o->heap[at]);
	}
}

static uint32_t open_top(const struct open_functions *o)
{
	return o->nr ? o->heap[0] : NO_OWNER;
}

static void add_part(struct perfmap *map, uint64_t start, uint32_t owner)
{
	if (map->nr_parts && map->starts[map->nr_parts - 1] == start)
		map->nr_parts--;
	map->starts[map->nr_parts] = start;
	map->owners[map->nr_parts++] = owner;
}

/* Removes functions that end at or before UNTIL; an older one below may continue. */
static void close_functions(struct perfmap *map, struct open_functions *o, uint64_t until)
{
	while (o->nr && map->functions[o->heap[0]].end <= until) {
		uint64_t end = map->functions[o->heap[0]].end;

		while (o->nr && map->functions[o->heap[0]].end <= end)
			open_pop(o);
		add_part(map, end, open_top(o));
	}
}

static void cut_into_parts(struct perfmap *map)
{
	struct open_functions open = {.functions = map->functions};

	if (!map->nr)
		return;
	qsort(map->functions, map->nr, sizeof(*map->functions), compare_functions);
	map->starts = xcalloc(2 * map->nr, sizeof(*map->starts));
	map->owners = xcalloc(2 * map->nr, sizeof(*map->owners));
	open.heap = xcalloc(map->nr, sizeof(*open.heap));
	for (uint32_t i = 0; i < map->nr; i++) {
		close_functions(map, &open, map->functions[i].start);
		open_push(&open, i);
		if (open_top(&open) == i)
			add_part(map, map->functions[i].start, i);
	}
	close_functions(map, &open, UINT64_MAX);
	free(open.heap);
}

struct perfmap *perfmap_read(int fd)
{
	struct perfmap *map = xcalloc(1, sizeof(*map));
	size_t len;

	map->text = read_text(fd, &len);
	parse_text(map, len);
	cut_into_parts(map);
	return map;
}

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	free(map->text);
	free(map->functions);
	free(map->starts);
	free(map->owners);
	free(map);
}

bool perfmap_find(const struct perfmap *map, uint64_t address, const char **name, uint64_t *offset)
{
	size_t low = 0, high = map->nr_parts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map->starts[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || map->owners[low - 1] == NO_OWNER)
		return false;
	const struct perfmap_function *f = &map->functions[map->owners[low - 1]];

	*name = map->text + f->name;
	*offset = address - f->start;
	return true;
}
