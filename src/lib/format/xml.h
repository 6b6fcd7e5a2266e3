/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted strings in XML text and attribute values. Markup characters are escaped. Characters
 * that XML forbids, and characters that are invisible or reorder text (control characters, invalid
 * UTF-8, surrogates, U+FFFE, U+FFFF, line separators, bidirectional marks), are shown as \xHH, byte
 * by byte. So is a backslash before an "x", which lets word_decode() restore the original.
 */
#ifndef LIB_FORMAT_XML_H
#define LIB_FORMAT_XML_H

#include <stddef.h>

struct strbuf;

void xml_text(struct strbuf *out, const char *s, size_t len);

/*
 * Works like xml_text(), in at most COLUMNS; wide characters take two. "…" replaces the end of a
 * longer text.
 */
void xml_text_cut(struct strbuf *out, const char *s, size_t len, size_t columns);

/* Works like xml_text_cut(), for paths: "…" replaces the beginning. */
void xml_path_cut(struct strbuf *out, const char *s, size_t len, size_t columns);

#endif
