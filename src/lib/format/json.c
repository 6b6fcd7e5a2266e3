/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"

void json_string(struct strbuf *out, const char *s, size_t len)
{
	strbuf_addch(out, '"');
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_decode(s + i, len - i, &c);

		if (!n)
			strbuf_addf(out, "\\\\x%02x", (unsigned char)s[i]);
		else if (c < 0x20 || c == 0x7f)
			strbuf_addf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			strbuf_addf(out, "\\%c", (char)c);
		else
			strbuf_add(out, s + i, n);
		i += n ? n : 1;
	}
	strbuf_addch(out, '"');
}
