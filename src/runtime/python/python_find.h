/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds CPython in a process, as a program or as a library, by what all of its builds export. */
#ifndef RUNTIME_PYTHON_PYTHON_FIND_H
#define RUNTIME_PYTHON_PYTHON_FIND_H

#include "process/target.h"
#include "python_layout.h"

struct strbuf;

/* The function that runs frames since 3.6, and one that Python 2 has, too. */
#define PYTHON_LOOP "_PyEval_EvalFrameDefault"
#define PYTHON_SYMBOL "PyEval_EvalFrameEx"

/* Returns the file of T that contains the interpreter, or NULL if there is none. */
const struct target_file *python_file(const struct target *t);

/*
 * Finds CPython in T. Returns 1 if there is none, and -1 with ERR if its layout is not known or its
 * memory cannot be read.
 */
int python_find(const struct target *t, struct python_layout *layout, struct strbuf *err);

#endif
