/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "utf8.h"

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
