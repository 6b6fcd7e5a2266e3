/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of Perl's operators, such as match, as PL_op_name has them in the process. */
#ifndef RUNTIME_PERL_PERL_OPERATORS_H
#define RUNTIME_PERL_PERL_OPERATORS_H

#include "process/target.h"

#include <stdint.h>

struct perl_operators;

/*
 * Reads the names in T, where perl was found. The result stays valid; it is NULL if the names
 * cannot be read, or processes with too many different ones were seen.
 */
const struct perl_operators *perl_operators_learn(const struct target *t);

/* Returns the name of the operator of this type, or NULL if it is not known. */
const char *perl_operator_name(const struct perl_operators *o, uint32_t type);

#endif
