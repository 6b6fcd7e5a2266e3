/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles a set of names and keeps different functions distinct. After all names are added, each
 * name has a display form. This is the short form, or the form with arguments if different
 * functions share the short form, or the full form if necessary. Functions are different if their
 * full names differ, so the several constructors that a compiler emits for one constructor count as
 * one function. The result does not depend on the order in which names are added.
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
		/*
		 * full name of the function that has this form, UINT32_MAX if several have it, or 0
		 */
		uint32_t owner;
		/* forms of this text as a name, shortest first, or 0 if it is not a name */
		uint32_t forms[FORMS];
	} * list; /* by number in texts */
	uint32_t nr;
	size_t alloc;
	uint32_t *costly; /* names that may take libiberty forever */
	size_t nr_costly, costly_alloc;
};

void demangler_init(struct demangler *d, enum demangle how);
void demangler_release(struct demangler *d);

/* Adds a name of LEN bytes, mangled or not, which ends in a NUL byte. Returns its number. */
uint32_t demangler_add(struct demangler *d, const char *name, size_t len);

/*
 * Must be called after the last demangler_add. A worker process first tries the names that may take
 * libiberty forever. If it does not end, these names are shown mangled.
 */
void demangler_settle(struct demangler *d);

/* Returns the display form of a name, NUL-terminated and valid until the next demangler_add. */
const char *demangler_get(const struct demangler *d, uint32_t number, size_t *len);

#endif
