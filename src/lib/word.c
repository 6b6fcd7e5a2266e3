/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "word.h"
#include "strbuf.h"

#include <stdbool.h>
#include <string.h>

static void add_hex(struct strbuf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char s[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};

	strbuf_add(out, s, sizeof(s));
}

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

void word_add(struct strbuf *out, const char *s, size_t len)
{
	if (!len)
		strbuf_addch(out, '-');
	if (len == 1 && *s == '-') {
		add_hex(out, '-');
		return;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == ' ' || c == '\\' || is_control(c))
			add_hex(out, c);
		else
			strbuf_addch(out, (char)c);
	}
}

void folded_name_add(struct strbuf *out, const char *s, size_t len)
{
	if (len && *s == '#' && (len == 1 || s[1] == ' ')) { /* begins a comment */
		add_hex(out, '#');
		s++;
		len--;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == ';' || is_control(c) || (c == '\\' && i + 1 < len && s[i + 1] == 'x'))
			add_hex(out, c);
		else
			strbuf_addch(out, (char)c);
	}
}

void message_add(struct strbuf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (is_control((unsigned char)s[i]))
			add_hex(out, (unsigned char)s[i]);
		else
			strbuf_addch(out, s[i]);
	}
}

void message_add_path(struct strbuf *out, const char *path)
{
	strbuf_addch(out, '\'');
	message_add(out, path, strlen(path));
	strbuf_addch(out, '\'');
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

size_t word_decode(char *s, size_t len)
{
	char *from = memchr(s, '\\', len);

	if (!from)
		return len;
	char *to = from, *end = s + len;

	while (from < end) {
		int hi = -1, lo = -1;

		if (end - from >= 4 && from[0] == '\\' && from[1] == 'x') {
			hi = hex_value(from[2]);
			lo = hex_value(from[3]);
		}
		if (hi >= 0 && lo >= 0) {
			*to++ = (char)(hi << 4 | lo);
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	return (size_t)(to - s);
}

size_t words_split(char *line, size_t len, struct word *words, size_t max)
{
	size_t n = 0;
	char *end = line + len;

	while (n < max) {
		char *blank = n + 1 < max ? memchr(line, ' ', (size_t)(end - line)) : NULL;
		struct word *w = &words[n++];

		w->s = line;
		w->len = (size_t)((blank ? blank : end) - line);
		if (n < max) {
			w->len = w->len == 1 && *w->s == '-' ? 0 : word_decode(w->s, w->len);
			if (blank)
				w->s[w->len] = '\0';
		}
		if (!blank)
			break;
		line = blank + 1;
	}
	return n;
}
