/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile strings in XML text and attribute values. Markup characters are escaped; what XML
 * forbids, what cannot be seen and what reorders text (control characters, bytes that are not
 * UTF-8, surrogates, U+FFFE, U+FFFF, line separators, marks of writing direction) is shown as \xHH,
 * byte for byte; and so is a backslash before an "x", so that word_decode gives back what was
 * there.
 */
#ifndef LIB_XML_H
#define LIB_XML_H

#include <stddef.h>

struct strbuf;

void xml_text(struct strbuf *out, const char *s, size_t len);

/* The same in at most COLUMNS columns (wide characters take two); what is cut ends in "…". */
void xml_text_cut(struct strbuf *out, const char *s, size_t len, size_t columns);

#endif
