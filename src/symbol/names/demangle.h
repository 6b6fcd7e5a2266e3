/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangles one C++ or Rust name. */
#ifndef SYMBOL_NAMES_DEMANGLE_H
#define SYMBOL_NAMES_DEMANGLE_H

struct strbuf;

/* DEMANGLE_SHORT omits argument lists, default template arguments and hashes. */
enum demangle { DEMANGLE_SHORT, DEMANGLE_FULL, DEMANGLE_NONE };

enum mangling { NOT_MANGLED, CPP, RUST };

/*
 * Appends NAME demangled to OUT. Returns NOT_MANGLED, and leaves OUT unchanged, if NAME is not
 * mangled or HOW is DEMANGLE_NONE.
 */
enum mangling demangle_add(struct strbuf *out, const char *name, enum demangle how);

/* Returns NAME demangled, or NULL where demangle_add returns NOT_MANGLED. The caller frees it. */
char *demangle_name(const char *name, enum demangle how);

#endif
