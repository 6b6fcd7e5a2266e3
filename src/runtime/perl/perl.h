/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds Perl in a process: the location of each thread's interpreter and the layout of its
 * structures on x86-64, for the walk in perl_walk.h.
 */
#ifndef RUNTIME_PERL_PERL_H
#define RUNTIME_PERL_PERL_H

#include "perl_layout.h"
#include "process/target.h"
#include "runtime/vm.h"

struct strbuf;

/* A symbol that every perl has, and that no other program has. */
#define PERL_SYMBOL "Perl_runops_standard"

/* Returns the file of T that contains the interpreter, or NULL if there is none. */
const struct target_file *perl_file(const struct target *t);

/*
 * Finds Perl in T. LIKE is a layout that was found earlier in the same file, or NULL; it saves
 * reading debug information again. Returns 1 if there is no Perl, and -1 with ERR if there is one
 * but it cannot be walked.
 */
int perl_find(const struct target *t, const struct perl_layout *like, struct perl_layout *layout,
	struct strbuf *err);

#endif
