/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo.h"
#include "diename.h"
#include "dietree.h"
#include "lib/util.h"
#include "linetable.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/inflated.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum {
	RANGES_MAX = 1 << 22,   /* code ranges of a file; more are ignored */
	DEPTH_MAX = 256,        /* levels of nested entries; deeper ones are skipped */
	READ_TIMES = 64,        /* limit of bytes to read of a unit, as a multiple of its size */
	ABBREVIATION_TIMES = 8, /* limit for abbreviations, as a multiple of the file's size */
};

/* An attribute of LLVM and GCC that dwarf.h does not have: the discriminator of a call. */
enum { AT_GNU_DISCRIMINATOR = 0x2136 };

#define NO_UNIT UINT32_MAX

struct unit {
	Dwarf_CU *cu;
	bool vague; /* its list of code ranges may be incomplete */
	bool lines_tried;
	struct linetable *lines; /* or NULL if there is none */
};

struct range {
	uint64_t from, to;
	uint32_t unit;
};

struct debuginfo {
	Dwarf *dwarf, *alt;
	uint64_t first_code; /* code at lower addresses was removed by the linker */
	struct unit *units;
	size_t nr_units, units_alloc;
	struct range *ranges; /* sorted by start address */
	size_t nr_ranges, ranges_alloc;
	struct bytes lines, str, line_str, abbreviations; /* contents of sections */
	uint64_t lines_left; /* bytes that line tables may still have, as they do not overlap */
	size_t size;         /* bytes of the file */
	bool positions;      /* nodes have first lines and discriminators */
	bool lacks_dwo;      /* a skeleton unit's .dwo file is missing */
	struct die_names names;
};

/* A function or inlined call at some of the addresses. */
struct node {
	const char *function;
	bool inlined;
	uint32_t caller;  /* the node that it is inlined into, or 0 */
	const char *file; /* file of the call */
	uint32_t line, discriminator;
	uint32_t first_line; /* of the function */
};

/* An address to look up. */
struct name_job {
	uint64_t address;
	size_t at; /* its index in the caller's list */
	uint32_t unit;
	uint32_t innermost; /* node, or 0 if no function is known */
	struct linetable_line source;
};

/* A call of debuginfo_find. */
struct search {
	struct debuginfo *di;
	bool inlines;
	int64_t abbreviations_left; /* bytes of abbreviations that may still be read */
	struct node *nodes;         /* numbered from 1 */
	size_t nr_nodes, nodes_alloc;
};

/* ---- the file ---- */

static bool set_bytes(struct bytes *to, Elf *elf, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elf, name, &shdr);
	Elf_Data *data = scn && !(shdr.sh_flags & SHF_COMPRESSED) ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf)
		return false;
	to->at = data->d_buf;
	to->end = to->at + data->d_size;
	return true;
}

/* Finds the abbreviations. Their section has another name in a file of split units. */
static void set_abbreviations(struct bytes *to, Elf *elf)
{
	static const char *const names[] = {
		".debug_abbrev", ".debug_abbrev.dwo", ".zdebug_abbrev", ".zdebug_abbrev.dwo"};

	for (size_t i = 0; i < ARRAY_LEN(names) && !set_bytes(to, elf, names[i]); i++)
		;
}

/* Finds the sections, which libdw has decompressed. */
static void read_sections(struct debuginfo *di, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!set_bytes(&di->lines, elf, ".debug_line"))
		set_bytes(&di->lines, elf, ".zdebug_line");
	if (!set_bytes(&di->str, elf, ".debug_str"))
		set_bytes(&di->str, elf, ".zdebug_str");
	set_bytes(&di->line_str, elf, ".debug_line_str");
	set_abbreviations(&di->abbreviations, elf);
	di->lines_left = (uint64_t)(di->lines.end - di->lines.at);
	elf_rawfile(elf, &di->size);
	di->first_code = UINT64_MAX;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && (shdr.sh_flags & SHF_ALLOC) &&
			(shdr.sh_flags & SHF_EXECINSTR) && shdr.sh_addr < di->first_code)
			di->first_code = shdr.sh_addr;
}

static int by_from(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void add_unit(struct debuginfo *di, Dwarf_CU *cu, Dwarf_Die *die, unsigned int version)
{
	/* DWARF 2 has no range lists, so the range may cover only the first section */
	bool partly = version < 3 && !dwarf_hasattr(die, DW_AT_ranges);
	struct unit unit = {.cu = cu, .vague = true};
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0 && di->nr_ranges < RANGES_MAX) {
		unit.vague = partly;
		if (from < di->first_code || from >= to)
			continue;
		ALLOC_GROW(di->ranges, di->nr_ranges, di->ranges_alloc);
		di->ranges[di->nr_ranges++] = (struct range){from, to, (uint32_t)di->nr_units};
	}
	if (unit.vague && !dwarf_haschildren(die))
		return;
	ALLOC_GROW(di->units, di->nr_units, di->units_alloc);
	di->units[di->nr_units++] = unit;
}

static void read_units(struct debuginfo *di)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die;
	uint8_t type;

	while (di->nr_units < NO_UNIT &&
		!dwarf_get_units(di->dwarf, cu, &cu, &version, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(di, cu, &die, version);
	if (di->nr_ranges)
		qsort(di->ranges, di->nr_ranges, sizeof(*di->ranges), by_from);
}

struct debuginfo *debuginfo_new(const struct elffile *elf, const struct elffile *alt)
{
	Elf *handle = elffile_elf(elf);
	const char *ident = elf_getident(handle, NULL);
	Dwarf *dwarf;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	dwarf = inflated_dwarf(handle);
	if (!dwarf)
		return NULL;
	struct debuginfo *di = xcalloc(1, sizeof(*di));

	di->dwarf = dwarf;
	di->alt = alt ? inflated_dwarf(elffile_elf(alt)) : NULL;
	if (di->alt)
		dwarf_setalt(dwarf, di->alt);
	die_names_init(&di->names, di->alt);
	read_sections(di, handle);
	read_units(di);
	if (di->nr_units)
		return di;
	debuginfo_free(di);
	return NULL;
}

void debuginfo_find_positions(struct debuginfo *di)
{
	di->positions = true;
}

bool debuginfo_lacks_dwo(const struct debuginfo *di)
{
	return di->lacks_dwo;
}

void debuginfo_free(struct debuginfo *di)
{
	if (!di)
		return;
	for (size_t i = 0; i < di->nr_units; i++)
		linetable_free(di->units[i].lines);
	free(di->units);
	free(di->ranges);
	die_names_release(&di->names);
	dwarf_end(di->dwarf);
	dwarf_end(di->alt);
	free(di);
}

/* ---- a unit's lines ---- */

static struct linetable *open_lines(struct debuginfo *di, struct unit *unit)
{
	struct linetable_source source = {
		.lines = di->lines,
		.str = di->str,
		.line_str = di->line_str,
		.first_code = di->first_code,
	};
	Dwarf_Attribute mem;
	Dwarf_Word offset;
	Dwarf_Die die;

	if (dwarf_cu_info(unit->cu, NULL, NULL, &die, NULL, NULL, NULL, NULL) ||
		!dwarf_attr(&die, DW_AT_stmt_list, &mem) || dwarf_formudata(&mem, &offset) ||
		!bytes_take(&source.lines, offset))
		return NULL;
	source.folder = die_text(&di->names, &die, DW_AT_comp_dir);
	source.size_max = di->lines_left;
	struct linetable *lines = linetable_new(&source);

	di->lines_left -= lines ? linetable_size(lines) : 0;
	return lines;
}

static struct linetable *lines_of(struct debuginfo *di, struct unit *unit)
{
	if (!unit->lines_tried) {
		unit->lines_tried = true;
		unit->lines = open_lines(di, unit);
	}
	return unit->lines;
}

/* ---- a unit's functions ---- */

/* The traversal of a unit's tree, with the addresses to look up. */
struct die_walk {
	struct search *search;
	struct unit *unit;
	struct dietree *tree;
	const uint64_t *addresses;
	uint32_t *innermost; /* innermost node of each address so far */
	bool everywhere;     /* also search functions inside of functions and classes */
	int64_t left;        /* bytes, ranges and addresses that may still be read */
};

/* A contiguous part of the addresses. */
struct slice {
	size_t from, to;
};

/* Returns the name of DIE's function. All calls inlined from one function have the same name. */
static const char *function_of(struct die_walk *w, const struct die *die)
{
	const unsigned char *at = die->origin && !die->has_name ? die->origin : die->at;
	Dwarf_Die named = dietree_die(w->tree, at);

	return die_function(&w->search->di->names, &named);
}

static void set_position(struct die_walk *w, const struct die *die, struct node *node)
{
	const struct die_names *names = &w->search->di->names;
	Dwarf_Die entry = dietree_die(w->tree, die->at);

	node->first_line = die_number(names, &entry, DW_AT_decl_line);
	if (node->inlined)
		node->discriminator = die_number(names, &entry, AT_GNU_DISCRIMINATOR);
}

static uint32_t add_node(struct die_walk *w, const struct die *die, uint32_t caller)
{
	struct search *s = w->search;
	struct node node = {
		.function = function_of(w, die),
		.inlined = die->tag == DW_TAG_inlined_subroutine,
		.caller = caller,
	};

	if (node.inlined) {
		struct linetable *lines = lines_of(s->di, w->unit);

		if (lines)
			node.file = linetable_file(lines, die->call_file);
		node.line = die->call_line > UINT32_MAX ? 0 : (uint32_t)die->call_line;
	}
	if (s->di->positions)
		set_position(w, die, &node);
	ALLOC_GROW(s->nodes, s->nr_nodes, s->nodes_alloc);
	s->nodes[s->nr_nodes] = node;
	return (uint32_t)s->nr_nodes++;
}

static size_t first_from(const uint64_t *addresses, struct slice slice, uint64_t from)
{
	while (slice.from < slice.to) {
		size_t mid = slice.from + (slice.to - slice.from) / 2;

		if (addresses[mid] < from)
			slice.from = mid + 1;
		else
			slice.to = mid;
	}
	return slice.from;
}

/* An entry whose ranges contain addresses. These addresses move to a new node. */
struct entering {
	const struct die *die;
	struct slice all, hit;
	uint32_t *node; /* node that the addresses leave, or NULL if they stay */
	uint32_t inner; /* the new node, or 0 if it is not made yet */
};

static void enter_range(struct die_walk *w, struct entering *e, uint64_t from, uint64_t to)
{
	if (from < w->search->di->first_code)
		return;
	for (size_t i = first_from(w->addresses, e->all, from);
		i < e->all.to && w->addresses[i] < to; i++) {
		e->hit.from = i < e->hit.from ? i : e->hit.from;
		e->hit.to = i >= e->hit.to ? i + 1 : e->hit.to;
		w->left--;
		if (!e->node || w->innermost[i] != *e->node)
			continue;
		if (!e->inner)
			e->inner = add_node(w, e->die, *e->node);
		w->innermost[i] = e->inner;
	}
}

/* Enters all ranges of the entry. Returns false if it has none. */
static bool enter_ranges(struct die_walk *w, struct entering *e)
{
	Dwarf_Die die = dietree_die(w->tree, e->die->at);
	Dwarf_Addr base, from, to;
	bool any = false;
	ptrdiff_t at = 0;

	while (w->left-- > 0 && (at = dwarf_ranges(&die, at, &base, &from, &to)) > 0) {
		any = true;
		enter_range(w, e, from, to);
	}
	return any;
}

/*
 * Narrows SLICE to the addresses in DIE's ranges. The addresses among them that are in *NODE so far
 * move to a new node, to which *NODE is set. NODE may be NULL. Returns false, and leaves SLICE
 * unchanged, if DIE has no ranges.
 */
static bool enter(struct die_walk *w, const struct die *die, struct slice *slice, uint32_t *node)
{
	struct entering e = {
		.die = die, .all = *slice, .hit = {slice->to, slice->from}, .node = node};

	if (die->code == DIE_NO_CODE)
		return false;
	if (die->code == DIE_RANGE)
		enter_range(w, &e, die->from, die->to);
	else if (!enter_ranges(w, &e))
		return false;
	*slice = e.hit;
	if (e.inner)
		*node = e.inner;
	return true;
}

/* Returns whether the children of DIE, which are in NODE, are searched for addresses in SLICE. */
static bool is_entered(
	struct die_walk *w, const struct die *die, struct slice *slice, uint32_t *node)
{
	bool inlines = w->search->inlines;

	switch (die->tag) {
	case DW_TAG_subprogram:
		*node = 0; /* an out-of-line function, wherever its entry is nested */
		return (enter(w, die, slice, node) && inlines) || w->everywhere;
	case DW_TAG_inlined_subroutine:
		return (inlines && enter(w, die, slice, node)) || w->everywhere;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		enter(w, die, slice, NULL);
		return true;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return w->everywhere;
	default:
		return false;
	}
}

static const unsigned char *walk_siblings(struct die_walk *w, const unsigned char *at,
	struct slice slice, uint32_t node, unsigned int depth);

/* Walks DIE and its children. Returns where the next sibling is, or NULL if it is malformed. */
static const unsigned char *walk_entry(struct die_walk *w, const struct die *die,
	struct slice slice, uint32_t node, unsigned int depth)
{
	struct slice all = slice;
	const unsigned char *next = NULL;
	bool enters = is_entered(w, die, &slice, &node) && depth < DEPTH_MAX;

	if (w->everywhere)
		slice = all;
	if (!die->has_children)
		next = die->end;
	else if (enters && slice.from < slice.to)
		next = walk_siblings(w, die->end, slice, node, depth + 1);
	else if (!die->sibling)
		next = dietree_skip(w->tree, die->end);
	return die->sibling ? die->sibling : next;
}

/*
 * Walks the siblings from AT on. Returns where their list ends, or NULL if it is malformed or a
 * limit is reached.
 */
static const unsigned char *walk_siblings(struct die_walk *w, const unsigned char *at,
	struct slice slice, uint32_t node, unsigned int depth)
{
	const unsigned char *next;
	struct die die;

	for (; at < w->tree->end && *at; at = next) {
		if (!dietree_read(w->tree, at, &die))
			return NULL;
		next = walk_entry(w, &die, slice, node, depth);
		w->left -= (next ? next : w->tree->end) - at;
		if (w->left <= 0 || !next)
			return NULL;
	}
	return at < w->tree->end ? at + 1 : NULL;
}

/* Finds the root entry of the unit's tree, which is in a .dwo file if UNIT is a skeleton unit. */
static bool root_of(struct debuginfo *di, const struct unit *unit, Dwarf_Die *root)
{
	Dwarf_Die split;
	uint8_t type;

	if (dwarf_cu_info(unit->cu, NULL, &type, root, &split, NULL, NULL, NULL))
		return false;
	if (type == DW_UT_skeleton && split.addr)
		*root = split;
	di->lacks_dwo |= type == DW_UT_skeleton && !split.addr;
	return root->addr;
}

/* Returns the abbreviations of the file that has ROOT, which may be a .dwo file. */
static struct bytes abbreviations_of(const struct debuginfo *di, const Dwarf_Die *root)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(root->cu);
	struct bytes abbreviations = {0};

	if (dwarf == di->dwarf)
		return di->abbreviations;
	set_abbreviations(&abbreviations, dwarf_getelf(dwarf));
	return abbreviations;
}

static void walk_unit(struct die_walk *w, struct slice slice)
{
	struct debuginfo *di = w->search->di;
	struct bytes abbreviations;
	struct dietree tree;
	Dwarf_Die root;
	struct die die;

	if (!root_of(di, w->unit, &root) || w->search->abbreviations_left < 0)
		return;
	abbreviations = abbreviations_of(di, &root);
	w->tree = &tree;
	if (dietree_init(&tree, &root, &abbreviations) && dietree_read(&tree, root.addr, &die) &&
		die.has_children) {
		w->left += READ_TIMES * (tree.end - tree.start);
		walk_siblings(w, die.end, slice, 0, 0);
	}
	w->search->abbreviations_left -= dietree_abbreviations_size(&tree);
	dietree_release(&tree);
}

/* Searches UNIT for the functions of the jobs, among the N JOBS, that have none yet. */
static void find_functions(
	struct search *s, struct unit *unit, struct name_job *jobs, size_t n, bool everywhere)
{
	uint64_t *addresses = xmalloc(n * sizeof(*addresses));
	uint32_t *innermost = xcalloc(n, sizeof(*innermost));
	struct die_walk w = {
		.search = s,
		.unit = unit,
		.addresses = addresses,
		.innermost = innermost,
		.everywhere = everywhere,
		.left = READ_TIMES * (int64_t)n,
	};
	struct slice slice = {0};

	for (size_t i = 0; i < n; i++)
		if (!jobs[i].innermost)
			addresses[slice.to++] = jobs[i].address;
	if (slice.to)
		walk_unit(&w, slice);
	for (size_t i = 0; i < n; i++)
		if (!jobs[i].innermost)
			jobs[i].innermost = innermost[slice.from++];
	free(addresses);
	free(innermost);
}

static void find_lines(struct search *s, struct unit *unit, struct name_job *jobs, size_t n)
{
	struct linetable *lines = lines_of(s->di, unit);
	uint64_t *addresses = xmalloc(n * sizeof(*addresses));
	struct linetable_line *results = xcalloc(n, sizeof(*results));

	for (size_t i = 0; i < n; i++)
		addresses[i] = jobs[i].address;
	if (lines)
		linetable_find(lines, addresses, n, results);
	for (size_t i = 0; i < n; i++)
		jobs[i].source = results[i];
	free(addresses);
	free(results);
}

/* ---- the search ---- */

/* Finds the unit of each job, in ascending order. The range that starts last wins. */
static void find_units(const struct debuginfo *di, struct name_job *jobs, size_t n)
{
	size_t *open = xmalloc(di->nr_ranges * sizeof(*open)), nr = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t address = jobs[i].address;

		while (next < di->nr_ranges && di->ranges[next].from <= address)
			open[nr++] = next++;
		while (nr && di->ranges[open[nr - 1]].to <= address)
			nr--;
		jobs[i].unit = nr ? di->ranges[open[nr - 1]].unit : NO_UNIT;
	}
	free(open);
}

static int by_unit(const void *a, const void *b)
{
	const struct name_job *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit > y->unit ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
	const struct name_job *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Finds the units of jobs that are in no unit's ranges, among the units with incomplete ranges. */
static void find_vague(struct search *s, struct name_job *jobs, size_t n)
{
	for (uint32_t unit = 0; unit < s->di->nr_units; unit++) {
		if (!s->di->units[unit].vague)
			continue;
		find_functions(s, &s->di->units[unit], jobs, n, false);
		for (size_t i = 0; i < n; i++)
			if (jobs[i].innermost && jobs[i].unit == NO_UNIT)
				jobs[i].unit = unit;
	}
	qsort(jobs, n, sizeof(*jobs), by_unit);
}

static void find_all(struct search *s, struct name_job *jobs, size_t n)
{
	size_t end, nr = n;

	find_units(s->di, jobs, n);
	qsort(jobs, n, sizeof(*jobs), by_unit);
	while (nr && jobs[nr - 1].unit == NO_UNIT)
		nr--;
	if (nr < n)
		find_vague(s, jobs + nr, n - nr);
	for (size_t i = 0; i < n && jobs[i].unit != NO_UNIT; i = end) {
		struct unit *unit = &s->di->units[jobs[i].unit];

		for (end = i + 1; end < n && jobs[end].unit == jobs[i].unit; end++)
			;
		find_functions(s, unit, jobs + i, end - i, false);
		find_functions(s, unit, jobs + i, end - i, true);
		find_lines(s, unit, jobs + i, end - i);
	}
	qsort(jobs, n, sizeof(*jobs), by_place);
}

struct frames {
	struct debuginfo_frame *list;
	size_t nr, alloc;
};

static void set_frames(struct frames *frames, const struct search *s, const struct name_job *job)
{
	struct debuginfo_frame frame = {.file = job->source.file,
		.line = job->source.line,
		.discriminator = job->source.discriminator};
	uint32_t number = job->innermost;
	bool inlined = true;

	for (frames->nr = 0; inlined;) {
		const struct node *node = &s->nodes[number];

		frame.function = node->function;
		frame.first_line = node->first_line;
		inlined = node->inlined;
		ALLOC_GROW(frames->list, frames->nr, frames->alloc);
		frames->list[frames->nr++] = frame;
		frame.file = node->file;
		frame.line = node->line;
		frame.discriminator = node->discriminator;
		number = node->caller;
	}
}

void debuginfo_find(struct debuginfo *di, const uint64_t *addresses, size_t n, bool inlines,
	debuginfo_take *take, void *arg)
{
	struct search s = {
		.di = di,
		.inlines = inlines,
		.abbreviations_left = ABBREVIATION_TIMES * (int64_t)di->size,
	};
	struct frames frames = {0};
	struct name_job *jobs;

	if (!n)
		return;
	jobs = xcalloc(n, sizeof(*jobs));
	ALLOC_GROW(s.nodes, s.nr_nodes, s.nodes_alloc);
	s.nodes[s.nr_nodes++] = (struct node){0}; /* stands for no function */
	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct name_job){.address = addresses[i], .at = i};
	find_all(&s, jobs, n);
	for (size_t i = 0; i < n; i++) {
		if (!jobs[i].innermost && !jobs[i].source.file && !jobs[i].source.line)
			continue;
		set_frames(&frames, &s, &jobs[i]);
		take(arg, i, frames.list, frames.nr);
	}
	free(frames.list);
	free(s.nodes);
	free(jobs);
}
