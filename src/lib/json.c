/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"
#include "strbuf.h"

#include <stdint.h>

size_t utf8_len(const char *s, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80 ? 1 : u[0] < 0xc0 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	uint32_t c = n > 1 ? u[0] & (0x7fU >> n) : u[0];

	if (n > len || u[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (n > 1 && (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)))
		return 0;
	return n;
}

void json_string(struct strbuf *out, const char *s, size_t len)
{
	strbuf_addch(out, '"');
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i];
		size_t n = utf8_len(s + i, len - i);

		if (!n)
			strbuf_addf(out, "\\\\x%02x", c);
		else if (c < 0x20 || c == 0x7f)
			strbuf_addf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			strbuf_addf(out, "\\%c", c);
		else
			strbuf_add(out, s + i, n);
		i += n ? n : 1;
	}
	strbuf_addch(out, '"');
}
