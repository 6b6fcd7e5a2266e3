/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of an interpreter's operators, as an array of pointers to them in the process has them:
 * Perl's PL_op_name, PHP's zend_vm_opcodes_name.
 */
#ifndef RUNTIME_OPERATOR_NAMES_H
#define RUNTIME_OPERATOR_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct memory;
struct operator_names;

enum { OPERATOR_NAMES_MAX = 512 };

struct operator_array {
	uint64_t address; /* or 0 if it is not known */
	size_t max;       /* pointers, up to OPERATOR_NAMES_MAX */
	size_t prefix;    /* bytes at the beginning of each name that are left out */
	const char *end;  /* the name after the last operator, or NULL if all are operators */
};

/*
 * Reads the names to which the array points. The result stays valid; it is NULL if they cannot be
 * read, or too many different ones were read.
 */
const struct operator_names *operator_names_read(
	const struct memory *m, const struct operator_array *array);

/* Returns the name of operator NUMBER, or NULL if it is not known. NAMES may be NULL. */
const char *operator_names_get(const struct operator_names *names, uint32_t number);

/* Returns the number of the operator NAME, or OPERATOR_NAMES_MAX if it is not known. */
uint32_t operator_names_find(const struct operator_names *names, const char *name);

#endif
