/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"

#include <inttypes.h>
#include <string.h>

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

void json_text(struct strbuf *out, const char *before, const char *key, const char *s)
{
	strbuf_addf(out, "%s\"%s\": ", before, key);
	if (s)
		json_string(out, s, strlen(s));
	else
		strbuf_adds(out, "null");
}

void json_share(
	struct strbuf *out, const char *before, const char *key, uint64_t part, uint64_t all)
{
	strbuf_addf(out, "%s\"%s\": %" PRIu64 ", \"%s_pct\": ", before, key, part, key);
	percent_add(out, part, all);
}
