/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trouble.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

/* Returns the length of the amount at S, such as "12 ms", or 0. */
static size_t amount_len(const char *s)
{
	static const char *const units[] = {" ms", " milliseconds", " bytes"};
	size_t digits = strspn(s, "0123456789");

	for (size_t i = 0; digits && i < ARRAY_LEN(units); i++)
		if (!strncmp(s + digits, units[i], strlen(units[i])))
			return digits;
	return 0;
}

bool trouble_is_same(const char *a, const char *b)
{
	for (;; a++, b++) {
		size_t in_a = amount_len(a), in_b = amount_len(b);

		if (in_a && in_b) {
			a += in_a;
			b += in_b;
		}
		if (*a != *b)
			return false;
		if (!*a || *a == ',')
			return true;
	}
}

const char *trouble_note(struct trouble *t, const char *text, const char *over, int64_t now)
{
	bool was_open = t->is_open;

	if (!*text) {
		t->is_open = false;
		return was_open ? over : NULL;
	}
	if (t->said && trouble_is_same(t->said, text) &&
		(was_open || now - t->said_ns < TROUBLE_QUIET_S * 1000000000LL))
		return NULL;
	free(t->said);
	*t = (struct trouble){.said = xstrdup(text), .said_ns = now, .is_open = true};
	return text;
}

void trouble_release(struct trouble *t)
{
	free(t->said);
	*t = (struct trouble){0};
}
