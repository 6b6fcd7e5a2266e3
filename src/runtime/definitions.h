/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the functions of a source file are defined, and the names of the variables, fields or
 * methods that they are stored in.
 */
#ifndef RUNTIME_DEFINITIONS_H
#define RUNTIME_DEFINITIONS_H

#include "lib/strbuf.h"

#include <stddef.h>
#include <stdint.h>

enum defined {
	DEFINED_AS,       /* with a name */
	DEFINED_NAMELESS, /* only as an argument, a result, or an element of a list */
	DEFINED_SOMEHOW,  /* in a way of which the name is not known */
};

struct definitions {
	struct definition {
		uint32_t line; /* at which the function begins */
		enum defined how;
		size_t name; /* offset in names */
	} * list;            /* by line */
	size_t nr, alloc;
	struct strbuf names; /* each ends with a NUL */
};

#define DEFINITIONS_INIT ((struct definitions){.names = STRBUF_INIT})
void definitions_release(struct definitions *d);

/* Adds a function; lines must not descend. */
void definitions_add(
	struct definitions *d, uint32_t line, enum defined how, const char *name, size_t len);

/* Write and read the list as lines of text. Reading stops at a line that is not valid. */
void definitions_write(const struct definitions *d, struct strbuf *out);
void definitions_read(struct definitions *d, const char *text, size_t len);

/*
 * Finds the function that begins at LINE. CALLED is its name at a caller, or NULL; it tells apart
 * several functions that begin in one line. Returns its name, or "" if it has none, or NULL if it
 * is not known.
 */
const char *definitions_find(const struct definitions *d, uint32_t line, const char *called);

#endif
