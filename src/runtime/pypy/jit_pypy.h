/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PyPy's compiled loops and bridges run in frames of one size, below the C frame that entered them;
 * their variables are in the heap. Its helpers for slow paths have other frames, so stacks through
 * helpers are cut.
 */
#ifndef RUNTIME_PYPY_JIT_PYPY_H
#define RUNTIME_PYPY_JIT_PYPY_H

#include <stdbool.h>
#include <stddef.h>

struct unwind_rule;

/*
 * Sets *RULE to the rule for loops, by the first loop that begins in the SIZE bytes of CODE.
 * Returns false if there is none.
 */
bool jit_pypy_rule(const unsigned char *code, size_t size, struct unwind_rule *rule);

#endif
