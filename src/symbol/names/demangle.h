/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mangled name at a time. */
#ifndef SYMBOL_NAMES_DEMANGLE_H
#define SYMBOL_NAMES_DEMANGLE_H

#include "symbol/symbol.h"

enum language { NOT_MANGLED, CPP, RUST };

/* As symbol_demangle, but appends to OUT; NOT_MANGLED, and OUT as it was, where that gives NULL. */
enum language demangle_add(struct strbuf *out, const char *name, enum demangle how);

#endif
