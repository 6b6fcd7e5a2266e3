/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangles one C++ or Rust name. */
#ifndef SYMBOL_NAMES_DEMANGLE_H
#define SYMBOL_NAMES_DEMANGLE_H

struct strbuf;

/* DEMANGLE_SHORT omits argument lists, default template arguments and hashes. */
enum demangle { DEMANGLE_SHORT, DEMANGLE_FULL, DEMANGLE_NONE };

enum language { NOT_MANGLED, CPP, RUST };

/*
 * Appends NAME demangled to OUT. NOT_MANGLED, and OUT unchanged, if it is not mangled or HOW is
 * DEMANGLE_NONE.
 */
enum language demangle_add(struct strbuf *out, const char *name, enum demangle how);

/* The same as a string that the caller frees; NULL where demangle_add returns NOT_MANGLED. */
char *demangle_name(const char *name, enum demangle how);

#endif
