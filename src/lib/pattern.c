/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pattern.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/* Returns a byte in brackets, possibly after a "\", and moves *AT past it. */
static unsigned char member(const char *s, size_t len, size_t *at)
{
	if (s[*at] == '\\' && *at + 1 < len)
		++*at;
	return (unsigned char)s[(*at)++];
}

/* Returns the length of the "[…]" at S, or 0 if it has no end. Sets *FOUND if it matches C. */
static size_t match_brackets(const char *s, size_t len, char c, bool *found)
{
	bool negated = len > 1 && (s[1] == '!' || s[1] == '^');
	size_t first = negated ? 2 : 1, at = first;

	*found = negated;
	while (at < len && (s[at] != ']' || at == first)) {
		unsigned char low = member(s, len, &at), high = low;

		if (at + 1 < len && s[at] == '-' && s[at + 1] != ']') {
			at++;
			high = member(s, len, &at);
		}
		if (low <= (unsigned char)c && (unsigned char)c <= high)
			*found = !negated;
	}
	return at < len ? at + 1 : 0;
}

/*
 * Returns the length of the element at S, which is not "*", or 0 if it has no end. Sets *FOUND if
 * it matches C.
 */
static size_t match_one(const char *s, size_t len, char c, bool *found)
{
	switch (*s) {
	case '?':
		*found = true;
		return 1;
	case '[':
		return match_brackets(s, len, c, found);
	case '\\':
		*found = len > 1 && s[1] == c;
		return len > 1 ? 2 : 0;
	default:
		*found = *s == c;
		return 1;
	}
}

int pattern_init(struct pattern *p, const char *s, size_t len)
{
	bool found;

	for (size_t at = 0, n; at < len; at += n) {
		n = s[at] == '*' ? 1 : match_one(s + at, len - at, 0, &found);
		if (!n)
			return -1;
	}
	*p = (struct pattern){.s = xmalloc(len + 1), .len = len};
	memcpy(p->s, s, len);
	p->s[len] = '\0';
	while (p->plain < len && !is_special(s[p->plain]))
		p->plain++;
	return 0;
}

void pattern_release(struct pattern *p)
{
	free(p->s);
	*p = (struct pattern){0};
}

/* Returns the first position from I where the pattern at AT, which follows a "*", may match. */
static size_t next_place(const struct pattern *p, size_t at, const char *name, size_t len, size_t i)
{
	if (is_special(p->s[at]) || i >= len)
		return i;
	const char *place = memchr(name + i, p->s[at], len - i);

	return place ? (size_t)(place - name) : len;
}

/* Backtracks to the last "*" only: whatever an earlier one could match, the last one can, too. */
bool pattern_matches(const struct pattern *p, const char *name, size_t len)
{
	size_t at = p->plain, i = p->plain; /* in the pattern and in the name */
	size_t star = 0, mark = 0;          /* after the last "*"; end of its match */
	bool found = false;

	if (len < p->plain || memcmp(name, p->s, p->plain))
		return false;
	while (i < len || at < p->len) {
		if (at < p->len && p->s[at] == '*') {
			star = ++at;
			if (at == p->len)
				return true;
			mark = i = next_place(p, star, name, len, i);
			continue;
		}
		size_t n = at < p->len && i < len
				   ? match_one(p->s + at, p->len - at, name[i], &found)
				   : 0;

		if (n && found) {
			at += n;
			i++;
		} else if (star && mark < len) {
			at = star;
			mark = i = next_place(p, star, name, len, mark + 1);
		} else {
			return false;
		}
	}
	return true;
}

bool pattern_or_name_matches(const char *text, const char *name, size_t len)
{
	struct pattern p;
	bool matches;

	if (strlen(text) == len && !memcmp(text, name, len))
		return true;
	if (!strpbrk(text, "*?[\\") || pattern_init(&p, text, strlen(text)) < 0)
		return false;
	matches = pattern_matches(&p, name, len);
	pattern_release(&p);
	return matches;
}
