/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diename.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* More than any real program has. Longer chains are hostile. */
enum { HOPS_MAX = 16, SCOPES_MAX = 64, SIBLINGS_MAX = 1 << 22, SCOPE_TEXT_MAX = 4096 };

/* DWARF 6 codes that compilers already use. */
enum { LANG_C_PLUS_PLUS_17 = 0x2a, LANG_C_PLUS_PLUS_20 = 0x2b };

void die_names_init(struct die_names *names, bool alt)
{
	*names = (struct die_names){.alt = alt};
	table_init(&names->known);
	table_init(&names->functions);
}

void die_names_release(struct die_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->list[i]);
	free(names->list);
	free(names->found);
	table_release(&names->known);
	table_release(&names->functions);
}

Dwarf_Attribute *die_attribute(
	const struct die_names *names, Dwarf_Die *die, unsigned int attribute, Dwarf_Attribute *mem)
{
	if (!dwarf_attr(die, attribute, mem))
		return NULL;
	switch (dwarf_whatform(mem)) {
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_strp_sup:
		return names->alt ? mem : NULL;
	default:
		return mem;
	}
}

const char *die_text(const struct die_names *names, Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute mem, *attr = die_attribute(names, die, attribute, &mem);
	const char *text = attr ? dwarf_formstring(attr) : NULL;

	return text && *text ? text : NULL;
}

/* Moves from DIE to its abstract origin or specification. Returns false if there is none. */
static bool to_origin(const struct die_names *names, Dwarf_Die *die)
{
	Dwarf_Attribute mem, *attr = die_attribute(names, die, DW_AT_abstract_origin, &mem);
	Dwarf_Die origin;

	if (!attr)
		attr = die_attribute(names, die, DW_AT_specification, &mem);
	if (!attr || !dwarf_formref_die(attr, &origin))
		return false;
	*die = origin;
	return true;
}

static bool has_classes(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
	case DW_LANG_ObjC_plus_plus:
		return true;
	default:
		return false;
	}
}

/* Moves from SCOPE to its child that is at TARGET or contains it. */
static bool to_holder(Dwarf_Die *scope, const void *target, unsigned int *left)
{
	Dwarf_Die next;

	if (dwarf_child(scope, scope))
		return false;
	while (*left && !dwarf_siblingof(scope, &next) &&
		(const char *)next.addr <= (const char *)target) {
		*scope = next;
		--*left;
	}
	return (const char *)scope->addr <= (const char *)target;
}

/* Returns the name of DIE itself, or of its origin. */
static const char *plain_name(const struct die_names *names, const Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	const char *name;

	for (unsigned int i = 0; i < HOPS_MAX; i++)
		if ((name = die_text(names, &at, DW_AT_name)) || !to_origin(names, &at))
			return name;
	return NULL;
}

uint32_t die_number(const struct die_names *names, const Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute mem;
	Dwarf_Word number;

	for (unsigned int i = 0; i < HOPS_MAX; i++) {
		if (dwarf_attr(&at, attribute, &mem))
			return dwarf_formudata(&mem, &number) || number > UINT32_MAX
				       ? 0
				       : (uint32_t)number;
		if (!to_origin(names, &at))
			break;
	}
	return 0;
}

static void add_scope(const struct die_names *names, Dwarf_Die *scope, struct strbuf *out)
{
	const char *name = plain_name(names, scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		name = name ? name : "(anonymous namespace)";
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		name = name ? name : "(anonymous)";
		break;
	default:
		return;
	}
	if (strlen(name) <= SCOPE_TEXT_MAX)
		strbuf_addf(out, "%s::", name);
}

/* Returns NAME of DIE after its scopes, or NULL if there are none. The caller frees it. */
static char *with_scopes(const struct die_names *names, Dwarf_Die *die, const char *name)
{
	struct strbuf full = STRBUF_INIT;
	unsigned int left = SIBLINGS_MAX;
	Dwarf_Die scope;

	if (!dwarf_diecu(die, &scope, NULL, NULL) || !has_classes(&scope))
		return NULL;
	for (unsigned int i = 0; i < SCOPES_MAX; i++) {
		if (!to_holder(&scope, die->addr, &left) || scope.addr == die->addr)
			break;
		add_scope(names, &scope, &full);
	}
	if (!full.len) {
		strbuf_release(&full);
		return NULL;
	}
	strbuf_adds(&full, name);
	return strbuf_detach(&full);
}

/* Returns the qualified name of DIE, whose own name is NAME. */
static const char *scoped_name(struct die_names *names, Dwarf_Die *die, const char *name)
{
	bool is_new;
	uint32_t *number = table_put(&names->known, (uintptr_t)die->addr, 0, &is_new);
	char *made;

	if (is_new && (made = with_scopes(names, die, name))) {
		ALLOC_GROW(names->list, names->nr, names->alloc);
		names->list[names->nr++] = made;
		*number = (uint32_t)names->nr;
	}
	return *number ? names->list[*number - 1] : name;
}

static const char *find_function(struct die_names *names, const Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	const char *name = NULL, *linkage;

	for (unsigned int i = 0; i < HOPS_MAX; i++) {
		linkage = die_text(names, &at, DW_AT_linkage_name);
		if (!linkage)
			linkage = die_text(names, &at, DW_AT_MIPS_linkage_name);
		if (linkage)
			return linkage;
		if (!name)
			name = die_text(names, &at, DW_AT_name);
		if (!to_origin(names, &at))
			break;
	}
	return name ? scoped_name(names, &at, name) : NULL;
}

const char *die_function(struct die_names *names, const Dwarf_Die *die)
{
	bool is_new;
	uint32_t *number = table_put(&names->functions, (uintptr_t)die->addr, 0, &is_new);

	if (is_new) {
		ALLOC_GROW(names->found, names->nr_found, names->found_alloc);
		*number = (uint32_t)names->nr_found++;
		names->found[*number] = find_function(names, die);
	}
	return names->found[*number];
}
