/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Perl is in processes, as variables of a stap script: tapsets/perl/values.stp describes
 * their form.
 */
#ifndef VM_PERL_PERL_VALUES_H
#define VM_PERL_PERL_VALUES_H

#include "perl_layout.h"
#include "vm/vm_values.h"

/* Adds what was found in PID. False: there is no room. */
bool perl_values_add(struct vm_values *v, uint32_t pid, const struct perl_layout *layout);

#endif
