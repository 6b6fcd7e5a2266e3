/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfmap.h"
#include "lib/limits/memory.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/search.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	READ_MAX = 256 << 20, /* most bytes to read of the file */
	KEPT_MAX = 256 << 20, /* most bytes of functions and their names */
	KEPT_PART = 16,       /* or this part of the memory limit */
};

#define NO_FUNCTION UINT32_MAX

/* The function of a line, which covers at least one address of the list: FIRST to END - 1. */
struct perfmap_function {
	uint64_t start;
	uint32_t name; /* offset in the names */
	uint32_t first, end;
};

struct perfmap {
	const uint64_t *addresses;
	uint32_t *found; /* the function at each address, or NO_FUNCTION */
	size_t nr_addresses;
	struct perfmap_function *functions; /* in the order of their lines */
	size_t nr, alloc;
	struct strbuf names;
};

/* Parses a hex number, with or without 0x, and the blank after it. Returns NULL on failure. */
static const char *parse_hex(const char *s, uint64_t *value)
{
	uint64_t v = 0;
	const char *first;

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

/* Parses a line. Returns false if it describes no function. */
static bool parse_line(const char *line, uint64_t *start, uint64_t *end, const char **name)
{
	uint64_t size = 0;

	line = parse_hex(line, start);
	line = line ? parse_hex(line, &size) : NULL;
	if (!line || !*line || !size || size > UINT64_MAX - *start)
		return false;
	*end = *start + size;
	*name = line;
	return true;
}

static void add_line(struct perfmap *map, const char *line)
{
	uint64_t start, end;
	const char *name;

	if (!parse_line(line, &start, &end, &name))
		return;
	struct perfmap_function f = {
		.start = start,
		.name = (uint32_t)map->names.len,
		.first = (uint32_t)search_first_from(map->addresses, map->nr_addresses, start),
		.end = (uint32_t)search_first_from(map->addresses, map->nr_addresses, end),
	};

	if (f.first == f.end)
		return;
	strbuf_add(&map->names, name, strlen(name) + 1);
	ALLOC_GROW(map->functions, map->nr, map->alloc);
	map->functions[map->nr++] = f;
}

/* Reads all complete lines. The text after the last newline is still being written. */
static void read_lines(struct perfmap *map, int fd)
{
	uint64_t kept_max = memory_share(KEPT_MAX, KEPT_PART);
	struct lines lines;
	char *line;
	size_t len;

	lines_init(&lines, fd);
	lines.left = READ_MAX;
	while (map->names.len + map->nr * sizeof(*map->functions) < kept_max &&
		lines_next(&lines, &line, &len) && !lines.unended) {
		line[len] = '\0';
		add_line(map, line);
	}
	lines_release(&lines);
}

/* Returns the first address from I on without a function. NEXT leads there and is made shorter. */
static uint32_t next_free(uint32_t *next, uint32_t i)
{
	uint32_t end = i;

	while (next[end] != end)
		end = next[end];
	while (next[i] != end) {
		uint32_t after = next[i];

		next[i] = end;
		i = after;
	}
	return end;
}

/* Assigns functions to the addresses, the last line first, as the last one wins. */
static void assign(struct perfmap *map)
{
	size_t nr = map->nr_addresses;
	uint32_t *next = xcalloc(nr + 1, sizeof(*next));

	for (uint32_t i = 0; i <= nr; i++)
		next[i] = i;
	for (size_t i = map->nr; i--;) {
		const struct perfmap_function *f = &map->functions[i];

		for (uint32_t at = next_free(next, f->first); at < f->end;
			at = next_free(next, at)) {
			map->found[at] = (uint32_t)i;
			next[at] = at + 1;
		}
	}
	free(next);
}

struct perfmap *perfmap_read(int fd, const uint64_t *addresses, size_t nr)
{
	struct perfmap *map = xcalloc(1, sizeof(*map));

	map->addresses = addresses;
	map->nr_addresses = nr;
	map->found = xcalloc(nr + 1, sizeof(*map->found));
	memset(map->found, 0xff, nr * sizeof(*map->found));
	map->names = (struct strbuf)STRBUF_INIT;
	read_lines(map, fd);
	assign(map);
	return map;
}

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	free(map->found);
	free(map->functions);
	strbuf_release(&map->names);
	free(map);
}

bool perfmap_find(const struct perfmap *map, size_t i, const char **name, uint64_t *offset)
{
	if (map->found[i] == NO_FUNCTION)
		return false;
	const struct perfmap_function *f = &map->functions[map->found[i]];

	*name = map->names.buf + f->name;
	*offset = map->addresses[i] - f->start;
	return true;
}
