/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugvariable.h"
#include "debugtype_internal.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* more than any real program has */
enum { SIBLINGS_MAX = 1 << 22, SCOPES_MAX = 16, PARTS_MAX = 64, DIMENSIONS_MAX = 8 };

/* ---- types ---- */

/* Returns the number of elements of one dimension of an array, or 0 if it is not known. */
static uint64_t count_of(Dwarf_Die *dimension)
{
	Dwarf_Word n;

	if (debugtypes_number(dimension, DW_AT_count, &n))
		return n;
	return debugtypes_number(dimension, DW_AT_upper_bound, &n) && n < UINT32_MAX ? n + 1 : 0;
}

/* Sets the number of elements in each dimension of ARRAY. Returns the number of dimensions. */
static unsigned counts_of(Dwarf_Die *array, uint64_t counts[DIMENSIONS_MAX])
{
	unsigned nr = 0;
	Dwarf_Die die;

	if (dwarf_child(array, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_subrange_type)
			counts[nr++] = count_of(&die);
	} while (nr < DIMENSIONS_MAX && !dwarf_siblingof(&die, &die));
	return nr;
}

/* Returns the size of TYPE in bytes, or 0 if it is not known. */
static uint64_t size_of(const struct debugtypes *types, const Dwarf_Die *type)
{
	uint64_t counts[DIMENSIONS_MAX], size;
	Dwarf_Die at = *type;
	unsigned nr;

	if (dwarf_tag(&at) != DW_TAG_array_type || debugtypes_size(&at))
		return debugtypes_size(&at);
	nr = counts_of(&at, counts);
	if (!debugtypes_to_type(types, &at))
		return 0;
	size = debugtypes_size(&at);
	while (nr)
		if (__builtin_mul_overflow(size, counts[--nr], &size))
			return 0;
	return size;
}

/* ---- the path to an address in a variable ---- */

/* What is left of the way: TYPE contains the address, OFFSET bytes from its start. */
struct way {
	const struct debugtypes *types;
	Dwarf_Die type;
	uint64_t offset;
	struct strbuf *path;
	bool is_of_library; /* a member that is not shown was reached */
};

static bool is_of_library(const char *name)
{
	return !strncmp(name, "__", 2) || !strncmp(name, "_M_", 3);
}

/* Moves to an element of an array. Returns false if the array has no known size. */
static bool to_element(struct way *w)
{
	uint64_t counts[DIMENSIONS_MAX], stride;
	Dwarf_Die array = w->type;
	unsigned nr = counts_of(&array, counts);

	if (!debugtypes_to_type(w->types, &w->type))
		return false;
	stride = debugtypes_size(&w->type);
	for (unsigned i = 1; i < nr; i++)
		if (__builtin_mul_overflow(stride, counts[i], &stride))
			return false;
	if (!nr || !stride)
		return false;
	for (unsigned i = 0; i < nr; i++) {
		strbuf_addf(w->path, "[%" PRIu64 "]", w->offset / stride);
		w->offset %= stride;
		stride /= i + 1 < nr ? counts[i + 1] : 1;
	}
	return true;
}

/* Returns whether MEMBER contains the address. TYPE is set to its type. */
static bool contains(const struct way *w, Dwarf_Die *member, Dwarf_Die *type)
{
	uint32_t start = debugtypes_offset(member);
	int tag = dwarf_tag(member);

	*type = *member;
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(member, DW_AT_declaration) && start <= w->offset &&
	       debugtypes_to_type(w->types, type) && w->offset - start < size_of(w->types, type);
}

/* Moves to a member, or to a base class. Returns false if the way ends here. */
static bool to_member(struct way *w)
{
	Dwarf_Die member, type;
	const char *name;

	if (dwarf_child(&w->type, &member))
		return false;
	for (int i = 0; !contains(w, &member, &type); i++)
		if (i == SIBLINGS_MAX || dwarf_siblingof(&member, &member))
			return false;
	name = die_text(&w->types->names, &member, DW_AT_name);
	w->is_of_library = name && is_of_library(name);
	if (w->is_of_library)
		return false;
	if (name && dwarf_tag(&member) == DW_TAG_member)
		strbuf_addf(w->path, ".%s", name);
	w->offset -= debugtypes_offset(&member);
	w->type = type;
	return true;
}

static bool to_part(struct way *w)
{
	switch (dwarf_tag(&w->type)) {
	case DW_TAG_array_type:
		return to_element(w);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return to_member(w);
	default:
		return false;
	}
}

/* Appends ".clients[2].lock" for OFFSET bytes from the start of a variable of TYPE. */
static void add_path(
	const struct debugtypes *types, const Dwarf_Die *type, uint64_t offset, struct strbuf *path)
{
	struct way w = {.types = types, .type = *type, .offset = offset, .path = path};

	for (int i = 0; i < PARTS_MAX && to_part(&w); i++)
		;
	if (w.offset && !w.is_of_library)
		strbuf_addf(path, "+0x%" PRIx64, w.offset);
}

/* ---- variables ---- */

struct variable_search {
	struct debugtypes *types;
	const uint64_t *addresses;
	size_t nr, nr_found;
	bool *found;
	bool functions; /* the variables of functions are searched, too */
	debugvariables_take *take;
	void *arg;
};

/* Returns whether VARIABLE is at a fixed address. Sets START to its link address. */
static bool has_address(Dwarf_Die *variable, uint64_t *start)
{
	Dwarf_Attribute mem, *attr = dwarf_attr(variable, DW_AT_location, &mem);
	Dwarf_Op *ops;
	size_t nr;

	if (!attr || dwarf_whatform(attr) != DW_FORM_exprloc ||
		dwarf_getlocation(attr, &ops, &nr) || nr != 1 || ops->atom != DW_OP_addr)
		return false;
	*start = ops->number;
	return true;
}

static void take_part(struct variable_search *s, size_t i, const char *variable,
	const Dwarf_Die *type, uint64_t offset)
{
	struct strbuf path = STRBUF_INIT;

	add_path(s->types, type, offset, &path);
	s->take(s->arg, i, variable, path.buf);
	s->found[i] = true;
	s->nr_found++;
	strbuf_release(&path);
}

static void look_at(struct variable_search *s, Dwarf_Die *variable)
{
	Dwarf_Die type = *variable;
	const char *name;
	uint64_t start;

	if (!has_address(variable, &start))
		return;
	size_t i = search_first_from(s->addresses, s->nr, start);

	if (i == s->nr || !debugtypes_to_own_type(s->types, &type))
		return;
	uint64_t size = size_of(s->types, &type);

	if (s->addresses[i] - start >= size)
		return;
	name = die_function(&s->types->names, variable);
	for (; name && i < s->nr && s->addresses[i] - start < size; i++)
		if (!s->found[i])
			take_part(s, i, name, &type, s->addresses[i] - start);
}

static bool is_scope(const struct variable_search *s, int tag)
{
	return tag == DW_TAG_namespace ||
	       (s->functions && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
}

/* Looks at the variables of SCOPE and of the scopes in it, down to DEPTH of them. */
static void search(struct variable_search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (dwarf_child(scope, &die))
		return;
	for (int i = 0; i < SIBLINGS_MAX && s->nr_found < s->nr; i++) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			look_at(s, &die);
		else if (depth && is_scope(s, tag))
			search(s, &die, depth - 1);
		if (dwarf_siblingof(&die, &die))
			return;
	}
}

static void search_units(struct variable_search *s)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t kind;
	Dwarf_Die unit;

	while (s->nr_found < s->nr &&
		!dwarf_get_units(s->types->dwarf, cu, &cu, &version, &kind, &unit, NULL))
		search(s, &unit, SCOPES_MAX);
}

void debugvariables_find(struct debugtypes *types, const uint64_t *addresses, size_t nr,
	debugvariables_take *take, void *arg)
{
	struct variable_search s = {.types = types,
		.addresses = addresses,
		.nr = nr,
		.found = xcalloc(nr, sizeof(*s.found)),
		.take = take,
		.arg = arg};

	search_units(&s);
	s.functions = true; /* most variables are outside of functions, and these are many */
	search_units(&s);
	free(s.found);
}
