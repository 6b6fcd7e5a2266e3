/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symtab.h"
#include "debugfile.h"
#include "elffile.h"
#include "entry.h"
#include "pclntab.h"
#include "plt.h"
#include "symbol.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Which of several symbols of one address is its name: the highest rank, by these bits. */
enum { RANK_GLOBAL = 1, RANK_FUNCTION = 2, RANK_SIZED = 4, RANK_OF_TABLE = 16 };

struct symbol {
	uint64_t start, end;
	const char *name; /* in the file's memory */
	unsigned int rank;
};

enum { SECTIONS_MAX = 1024 }; /* of code; more are not looked at */

/* Executable sections: a symbol counts when it lies in one, and ends with it at the latest. */
struct sections {
	struct range {
		uint64_t start, end;
	} * ranges;
	size_t nr, alloc;
	const struct range *last; /* that was found: the first guess */
};

struct symtab {
	const struct elffile *elf;
	struct elffile *debug, *embedded;
	struct symbol *symbols;
	size_t nr_symbols, symbols_alloc;
	/* the address space cut into parts: starts[i] to starts[i + 1] belongs to owners[i] */
	uint64_t *starts;
	uint32_t *owners;
	size_t nr_parts;
	struct plt *plt; /* made when first needed */
};

#define NO_OWNER UINT32_MAX

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
			(struct range){shdr.sh_addr, shdr.sh_addr + shdr.sh_size};
	}
}

static bool in_range(const struct range *range, uint64_t address)
{
	return range && address >= range->start && address < range->end;
}

/* The section that holds ADDRESS. NULL: none. */
static const struct range *section_of(struct sections *sections, uint64_t address)
{
	if (in_range(sections->last, address))
		return sections->last;
	for (size_t i = 0; i < sections->nr; i++)
		if (in_range(&sections->ranges[i], address))
			return sections->last = &sections->ranges[i];
	return NULL;
}

/* 0: no symbol that names code. */
static unsigned int symbol_rank(const GElf_Sym *sym, bool arm)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	unsigned int rank = RANK_OF_TABLE;

	if (sym->st_shndx == SHN_UNDEF ||
		(sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX))
		return 0;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		rank |= RANK_FUNCTION;
	else if (type != STT_NOTYPE || (arm && bind == STB_LOCAL))
		return 0;
	if (sym->st_size)
		rank |= RANK_SIZED;
	if (bind != STB_LOCAL) /* weak names are often the public ones: read beside __read */
		rank |= RANK_GLOBAL;
	return rank;
}

/* Adds one of SIZE bytes, 0: to the next one or the section's end, when it is code with a name. */
static void add_symbol(struct symtab *tab, struct sections *sections, uint64_t start, uint64_t size,
	const char *name, unsigned int rank)
{
	const struct range *in = section_of(sections, start);

	if (!*name || !in || tab->nr_symbols >= UINT32_MAX / 4)
		return;
	if (!size || size > in->end - start)
		size = in->end - start;
	ALLOC_GROW(tab->symbols, tab->nr_symbols, tab->symbols_alloc);
	tab->symbols[tab->nr_symbols++] = (struct symbol){start, start + size, name, rank};
}

static void add_symbols(struct symtab *tab, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	struct sections sections = {0};
	Elf_Data *data = elf_getdata(scn, NULL), *names;
	Elf_Scn *names_scn = elf_getscn(elf, shdr->sh_link);
	size_t names_len;
	GElf_Ehdr ehdr;
	GElf_Sym sym;

	names = names_scn ? elf_getdata(names_scn, NULL) : NULL;
	if (!data || !data->d_buf || !names || !names->d_buf || !gelf_getehdr(elf, &ehdr))
		return;
	/* an offset before the last NUL is that of a terminated string */
	for (names_len = names->d_size; names_len; names_len--)
		if (!((const char *)names->d_buf)[names_len - 1])
			break;
	read_sections(elf, &sections);
	bool arm = ehdr.e_machine == EM_AARCH64 || ehdr.e_machine == EM_ARM;

	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		unsigned int rank = symbol_rank(&sym, arm);

		if (rank && sym.st_name < names_len)
			add_symbol(tab, &sections, sym.st_value, sym.st_size,
				(const char *)names->d_buf + sym.st_name, rank);
	}
	free(sections.ranges);
}

/* Adds the symbols of ELF's first table of TYPE; false when there is none with symbols. */
static bool read_symbols(struct symtab *tab, const struct elffile *file, uint32_t type)
{
	size_t before = tab->nr_symbols;
	Elf *elf = elffile_elf(file);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type ||
			(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		add_symbols(tab, elf, scn, &shdr);
		break;
	}
	return tab->nr_symbols > before;
}

/* Positive: A is the better name of the two. */
static int compare_names(const char *a, const char *b)
{
	/* glibc's names for calls within itself */
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

/* By address; of one address the best comes last. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->name == y->name)
		return (x->end > y->end) - (x->end < y->end);
	return compare_names(x->name, y->name);
}

/* Sorts, and lets symbols of no size reach to the next one; beside a sized one they are empty. */
static void sort_symbols(struct symtab *tab)
{
	struct symbol *s = tab->symbols;
	uint64_t next = UINT64_MAX; /* address of the next symbol that starts elsewhere */
	bool sized = false;         /* the best symbol of this address has a size */

	if (!tab->nr_symbols)
		return;
	qsort(s, tab->nr_symbols, sizeof(*s), compare_symbols);
	for (size_t i = tab->nr_symbols; i-- > 0;) {
		bool last = i + 1 == tab->nr_symbols || s[i + 1].start != s[i].start;

		if (last && i + 1 < tab->nr_symbols)
			next = s[i + 1].start;
		if (last)
			sized = s[i].rank & RANK_SIZED;
		if (!(s[i].rank & RANK_SIZED) && (sized || s[i].end > next))
			s[i].end = sized ? s[i].start : next;
	}
}

/* Symbols may lie in one another: the innermost that is open at an address owns it. */
struct sweep {
	struct symtab *tab;
	uint32_t *open;
	size_t nr_open;
};

static void sweep_cut(struct sweep *sweep, uint64_t start, uint32_t owner)
{
	struct symtab *tab = sweep->tab;

	if (tab->nr_parts && tab->starts[tab->nr_parts - 1] == start)
		tab->nr_parts--;
	tab->starts[tab->nr_parts] = start;
	tab->owners[tab->nr_parts++] = owner;
}

static void sweep_close(struct sweep *sweep, uint64_t until)
{
	const struct symbol *symbols = sweep->tab->symbols;

	while (sweep->nr_open && symbols[sweep->open[sweep->nr_open - 1]].end <= until) {
		uint64_t end = symbols[sweep->open[--sweep->nr_open]].end;

		while (sweep->nr_open && symbols[sweep->open[sweep->nr_open - 1]].end <= end)
			sweep->nr_open--;
		sweep_cut(sweep, end, sweep->nr_open ? sweep->open[sweep->nr_open - 1] : NO_OWNER);
	}
}

static void cut_into_parts(struct symtab *tab)
{
	const unsigned int solid = RANK_SIZED | RANK_FUNCTION;
	struct sweep sweep = {.tab = tab};
	size_t n = tab->nr_symbols;

	tab->starts = xrealloc(NULL, 2 * n + 1, sizeof(*tab->starts));
	tab->owners = xrealloc(NULL, 2 * n + 1, sizeof(*tab->owners));
	sweep.open = xrealloc(NULL, n, sizeof(*sweep.open));
	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *s = &tab->symbols[i];

		sweep_close(&sweep, s->start);
		/* a label inside a function is no function */
		if (s->end == s->start || ((s->rank & solid) != solid && sweep.nr_open))
			continue;
		sweep_cut(&sweep, s->start, i);
		sweep.open[sweep.nr_open++] = i;
	}
	sweep_close(&sweep, UINT64_MAX);
	free(sweep.open);
}

/* The functions of Go's own table, which strip leaves. */
static void add_go_symbols(struct symtab *tab)
{
	struct pclntab *go = pclntab_new(tab->elf);
	struct sections sections = {0};

	if (!go)
		return;
	read_sections(elffile_elf(tab->elf), &sections);
	for (uint64_t i = 0; i < pclntab_count(go); i++) {
		struct pclntab_function f = pclntab_function(go, i);

		if (f.name && f.end > f.start)
			add_symbol(tab, &sections, f.start, f.end - f.start, f.name,
				RANK_OF_TABLE | RANK_FUNCTION | RANK_SIZED);
	}
	free(sections.ranges);
	pclntab_free(go);
}

/* Weaker than any symbol of a table, so that they only fill gaps. */
static void add_entry_symbols(struct symtab *tab)
{
	struct entry_symbol found[ENTRY_SYMBOLS];
	size_t nr = entry_symbols(tab->elf, found);

	for (size_t i = 0; i < nr; i++) {
		ALLOC_GROW(tab->symbols, tab->nr_symbols, tab->symbols_alloc);
		tab->symbols[tab->nr_symbols++] =
			(struct symbol){found[i].start, found[i].end, found[i].name, 0};
	}
}

struct symtab *symtab_new(const struct elffile *elf, const char *path, const char *root)
{
	struct symtab *tab = xcalloc(1, sizeof(*tab));

	tab->elf = elf;
	if (!read_symbols(tab, elf, SHT_SYMTAB)) {
		tab->debug = debugfile_open(elf, path, root);
		if (!tab->debug || !read_symbols(tab, tab->debug, SHT_SYMTAB)) {
			read_symbols(tab, elf, SHT_DYNSYM);
			tab->embedded = debugfile_open_embedded(elf);
			if (tab->embedded)
				read_symbols(tab, tab->embedded, SHT_SYMTAB);
			add_go_symbols(tab);
		}
	}
	add_entry_symbols(tab);
	sort_symbols(tab);
	cut_into_parts(tab);
	return tab;
}

void symtab_free(struct symtab *tab)
{
	if (!tab)
		return;
	plt_free(tab->plt);
	free(tab->symbols);
	free(tab->starts);
	free(tab->owners);
	elffile_close(tab->debug);
	elffile_close(tab->embedded);
	free(tab);
}

static bool find_part(const struct symtab *tab, uint64_t address, struct symtab_hit *hit)
{
	const struct symbol *s;
	size_t low = 0, high = tab->nr_parts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tab->starts[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || tab->owners[low - 1] == NO_OWNER)
		return false;
	s = &tab->symbols[tab->owners[low - 1]];
	hit->name = s->name;
	hit->name_len = strcspn(s->name, "@");
	if (!hit->name_len)
		hit->name_len = strlen(s->name);
	hit->start = s->start;
	hit->plt = false;
	return true;
}

bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit)
{
	struct plt_stub stub;

	if (find_part(tab, address, hit))
		return true;
	if (!tab->plt)
		tab->plt = plt_new(tab->elf);
	if (!plt_find(tab->plt, address, &stub))
		return false;
	if (stub.name) {
		hit->name = stub.name;
		hit->name_len = strlen(stub.name);
	} else if (!find_part(tab, stub.target, hit)) {
		return false;
	}
	hit->start = stub.start;
	hit->plt = true;
	return true;
}
