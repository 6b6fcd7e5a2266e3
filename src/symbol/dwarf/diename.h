/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of functions, out of their entries in .debug_info. */
#ifndef SYMBOL_DWARF_DIENAME_H
#define SYMBOL_DWARF_DIENAME_H

#include "lib/table.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct die_names {
	bool alt; /* there is a file of common parts; if not, libdw must not look for it */
	struct table known; /* an entry's place in memory to its number in the list, plus 1 */
	char **list;        /* names that we made */
	size_t nr, alloc;
};

void die_names_init(struct die_names *names, bool alt);
void die_names_release(struct die_names *names);

/* ATTRIBUTE of DIE itself; NULL: it has none, or that points into a file that we do not have. */
Dwarf_Attribute *die_attribute(const struct die_names *names, Dwarf_Die *die,
	unsigned int attribute, Dwarf_Attribute *mem);

/* The string of an attribute of DIE itself, NULL: none. */
const char *die_text(const struct die_names *names, Dwarf_Die *die, unsigned int attribute);

/*
 * The function that DIE, any of its instances, is: as the linker knows it, or as the source has it,
 * in C++ with its namespaces and classes. As long as NAMES and DIE's file; NULL: it has none.
 */
const char *die_function(struct die_names *names, const Dwarf_Die *die);

#endif
