/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds Ruby in a process: where each thread has its execution context, and the layout of its
 * structures on x86-64, for the walk in ruby_walk.h.
 */
#ifndef RUNTIME_RUBY_RUBY_FIND_H
#define RUNTIME_RUBY_RUBY_FIND_H

#include "process/target.h"
#include "ruby_layout.h"

struct strbuf;

/* A symbol that every Ruby has, and that no other program has. */
#define RUBY_SYMBOL "ruby_version"

/* Returns the file of T that contains the interpreter, or NULL if there is none. */
const struct target_file *ruby_file(const struct target *t);

/*
 * Finds Ruby in T. Returns 1 if there is none or it has just been started, and -1 with ERR if there
 * is one but it cannot be walked. While Ruby starts, classes have no names yet, so the layout is to
 * be found again.
 */
int ruby_find(const struct target *t, struct ruby_layout *layout, struct strbuf *err);

#endif
