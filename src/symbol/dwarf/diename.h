/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions from their entries in .debug_info. */
#ifndef SYMBOL_DWARF_DIENAME_H
#define SYMBOL_DWARF_DIENAME_H

#include "lib/table.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct die_names {
	bool alt; /* the file of common parts is open; if not, libdw must not search for it */
	struct table known; /* address of an entry in memory -> its number in the list + 1 */
	char **list;        /* qualified names */
	size_t nr, alloc;
	struct table functions; /* address of an entry -> its index in: */
	const char **found;     /* names of functions, NULL: none */
	size_t nr_found, found_alloc;
};

void die_names_init(struct die_names *names, bool alt);
void die_names_release(struct die_names *names);

/* ATTRIBUTE of DIE itself; NULL: not found, or it refers to a missing file. */
Dwarf_Attribute *die_attribute(const struct die_names *names, Dwarf_Die *die,
	unsigned int attribute, Dwarf_Attribute *mem);

/* The string of an attribute of DIE itself, NULL: not found. */
const char *die_text(const struct die_names *names, Dwarf_Die *die, unsigned int attribute);

/*
 * The name of the function of DIE, which may be any instance: the linkage name, or the name in the
 * source, in C++ with namespaces and classes. Valid as long as NAMES and DIE's file; NULL: none.
 */
const char *die_function(struct die_names *names, const Dwarf_Die *die);

#endif
