/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "said.h"
#include "lib/word.h"

#include <inttypes.h>

enum { SHOWN = 100 };

void said_release(struct said *said)
{
	strbuf_release(&said->text);
}

void said_add(struct said *said, uint64_t line, const char *text, size_t len)
{
	if (said->nr++)
		return;
	said->line = line;
	message_add(&said->text, text, len < SHOWN ? len : SHOWN);
}

void said_tell(const struct said *said, const char *what, struct strbuf *notes)
{
	if (!said->nr)
		return;
	strbuf_addf(
		notes, "%s: %" PRIu64 ", the first in line %" PRIu64, what, said->nr, said->line);
	if (said->text.len)
		strbuf_addf(notes, ": '%s'", said->text.buf);
	strbuf_addch(notes, '\n');
}
