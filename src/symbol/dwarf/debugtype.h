/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C types from debug information: offsets of members, values of enumerators. */
#ifndef SYMBOL_DWARF_DEBUGTYPE_H
#define SYMBOL_DWARF_DEBUGTYPE_H

#include <stdbool.h>
#include <stdint.h>

struct debugtypes;
struct elffile;

/*
 * The types of ELF, a mapped file or its debug file. ALT is the file that dwz moved common parts
 * to, NULL: none. Both must outlive it. NULL: ELF has no readable debug information.
 */
struct debugtypes *debugtypes_new(const struct elffile *elf, const struct elffile *alt);
void debugtypes_free(struct debugtypes *types);

struct debug_member {
	uint32_t offset, size; /* in bytes; for a bit field that of the byte with its first bit */
};

/*
 * The member PATH of the structure TAG: names separated by "."; an empty PATH is the structure
 * itself. Each name may be several alternatives separated by "|", of which the first that exists is
 * used. False: not found.
 */
bool debugtypes_member(
	struct debugtypes *types, const char *tag, const char *path, struct debug_member *member);

/* The value of NAME in the enumeration TAG; false: not found. */
bool debugtypes_enumerator(
	struct debugtypes *types, const char *tag, const char *name, uint32_t *value);

#endif
