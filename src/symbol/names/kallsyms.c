/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_SIZE = 1 << 20,
	/* largest size of the last function of the kernel or a module, in bytes */
	LAST_MAX = 1 << 16,
};

struct ksym {
	uint64_t address;
	const char *name; /* or NULL if it is not a function */
	const char *module;
	char type;
};

struct kallsyms {
	char *text; /* the file, split into strings */
	struct ksym *syms;
	size_t nr, alloc;
	uint64_t stext; /* address of _stext, whose name gives way to the first function's name */
};

static const char kernel_module[] = "[kernel]";

static int read_text(const char *path, struct strbuf *text, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", path, strerror(errno));
	strbuf_grow(text, READ_SIZE);
	for (;;) {
		if (text->alloc - text->len < READ_SIZE / 2)
			strbuf_grow(text, READ_SIZE);
		n = read(fd, text->buf + text->len, text->alloc - text->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text->len += (size_t)n;
	}
	text->buf[text->len] = '\0';
	if (n)
		fail(err, "cannot read '%s': %s", path, strerror(errno));
	close(fd);
	return (int)n;
}

static const char *parse_address(const char *s, uint64_t *address)
{
	const char *start = s;
	uint64_t value = 0;

	for (;; s++) {
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

/*
 * Parses "ADDRESS TYPE NAME[\t[MODULE]]" in place. Returns false if the line is malformed or a
 * per-CPU offset.
 */
static bool parse_line(char *line, char *end, struct ksym *sym)
{
	const char *s = parse_address(line, &sym->address);
	char *name, *tab;

	if (!s || s[0] != ' ' || !s[1] || s[2] != ' ' || !s[3])
		return false;
	sym->type = s[1];
	if (sym->type == 'A' || sym->type == 'a')
		return false;
	name = line + (s + 3 - line);
	tab = memchr(name, '\t', (size_t)(end - name));
	sym->module = kernel_module;
	if (tab) {
		*tab = '\0';
		if (tab[1] == '[')
			sym->module = tab + 1;
	}
	sym->name = strchr("tTwWi", sym->type) ? name : NULL;
	/* markers between sections have the type of text, but are empty */
	if (sym->name && (!strcmp(name, "_etext") || !strcmp(name, "_einittext")))
		sym->name = NULL;
	return true;
}

static int type_rank(char type)
{
	return type == 'T' ? 3 : type == 'W' || type == 'w' ? 2 : 1;
}

/* Returns a positive number if A is the better name. */
static int compare_choice(const struct ksym *a, const struct ksym *b)
{
	bool pa, pb;
	size_t ua, ub;

	if (!a->name || !b->name)
		return !b->name - !a->name;
	pa = !strncmp(a->name, "__pfx_", 6);
	pb = !strncmp(b->name, "__pfx_", 6);
	if (pa != pb)
		return pb - pa;
	if (type_rank(a->type) != type_rank(b->type))
		return type_rank(a->type) - type_rank(b->type);
	ua = strspn(a->name, "_");
	ub = strspn(b->name, "_");
	if (ua != ub)
		return ua < ub ? 1 : -1;
	return strcmp(b->name, a->name);
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

static void parse_text(struct kallsyms *ks, char *end)
{
	for (char *line = ks->text, *next; line < end; line = next) {
		struct ksym sym;

		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			break; /* incomplete line */
		*next++ = '\0';
		if (!parse_line(line, next - 1, &sym) || !sym.address)
			continue;
		if (sym.name && !strcmp(sym.name, "_stext") && sym.module == kernel_module)
			ks->stext = sym.address;
		ALLOC_GROW(ks->syms, ks->nr, ks->alloc);
		ks->syms[ks->nr++] = sym;
	}
}

static void keep_the_best(struct kallsyms *ks)
{
	size_t kept = 0;

	sort(ks->syms, ks->nr);
	for (size_t i = 0; i < ks->nr; i++)
		if (!kept || ks->syms[kept - 1].address != ks->syms[i].address)
			ks->syms[kept++] = ks->syms[i];
		else if (compare_choice(&ks->syms[i], &ks->syms[kept - 1]) > 0)
			ks->syms[kept - 1] = ks->syms[i];
	ks->nr = kept;
}

struct kallsyms *kallsyms_read(const char *path, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct kallsyms *ks;
	size_t len;

	if (read_text(path, &text, err)) {
		strbuf_release(&text);
		return NULL;
	}
	ks = xcalloc(1, sizeof(*ks));
	len = text.len;
	ks->text = strbuf_detach(&text);
	parse_text(ks, ks->text + len);
	if (!ks->nr) {
		fail(err,
			len ? "kernel addresses are hidden in '%s': run as root or with "
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
	free(ks->text);
	free(ks);
}

uint64_t kallsyms_text(const struct kallsyms *ks)
{
	return ks->stext;
}

/* Returns the number of symbols at or before ADDRESS. */
static size_t count_until(const struct kallsyms *ks, uint64_t address)
{
	size_t low = 0, high = ks->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ks->syms[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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
	bool last = low == ks->nr || strcmp(ks->syms[low].module, s->module);

	if (last && address - s->address >= LAST_MAX)
		return false;
	*name = s->name;
	*module = s->module;
	*offset = address - s->address;
	return true;
}
