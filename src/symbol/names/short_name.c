/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "short_name.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define OPERATOR "operator"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/*
 * Returns the length of "operator" and what it is called by at S, such as "operator<<" or
 * "operator new[]", or 0 if there is no operator.
 */
static size_t operator_length(const char *s, size_t len)
{
	size_t n = strlen(OPERATOR);

	if (!begins_with(s, len, OPERATOR) || n == len || is_word(s[n]))
		return 0;
	if (s[n] == ' ')
		return n + strcspn(s + n, "(");
	if (s[n] == '(' || s[n] == '[')
		return n + 2 <= len ? n + 2 : n;
	while (n < len && strchr("<>=-+*/%^&|~!,", s[n]))
		n++;
	return n;
}

/* Returns the length of the bracketed part that begins at S, with both brackets, or LEN. */
static size_t bracket_length(const char *s, size_t len)
{
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		bool arrow = s[i] == '>' && i && s[i - 1] == '-';

		depth += strchr("(<{[", s[i]) != NULL;
		if (strchr(")>}]", s[i]) && !arrow && !--depth)
			return i + 1;
	}
	return len;
}

/* Returns the length of NAME without " FILE:LINE" at its end. */
static size_t length_without_source(const char *name, size_t len)
{
	size_t digits = len, at;

	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == len || !digits || name[digits - 1] != ':')
		return len;
	for (at = digits - 1; at && name[at - 1] != ' '; at--)
		;
	return at > 1 ? at - 1 : len;
}

/* The part of a name from after its return type to its arguments. */
struct name_part {
	const char *at, *end;
};

/* Returns the length of what a name has at S: an operator, a part in brackets, or a character. */
static size_t step_length(const char *s, size_t len, bool begins)
{
	size_t n = begins ? operator_length(s, len) : 0;

	if (n)
		return n < len ? n : len;
	return strchr("(<{[", *s) ? bracket_length(s, len) : 1;
}

/* Whether the "(" at AT, with the rest of the name, begins the arguments of the function. */
static bool are_arguments(const char *name, const char *at, size_t len)
{
	size_t n = bracket_length(at, len);

	if (at == name || (!is_word(at[-1]) && !strchr(">)]=+-*/%^&|~!,<}", at[-1])))
		return false;
	return n == len || at[n] == ' ' || at[n] == '.';
}

static struct name_part find_part(const char *name, size_t len)
{
	struct name_part all = {name, name + len}, part = all;

	for (const char *s = name; s < all.end;) {
		size_t left = (size_t)(all.end - s);
		bool begins = s == name || !is_word(s[-1]);

		if (*s == '(' && are_arguments(name, s, left)) {
			part.end = s;
			return part;
		}
		if (*s == ' ' && left > 1 && s[1] != '<') /* "operator< <char>" */
			part.at = s + 1;
		s += step_length(s, left, begins);
	}
	return all; /* without arguments, blanks are part of the name */
}

/* Appends a part with "<>" for the arguments of templates. */
static void add_part(struct strbuf *out, struct name_part part)
{
	for (const char *s = part.at; s < part.end;) {
		bool begins = s == part.at || !is_word(s[-1]);
		size_t n = step_length(s, (size_t)(part.end - s), begins);

		if (*s == '<' && !begins)
			strbuf_adds(out, "<>");
		else
			strbuf_add(out, s, n);
		s += n;
	}
}

/* Moves the beginning of "java.util.HashMap.getNode" to the class, which begins in upper case. */
static void skip_packages(struct name_part *part)
{
	const char *dots[2] = {NULL, NULL};

	for (const char *s = part->at; s < part->end; s++) {
		if (!is_word(*s) && !strchr(".<>", *s))
			return;
		if (*s == '.') {
			dots[0] = dots[1];
			dots[1] = s;
		}
	}
	if (dots[0] && isupper((unsigned char)dots[0][1]))
		part->at = dots[0] + 1;
}

void short_name_add(struct strbuf *out, const char *name, size_t len)
{
	size_t without = length_without_source(name, len);
	struct name_part part;

	if (!without || *name == '[') {
		strbuf_add(out, name, len);
		return;
	}
	part = find_part(name, without);
	skip_packages(&part);
	add_part(out, part);
	strbuf_add(out, name + without, len - without);
}
