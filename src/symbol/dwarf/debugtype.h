/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C types from debug information: offsets of members and values of enumerators. */
#ifndef SYMBOL_DWARF_DEBUGTYPE_H
#define SYMBOL_DWARF_DEBUGTYPE_H

#include <stdbool.h>
#include <stdint.h>

struct debugtypes;
struct elffile;

/*
 * Reads the types of ELF, which is a mapped file or its debug file. ALT is the file that dwz moved
 * common parts to, or NULL. Both must outlive the result. Returns NULL if ELF has no readable debug
 * information.
 */
struct debugtypes *debugtypes_new(const struct elffile *elf, const struct elffile *alt);
void debugtypes_free(struct debugtypes *types);

struct debug_member {
	uint32_t offset, size; /* in bytes; a bit field is at the byte with its first bit */
};

/*
 * Finds the member PATH of the structure TAG. PATH consists of names separated by "."; an empty
 * PATH is the structure itself. A name may be several alternatives separated by "|", of which the
 * first that exists is used. Returns false if the member was not found.
 */
bool debugtypes_member(
	struct debugtypes *types, const char *tag, const char *path, struct debug_member *member);

/* Sets VALUE to the value of NAME in the enumeration TAG. Returns false if it was not found. */
bool debugtypes_enumerator(
	struct debugtypes *types, const char *tag, const char *name, uint32_t *value);

enum debug_argument_result {
	DEBUG_ARGUMENT,    /* it is found */
	DEBUG_NO_FUNCTION, /* nothing is known of the function */
	DEBUG_NO_ARGUMENT, /* the function has no such argument, or returns nothing */
	DEBUG_NO_INTEGER,  /* it is no integer or pointer, or not in a register */
};

/* An argument, or the result, of a function: an integer or a pointer, in a register. */
struct debug_argument {
	uint32_t
		number; /* how many integers and pointers are passed before it, or 0 for a result */
	uint32_t size;  /* in bytes, up to 8 */
	bool is_signed;
};

/*
 * Finds an argument of the function that begins at the link address ADDRESS: the one called NAME
 * or, if that is NULL, the one with this NUMBER, from 1; number 0 is the result.
 */
enum debug_argument_result debugtypes_argument(struct debugtypes *types, uint64_t address,
	const char *name, uint32_t number, struct debug_argument *argument);

#endif
