/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_source.h"
#include "runtime/definitions.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BEFORE = 8, NESTED_MAX = 256 }; /* tokens before a function; open brackets */

/* The kind of a token is its character, or one of these. */
enum { NOTHING, NAME = 256, STRING, NUMBER, OPERATOR };

struct token {
	int kind;
	uint32_t line;
	const char *text; /* of strings, without the quotes */
	size_t len;
	bool is_plain; /* a string without escape sequences */
};

struct scanner {
	const char *at, *end;
	uint32_t line;
	struct token last[BEFORE]; /* the last tokens, the newest first */
	char open[NESTED_MAX];     /* brackets around */
	size_t nr_open;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_next(const struct scanner *s, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(s->end - s->at) >= len && !memcmp(s->at, text, len);
}

static void skip(struct scanner *s, size_t len)
{
	for (; len && s->at < s->end; len--)
		s->line += *s->at++ == '\n';
}

/* Returns the length of "[[", "[=[" and so on, or 0. */
static size_t long_bracket(const struct scanner *s)
{
	const char *at = s->at + 1;

	if (s->at == s->end || *s->at != '[')
		return 0;
	while (at < s->end && *at == '=')
		at++;
	return at < s->end && *at == '[' ? (size_t)(at + 1 - s->at) : 0;
}

/* Skips a long string or comment whose opening bracket has LEN bytes. */
static void skip_long(struct scanner *s, size_t len)
{
	for (skip(s, len); s->at < s->end; skip(s, 1)) {
		size_t n = 1;

		if (*s->at != ']')
			continue;
		while (n < len - 1 && s->at + n < s->end && s->at[n] == '=')
			n++;
		if (n == len - 1 && s->at + n < s->end && s->at[n] == ']') {
			skip(s, len);
			return;
		}
	}
}

static void skip_blanks(struct scanner *s)
{
	while (s->at < s->end) {
		if (is_next(s, "--")) {
			skip(s, 2);
			size_t len = long_bracket(s);

			if (len)
				skip_long(s, len);
			while (!len && s->at < s->end && *s->at != '\n')
				s->at++;
		} else if (strchr(" \t\r\n\f\v", *s->at)) {
			skip(s, 1);
		} else {
			return;
		}
	}
}

static void take_string(struct scanner *s, struct token *t)
{
	char quote = *s->at++;

	*t = (struct token){STRING, s->line, s->at, 0, true};
	while (s->at < s->end && *s->at != quote && *s->at != '\n') {
		if (*s->at == '\\') {
			t->is_plain = false;
			skip(s, 1);
		}
		skip(s, 1);
	}
	t->len = (size_t)(s->at - t->text);
	skip(s, 1);
}

/* Operators in which "=" does not assign. */
static bool take_operator(struct scanner *s)
{
	return is_next(s, "==") || is_next(s, "<=") || is_next(s, ">=") || is_next(s, "~=") ||
	       is_next(s, "::") || is_next(s, "..");
}

/* Reads the next token. Returns false at the end. */
static bool take_token(struct scanner *s, struct token *t)
{
	size_t len;

	skip_blanks(s);
	if (s->at == s->end)
		return false;
	*t = (struct token){.line = s->line, .text = s->at};
	if (is_letter(*s->at) || is_digit(*s->at)) {
		t->kind = is_digit(*s->at) ? NUMBER : NAME;
		while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at)))
			s->at++;
	} else if (*s->at == '"' || *s->at == '\'') {
		take_string(s, t);
		return true;
	} else if ((len = long_bracket(s))) {
		t->kind = STRING;
		skip_long(s, len);
	} else if (take_operator(s)) {
		t->kind = OPERATOR;
		skip(s, 2);
	} else {
		t->kind = (unsigned char)*s->at;
		skip(s, 1);
	}
	t->len = (size_t)(s->at - t->text);
	return true;
}

static void remember(struct scanner *s, const struct token *t)
{
	memmove(&s->last[1], &s->last[0], sizeof(s->last) - sizeof(s->last[0]));
	s->last[0] = *t;
	if ((t->kind == '(' || t->kind == '{' || t->kind == '[') && s->nr_open < NESTED_MAX)
		s->open[s->nr_open++] = (char)t->kind;
	if ((t->kind == ')' || t->kind == '}' || t->kind == ']') && s->nr_open)
		s->nr_open--;
}

static bool is_word(const struct token *t, const char *word)
{
	return t->kind == NAME && t->len == strlen(word) && !memcmp(t->text, word, t->len);
}

/* Whether an expression may begin after T, so that nothing of it is the target of an assignment. */
static bool ends_target(const struct scanner *s, const struct token *t)
{
	bool in_table = s->nr_open && s->open[s->nr_open - 1] == '{';

	return t->kind != ',' || in_table;
}

/* Adds the function of "TARGET = function" at LINE. The "=" is the last token. */
static void add_assigned(const struct scanner *s, uint32_t line, struct definitions *list)
{
	const struct token *t = &s->last[1];

	if (t->kind == '>' && s->last[3].kind == '<') /* local NAME <const> */
		t = &s->last[4];
	if (t->kind == NAME && ends_target(s, t + 1))
		definitions_add(list, line, DEFINED_AS, t->text, t->len);
	else if (t->kind == ']' && t[1].kind == STRING && t[1].is_plain && t[2].kind == '[')
		definitions_add(list, line, DEFINED_AS, t[1].text, t[1].len);
	else
		definitions_add(list, line, DEFINED_SOMEHOW, "", 0);
}

/* Whether a function after the last token is only an argument, a result or an element of a list. */
static bool is_value(const struct scanner *s)
{
	int kind = s->last[0].kind;
	char open = s->nr_open ? s->open[s->nr_open - 1] : '\0';

	return kind == '(' || kind == '{' || is_word(&s->last[0], "return") ||
	       ((kind == ',' || kind == ';') && (open == '(' || open == '{'));
}

/* Reads "NAME.FIELD:METHOD" behind "function", and sets T to the token after it. */
static struct token take_name(struct scanner *s, struct token *t)
{
	struct token name = *t;

	while (take_token(s, t) && (t->kind == '.' || t->kind == ':'))
		if (take_token(s, t))
			name = *t;
	return name;
}

/* Adds the function that begins with the token FUNCTION. */
static void add_function(struct scanner *s, const struct token *function, struct definitions *list)
{
	const struct scanner before = *s;
	struct token t;

	if (!take_token(s, &t))
		return;
	if (t.kind == NAME) {
		bool local = is_word(&before.last[0], "local");
		struct token name = take_name(s, &t);

		definitions_add(
			list, local ? t.line : function->line, DEFINED_AS, name.text, name.len);
	} else if (before.last[0].kind == '=') {
		add_assigned(&before, t.line, list);
	} else {
		definitions_add(list, t.line,
			is_value(&before) ? DEFINED_NAMELESS : DEFINED_SOMEHOW, "", 0);
	}
	remember(s, &t);
}

void lua_source_list(const char *text, size_t len, struct definitions *list)
{
	struct scanner s = {.at = text, .end = text + len, .line = 1};
	struct token t;

	if (is_next(&s, "#"))
		while (s.at < s.end && *s.at != '\n')
			s.at++;
	while (take_token(&s, &t)) {
		if (is_word(&t, "function"))
			add_function(&s, &t, list);
		else
			remember(&s, &t);
	}
}
