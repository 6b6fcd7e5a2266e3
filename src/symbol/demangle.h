/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include "symbol.h"

/* As symbol_demangle, but appends to OUT; false, and OUT as it was, when NAME is not mangled. */
bool demangle_add(struct strbuf *out, const char *name, enum demangle how);

#endif
