/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xml.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the length in bytes of the character at S. *VISIBLE is false if it must be shown as \xHH.
 */
static size_t next_char(const char *s, size_t len, uint32_t *c, bool *visible)
{
	size_t n = utf8_decode(s, len, c);

	*visible = n && utf8_is_visible(*c) && !(*s == '\\' && len > 1 && s[1] == 'x');
	return n ? n : 1;
}

static size_t width_of(uint32_t c, size_t n, bool visible)
{
	return !visible ? 4 * n : c < 0x1100 ? 1 : 2;
}

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_char(struct strbuf *out, const char *s, size_t n, bool visible)
{
	if (visible && entity_of(*s))
		strbuf_adds(out, entity_of(*s));
	else if (visible)
		strbuf_add(out, s, n);
	else
		for (size_t i = 0; i < n; i++)
			strbuf_addf(out, "\\x%02x", (unsigned char)s[i]);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '\\' && !entity_of(c);
}

void xml_text(struct strbuf *out, const char *s, size_t len)
{
	const char *at = s, *end = s + len;

	while (at < end) {
		const char *plain = at;
		uint32_t c;
		bool visible;
		size_t n;

		while (at < end && is_plain(*at))
			at++;
		strbuf_add(out, plain, (size_t)(at - plain));
		if (at == end)
			break;
		n = next_char(at, (size_t)(end - at), &c, &visible);
		add_char(out, at, n, visible);
		at += n;
	}
}

/* Returns the number of bytes at S that fit into COLUMNS. */
static size_t fitting(const char *s, size_t len, size_t columns)
{
	size_t at = 0;

	while (at < len) {
		uint32_t c = 0;
		bool visible;
		size_t n = next_char(s + at, len - at, &c, &visible);
		size_t width = width_of(c, n, visible);

		if (width > columns)
			break;
		columns -= width;
		at += n;
	}
	return at;
}

void xml_text_cut(struct strbuf *out, const char *s, size_t len, size_t columns)
{
	if (fitting(s, len, columns) == len) {
		xml_text(out, s, len);
	} else if (columns) {
		xml_text(out, s, fitting(s, len, columns - 1));
		strbuf_adds(out, "…");
	}
}

void xml_path_cut(struct strbuf *out, const char *s, size_t len, size_t columns)
{
	if (fitting(s, len, columns) == len) {
		xml_text(out, s, len);
		return;
	}
	while (len && columns && fitting(s, len, columns - 1) < len) {
		uint32_t c;
		bool visible;
		size_t n = next_char(s, len, &c, &visible);

		s += n;
		len -= n;
	}
	strbuf_adds(out, columns ? "…" : "");
	xml_text(out, s, columns ? len : 0);
}
