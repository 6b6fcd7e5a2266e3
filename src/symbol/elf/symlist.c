/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symlist.h"
#include "elffile_internal.h"
#include "entry.h"
#include "lib/util.h"
#include "pclntab.h"
#include "symimage.h"

#include <stdlib.h>
#include <string.h>

/* If several symbols are at one address, the one with the highest rank is used. */
enum { RANK_GLOBAL = 1, RANK_FUNCTION = 2, RANK_SIZED = 4, RANK_OF_TABLE = 16 };

struct symlist_symbol {
	uint64_t start, end;
	uint32_t name; /* offset in the names */
	uint32_t rank;
};

enum {
	SECTIONS_MAX = 1024, /* sections of code; more are ignored */
	SYMBOLS_MAX = UINT32_MAX / 4,
	NAMES_MAX = 1 << 30, /* bytes */
	/* bytes of names for each byte of the tables; names in a hostile table may overlap */
	NAMES_TIMES = 4,
	DIGIT_BITS = 11,
};

/* Executable sections. Symbols outside of them are ignored, and symbols end with their section. */
struct sections {
	struct section_range {
		uint64_t start, end;
	} * ranges;
	size_t nr, alloc;
	const struct section_range *last; /* range found by the previous search */
};

static void read_sections(Elf *elf, struct sections *sections)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (sections->nr < SECTIONS_MAX && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
			!(shdr.sh_flags & SHF_ALLOC) || shdr.sh_size > UINT64_MAX - shdr.sh_addr)
			continue;
		ALLOC_GROW(sections->ranges, sections->nr, sections->alloc);
		sections->ranges[sections->nr++] =
			(struct section_range){shdr.sh_addr, shdr.sh_addr + shdr.sh_size};
	}
}

static bool in_range(const struct section_range *range, uint64_t address)
{
	return range && address >= range->start && address < range->end;
}

/* Returns the section at ADDRESS, or NULL if there is none. */
static const struct section_range *section_of(struct sections *sections, uint64_t address)
{
	if (in_range(sections->last, address))
		return sections->last;
	for (size_t i = 0; i < sections->nr; i++)
		if (in_range(&sections->ranges[i], address))
			return sections->last = &sections->ranges[i];
	return NULL;
}

/* Returns the rank of a symbol, or 0 if it is not a symbol of code. */
static uint32_t symbol_rank(const GElf_Sym *sym, bool arm)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	uint32_t rank = RANK_OF_TABLE;

	if (sym->st_shndx == SHN_UNDEF ||
		(sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX))
		return 0;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		rank |= RANK_FUNCTION;
	else if (type != STT_NOTYPE || (arm && bind == STB_LOCAL))
		return 0;
	if (sym->st_size)
		rank |= RANK_SIZED;
	if (bind != STB_LOCAL) /* weak names are often the public ones: read and __read */
		rank |= RANK_GLOBAL;
	return rank;
}

void symlist_init(struct symlist *l)
{
	static const struct symimage_header room;

	*l = (struct symlist){.names_max = NAMES_MAX, .image = STRBUF_INIT};
	strbuf_add(&l->image, &room, sizeof(room));
	strbuf_addch(&l->image, '\0'); /* offset 0 is not a name */
}

static const char *name_of(const struct symlist *l, const struct symlist_symbol *symbol)
{
	return l->image.buf + sizeof(struct symimage_header) + symbol->name;
}

/* Returns the length of NAME without its symbol version, unless nothing else is left. */
static size_t without_version(const char *name, size_t len)
{
	const char *at = memchr(name, '@', len);

	return at && at > name ? (size_t)(at - name) : len;
}

static void add(struct symlist *l, uint64_t start, uint64_t end, const char *name, uint32_t rank)
{
	size_t at = l->image.len - sizeof(struct symimage_header);
	size_t room = l->names_max > at ? l->names_max - at : 0, len = strnlen(name, room);

	if (l->nr >= SYMBOLS_MAX || len == room) {
		l->names_max = 0; /* add no more, as the next ones may be as long */
		return;
	}
	strbuf_add(&l->image, name, without_version(name, len));
	strbuf_addch(&l->image, '\0');
	ALLOC_GROW(l->list, l->nr, l->alloc);
	l->list[l->nr++] = (struct symlist_symbol){start, end, (uint32_t)at, rank};
}

/*
 * Adds a symbol of SIZE bytes, or up to the end of its section if SIZE is 0, if it is code and has
 * a name.
 */
static void add_symbol(struct symlist *l, struct sections *sections, uint64_t start, uint64_t size,
	const char *name, uint32_t rank)
{
	const struct section_range *in = section_of(sections, start);

	if (!*name || !in)
		return;
	if (!size || size > in->end - start)
		size = in->end - start;
	add(l, start, start + size, name, rank);
}

/* Returns symbol I of DATA, or NULL at the end. 64-bit tables are not copied. */
static const GElf_Sym *symbol_at(Elf_Data *data, bool wide, size_t i, GElf_Sym *copy)
{
	if (!wide)
		return i <= INT32_MAX ? gelf_getsym(data, (int)i, copy) : NULL;
	return i < data->d_size / sizeof(Elf64_Sym) ? (const Elf64_Sym *)data->d_buf + i : NULL;
}

/* Returns the offset below which strings are NUL-terminated. */
static size_t strings_end(const Elf_Data *names)
{
	const char *from = names->d_buf, *last = memrchr(from, '\0', names->d_size);

	return last ? (size_t)(last - from) : 0;
}

static void add_symbols(struct symlist *l, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL), *names;
	Elf_Scn *names_scn = elf_getscn(elf, shdr->sh_link);
	struct sections sections = {0};
	const GElf_Sym *sym;
	GElf_Ehdr ehdr;
	GElf_Sym copy;

	names = names_scn ? elf_getdata(names_scn, NULL) : NULL;
	if (!data || !data->d_buf || data->d_type != ELF_T_SYM || !names || !names->d_buf ||
		!gelf_getehdr(elf, &ehdr))
		return;
	read_sections(elf, &sections);
	l->names_max = l->image.len + NAMES_TIMES * (data->d_size + names->d_size);
	if (l->names_max > NAMES_MAX)
		l->names_max = NAMES_MAX;
	bool arm = ehdr.e_machine == EM_AARCH64 || ehdr.e_machine == EM_ARM;
	bool wide = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	size_t end = strings_end(names);

	for (size_t i = 0; (sym = symbol_at(data, wide, i, &copy)); i++) {
		uint32_t rank = symbol_rank(sym, arm);

		if (rank && sym->st_name < end)
			add_symbol(l, &sections, sym->st_value, sym->st_size,
				(const char *)names->d_buf + sym->st_name, rank);
	}
	l->names_max = NAMES_MAX;
	free(sections.ranges);
}

bool symlist_add_table(struct symlist *l, const struct elffile *file, uint32_t type)
{
	Elf *elf = elffile_elf(file);
	size_t before = l->nr;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type ||
			(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		add_symbols(l, elf, scn, &shdr);
		break;
	}
	return l->nr > before;
}

bool symlist_add_go(struct symlist *l, const struct elffile *elf)
{
	struct pclntab *go = pclntab_new(elf);
	struct sections sections = {0};
	size_t before = l->nr;

	if (!go)
		return false;
	read_sections(elffile_elf(elf), &sections);
	for (uint64_t i = 0; i < pclntab_count(go); i++) {
		struct pclntab_function f = pclntab_function(go, i);

		if (f.name && f.end > f.start)
			add_symbol(l, &sections, f.start, f.end - f.start, f.name,
				RANK_OF_TABLE | RANK_FUNCTION | RANK_SIZED);
	}
	free(sections.ranges);
	pclntab_free(go);
	return l->nr > before;
}

/* Adds the symbols with rank 0, so that any symbol of a table is preferred. */
bool symlist_add_entry(struct symlist *l, const struct elffile *elf)
{
	struct entry_symbol found[ENTRY_SYMBOLS];
	size_t nr = entry_symbols(elf, found);

	for (size_t i = 0; i < nr; i++)
		add(l, found[i].start, found[i].end, found[i].name, 0);
	return nr;
}

/* Sorts by the digit of the addresses at bit SHIFT. The sort is stable. */
static void sort_by_digit(
	const struct symlist_symbol *from, struct symlist_symbol *to, size_t nr, unsigned int shift)
{
	size_t at[1 << DIGIT_BITS] = {0}, sum = 0;
	const uint64_t mask = ARRAY_LEN(at) - 1;

	for (size_t i = 0; i < nr; i++)
		at[from[i].start >> shift & mask]++;
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		size_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr; i++)
		to[at[from[i].start >> shift & mask]++] = from[i];
}

/* Sorts by address: LSD radix sort of the digits in which addresses differ (Knuth, TAOCP 5.2.5). */
static void sort_by_address(struct symlist *l)
{
	struct symlist_symbol *other = xmalloc(l->nr * sizeof(*other)), *sorted = other;
	uint64_t differ = 0;

	for (size_t i = 1; i < l->nr; i++)
		differ |= l->list[i].start ^ l->list[0].start;
	for (unsigned int shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		sort_by_digit(l->list, other, l->nr, shift);
		sorted = other;
		other = l->list;
		l->list = sorted;
	}
	free(other);
	l->alloc = l->nr;
}

/* Returns a positive number if A is the better name. */
static int compare_names(const char *a, const char *b)
{
	/* glibc's names for internal calls */
	int inner = !strncmp(b, "__GI_", 5) - !strncmp(a, "__GI_", 5);
	size_t ua = strspn(a, "_"), ub = strspn(b, "_"), la, lb;

	if (inner)
		return inner;
	if (ua != ub)
		return ua < ub ? 1 : -1;
	la = strlen(a);
	lb = strlen(b);
	if (la != lb)
		return la < lb ? 1 : -1;
	return strcmp(b, a);
}

/* Orders symbols at one address. The best one comes last. */
static int compare_symbols(const void *a, const void *b, void *list)
{
	const struct symlist_symbol *x = a, *y = b;
	int order;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	order = compare_names(name_of(list, x), name_of(list, y));
	return order ? order : (x->end > y->end) - (x->end < y->end);
}

/*
 * Sorts the NR symbols at one address. Symbols without a size end at NEXT, the next address with a
 * symbol. If another symbol at this address has a size, they become empty.
 */
static void sort_address(
	const struct symlist *l, struct symlist_symbol *s, size_t nr, uint64_t next)
{
	if (nr > 1)
		qsort_r(s, nr, sizeof(*s), compare_symbols, (void *)l);
	bool sized = s[nr - 1].rank & RANK_SIZED;

	for (size_t i = 0; i < nr; i++)
		if (!(s[i].rank & RANK_SIZED) && (sized || s[i].end > next))
			s[i].end = sized ? s[i].start : next;
}

static void sort(struct symlist *l)
{
	if (!l->nr)
		return;
	sort_by_address(l);
	for (size_t i = 0, end; i < l->nr; i = end) {
		for (end = i + 1; end < l->nr && l->list[end].start == l->list[i].start; end++)
			;
		sort_address(
			l, &l->list[i], end - i, end < l->nr ? l->list[end].start : UINT64_MAX);
	}
}

/* The parts so far, and the open symbols. An address belongs to the innermost of nested symbols. */
struct sweep {
	struct symimage_part *parts;
	size_t nr;
	struct open {
		uint64_t end;
		uint32_t name, first;
	} * open;
	size_t nr_open, open_alloc;
};

/* Begins a part at START that belongs to FUNCTION, or to no function if that is NULL. */
static void cut(struct sweep *sweep, uint64_t start, const struct open *function)
{
	if (sweep->nr && sweep->parts[sweep->nr - 1].start == start)
		sweep->nr--;
	sweep->parts[sweep->nr++] = (struct symimage_part){
		.start = start,
		.name = function ? function->name : 0,
		.first = function ? function->first : 0,
	};
}

static const struct open *innermost(const struct sweep *sweep)
{
	return sweep->nr_open ? &sweep->open[sweep->nr_open - 1] : NULL;
}

static void close_until(struct sweep *sweep, uint64_t until)
{
	while (sweep->nr_open && innermost(sweep)->end <= until) {
		uint64_t end = innermost(sweep)->end;

		while (sweep->nr_open && innermost(sweep)->end <= end)
			sweep->nr_open--;
		cut(sweep, end, innermost(sweep));
	}
}

static void open_symbol(struct sweep *sweep, const struct symlist_symbol *s)
{
	const uint32_t solid = RANK_SIZED | RANK_FUNCTION;
	struct open *open;

	/* ignore labels inside a function */
	if (s->end == s->start || ((s->rank & solid) != solid && sweep->nr_open))
		return;
	ALLOC_GROW(sweep->open, sweep->nr_open, sweep->open_alloc);
	open = &sweep->open[sweep->nr_open++];
	*open = (struct open){.end = s->end, .name = s->name};
	cut(sweep, s->start, open);
	open->first = (uint32_t)sweep->nr - 1;
	sweep->parts[sweep->nr - 1].first = open->first;
}

/* Makes at most two parts for each symbol, one at its start and one at its end. */
static size_t cut_into_parts(const struct symlist *l, struct symimage_part *parts)
{
	struct sweep sweep = {.parts = parts};

	for (size_t i = 0; i < l->nr; i++) {
		close_until(&sweep, l->list[i].start);
		open_symbol(&sweep, &l->list[i]);
	}
	close_until(&sweep, UINT64_MAX);
	free(sweep.open);
	return sweep.nr;
}

void symlist_finish(struct symlist *l, uint32_t source, struct symimage *image)
{
	struct strbuf *sb = &l->image;

	sort(l);
	do
		strbuf_addch(sb, '\0');
	while (sb->len % sizeof(uint64_t));
	strbuf_grow(sb, 2 * l->nr * sizeof(struct symimage_part));
	size_t names = sb->len - sizeof(struct symimage_header);
	size_t parts = cut_into_parts(l, (void *)(sb->buf + sb->len));

	symimage_make(image, strbuf_detach(sb), names, parts, source);
	free(l->list);
}
