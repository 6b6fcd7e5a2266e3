/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short names of functions, for tables on terminals: without return type, arguments, template
 * arguments and Java packages. Different functions may have the same short name.
 */
#ifndef SYMBOL_NAMES_SHORT_NAME_H
#define SYMBOL_NAMES_SHORT_NAME_H

#include <stddef.h>

struct strbuf;

/*
 * Appends the short form of a function's name, which is demangled: "std::vector<>::push_back" for
 * "void std::vector<int>::push_back(int const&)", "HashMap.getNode" for
 * "java.util.HashMap.getNode". A source line that follows the name is kept, and so are all names
 * that have none of these parts.
 */
void short_name_add(struct strbuf *out, const char *name, size_t len);

#endif
