/* SPDX-License-Identifier: GPL-2.0-or-later */
static inline unsigned mix(unsigned h)
{
	h ^= h >> 15;
	h *= 0x85ebca6bu;
	return h;
}

static inline unsigned step(unsigned h, unsigned i)
{
	return mix(h + i);
}
