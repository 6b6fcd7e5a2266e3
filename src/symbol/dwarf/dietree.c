/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dietree.h"
#include "lib/bytes.h"
#include "lib/util.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { UNUSED_MAX = 4096 }; /* abbreviation numbers that are not used; more are hostile */

/* An attribute that is needed or has no fixed size, and the attributes before it. */
struct die_field {
	uint32_t skip; /* bytes of the attributes before it */
	uint16_t name; /* or 0 if it is not needed */
	uint16_t form; /* or 0 in the last field, which has no attribute */
	int64_t value; /* of DW_FORM_implicit_const */
};

struct abbreviation {
	uint32_t fields; /* index of the first field */
	uint32_t tag;    /* or 0 if there is no abbreviation of this number */
	bool has_children;
};

bool dietree_init(struct dietree *tree, const Dwarf_Die *root, const struct bytes *section)
{
	Dwarf_Off offset = dwarf_cuoffset((Dwarf_Die *)root), start, end, abbreviations;
	uint8_t address_size, offset_size;
	Dwarf_Half version;
	Dwarf_Die again;

	*tree = (struct dietree){.root = *root, .abbreviations = *section};
	start = dwarf_dieoffset((Dwarf_Die *)root) - offset;
	if (dwarf_next_unit(dwarf_cu_getdwarf(root->cu), start, &end, NULL, NULL, NULL, NULL, NULL,
		    NULL, NULL) ||
		!dwarf_cu_die(root->cu, &again, &version, &abbreviations, &address_size,
			&offset_size, NULL, NULL))
		return false;
	tree->start = (const unsigned char *)root->addr - offset;
	tree->end = tree->start + (end - start);
	tree->version = version;
	tree->address_size = address_size;
	tree->offset_size = offset_size;
	bytes_take(&tree->abbreviations, abbreviations);
	tree->abbreviations_start = tree->abbreviations.at;
	return !tree->abbreviations.bad;
}

int64_t dietree_abbreviations_size(const struct dietree *tree)
{
	return tree->abbreviations.at - tree->abbreviations_start;
}

void dietree_release(struct dietree *tree)
{
	free(tree->list);
	free(tree->fields);
}

Dwarf_Die dietree_die(const struct dietree *tree, const unsigned char *at)
{
	return (Dwarf_Die){.addr = (void *)at, .cu = tree->root.cu};
}

/* ---- abbreviations ---- */

/* Returns the bytes of an attribute of FORM, or -1 if they depend on the attribute. */
static int size_of(const struct dietree *tree, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_addrx1:
	case DW_FORM_strx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_addrx2:
	case DW_FORM_strx2:
		return 2;
	case DW_FORM_addrx3:
	case DW_FORM_strx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_addrx4:
	case DW_FORM_strx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)tree->address_size;
	case DW_FORM_ref_addr:
		return (int)(tree->version < 3 ? tree->address_size : tree->offset_size);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (int)tree->offset_size;
	default:
		return -1;
	}
}

static bool is_needed(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_abstract_origin:
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_call_file:
	case DW_AT_call_line:
		return true;
	default:
		return false;
	}
}

static void add_field(struct dietree *tree, const struct die_field *field)
{
	ALLOC_GROW(tree->fields, tree->nr_fields, tree->fields_alloc);
	tree->fields[tree->nr_fields++] = *field;
}

/* Reads the attributes of an abbreviation. */
static void add_fields(struct dietree *tree)
{
	struct bytes *b = &tree->abbreviations;
	struct die_field field = {0};

	while (!b->bad) {
		uint64_t name = bytes_uleb(b), form = bytes_uleb(b);
		int size = size_of(tree, form);
		bool needed = is_needed(name);

		if (!name && !form)
			break;
		field.value = form == DW_FORM_implicit_const ? bytes_sleb(b) : 0;
		b->bad |= form > UINT16_MAX;
		if (size >= 0 && !needed) {
			field.skip += (uint32_t)size;
			continue;
		}
		field.name = needed ? (uint16_t)name : 0;
		field.form = (uint16_t)form;
		add_field(tree, &field);
		field = (struct die_field){0};
	}
	add_field(tree, &(struct die_field){.skip = field.skip});
}

/* Reads the next abbreviation. There are no more once tree->abbreviations is bad. */
static void add_abbreviation(struct dietree *tree)
{
	struct bytes *b = &tree->abbreviations;
	uint64_t code = bytes_uleb(b), tag = code ? bytes_uleb(b) : 0;
	struct abbreviation to = {
		.fields = (uint32_t)tree->nr_fields,
		.tag = (uint32_t)tag,
		.has_children = code && bytes_number(b, 1) == DW_CHILDREN_yes,
	};

	b->bad |= !code || code > 2 * ++tree->nr_read + UNUSED_MAX || !tag || tag > UINT16_MAX ||
		  tree->nr_fields > UINT32_MAX / 2;
	if (!b->bad)
		add_fields(tree);
	if (b->bad)
		return;
	while (tree->nr < code) {
		ALLOC_GROW(tree->list, tree->nr, tree->alloc);
		tree->list[tree->nr++] = (struct abbreviation){0};
	}
	if (!tree->list[code - 1].tag) /* the first one of this number counts */
		tree->list[code - 1] = to;
}

static const struct abbreviation *find_abbreviation(struct dietree *tree, uint64_t code)
{
	while ((code > tree->nr || !tree->list[code - 1].tag) && !tree->abbreviations.bad)
		add_abbreviation(tree);
	return code <= tree->nr && tree->list[code - 1].tag ? &tree->list[code - 1] : NULL;
}

/* ---- entries ---- */

/* Reads an attribute of FORM. Returns its number, or 0 if it is not a number. */
static uint64_t read_form(
	const struct dietree *tree, struct bytes *b, unsigned int form, int64_t value)
{
	int size = size_of(tree, form);

	if (form == DW_FORM_implicit_const)
		return (uint64_t)value;
	if (size >= 0 && size <= 8)
		return bytes_number(b, (unsigned int)size);
	switch (form) {
	case DW_FORM_data16:
		bytes_take(b, 16);
		return 0;
	case DW_FORM_string:
		bytes_take(b, strnlen((const char *)b->at, (size_t)(b->end - b->at)) + 1);
		return 0;
	case DW_FORM_sdata:
		return (uint64_t)bytes_sleb(b);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return bytes_uleb(b);
	case DW_FORM_block1:
		bytes_take(b, bytes_number(b, 1));
		return 0;
	case DW_FORM_block2:
		bytes_take(b, bytes_number(b, 2));
		return 0;
	case DW_FORM_block4:
		bytes_take(b, bytes_number(b, 4));
		return 0;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		bytes_take(b, bytes_uleb(b));
		return 0;
	default:
		b->bad = true; /* of unknown size, so the next one cannot be found */
		return 0;
	}
}

static bool is_number(unsigned int form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		return true;
	default:
		return false;
	}
}

/*
 * Returns the entry at OFFSET in the unit, or NULL if it is outside or FORM is another reference.
 */
static const unsigned char *referred(const struct dietree *tree, unsigned int form, uint64_t offset)
{
	switch (form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return offset < (uint64_t)(tree->end - tree->start) ? tree->start + offset : NULL;
	default:
		return NULL;
	}
}

/* Facts about an entry that struct die does not have. */
struct die_reading {
	bool has_low, has_high, has_list; /* attributes of its code */
	bool is_plain;                    /* these attributes have numbers */
	bool high_is_size;
};

static void take_field(const struct dietree *tree, const struct die_field *field, unsigned int form,
	uint64_t number, struct die_reading *r, struct die *die, bool *bad)
{
	switch (field->name) {
	case DW_AT_sibling:
		die->sibling = referred(tree, form, number);
		*bad |= die->sibling <= die->at;
		break;
	case DW_AT_low_pc:
		r->has_low = true;
		r->is_plain &= form == DW_FORM_addr;
		die->from = number;
		break;
	case DW_AT_high_pc:
		r->has_high = true;
		r->is_plain &= form == DW_FORM_addr || is_number(form);
		r->high_is_size = form != DW_FORM_addr;
		die->to = number;
		break;
	case DW_AT_ranges:
		r->has_list = true;
		break;
	case DW_AT_abstract_origin:
		die->origin = referred(tree, form, number);
		break;
	case DW_AT_call_file:
		die->call_file = is_number(form) ? number : 0;
		break;
	case DW_AT_call_line:
		die->call_line = is_number(form) ? number : 0;
		break;
	default:
		die->has_name |= field->name != 0;
	}
}

/* Sets how the code of an entry is known, with the same preferences as dwarf_ranges. */
static void set_code(const struct die_reading *r, struct die *die)
{
	if (r->has_low && r->has_high && r->is_plain)
		die->code = DIE_RANGE;
	else if ((r->has_low && r->has_high) || r->has_list)
		die->code = DIE_ASK;
	if (r->high_is_size)
		die->to += die->from;
}

bool dietree_read(struct dietree *tree, const unsigned char *at, struct die *die)
{
	struct bytes b = {.at = at, .end = tree->end};
	uint64_t code = at < tree->end ? bytes_uleb(&b) : 0;
	const struct abbreviation *abbreviation = code ? find_abbreviation(tree, code) : NULL;
	struct die_reading r = {.is_plain = true};

	if (!abbreviation)
		return false;
	*die = (struct die){
		.at = at, .tag = abbreviation->tag, .has_children = abbreviation->has_children};
	for (const struct die_field *field = &tree->fields[abbreviation->fields];; field++) {
		unsigned int form = field->form;
		uint64_t number;

		bytes_take(&b, field->skip);
		if (!form)
			break;
		while (form == DW_FORM_indirect && !b.bad)
			form = (unsigned int)bytes_uleb(&b);
		number = read_form(tree, &b, form, field->value);
		if (field->name)
			take_field(tree, field, form, number, &r, die, &b.bad);
	}
	set_code(&r, die);
	die->end = b.at;
	return !b.bad;
}

const unsigned char *dietree_skip(struct dietree *tree, const unsigned char *at)
{
	size_t depth = 1;
	struct die die;

	while (at < tree->end) {
		if (!*at) {
			at++;
			if (!--depth)
				return at;
			continue;
		}
		if (!dietree_read(tree, at, &die))
			return NULL;
		depth += die.has_children && !die.sibling;
		at = die.sibling ? die.sibling : die.end;
	}
	return NULL;
}
