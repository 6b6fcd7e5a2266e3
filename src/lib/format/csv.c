/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "csv.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] && strchr(",\"\r\n", s[i]))
			return true;
	return false;
}

static bool begins_formula(const char *s, size_t len)
{
	static const char *const starts[] = {"=", "+", "-", "@", "\t", "\r", "\xef\xbc\x9d",
		"\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"}; /* the signs in full width, too */

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (begins_with(s, len, starts[i]))
			return true;
	return false;
}

void csv_field(struct strbuf *out, const char *s, size_t len)
{
	bool quotes = needs_quotes(s, len);

	if (quotes)
		strbuf_addch(out, '"');
	if (begins_formula(s, len))
		strbuf_addch(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, s[i]);
	}
	if (quotes)
		strbuf_addch(out, '"');
}
