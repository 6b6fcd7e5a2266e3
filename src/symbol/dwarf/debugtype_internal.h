/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of debug information that are types, for the files that read them. */
#ifndef SYMBOL_DWARF_DEBUGTYPE_INTERNAL_H
#define SYMBOL_DWARF_DEBUGTYPE_INTERNAL_H

#include "debugtype.h"
#include "diename.h"

#include <elfutils/libdw.h>

struct debugtypes {
	Dwarf *dwarf, *alt;
	struct die_names names;
	/* unit of the previous type, as all types of a program are usually in one unit */
	Dwarf_Die unit;
	bool has_unit;
};

/* Moves from DIE to its type, without typedefs and qualifiers. Returns false if it has none. */
bool debugtypes_to_type(const struct debugtypes *types, Dwarf_Die *die);

/* Does the same for an entry that may refer to another one, which has the type. */
bool debugtypes_to_own_type(const struct debugtypes *types, Dwarf_Die *die);

/* Sets VALUE to a number that is an attribute of DIE. Returns false if there is none. */
bool debugtypes_number(Dwarf_Die *die, unsigned int attribute, Dwarf_Word *value);

/*
 * Returns the size of TYPE in bytes, or 0 if it is not known. Pointers may have no size attribute.
 */
uint32_t debugtypes_size(Dwarf_Die *type);

/* Returns the offset of a member. Members of a union may have no offset attribute. */
uint32_t debugtypes_offset(Dwarf_Die *die);

#endif
