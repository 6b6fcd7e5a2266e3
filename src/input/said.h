/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thing that is wrong with a text, however often: how often it is, and where it is first. */
#ifndef INPUT_SAID_H
#define INPUT_SAID_H

#include "lib/strbuf.h"

#include <stdint.h>

struct said {
	uint64_t nr, line;
	struct strbuf text; /* the beginning of that line, for people */
};

#define SAID_INIT                                                                                  \
	{                                                                                          \
		.text = STRBUF_INIT                                                                \
	}
void said_release(struct said *said);

/* Counts it; the LEN bytes of TEXT, of line LINE, are kept if it is the first. */
void said_add(struct said *said, uint64_t line, const char *text, size_t len);

/* Appends "WHAT: 3, the first in line 12: 'text'" and a newline; nothing if it never was. */
void said_tell(const struct said *said, const char *what, struct strbuf *notes);

#endif
