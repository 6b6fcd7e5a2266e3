/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shortens C++ names that libiberty demangled. */
#ifndef SYMBOL_NAMES_TIDY_H
#define SYMBOL_NAMES_TIDY_H

#include <stdbool.h>

struct strbuf;

/*
 * Appends NAME to OUT without default template arguments and inline namespaces of the standard
 * library: "std::__cxx11::list<int, std::allocator<int> >" becomes "std::list<int>". DROP_ARGUMENTS
 * also removes the argument lists of enclosing functions: "f(int)::{lambda()#1}" becomes
 * "f::{lambda()#1}". A name with unbalanced brackets is appended unchanged.
 */
void tidy_add(struct strbuf *out, const char *name, bool drop_arguments);

#endif
