/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "similar.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <ctype.h>
#include <string.h>

enum { PART_MIN = 3 /* minimum length of a text to search for in names */ };

static size_t copy_lower(char *to, const char *from, size_t from_len, bool is_pattern)
{
	size_t len = 0;

	for (size_t i = 0; i < from_len && len < SIMILAR_LENGTH - 1; i++)
		if (!is_pattern || !strchr("*?\\", from[i]))
			to[len++] = (char)tolower((unsigned char)from[i]);
	to[len] = '\0';
	return len;
}

void similar_init(struct similar *s, const char *text)
{
	*s = (struct similar){0};
	s->len = copy_lower(s->text, text, strlen(text), true);
}

/*
 * Returns the number of bytes to insert, remove, replace or swap with their neighbour (optimal
 * string alignment).
 */
static size_t distance_of(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][SIMILAR_LENGTH + 1];
	size_t *two = rows[0], *one = rows[1], *now = rows[2];

	for (size_t k = 0; k <= b_len; k++)
		one[k] = two[k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *oldest = two;

		now[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			size_t best = one[k - 1] + (a[i - 1] != b[k - 1]);

			best = one[k] + 1 < best ? one[k] + 1 : best;
			best = now[k - 1] + 1 < best ? now[k - 1] + 1 : best;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
				two[k - 2] + 1 < best)
				best = two[k - 2] + 1;
			now[k] = best;
		}
		two = one;
		one = now;
		now = oldest;
	}
	return one[b_len];
}

static void insert(struct similar *s, const char *name, size_t len, size_t distance)
{
	size_t at = s->nr;

	for (size_t i = 0; i < s->nr; i++)
		if (s->best[i].len == len && !memcmp(s->best[i].name, name, len))
			return;
	while (at && s->best[at - 1].distance > distance)
		at--;
	if (at == SIMILAR_MAX)
		return;
	s->nr += s->nr < SIMILAR_MAX;
	memmove(&s->best[at + 1], &s->best[at], (s->nr - 1 - at) * sizeof(*s->best));
	s->best[at].name = name;
	s->best[at].len = len;
	s->best[at].distance = distance;
}

void similar_try(struct similar *s, const char *name, size_t name_len)
{
	char text[SIMILAR_LENGTH];
	size_t len = copy_lower(text, name, name_len, false), most = s->len / 3;
	size_t distance = distance_of(s->text, s->len, text, len);

	if (distance <= most || distance == 1)
		insert(s, name, name_len, distance);
	else if (s->len >= PART_MIN && strstr(text, s->text))
		insert(s, name, name_len, SIMILAR_LENGTH + distance);
}

void similar_choose(struct similar *s, const char *name)
{
	s->nr = 0;
	insert(s, name, strlen(name), 0);
}

void similar_add(const struct similar *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->nr; i++) {
		strbuf_adds(out, !i ? "; did you mean '" : i + 1 < s->nr ? ", '" : " or '");
		message_add(out, s->best[i].name, s->best[i].len);
		strbuf_addch(out, '\'');
	}
	if (s->nr)
		strbuf_addch(out, '?');
}

void similar_note(
	const struct similar *s, const char *what, const char *pattern, struct strbuf *notes)
{
	strbuf_addf(notes, "no %s matches ", what);
	message_add_path(notes, pattern);
	similar_add(s, notes);
	strbuf_addch(notes, '\n');
}
