/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of Perl in processes as variables of a stap script, in the format described in
 * tapsets/perl/values.stp.
 */
#ifndef RUNTIME_PERL_PERL_VALUES_H
#define RUNTIME_PERL_PERL_VALUES_H

#include "perl_layout.h"
#include "runtime/vm_values.h"

/* Adds the layout in PID. Returns false if there is no room. */
bool perl_values_add(struct vm_values *v, uint32_t pid, const struct perl_layout *layout);

#endif
