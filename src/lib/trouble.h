/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says what keeps a program that runs for days from its work: once until it changes, and again
 * after it went away and TROUBLE_QUIET_S have passed, so that what comes and goes says little.
 */
#ifndef LIB_TROUBLE_H
#define LIB_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

enum { TROUBLE_QUIET_S = 300 };

struct trouble {
	char *said; /* the last one, or NULL */
	int64_t said_ns;
	bool is_open; /* it was said, and that it is over was not */
};

/*
 * Notes what is wrong at NOW, in monotonic ns, or that all is well if TEXT is empty. Returns what
 * has to be said, which is TEXT or OVER, or NULL.
 */
const char *trouble_note(struct trouble *t, const char *text, const char *over, int64_t now);
void trouble_release(struct trouble *t);

/* Whether two texts tell the same: what follows a comma, and amounts of time and bytes, may differ.
 */
bool trouble_is_same(const char *a, const char *b);

#endif
