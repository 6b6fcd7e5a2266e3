/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"
#include "lib/lines.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* largest size of the last function of the kernel or a module, in bytes */
	LAST_MAX = 1 << 16,
	MODULES_MAX = UINT16_MAX,
};

static const char proc_kallsyms[] = "/proc/kallsyms";

struct ksym {
	uint64_t address;
	uint32_t name;   /* offset in names, or 0 if it is not a function */
	uint16_t module; /* index in modules */
};

struct kallsyms {
	struct strbuf names; /* of functions and modules, each with its NUL */
	struct ksym *syms;
	size_t nr, alloc;
	uint32_t *modules; /* offsets of their names, from the kernel's on */
	size_t nr_modules, modules_alloc;
	uint64_t stext, start; /* addresses of _stext and _text */
	bool has_lines;        /* of the file, though none may tell an address */
};

/* Returns the offset of a name, which is added. */
static uint32_t add_text(struct kallsyms *ks, const char *text, size_t len)
{
	size_t at = ks->names.len;

	strbuf_add(&ks->names, text, len);
	strbuf_addch(&ks->names, '\0');
	return (uint32_t)at;
}

static const char *text_at(const struct kallsyms *ks, uint32_t at)
{
	return ks->names.buf + at;
}

static uint16_t add_module(struct kallsyms *ks, const char *name, size_t len)
{
	ALLOC_GROW(ks->modules, ks->nr_modules, ks->modules_alloc);
	ks->modules[ks->nr_modules] = add_text(ks, name, len);
	return (uint16_t)ks->nr_modules++;
}

/* Returns the module of this name. The file has the symbols of a module one after the other. */
static uint16_t module_of(struct kallsyms *ks, const char *name, size_t len)
{
	for (size_t i = ks->nr_modules; i--;) {
		const char *known = text_at(ks, ks->modules[i]);

		if (strlen(known) == len && !memcmp(known, name, len))
			return (uint16_t)i;
	}
	return ks->nr_modules < MODULES_MAX ? add_module(ks, name, len) : 0;
}

static const char *parse_address(const char *s, const char *end, uint64_t *address)
{
	const char *start = s;
	uint64_t value = 0;

	for (; s < end; s++) {
		unsigned int c = (unsigned char)*s;

		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if (c - 'a' < 6)
			value = value << 4 | (c - 'a' + 10);
		else
			break;
	}
	*address = value;
	return s > start && s - start <= 16 ? s : NULL;
}

/* A line of the file, "ADDRESS TYPE NAME[\t[MODULE]]". */
struct ksym_line {
	uint64_t address;
	char type;
	const char *name, *module; /* the module is empty for the kernel's own */
	size_t name_len, module_len;
};

/* Returns false if the line is malformed or a per-CPU offset. */
static bool parse_line(const char *line, size_t len, struct ksym_line *l)
{
	const char *end = line + len, *s = parse_address(line, end, &l->address), *tab;

	if (!s || end - s < 4 || s[0] != ' ' || s[2] != ' ')
		return false;
	l->type = s[1];
	l->name = s + 3;
	tab = memchr(l->name, '\t', (size_t)(end - l->name));
	l->name_len = (size_t)((tab ? tab : end) - l->name);
	l->module = tab && end - tab > 1 && tab[1] == '[' ? tab + 1 : end;
	l->module_len = (size_t)(end - l->module);
	return l->type != 'A' && l->type != 'a';
}

static bool is_called(const struct ksym_line *l, const char *name)
{
	return l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

/* Markers of sections have the type of text, but are empty. */
static bool is_function(const struct ksym_line *l)
{
	static const char *const markers[] = {"_text", "_stext", "_etext", "_einittext"};

	for (size_t i = 0; i < ARRAY_LEN(markers); i++)
		if (is_called(l, markers[i]))
			return false;
	return memchr("tTwWi", l->type, 5);
}

/* Compares by address, then by the place in the file. */
static int compare_ksyms(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->address != y->address)
		return compare_u64(x->address, y->address);
	return compare_u64(x->name, y->name);
}

/* Merges the first N symbols and the others, which are both sorted by address. */
static void merge(struct ksym *syms, size_t n, size_t nr)
{
	size_t to = 0, a = 0, b = n;

	while (to < n && syms[to].address <= syms[n].address)
		to++;
	size_t left = n - to;
	struct ksym *first = xcalloc(left + 1, sizeof(*first));

	memcpy(first, syms + to, left * sizeof(*first));
	while (a < left)
		syms[to++] = b < nr && syms[b].address < first[a].address ? syms[b++] : first[a++];
	free(first);
}

/* Sorts the symbols by address. The kernel's own, which the file has first, are already sorted. */
static void sort(struct ksym *syms, size_t nr)
{
	size_t sorted = 1;

	while (sorted < nr && syms[sorted - 1].address <= syms[sorted].address)
		sorted++;
	if (sorted >= nr)
		return;
	qsort(syms + sorted, nr - sorted, sizeof(*syms), compare_ksyms);
	merge(syms, sorted, nr);
}

static void add_symbol(struct kallsyms *ks, uint64_t address, uint32_t name, uint16_t module)
{
	ALLOC_GROW(ks->syms, ks->nr, ks->alloc);
	ks->syms[ks->nr++] = (struct ksym){.address = address, .name = name, .module = module};
}

static void take_line(struct kallsyms *ks, const char *line, size_t len)
{
	struct ksym_line l;

	ks->has_lines = true;
	if (!parse_line(line, len, &l) || !l.address)
		return;
	if (is_called(&l, "_stext") && !l.module_len)
		ks->stext = l.address;
	if (is_called(&l, "_text") && !l.module_len)
		ks->start = l.address;
	add_symbol(ks, l.address, is_function(&l) ? add_text(ks, l.name, l.name_len) : 0,
		l.module_len ? module_of(ks, l.module, l.module_len) : 0);
}

/* Reads the file PATH, with BEGINNING only until it has told where the kernel's text begins. */
static int read_file(struct kallsyms *ks, const char *path, bool beginning, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lines lines;
	char *line;
	size_t len;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", path, strerror(errno));
	lines_init(&lines, fd);
	while (!(beginning && ks->stext) && lines_next(&lines, &line, &len) && !lines.unended)
		take_line(ks, line, len);
	int error = lines.error;

	lines_release(&lines);
	close(fd);
	return error ? fail(err, "cannot read '%s': %s", path, strerror(error)) : 0;
}

/*
 * Keeps the first name of each address: the kernel sorts them so that this is the best one, which
 * it also shows itself. What follows a symbol that is not a function has to be known only if it is
 * one.
 */
static void keep_the_first(struct kallsyms *ks)
{
	size_t nr = 0;

	sort(ks->syms, ks->nr);
	for (size_t i = 0; i < ks->nr; i++) {
		const struct ksym *s = &ks->syms[i];
		struct ksym *last = nr ? &ks->syms[nr - 1] : NULL;

		if (last && last->address == s->address)
			*last = last->name ? *last : *s;
		else if (!last || last->name || s->name)
			ks->syms[nr++] = *s;
	}
	ks->nr = ks->alloc = nr;
	ks->syms = xrealloc(ks->syms, nr, sizeof(*ks->syms));
}

static struct kallsyms *make(void)
{
	struct kallsyms *ks = xcalloc(1, sizeof(*ks));

	ks->names = (struct strbuf)STRBUF_INIT;
	strbuf_addch(&ks->names, '\0'); /* no name */
	add_module(ks, "[kernel]", strlen("[kernel]"));
	return ks;
}

struct kallsyms *kallsyms_read(const char *path, struct strbuf *err)
{
	struct kallsyms *ks = make();

	if (read_file(ks, path, false, err)) {
		kallsyms_free(ks);
		return NULL;
	}
	if (!ks->nr) {
		fail(err,
			ks->has_lines ? "kernel addresses are hidden in '%s': run as root or with "
					"CAP_SYSLOG, with kernel.kptr_restrict at most 1"
				      : "'%s' has no symbols",
			path);
		kallsyms_free(ks);
		return NULL;
	}
	keep_the_first(ks);
	return ks;
}

struct kallsyms *kallsyms_new(struct strbuf *err)
{
	return kallsyms_read(proc_kallsyms, err);
}

/*
 * Adds the function of ADDRESS from TEXT, "NAME+0xOFFSET/0xSIZE [MODULE]". Returns its end, or
 * ADDRESS if the text tells of no function.
 */
static uint64_t add_described(struct kallsyms *ks, uint64_t address, char *text)
{
	char *plus = strrchr(text, '+'), *module = plus ? strchr(plus, '[') : NULL;
	uint64_t offset, size;

	if (!plus || sscanf(plus, "+0x%" SCNx64 "/0x%" SCNx64, &offset, &size) != 2 ||
		offset > address || offset >= size || size > UINT64_MAX - address)
		return address;
	uint16_t in = module ? module_of(ks, module, strcspn(module, " \n")) : 0;

	add_symbol(ks, address - offset, add_text(ks, text, (size_t)(plus - text)), in);
	add_symbol(ks, address - offset + size, 0, in);
	return address - offset + size;
}

struct kallsyms *kallsyms_ask(const uint64_t *list, size_t nr,
	void (*describe)(void *context, uint64_t address, struct strbuf *text), void *context)
{
	struct kallsyms *ks = make();
	struct strbuf text = STRBUF_INIT;
	uint64_t end = 0;

	read_file(ks, proc_kallsyms, true, NULL);
	ks->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (list[i] < end)
			continue;
		strbuf_reset(&text);
		describe(context, list[i], &text);
		end = add_described(ks, list[i], text.buf);
	}
	strbuf_release(&text);
	keep_the_first(ks);
	return ks;
}

void kallsyms_free(struct kallsyms *ks)
{
	if (!ks)
		return;
	free(ks->syms);
	free(ks->modules);
	strbuf_release(&ks->names);
	free(ks);
}

uint64_t kallsyms_text(const struct kallsyms *ks)
{
	return ks->stext;
}

uint64_t kallsyms_start(const struct kallsyms *ks)
{
	return ks->start;
}

/* Returns the number of symbols at or before ADDRESS. */
static size_t count_until(const struct kallsyms *ks, uint64_t address)
{
	return COUNT_UNTIL(ks->syms, ks->nr, address, address);
}

uint64_t kallsyms_next(const struct kallsyms *ks, uint64_t address)
{
	size_t n = count_until(ks, address);

	return n < ks->nr ? ks->syms[n].address : 0;
}

bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset)
{
	size_t low = count_until(ks, address);

	if (!low || !ks->syms[low - 1].name)
		return false;
	const struct ksym *s = &ks->syms[low - 1];
	bool last = low == ks->nr || ks->syms[low].module != s->module;

	if (last && address - s->address >= LAST_MAX)
		return false;
	*name = text_at(ks, s->name);
	*module = text_at(ks, ks->modules[s->module]);
	*offset = address - s->address;
	return true;
}
