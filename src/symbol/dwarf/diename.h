/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions from their entries in .debug_info. */
#ifndef SYMBOL_DWARF_DIENAME_H
#define SYMBOL_DWARF_DIENAME_H

#include "lib/table.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct die_names {
	bool alt; /* the file of common parts is open; if not, libdw must not search for it */
	struct table known; /* address of an entry in memory -> 1 + its index in the list */
	char **list;        /* qualified names */
	size_t nr, alloc;
	struct table functions; /* address of an entry -> its index in found */
	const char **found;     /* names of functions, or NULL if there is none */
	size_t nr_found, found_alloc;
};

void die_names_init(struct die_names *names, bool alt);
void die_names_release(struct die_names *names);

/* Returns ATTRIBUTE of DIE itself, or NULL if it was not found or refers to a missing file. */
Dwarf_Attribute *die_attribute(const struct die_names *names, Dwarf_Die *die,
	unsigned int attribute, Dwarf_Attribute *mem);

/* Returns the string of an attribute of DIE itself, or NULL if it was not found. */
const char *die_text(const struct die_names *names, Dwarf_Die *die, unsigned int attribute);

/*
 * Returns the number of an attribute of DIE, or of the nearest of its origins and specifications
 * that has it, or 0 if there is none or it is too large.
 */
uint32_t die_number(const struct die_names *names, const Dwarf_Die *die, unsigned int attribute);

/*
 * Returns the name of the function of DIE, which may be any instance of it. This is the linkage
 * name, or else the name in the source, in C++ with namespaces and classes. Returns NULL if there
 * is none. The name is valid as long as NAMES and DIE's file.
 */
const char *die_function(struct die_names *names, const Dwarf_Die *die);

#endif
