/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles a set of names and keeps different functions distinct. After all names are added, each
 * has a display form: the short one or, where that is the same for different functions, the one
 * with arguments or, if necessary, the full one. Functions are different if their full names are,
 * so the several constructors that a compiler emits for one are the same. The result does not
 * depend on the order in which names are added.
 */
#ifndef SYMBOL_NAMES_DEMANGLER_H
#define SYMBOL_NAMES_DEMANGLER_H

#include "demangle.h"
#include "lib/strpool.h"

enum demangler_form { FORM_SHORT, FORM_ARGUMENTS, FORM_FULL, FORMS };

struct demangler {
	enum demangle how;
	struct strpool texts; /* the names and all their forms */
	struct demangler_text {
		uint32_t owner; /* the full name of the function whose form it is; 0: none */
		/* of this text as a name, shortest first; 0: it was not added */
		uint32_t forms[FORMS];
	} * list; /* by number in texts */
	uint32_t nr;
	size_t alloc;
	uint32_t *costly; /* names that may take libiberty forever */
	size_t nr_costly, costly_alloc;
};

void demangler_init(struct demangler *d, enum demangle how);
void demangler_release(struct demangler *d);

/* Adds the name of LEN bytes, mangled or not, NUL-terminated. Returns its number. */
uint32_t demangler_add(struct demangler *d, const char *name, size_t len);

/*
 * To be called after the last demangler_add. Names that may take libiberty forever are tried in a
 * worker process first; if that does not end, they are shown mangled.
 */
void demangler_settle(struct demangler *d);

/* The display form of a name, NUL-terminated; valid until the next demangler_add. */
const char *demangler_get(const struct demangler *d, uint32_t number, size_t *len);

#endif
