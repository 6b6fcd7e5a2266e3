/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the debug information of a file says of its C types: where members lie, what enums are. */
#ifndef SYMBOL_DWARF_DEBUGTYPE_H
#define SYMBOL_DWARF_DEBUGTYPE_H

#include <stdbool.h>
#include <stdint.h>

struct debugtypes;
struct elffile;

/*
 * Those of ELF, a mapped file or its separate debug file. ALT is the file that dwz moved common
 * parts to, NULL: none. Both must outlive it. NULL: ELF has no debug information that can be read.
 */
struct debugtypes *debugtypes_new(const struct elffile *elf, const struct elffile *alt);
void debugtypes_free(struct debugtypes *types);

struct debug_member {
	uint32_t offset, size; /* in bytes; of a bit field: that of the byte with its first bit */
};

/*
 * PATH, members of members divided by ".", of the structure TAG; an empty PATH: the structure
 * itself. In place of a member's name there may be several, divided by "|", for the first that it
 * has. False: there is none.
 */
bool debugtypes_member(
	struct debugtypes *types, const char *tag, const char *path, struct debug_member *member);

/* The value of NAME in the enumeration TAG; false: there is none. */
bool debugtypes_enumerator(
	struct debugtypes *types, const char *tag, const char *name, uint32_t *value);

#endif
