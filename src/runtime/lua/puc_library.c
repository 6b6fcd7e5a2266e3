/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "puc_library.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>
#include <string.h>

enum {
	DIFFERENT_MAX = 64,
	TABLES_MAX = 1 << 20, /* bytes of the section that contains the tables */
	ENTRIES_MAX = 256,    /* entries of a table */
	NAME_SIZE = 24,       /* bytes of a function's name without its library */
	FULL_SIZE = 40,
};

struct puc_library {
	struct library_function {
		uint64_t address;
		char name[FULL_SIZE];
	} * list; /* sorted by address */
	size_t nr, alloc;
};

struct library_section {
	uint64_t start, size; /* start is a link address */
};

/* A file whose tables are being read. */
struct library_reading {
	struct puc_library *functions;
	const struct memory *memory;
	uint64_t bias;
	struct library_section code, strings;
};

/* An entry of a table, as luaL_Reg: run-time addresses in the process. */
struct library_entry {
	uint64_t name, function;
};

static struct puc_library *known[DIFFERENT_MAX];
static size_t nr_known;

/* ---- tables ---- */

static bool is_in(
	const struct library_reading *r, const struct library_section *s, uint64_t address)
{
	return address - r->bias - s->start < s->size;
}

/*
 * Returns the number of entries of the table at E, which has at most MAX entries and ends with an
 * empty one, or 0 if it is not a table.
 */
static size_t table_size(const struct library_reading *r, const struct library_entry *e, size_t max)
{
	for (size_t i = 0; i < max && i <= ENTRIES_MAX; i++) {
		if (!e[i].name && !e[i].function)
			return i;
		if (!is_in(r, &r->strings, e[i].name) ||
			(e[i].function && !is_in(r, &r->code, e[i].function)))
			return 0;
	}
	return 0;
}

/*
 * Returns the prefix for the full names of functions with these names, or NULL if they are of no
 * known library.
 */
static const char *prefix_of(char (*names)[NAME_SIZE], size_t nr)
{
	static const struct {
		const char *prefix, *function; /* a function that only this library has */
	} libraries[] = {{"", "pcall"}, {"", "require"}, {"coroutine.", "wrap"},
		{"string.", "gsub"}, {"table.", "concat"}, {"math.", "floor"}, {"io.", "popen"},
		{"file:", "setvbuf"}, {"os.", "getenv"}, {"debug.", "traceback"},
		{"utf8.", "codepoint"}, {"bit32.", "band"}, {"package.", "loadlib"}};

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < ARRAY_LEN(libraries); k++)
			if (!strcmp(names[i], libraries[k].function))
				return libraries[k].prefix;
	return NULL;
}

static void add_function(
	struct puc_library *l, uint64_t address, const char *prefix, const char *name)
{
	ALLOC_GROW(l->list, l->nr, l->alloc);
	l->list[l->nr] = (struct library_function){.address = address};
	snprintf(l->list[l->nr].name, FULL_SIZE, "%s%.*s", prefix, NAME_SIZE - 1, name);
	l->nr++;
}

static void take_table(struct library_reading *r, const struct library_entry *e, size_t nr)
{
	uint64_t addresses[ENTRIES_MAX] = {0};
	char names[ENTRIES_MAX][NAME_SIZE];
	const char *prefix;

	for (size_t i = 0; i < nr; i++)
		addresses[i] = e[i].name;
	if (!memory_scattered(r->memory, addresses, nr, NAME_SIZE, names))
		return;
	for (size_t i = 0; i < nr; i++)
		names[i][NAME_SIZE - 1] = '\0';
	prefix = prefix_of(names, nr);
	for (size_t i = 0; prefix && i < nr; i++)
		if (e[i].function)
			add_function(r->functions, e[i].function - r->bias, prefix, names[i]);
}

/* Takes the tables in the NR words. */
static void take_tables(struct library_reading *r, const uint64_t *words, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++) {
		const struct library_entry *e = (const struct library_entry *)(words + i);
		size_t size = table_size(r, e, (nr - i) / 2);

		if (!size)
			continue;
		take_table(r, e, size);
		i += 2 * size;
	}
}

/* ---- file ---- */

static int by_address(const void *a, const void *b)
{
	const struct library_function *f = a, *g = b;

	if (f->address != g->address)
		return f->address < g->address ? -1 : 1;
	return strcmp(f->name, g->name);
}

static bool find_section(
	const struct target_file *file, const char *name, struct library_section *s)
{
	return elffacts_section(file->elf, name, &s->start, &s->size);
}

static void read_tables(struct library_reading *r, const struct library_section *s)
{
	uint64_t *words = s->size < TABLES_MAX ? xcalloc(1, s->size + sizeof(*words)) : NULL;

	if (words && memory_read(r->memory, s->start + r->bias, words, s->size))
		take_tables(r, words, s->size / sizeof(*words));
	free(words);
}

static void read_file(struct library_reading *r, const struct target_file *file)
{
	static const char *const names[] = {".text", ".rodata", ".data.rel.ro"};
	struct elf_question list[ARRAY_LEN(names)];
	struct library_section tables;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		list[i] = (struct elf_question){file->elf, FACT_SECTION, names[i], 0, NULL};
	elffacts_ask(list, ARRAY_LEN(list));
	if (!find_section(file, ".text", &r->code) || !find_section(file, ".rodata", &r->strings))
		return;
	if (find_section(file, ".data.rel.ro", &tables))
		read_tables(r, &tables);
	if (!r->functions->nr) /* a program at fixed addresses has its tables here */
		read_tables(r, &r->strings);
}

/* Returns an equal library that was kept earlier and frees L, or keeps and returns L. */
static const struct puc_library *keep(struct puc_library *l)
{
	size_t i = 0, size = l->nr * sizeof(*l->list);

	while (i < nr_known && (known[i]->nr != l->nr || memcmp(known[i]->list, l->list, size)))
		i++;
	if (i == nr_known && l->nr && nr_known < DIFFERENT_MAX)
		return known[nr_known++] = l;
	free(l->list);
	free(l);
	return i < nr_known ? known[i] : NULL;
}

const struct puc_library *puc_library_learn(const struct target_file *file, const struct memory *m)
{
	struct puc_library *l = xcalloc(1, sizeof(*l));
	struct library_reading r = {.functions = l, .memory = m, .bias = file->bias};

	read_file(&r, file);
	if (l->nr)
		qsort(l->list, l->nr, sizeof(*l->list), by_address);
	return keep(l);
}

const char *puc_library_name(const struct puc_library *l, uint64_t address)
{
	size_t low = 0, high = l ? l->nr : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->list[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return l && low < l->nr && l->list[low].address == address ? l->list[low].name : NULL;
}
