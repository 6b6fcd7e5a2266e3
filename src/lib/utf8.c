/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "utf8.h"
#include "strbuf.h"
#include "util.h"

size_t utf8_decode(const char *s, size_t len, uint32_t *c)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80 ? 1 : u[0] < 0xc0 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;

	if (!n || n > len || u[0] > 0xf4)
		return 0;
	*c = n == 1 ? u[0] : u[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (u[i] & 0x3f);
	}
	return *c < lowest[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : n;
}

void utf8_add(struct strbuf *out, uint32_t c)
{
	static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	strbuf_addch(out, (char)(heads[more] | c >> 6 * more));
	while (more--)
		strbuf_addch(out, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

bool utf8_is_visible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x00, 0x1f},
		{0x7f, 0x9f},
		{0x061c, 0x061c},
		{0x200e, 0x200f},
		{0x2028, 0x202e},
		{0x2066, 0x2069},
		{0xfffe, 0xffff},
	};

	if (c >= 0x20 && c < 0x7f)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return false;
	return true;
}
