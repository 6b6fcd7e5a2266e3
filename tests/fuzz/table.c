/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An unwind table from a compromised builder, or from the cache. Random bytes are hardly ever a
 * valid table. The input is therefore used a second time with valid numbers where they are
 * required, and anything in the rest: the first bytes, repeated, fill the blocks.
 */
#include "fuzz.h"
#include "lib/util.h"
#include "unwind/unwind_table.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS_MAX = 8 };

/* Returns whether the table is valid. */
static bool use(const uint8_t *data, size_t size)
{
	struct unwind_table table;
	bool whole = false;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && !write_whole(fd, data, size));
	if (!unwind_table_open(&table, fd, "")) {
		const struct unwind_header *h = table.header;

		whole = true;
		for (uint64_t i = 0; i < 64; i++) {
			uint64_t at = h->base + h->size / 64 * i;

			must(unwind_table_find(&table, at + i));
			must(!unwind_table_find(&table, h->base - 1 - i)->cfa || !h->base);
		}
		must(!unwind_table_find(&table, h->base + h->size)->cfa);
	}
	unwind_table_release(&table);
	close(fd);
	return whole;
}

/* Makes NR valid blocks: a leaf and rules, or several leaves, a node above them and rules. */
static void mend(struct unwind_header *h, uint32_t nr)
{
	h->magic = UNWIND_MAGIC;
	h->version = UNWIND_VERSION;
	h->nr_blocks = nr;
	h->height = nr > 4 ? h->height % 2 : 0;
	memset(h->level, 0, sizeof(h->level));
	h->level[0] = 1;
	h->level[h->height] = h->height ? nr - 2 : 1;
	h->rules = h->height ? nr - 1 : 2;
	h->nr_rules = UNWIND_RULES * (nr - h->rules) - h->nr_rules % UNWIND_RULES;
	if (h->nr_rules < UNWIND_RULE_FIRST)
		h->nr_rules = UNWIND_RULE_FIRST;
	h->size %= UINT32_MAX;
	h->base %= 1ULL << 47;
	h->build_id[0] = '\0';
	h->checksum = unwind_table_checksum((const unsigned char *)h, (size_t)nr * UNWIND_BLOCK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(8) uint8_t image[BLOCKS_MAX * UNWIND_BLOCK];

	use(data, size);
	if (!size)
		return 0;
	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = data[i % size];
	uint32_t nr = 3 + data[size - 1] % (BLOCKS_MAX - 2);

	mend((struct unwind_header *)image, nr);
	must(use(image, (size_t)nr * UNWIND_BLOCK));
	return 0;
}
