/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names as people read them. All are added first; then each has a shown form, in which no two
 * different functions are the same: where their short forms are, all of them are shown with their
 * arguments, and in full where that does not tell them apart. What is one function is told by its
 * full name, so the constructors that a compiler makes of one are one. The order in which names are
 * added decides nothing.
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
		uint32_t owner; /* whose form it is: the full name of a function; 0: of none */
		/* of this text as a name, the shortest first; 0: it was not added */
		uint32_t forms[FORMS];
	} * list; /* by the number in texts */
	uint32_t nr;
	size_t alloc;
	uint32_t *costly; /* names that are not taken apart before it is known that this ends */
	size_t nr_costly, costly_alloc;
};

void demangler_init(struct demangler *d, enum demangle how);
void demangler_release(struct demangler *d);

/* The number of the name, mangled or not, of LEN bytes and NUL-terminated. */
uint32_t demangler_add(struct demangler *d, const char *name, size_t len);

/*
 * To be called when all are added. Names that libiberty may take forever over are tried in a
 * process of their own first; when that does not end, they are shown as they are.
 */
void demangler_settle(struct demangler *d);

/* What is shown for a name, NUL-terminated and with its length; valid until one is added. */
const char *demangler_get(const struct demangler *d, uint32_t number, size_t *len);

#endif
