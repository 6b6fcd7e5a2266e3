/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"
#include "lib/lines.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* largest size of the last function of the kernel or a module, in bytes */
	LAST_MAX = 1 << 16,
	MODULES_MAX = UINT16_MAX,
};

struct ksym {
	uint64_t address;
	uint32_t name;   /* offset in names, or 0 if it is not a function */
	uint16_t module; /* index in modules */
	char type;
};

/* A recorder that runs for days keeps it, so it has nothing of the file but the functions. */
struct kallsyms {
	struct strbuf names; /* of functions and modules, each with its NUL */
	struct ksym *syms;
	size_t nr, alloc;
	uint32_t *modules; /* offsets of their names, from the kernel's on */
	size_t nr_modules, modules_alloc;
	/* Addresses of _stext and _text, whose names give way to the first function's name. */
	uint64_t stext, start;
	bool has_lines; /* of the file, though none may tell an address */
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

static const char *name_of(const struct kallsyms *ks, const struct ksym *sym)
{
	return text_at(ks, sym->name);
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

/* Markers between sections have the type of text, but are empty. */
static bool is_function(const struct ksym_line *l)
{
	return memchr("tTwWi", l->type, 5) && !is_called(l, "_etext") &&
	       !is_called(l, "_einittext");
}

static int type_rank(char type)
{
	return type == 'T' ? 3 : type == 'W' || type == 'w' ? 2 : 1;
}

/* Returns a positive number if A is the better name. */
static int compare_choice(const struct kallsyms *ks, const struct ksym *a, const struct ksym *b)
{
	const char *x = name_of(ks, a), *y = name_of(ks, b);
	bool pa, pb;
	size_t ua, ub;

	if (!a->name || !b->name)
		return !b->name - !a->name;
	pa = !strncmp(x, "__pfx_", 6);
	pb = !strncmp(y, "__pfx_", 6);
	if (pa != pb)
		return pb - pa;
	if (type_rank(a->type) != type_rank(b->type))
		return type_rank(a->type) - type_rank(b->type);
	ua = strspn(x, "_");
	ub = strspn(y, "_");
	if (ua != ub)
		return ua < ub ? 1 : -1;
	return strcmp(y, x);
}

static int compare_ksyms(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
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
	ALLOC_GROW(ks->syms, ks->nr, ks->alloc);
	ks->syms[ks->nr++] = (struct ksym){
		.address = l.address,
		.name = is_function(&l) ? add_text(ks, l.name, l.name_len) : 0,
		.module = l.module_len ? module_of(ks, l.module, l.module_len) : 0,
		.type = l.type,
	};
}

static int read_file(struct kallsyms *ks, const char *path, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lines lines;
	char *line;
	size_t len;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", path, strerror(errno));
	lines_init(&lines, fd);
	while (lines_next(&lines, &line, &len) && !lines.unended)
		take_line(ks, line, len);
	int error = lines.error;

	lines_release(&lines);
	close(fd);
	return error ? fail(err, "cannot read '%s': %s", path, strerror(error)) : 0;
}

/*
 * Keeps the best name of each address. What follows a symbol that is not a function has to be known
 * only if it is one.
 */
static void keep_the_best(struct kallsyms *ks)
{
	size_t kept = 0, nr = 0;

	sort(ks->syms, ks->nr);
	for (size_t i = 0; i < ks->nr; i++)
		if (!kept || ks->syms[kept - 1].address != ks->syms[i].address)
			ks->syms[kept++] = ks->syms[i];
		else if (compare_choice(ks, &ks->syms[i], &ks->syms[kept - 1]) > 0)
			ks->syms[kept - 1] = ks->syms[i];
	for (size_t i = 0; i < kept; i++)
		if (!nr || ks->syms[i].name || ks->syms[nr - 1].name)
			ks->syms[nr++] = ks->syms[i];
	ks->nr = ks->alloc = nr;
	ks->syms = xrealloc(ks->syms, nr, sizeof(*ks->syms));
}

struct kallsyms *kallsyms_read(const char *path, struct strbuf *err)
{
	struct kallsyms *ks = xcalloc(1, sizeof(*ks));

	ks->names = (struct strbuf)STRBUF_INIT;
	strbuf_addch(&ks->names, '\0'); /* no name */
	add_module(ks, "[kernel]", strlen("[kernel]"));
	if (read_file(ks, path, err)) {
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
	keep_the_best(ks);
	return ks;
}

struct kallsyms *kallsyms_new(struct strbuf *err)
{
	return kallsyms_read("/proc/kallsyms", err);
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
	*name = name_of(ks, s);
	*module = text_at(ks, ks->modules[s->module]);
	*offset = address - s->address;
	return true;
}
