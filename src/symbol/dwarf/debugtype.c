/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugtype_internal.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/inflated.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* more than any real program has */
enum { SIBLINGS_MAX = 1 << 22, HOPS_MAX = 16 };

struct debugtypes *debugtypes_new(const struct elffile *elf, const struct elffile *alt)
{
	Dwarf *dwarf = inflated_dwarf(elffile_elf(elf));
	struct debugtypes *types;

	if (!dwarf)
		return NULL;
	types = xcalloc(1, sizeof(*types));
	types->dwarf = dwarf;
	types->alt = alt ? inflated_dwarf(elffile_elf(alt)) : NULL;
	if (types->alt)
		dwarf_setalt(dwarf, types->alt);
	die_names_init(&types->names, types->alt);
	return types;
}

void debugtypes_free(struct debugtypes *types)
{
	if (!types)
		return;
	die_names_release(&types->names);
	dwarf_end(types->dwarf);
	dwarf_end(types->alt);
	free(types);
}

static bool is_called(const struct debugtypes *types, Dwarf_Die *die, const char *name, size_t len)
{
	const char *s = die_text(&types->names, die, DW_AT_name);

	return s && strlen(s) == len && !memcmp(s, name, len);
}

/* Finds the child of PARENT with DWARF tag TAG and NAME that is not only a declaration. */
static bool find_child(const struct debugtypes *types, Dwarf_Die *parent, int tag, const char *name,
	size_t len, Dwarf_Die *die)
{
	if (dwarf_child(parent, die))
		return false;
	for (int i = 0; i < SIBLINGS_MAX; i++) {
		if (dwarf_tag(die) == tag && is_called(types, die, name, len) &&
			!dwarf_hasattr(die, DW_AT_declaration))
			return true;
		if (dwarf_siblingof(die, die))
			return false;
	}
	return false;
}

static bool find_in_units(
	struct debugtypes *types, Dwarf *dwarf, int tag, const char *name, Dwarf_Die *die)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die unit;

	while (!dwarf_get_units(dwarf, cu, &cu, &version, &type, &unit, NULL))
		if (find_child(types, &unit, tag, name, strlen(name), die)) {
			types->unit = unit;
			types->has_unit = true;
			return true;
		}
	return false;
}

static bool find_type(struct debugtypes *types, int tag, const char *name, Dwarf_Die *die)
{
	if (types->has_unit && find_child(types, &types->unit, tag, name, strlen(name), die))
		return true;
	return find_in_units(types, types->dwarf, tag, name, die) ||
	       (types->alt && find_in_units(types, types->alt, tag, name, die));
}

bool debugtypes_to_type(const struct debugtypes *types, Dwarf_Die *die)
{
	Dwarf_Attribute mem, *attr;
	Dwarf_Die type;

	for (int i = 0; i < HOPS_MAX; i++) {
		attr = die_attribute(&types->names, die, DW_AT_type, &mem);
		if (!attr || !dwarf_formref_die(attr, &type))
			return false;
		*die = type;
		if (dwarf_tag(die) != DW_TAG_typedef && dwarf_tag(die) != DW_TAG_const_type &&
			dwarf_tag(die) != DW_TAG_volatile_type)
			return true;
	}
	return false;
}

bool debugtypes_number(Dwarf_Die *die, unsigned int attribute, Dwarf_Word *value)
{
	Dwarf_Attribute mem, *attr = dwarf_attr(die, attribute, &mem);

	return attr && !dwarf_formudata(attr, value);
}

uint32_t debugtypes_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	if (debugtypes_number(type, DW_AT_byte_size, &size))
		return size < UINT32_MAX ? (uint32_t)size : 0;
	return dwarf_tag(type) == DW_TAG_pointer_type ? 8 : 0;
}

uint32_t debugtypes_offset(Dwarf_Die *die)
{
	Dwarf_Word at;

	if (debugtypes_number(die, DW_AT_data_member_location, &at))
		return (uint32_t)at;
	return debugtypes_number(die, DW_AT_data_bit_offset, &at) ? (uint32_t)(at / 8) : 0;
}

/* Finds the member of TYPE that has one of the NAMES (LEN bytes, separated by "|"). */
static bool find_member(const struct debugtypes *types, Dwarf_Die *type, const char *names,
	size_t len, Dwarf_Die *die)
{
	while (len) {
		const char *bar = memchr(names, '|', len);
		size_t n = bar ? (size_t)(bar - names) : len;

		if (find_child(types, type, DW_TAG_member, names, n, die))
			return true;
		n += !!bar;
		names += n;
		len -= n;
	}
	return false;
}

bool debugtypes_member(
	struct debugtypes *types, const char *tag, const char *path, struct debug_member *member)
{
	Dwarf_Die die, type;

	if (!find_type(types, DW_TAG_structure_type, tag, &type))
		return false;
	*member = (struct debug_member){0};
	while (*path) {
		size_t len = strcspn(path, ".");

		if (!find_member(types, &type, path, len, &die))
			return false;
		member->offset += debugtypes_offset(&die);
		type = die;
		if (!debugtypes_to_type(types, &type))
			return false;
		path += len + (path[len] == '.');
	}
	member->size = debugtypes_size(&type);
	return true;
}

bool debugtypes_enumerator(
	struct debugtypes *types, const char *tag, const char *name, uint32_t *value)
{
	Dwarf_Die type, die;
	Dwarf_Word v;

	if (!find_type(types, DW_TAG_enumeration_type, tag, &type) ||
		!find_child(types, &type, DW_TAG_enumerator, name, strlen(name), &die) ||
		!debugtypes_number(&die, DW_AT_const_value, &v) || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

/* ---- functions ---- */

enum { ARGUMENTS_MAX = 64 };

/* Finds the function that begins at ADDRESS among the children of UNIT. */
static bool find_function_in(Dwarf_Die *unit, uint64_t address, Dwarf_Die *function)
{
	Dwarf_Addr start;

	if (dwarf_child(unit, function))
		return false;
	for (int i = 0; i < SIBLINGS_MAX; i++) {
		if (dwarf_tag(function) == DW_TAG_subprogram &&
			dwarf_hasattr(function, DW_AT_low_pc) && !dwarf_lowpc(function, &start) &&
			start == address)
			return true;
		if (dwarf_siblingof(function, function))
			return false;
	}
	return false;
}

static bool find_function(struct debugtypes *types, uint64_t address, Dwarf_Die *function)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t kind;
	Dwarf_Die unit;

	while (!dwarf_get_units(types->dwarf, cu, &cu, &version, &kind, &unit, NULL))
		if (find_function_in(&unit, address, function))
			return true;
	return false;
}

bool debugtypes_to_own_type(const struct debugtypes *types, Dwarf_Die *die)
{
	static const unsigned int origins[] = {DW_AT_abstract_origin, DW_AT_specification};
	Dwarf_Attribute mem, *attr = NULL;
	Dwarf_Die other;

	for (int i = 0; i < HOPS_MAX && !dwarf_hasattr(die, DW_AT_type); i++) {
		for (size_t k = 0; k < ARRAY_LEN(origins); k++)
			if (dwarf_hasattr(die, origins[k]))
				attr = die_attribute(&types->names, die, origins[k], &mem);
		if (!attr || !dwarf_formref_die(attr, &other))
			return false;
		*die = other;
		attr = NULL;
	}
	return debugtypes_to_type(types, die);
}

static const char *own_name(const struct debugtypes *types, Dwarf_Die *die)
{
	Dwarf_Attribute mem, *attr;
	Dwarf_Die origin;

	if (dwarf_hasattr(die, DW_AT_name))
		return die_text(&types->names, die, DW_AT_name);
	attr = die_attribute(&types->names, die, DW_AT_abstract_origin, &mem);
	return attr && dwarf_formref_die(attr, &origin)
		       ? die_text(&types->names, &origin, DW_AT_name)
		       : NULL;
}

/* Sets the size and sign of an integer or pointer. Returns false for other types. */
static bool take_integer(Dwarf_Die *type, struct debug_argument *argument)
{
	Dwarf_Word encoding = 0;
	int tag = dwarf_tag(type);

	argument->size = debugtypes_size(type);
	argument->is_signed = false;
	if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
		argument->size = 8;
	if (tag == DW_TAG_base_type) {
		if (!debugtypes_number(type, DW_AT_encoding, &encoding) ||
			encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
			encoding == DW_ATE_decimal_float)
			return false;
		argument->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	} else if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
		   tag != DW_TAG_rvalue_reference_type && tag != DW_TAG_enumeration_type) {
		return false;
	}
	return argument->size && argument->size <= 8;
}

/* Returns whether TYPE is passed in a vector register, so that it moves no integer. */
static bool is_float(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_base_type && debugtypes_size(type) <= 8;
}

static enum debug_argument_result find_argument(struct debugtypes *types, Dwarf_Die *function,
	const char *name, uint32_t wanted, struct debug_argument *argument)
{
	uint32_t position = 0, registers = 0;
	bool known = true; /* which registers the arguments have */
	Dwarf_Die die, type;

	if (dwarf_child(function, &die))
		return DEBUG_NO_ARGUMENT;
	for (int i = 0; i < SIBLINGS_MAX && position < ARGUMENTS_MAX; i++) {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter) {
			const char *own = own_name(types, &die);
			bool is_wanted = name ? own && !strcmp(own, name) : position + 1 == wanted;

			position++;
			type = die;
			bool has_type = debugtypes_to_own_type(types, &type);
			bool is_integer = has_type && take_integer(&type, argument);

			registers += is_integer;
			argument->number = registers;
			if (is_wanted)
				return is_integer && known ? DEBUG_ARGUMENT : DEBUG_NO_INTEGER;
			known &= is_integer || (has_type && is_float(&type));
		}
		if (dwarf_siblingof(&die, &die))
			break;
	}
	return DEBUG_NO_ARGUMENT;
}

enum debug_argument_result debugtypes_argument(struct debugtypes *types, uint64_t address,
	const char *name, uint32_t wanted, struct debug_argument *argument)
{
	Dwarf_Die function, type;

	*argument = (struct debug_argument){0};
	if (!find_function(types, address, &function))
		return DEBUG_NO_FUNCTION;
	type = function;
	bool returns = debugtypes_to_own_type(types, &type);

	if (!name && !wanted) {
		if (!returns)
			return DEBUG_NO_ARGUMENT;
		return take_integer(&type, argument) ? DEBUG_ARGUMENT : DEBUG_NO_INTEGER;
	}
	/* a structure may be returned in memory, whose address is then passed in a register */
	if (returns && dwarf_tag(&type) != DW_TAG_base_type && !take_integer(&type, argument))
		return DEBUG_NO_INTEGER;
	return find_argument(types, &function, name, wanted, argument);
}
