/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl in a process: the location of each thread's interpreter and the layout of its structures,
 * for the walk in perl_walk.h. x86-64.
 */
#ifndef VM_PERL_PERL_H
#define VM_PERL_PERL_H

#include "perl_layout.h"
#include "process/target.h"
#include "vm/vm.h"

struct strbuf;

/* A symbol that every perl has, and no other program. */
#define PERL_SYMBOL "Perl_runops_standard"

/* The file of T that has the interpreter; NULL: none has. */
const struct target_file *perl_file(const struct target *t);

/*
 * Finds Perl in T. LIKE is a layout found earlier in the same file, NULL: none; it saves reading
 * debug information again. 1: there is no Perl; -1 and ERR: there is, but it cannot be walked.
 */
int perl_find(const struct target *t, const struct perl_layout *like, struct perl_layout *layout,
	struct strbuf *err);

#endif
