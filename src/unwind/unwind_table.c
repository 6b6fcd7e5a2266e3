/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind_table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

uint64_t unwind_table_checksum(const unsigned char *blocks, size_t size)
{
	size_t skip = offsetof(struct unwind_header, version);

	return hash_words(
		(const uint64_t *)(const void *)(blocks + skip), (size - skip) / sizeof(uint64_t));
}

/*
 * Checks that each level has as many blocks as the level below needs, and the top level one block.
 */
static bool levels_fit(const struct unwind_header *h)
{
	uint64_t begin = 1, need = 0;

	if (h->height >= UNWIND_LEVELS)
		return false;
	for (uint32_t i = 0; i < UNWIND_LEVELS; i++) {
		uint64_t end = i < h->height ? h->level[i + 1] : h->rules;

		if (i > h->height) {
			if (h->level[i])
				return false;
			continue;
		}
		if (h->level[i] != begin || end <= begin || (i && end - begin != need))
			return false;
		need = (end - begin + UNWIND_FANOUT - 1) / UNWIND_FANOUT;
		if ((i == h->height) != (end - begin == 1))
			return false;
		begin = end;
	}
	return true;
}

static bool rules_fit(const struct unwind_header *h)
{
	uint64_t blocks = ((uint64_t)h->nr_rules + UNWIND_RULES - 1) / UNWIND_RULES;

	return h->nr_rules >= UNWIND_RULE_FIRST && (uint64_t)h->rules + blocks == h->nr_blocks;
}

static bool is_whole(const struct unwind_table *table, const char *build_id)
{
	const struct unwind_header *h = table->header;

	return h->magic == UNWIND_MAGIC && h->version == UNWIND_VERSION &&
	       (uint64_t)h->nr_blocks * UNWIND_BLOCK == table->size && levels_fit(h) &&
	       rules_fit(h) && h->size < UINT32_MAX && h->base <= UINT64_MAX - h->size &&
	       memchr(h->build_id, '\0', sizeof(h->build_id)) && !strcmp(h->build_id, build_id) &&
	       h->checksum == unwind_table_checksum(table->blocks, table->size);
}

int unwind_table_open(struct unwind_table *table, int fd, const char *build_id)
{
	struct stat st;
	void *at;

	*table = (struct unwind_table){0};
	if (fstat(fd, &st) || st.st_size < UNWIND_BLOCK)
		return -1;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return -1;
	*table = (struct unwind_table){
		.header = at,
		.blocks = at,
		.size = (size_t)st.st_size,
		.mapped = true,
	};
	if (is_whole(table, build_id))
		return 0;
	unwind_table_release(table);
	return -1;
}

void unwind_table_release(struct unwind_table *table)
{
	if (table->mapped)
		munmap((void *)table->header, table->size);
	else
		free((void *)table->header);
	*table = (struct unwind_table){0};
}

void unwind_table_move(struct unwind_table *table, const void *blocks)
{
	struct unwind_header *header = xmalloc(sizeof(*header));
	size_t size = table->size;

	*header = *table->header;
	unwind_table_release(table);
	*table = (struct unwind_table){
		.header = header,
		.blocks = (const unsigned char *)blocks - UNWIND_BLOCK,
		.size = size,
	};
}

/* Returns block NUMBER, or NULL if there is none. */
static const void *block_at(const struct unwind_table *table, uint64_t number)
{
	return number < table->size / UNWIND_BLOCK ? table->blocks + number * UNWIND_BLOCK : NULL;
}

static uint32_t rule_at(const struct unwind_table *table, uint64_t at)
{
	const struct unwind_header *h = table->header;
	uint64_t number = 0, child;

	for (uint32_t level = h->height; level; level--) {
		const struct unwind_node *node = block_at(table, h->level[level] + number);

		if (!node)
			return UNWIND_RULE_NONE;
		child = UNWIND_SEARCH(node->start, UNWIND_FANOUT, at);
		number = number * UNWIND_FANOUT + child;
		if (level == 1)
			at -= node->start[child];
	}
	const struct unwind_leaf *leaf = block_at(table, h->level[0] + number);

	return leaf ? leaf->rule[UNWIND_SEARCH(leaf->delta, UNWIND_FANOUT, at)] : UNWIND_RULE_NONE;
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address)
{
	static const struct unwind_rule none;
	const struct unwind_header *h = table->header;
	const struct unwind_rule *rules;
	uint32_t number;

	if (!h || address < h->base || address - h->base >= h->size || h->height >= UNWIND_LEVELS)
		return &none;
	number = rule_at(table, address - h->base);
	if (number >= h->nr_rules)
		return &none;
	rules = block_at(table, (uint64_t)h->rules + number / UNWIND_RULES);
	return rules ? &rules[number % UNWIND_RULES] : &none;
}
