/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"
#include "hash.h"
#include "util.h"

#include <stdlib.h>

void table_init(struct table *t)
{
	*t = (struct table){.mask = 63};
	t->slots = xcalloc(t->mask + 1, sizeof(*t->slots));
}

void table_release(struct table *t)
{
	free(t->slots);
	*t = (struct table){0};
}

static struct table_slot *find(const struct table *t, uint64_t a, uint64_t b)
{
	size_t i = hash_pair(a, b) & t->mask;

	while (t->slots[i].used && (t->slots[i].a != a || t->slots[i].b != b))
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static void grow(struct table *t)
{
	struct table old = *t;

	t->mask = old.mask * 2 + 1;
	t->slots = xcalloc(t->mask + 1, sizeof(*t->slots));
	for (size_t i = 0; i <= old.mask; i++)
		if (old.slots[i].used)
			*find(t, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

uint32_t *table_put(struct table *t, uint64_t a, uint64_t b, bool *is_new)
{
	if (t->nr > t->mask / 2)
		grow(t);
	struct table_slot *slot = find(t, a, b);

	*is_new = !slot->used;
	if (*is_new) {
		*slot = (struct table_slot){.a = a, .b = b, .used = true};
		t->nr++;
	}
	return &slot->value;
}

const uint32_t *table_get(const struct table *t, uint64_t a, uint64_t b)
{
	const struct table_slot *slot = find(t, a, b);

	return slot->used ? &slot->value : NULL;
}
