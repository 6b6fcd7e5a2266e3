/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xml.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes of the UTF-8 sequence at S and its character; 0: it is none. */
static size_t utf8_decode(const unsigned char *s, size_t len, uint32_t *c)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (!n || n > len || s[0] > 0xf4)
		return 0;
	*c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c < lowest[n] || *c > 0x10ffff ? 0 : n;
}

static bool is_visible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x00, 0x1f},
		{0x7f, 0x9f},
		{0x061c, 0x061c},
		{0x200e, 0x200f},
		{0x2028, 0x202e},
		{0x2066, 0x2069},
		{0xd800, 0xdfff},
		{0xfffe, 0xffff},
	};

	if (c >= 0x20 && c < 0x7f)
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return false;
	return true;
}

/* The bytes of the character at S; *VISIBLE tells whether it can be written as it is. */
static size_t next_char(const unsigned char *s, size_t len, uint32_t *c, bool *visible)
{
	size_t n = utf8_decode(s, len, c);

	*visible = n && is_visible(*c);
	return n ? n : 1;
}

static size_t width_of(uint32_t c, size_t n, bool visible)
{
	return !visible ? 4 * n : c < 0x1100 ? 1 : 2;
}

static void add_char(struct strbuf *out, const unsigned char *s, size_t n, bool visible)
{
	for (size_t i = 0; !visible && i < n; i++)
		strbuf_addf(out, "\\x%02x", s[i]);
	if (!visible)
		return;
	switch (s[0]) {
	case '&':
		strbuf_adds(out, "&amp;");
		break;
	case '<':
		strbuf_adds(out, "&lt;");
		break;
	case '>':
		strbuf_adds(out, "&gt;");
		break;
	case '"':
		strbuf_adds(out, "&quot;");
		break;
	case '\'':
		strbuf_adds(out, "&#39;");
		break;
	default:
		strbuf_add(out, s, n);
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

void xml_text(struct strbuf *out, const char *s, size_t len)
{
	const unsigned char *at = (const unsigned char *)s, *end = at + len;

	while (at < end) {
		const unsigned char *plain = at;
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

/* How many bytes at S fit into COLUMNS columns. */
static size_t fitting(const unsigned char *s, size_t len, size_t columns)
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
	const unsigned char *bytes = (const unsigned char *)s;

	if (fitting(bytes, len, columns) == len) {
		xml_text(out, s, len);
	} else if (columns) {
		xml_text(out, s, fitting(bytes, len, columns - 1));
		strbuf_adds(out, "…");
	}
}
