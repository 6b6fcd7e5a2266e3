/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "percent.h"
#include "strbuf.h"

#include <inttypes.h>

void percent_add(struct strbuf *out, uint64_t part, uint64_t all)
{
	unsigned __int128 hundredths = 0;

	if (all)
		hundredths = ((unsigned __int128)part * 10000 + all / 2) / all;
	strbuf_addf(out, "%" PRIu64 ".%02u", (uint64_t)(hundredths / 100),
		(unsigned)(hundredths % 100));
}
