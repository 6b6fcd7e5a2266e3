/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memo.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_MASK = 1023 };

/*
 * The loads have a constant size and may overlap, which is faster than a call for the usual short
 * texts.
 */
static bool same_text(const char *a, const char *b, size_t len)
{
	uint64_t x, y, different = 0;

	if (len < 8)
		return !memcmp(a, b, len);
	for (size_t i = 0; i < len - 8; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		different |= x ^ y;
	}
	memcpy(&x, a + len - 8, 8);
	memcpy(&y, b + len - 8, 8);
	return !(different | (x ^ y));
}

void memo_init(struct memo *memo)
{
	*memo = (struct memo){.alloc = 1 << 16, .mask = FIRST_MASK};
	memo->bytes = xmalloc(memo->alloc);
	memo->slots = xcalloc(memo->mask + 1, sizeof(*memo->slots));
}

void memo_release(struct memo *memo)
{
	free(memo->bytes);
	free(memo->slots);
	*memo = (struct memo){0};
}

bool memo_get(const struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t *value)
{
	for (uint32_t i = (uint32_t)hash & memo->mask; memo->slots[i].len;
		i = (i + 1) & memo->mask) {
		const struct memo_slot *slot = &memo->slots[i];

		if (slot->hash == hash && slot->len == len &&
			same_text(memo->bytes + slot->at, s, len)) {
			*value = slot->value;
			return true;
		}
	}
	return false;
}

static void place(struct memo *memo, const struct memo_slot *slot)
{
	uint32_t i = (uint32_t)slot->hash & memo->mask;

	while (memo->slots[i].len)
		i = (i + 1) & memo->mask;
	memo->slots[i] = *slot;
}

static void grow(struct memo *memo)
{
	struct memo_slot *old = memo->slots;
	uint32_t nr = memo->mask + 1;

	memo->mask = memo->mask * 2 + 1;
	memo->slots = xcalloc((size_t)memo->mask + 1, sizeof(*memo->slots));
	for (uint32_t i = 0; i < nr; i++)
		if (old[i].len)
			place(memo, &old[i]);
	free(old);
}

static void forget(struct memo *memo)
{
	memset(memo->slots, 0, ((size_t)memo->mask + 1) * sizeof(*memo->slots));
	memo->nr = 0;
	memo->len = 0;
}

void memo_put(struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t value)
{
	if (!len || len > MEMO_BYTES / 16)
		return;
	if (memo->len + len > MEMO_BYTES || memo->nr > MEMO_BYTES / 64)
		forget(memo);
	while (memo->len + len > memo->alloc) {
		memo->alloc *= 2;
		memo->bytes = xrealloc(memo->bytes, memo->alloc, 1);
	}
	if (memo->nr >= memo->mask / 2)
		grow(memo);
	memcpy(memo->bytes + memo->len, s, len);
	place(memo, &(struct memo_slot){hash, (uint32_t)memo->len, (uint32_t)len, value});
	memo->len += len;
	memo->nr++;
}
