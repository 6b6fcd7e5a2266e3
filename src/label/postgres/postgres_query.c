/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lexical rules are in the PostgreSQL manual, 4.1 "Lexical Structure". */
#include "postgres_query.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Letters, digits, and what else may be in a name: bytes of UTF-8, _ and $. */
static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c & 0x80;
}

/* Returns what follows the text up to the next QUOTE; two of them stand for one in the text. */
static const char *after_quotes(const char *s, char quote, bool escapes)
{
	for (; *s; s++)
		if (escapes && *s == '\\' && s[1])
			s++;
		else if (*s == quote && s[1] == quote)
			s++;
		else if (*s == quote)
			return s + 1;
	return s;
}

/* Returns what follows the comment at S, or S if there is none. Comments may contain others. */
static const char *after_comment(const char *s)
{
	unsigned depth = 1;

	if (s[0] == '-' && s[1] == '-')
		return s + strcspn(s, "\n");
	if (s[0] != '/' || s[1] != '*')
		return s;
	for (s += 2; *s && depth; s++)
		if (s[0] == '/' && s[1] == '*') {
			depth++;
			s++;
		} else if (s[0] == '*' && s[1] == '/') {
			depth--;
			s++;
		}
	return s;
}

/* Returns what follows a string such as $$text$$ or $tag$text$tag$ at S, or S if there is none. */
static const char *after_dollars(const char *s)
{
	size_t len = 1;
	const char *end;

	if (isdigit((unsigned char)s[1])) /* a parameter */
		return s;
	while (is_name(s[len]) && s[len] != '$')
		len++;
	if (s[len++] != '$')
		return s;
	end = memmem(s + len, strlen(s + len), s, len);
	return end ? end + len : s + strlen(s);
}

/* Returns what follows the number at S, which begins with a digit, or with a dot and a digit. */
static const char *after_number(const char *s)
{
	for (; is_name(*s) || *s == '.'; s++)
		if ((*s == 'e' || *s == 'E') && (s[1] == '+' || s[1] == '-'))
			s++;
	return s;
}

static bool is_number(const char *s)
{
	return isdigit((unsigned char)s[*s == '.']);
}

/* Returns what follows the literal at S, or S if there is none. */
static const char *after_literal(const char *s)
{
	if (*s == '\'')
		return after_quotes(s + 1, '\'', false);
	if (*s && strchr("eE", *s) && s[1] == '\'')
		return after_quotes(s + 2, '\'', true);
	if (*s && strchr("bBxXnN", *s) && s[1] == '\'')
		return after_quotes(s + 2, '\'', false);
	if (*s == '$')
		return after_dollars(s);
	return is_number(s) ? after_number(s) : s;
}

/* Returns whether the character at S is the sign of a number: what is before it is no operand. */
static bool is_sign(const char *s, const struct strbuf *out, size_t from)
{
	size_t len = out->len;

	if ((*s != '-' && *s != '+') || !is_number(s + 1))
		return false;
	while (len > from && out->buf[len - 1] == ' ')
		len--;
	return len > from && strchr("(,=<>+-*/%", out->buf[len - 1]);
}

/* Removes what is in OUT from LEN on. */
static void shorten(struct strbuf *out, size_t len)
{
	out->len = len;
	out->buf[len] = '\0';
}

static bool list_ends(const struct strbuf *out, size_t from, const char *end)
{
	size_t len = strlen(end);

	return out->len - from >= len && !memcmp(out->buf + out->len - len, end, len);
}

/* Removes TAIL from the end of OUT, which is more of a list that is there already. */
static void shorten_list(struct strbuf *out, size_t from, const char *list, const char *tail)
{
	if (list_ends(out, from, list))
		shorten(out, out->len - strlen(tail));
}

/* Appends a literal, or nothing if the one before it is of the same list. */
static void add_literal(struct strbuf *out, size_t from)
{
	strbuf_addch(out, '?');
	shorten_list(out, from, "?, ?", ", ?");
	shorten_list(out, from, "?,?", ",?");
}

/* Appends the closing parenthesis, or nothing if the list of rows before it is of the same form. */
static void add_closing(struct strbuf *out, size_t from)
{
	strbuf_addch(out, ')');
	shorten_list(out, from, "(?), (?)", ", (?)");
	shorten_list(out, from, "(?),(?)", ",(?)");
}

/* Returns what follows the name, quoted name or other character at S, which is appended. */
static const char *add_token(const char *s, struct strbuf *out)
{
	const char *end = s + 1;

	if (*s == '"')
		end = after_quotes(s + 1, '"', false);
	else if (is_name(*s))
		while (is_name(*end))
			end++;
	strbuf_add(out, s, (size_t)(end - s));
	return end;
}

static void add_without_literals(const char *s, struct strbuf *out)
{
	const size_t from = out->len;
	bool space = false;

	while (*s) {
		const char *end = after_comment(s);

		if (end != s || is_space(*s)) {
			s = end != s ? end : s + 1;
			space = true;
			continue;
		}
		if (space && out->len > from)
			strbuf_addch(out, ' ');
		space = false;
		end = after_literal(s + is_sign(s, out, from));
		if (end != s)
			add_literal(out, from);
		else if (*s == ')')
			add_closing(out, from);
		if (end != s || *s == ')')
			s = end != s ? end : s + 1;
		else
			s = add_token(s, out);
	}
}

/* Returns how many bytes at TEXT, up to MAX, are whole characters of UTF-8. */
static size_t whole_characters(const char *text, size_t max)
{
	while (max && (text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

void postgres_query_add(const char *text, bool cut, struct strbuf *out)
{
	const size_t from = out->len;

	add_without_literals(text, out);
	if (!cut && out->len - from <= POSTGRES_QUERY_LEN)
		return;
	uint64_t hash = hash_bytes(out->buf + from, out->len - from);

	if (out->len - from > POSTGRES_QUERY_LEN)
		shorten(out, from + whole_characters(out->buf + from, POSTGRES_QUERY_LEN));
	strbuf_addf(out, "… #%08" PRIx32, (uint32_t)hash);
}
