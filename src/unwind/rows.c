/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rows.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "range.h"
#include "unwind_table.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED_DELTA UINT16_MAX
#define UNUSED_START UINT32_MAX

enum { ROWS_MAX = 1 << 26 };

/* Returns the number of RULE, or UNWIND_RULE_NONE if there are too many rules. */
static uint16_t number_of(struct unwind_rows *rows, const struct unwind_rule *rule)
{
	uint64_t words[2];
	bool is_new;

	_Static_assert(sizeof(words) == sizeof(*rule), "two words are a rule");
	memcpy(words, rule, sizeof(words));
	if (rows->nr_rules > UINT16_MAX) {
		const uint32_t *known = table_get(&rows->numbers, words[0], words[1]);

		rows->nr_unsupported += !known;
		return known ? (uint16_t)*known : UNWIND_RULE_NONE;
	}
	uint32_t *number = table_put(&rows->numbers, words[0], words[1], &is_new);

	if (is_new) {
		ALLOC_GROW(rows->rules, rows->nr_rules, rows->rules_alloc);
		*number = (uint32_t)rows->nr_rules;
		rows->rules[rows->nr_rules++] = *rule;
	}
	return (uint16_t)*number;
}

void unwind_rows_init(struct unwind_rows *rows)
{
	*rows = (struct unwind_rows){0};
	table_init(&rows->numbers);
	number_of(rows, &(struct unwind_rule){.cfa = UNWIND_CFA_NONE});
	number_of(rows, &(struct unwind_rule){.cfa = UNWIND_CFA_ROOT});
}

void unwind_rows_release(struct unwind_rows *rows)
{
	table_release(&rows->numbers);
	free(rows->rules);
	free(rows->leaves);
	free(rows->starts);
}

static void close_leaf(struct unwind_rows *rows)
{
	struct unwind_leaf *leaf = &rows->leaves[rows->nr_leaves - 1];

	for (size_t i = rows->filled; i < UNWIND_FANOUT; i++) {
		leaf->delta[i] = UNUSED_DELTA;
		leaf->rule[i] = rows->last;
	}
}

static void open_leaf(struct unwind_rows *rows, uint32_t at)
{
	if (rows->nr_leaves)
		close_leaf(rows);
	ALLOC_GROW(rows->starts, rows->nr_leaves, rows->starts_alloc);
	ALLOC_GROW(rows->leaves, rows->nr_leaves, rows->leaves_alloc);
	rows->starts[rows->nr_leaves++] = at;
	rows->filled = 0;
}

static void put(struct unwind_rows *rows, uint64_t address, uint16_t rule)
{
	uint64_t at = address - rows->base;

	if (rows->nr_rows && rule == rows->last)
		return;
	if (at >= UNUSED_START || rows->nr_rows >= ROWS_MAX) {
		rows->too_large = true;
		return;
	}
	if (!rows->nr_leaves || rows->filled == UNWIND_FANOUT ||
		at - rows->starts[rows->nr_leaves - 1] >= UNUSED_DELTA)
		open_leaf(rows, (uint32_t)at);
	struct unwind_leaf *leaf = &rows->leaves[rows->nr_leaves - 1];

	leaf->delta[rows->filled] = (uint16_t)(at - rows->starts[rows->nr_leaves - 1]);
	leaf->rule[rows->filled++] = rule;
	rows->last = rule;
	rows->nr_rows++;
}

void unwind_rows_add(
	struct unwind_rows *rows, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	if (start >= end)
		return;
	if (!rows->nr_rows)
		rows->base = rows->end = start;
	if (start > rows->end)
		put(rows, rows->end, UNWIND_RULE_NONE);
	rows->nr_unsupported += !rule;
	put(rows, start, rule ? number_of(rows, rule) : UNWIND_RULE_NONE);
	rows->end = end;
}

void unwind_rows_add_in(struct unwind_rows *rows, const struct unwind_range *range, uint64_t start,
	uint64_t end, const struct unwind_rule *rule)
{
	if (start < range->from)
		start = range->from;
	if (end > range->to)
		end = range->to;
	unwind_rows_add(rows, start, end, rule);
}

/* The blocks of an image, in order. */
struct image {
	unsigned char *blocks;
	size_t nr;
};

static void *blocks_add(struct image *image, size_t nr)
{
	void *at = image->blocks + image->nr * UNWIND_BLOCK;

	image->nr += nr;
	return at;
}

static size_t blocks_for(size_t n, size_t in_block)
{
	return (n + in_block - 1) / in_block;
}

/*
 * Adds a level above the *NR blocks that begin at the addresses STARTS. Sets both for the new
 * level.
 */
static void add_level(struct image *image, uint32_t *starts, size_t *nr)
{
	size_t nr_nodes = blocks_for(*nr, UNWIND_FANOUT);
	struct unwind_node *nodes = blocks_add(image, nr_nodes);

	memset(nodes, UNUSED_START & 0xff, nr_nodes * sizeof(*nodes));
	for (size_t i = 0; i < *nr; i++)
		nodes[i / UNWIND_FANOUT].start[i % UNWIND_FANOUT] = starts[i];
	for (size_t i = 0; i < nr_nodes; i++)
		starts[i] = nodes[i].start[0];
	*nr = nr_nodes;
}

static void add_levels(
	struct image *image, const struct unwind_rows *rows, struct unwind_header *header)
{
	uint32_t *starts = xmalloc(rows->nr_leaves * sizeof(*starts));
	size_t nr = rows->nr_leaves;

	memcpy(starts, rows->starts, nr * sizeof(*starts));
	header->level[0] = (uint32_t)image->nr;
	memcpy(blocks_add(image, nr), rows->leaves, nr * sizeof(*rows->leaves));
	while (nr > 1) {
		header->level[++header->height] = (uint32_t)image->nr;
		add_level(image, starts, &nr);
	}
	free(starts);
}

static size_t count_blocks(const struct unwind_rows *rows)
{
	size_t nr = 1 + rows->nr_leaves + blocks_for(rows->nr_rules, UNWIND_RULES);

	for (size_t level = rows->nr_leaves; level > 1;)
		nr += level = blocks_for(level, UNWIND_FANOUT);
	return nr;
}

static void fill(struct image *image, const struct unwind_rows *rows, const char *build_id)
{
	struct unwind_header *header = blocks_add(image, 1);

	*header = (struct unwind_header){
		.magic = UNWIND_MAGIC,
		.version = UNWIND_VERSION,
		.base = rows->base,
		.size = rows->end - rows->base,
		.nr_rules = (uint32_t)rows->nr_rules,
		.nr_rows = (uint32_t)rows->nr_rows,
		.analysed = rows->analysed,
		.nr_unsupported = rows->nr_unsupported < UINT32_MAX ? (uint32_t)rows->nr_unsupported
								    : UINT32_MAX,
	};
	strncpy(header->build_id, build_id, sizeof(header->build_id) - 1);
	add_levels(image, rows, header);
	header->rules = (uint32_t)image->nr;
	memcpy(blocks_add(image, blocks_for(rows->nr_rules, UNWIND_RULES)), rows->rules,
		rows->nr_rules * sizeof(*rows->rules));
	header->nr_blocks = (uint32_t)image->nr;
	header->checksum = unwind_table_checksum(image->blocks, image->nr * UNWIND_BLOCK);
}

int unwind_rows_finish(struct unwind_rows *rows, const char *build_id, struct unwind_table *table,
	struct strbuf *err)
{
	struct image image = {0};

	*table = (struct unwind_table){0};
	if (!rows->nr_rows)
		return fail(err, "it has no unwind information");
	if (rows->too_large || rows->end - rows->base >= UNUSED_START)
		return fail(err, "it has too many functions, or they are too far apart");
	close_leaf(rows);
	image.blocks = xcalloc(count_blocks(rows), UNWIND_BLOCK);
	fill(&image, rows, build_id);
	*table = (struct unwind_table){
		.header = (const struct unwind_header *)(const void *)image.blocks,
		.blocks = image.blocks,
		.size = image.nr * UNWIND_BLOCK,
	};
	return 0;
}
