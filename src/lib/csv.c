/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "csv.h"
#include "strbuf.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] && strchr(",\"\r\n", s[i]))
			return true;
	return false;
}

void csv_field(struct strbuf *out, const char *s, size_t len)
{
	bool quotes = needs_quotes(s, len);

	if (quotes)
		strbuf_addch(out, '"');
	if (len && *s && strchr("=+-@\t\r", *s))
		strbuf_addch(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, s[i]);
	}
	if (quotes)
		strbuf_addch(out, '"');
}
