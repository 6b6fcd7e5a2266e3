/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl in a process: where the interpreter is, of each thread, and how its structures are laid out.
 * All that the walkers need; the walk itself is in perl_walk.h. x86-64.
 */
#ifndef VM_PERL_PERL_H
#define VM_PERL_PERL_H

#include "perl_layout.h"
#include "vm/target.h"
#include "vm/vm.h"

struct strbuf;

/* What every perl has and no other program. */
#define PERL_SYMBOL "Perl_runops_standard"

/* The file of T that has the interpreter; NULL: none has. */
const struct target_file *perl_file(const struct target *t);

/*
 * Finds Perl in T. LIKE was found before, of the same file, NULL: none was; reading debug
 * information anew is saved. 1: there is no Perl; -1 and ERR: there is, but it cannot be walked.
 */
int perl_find(const struct target *t, const struct perl_layout *like, struct perl_layout *layout,
	struct strbuf *err);

#endif
