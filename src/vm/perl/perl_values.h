/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where Perl lies in processes, as variables of a stap script: tapsets/perl/values.stp tells their
 * form. Equal builds and equal ways to an interpreter stand there once.
 */
#ifndef VM_PERL_PERL_VALUES_H
#define VM_PERL_PERL_VALUES_H

#include "lib/argv.h"
#include "lib/strbuf.h"
#include "perl_layout.h"

#include <stdbool.h>

struct perl_values {
	struct perl_value {
		char **list;
		size_t nr, alloc;
		size_t len; /* of all, as they are divided by dots */
	} shapes, ways, processes;
};

void perl_values_release(struct perl_values *v);

/* Adds what was found in PID. False: there is no room. */
bool perl_values_add(struct perl_values *v, uint32_t pid, const struct perl_layout *layout);

/* Adds "NAME=VALUE" of each variable, nothing when there is no process. */
void perl_values_give(const struct perl_values *v, struct argv *argv);

#endif
