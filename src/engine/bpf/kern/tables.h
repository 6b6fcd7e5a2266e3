/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up mappings, and rules in the tables of their files. */
#ifndef ENGINE_BPF_KERN_TABLES_H
#define ENGINE_BPF_KERN_TABLES_H

#include "scratch.h"

static const void *block_at(uint32_t block)
{
	uint32_t shard = block / SHARD, at = block % SHARD;
	void *map = bpf_map_lookup_elem(&pool, &shard);

	return map ? bpf_map_lookup_elem(map, &at) : NULL;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RULE_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct cached_rule);
} rule_cache SEC(".maps");

/* Sets walk.map to the mapping of the walk's pc. Returns false if there is none. */
static __always_inline bool find_map(struct scratch *s)
{
	struct walk_map *m = &s->walk.map;
	uint64_t pc = walk_pc(&s->walk);
	uint32_t block = s->space.root;

	if (pc >= m->start && pc < m->end)
		return true;
	if (pc >= INT64_MAX) /* the start of unused entries */
		return false;
	if (s->space.height) {
		const struct space_node *node = block_at(block);

		if (!node)
			return false;
		block = s->space.leaves + UNWIND_SEARCH(node->start, SPACE_NODES, pc);
	}
	const struct space_leaf *leaf = block_at(block);

	if (!leaf)
		return false;
	uint64_t at = UNWIND_SEARCH(leaf->start, SPACE_MAPS, pc);

	if (pc < leaf->start[at] || pc >= leaf->map[at].end)
		return false;
	m->start = leaf->start[at];
	m->end = leaf->map[at].end;
	m->bias = leaf->map[at].bias;
	m->table = leaf->map[at].table;
	m->serial = leaf->map[at].serial;
	m->id_at = leaf->map[at].id_at;
	m->id = leaf->map[at].id;
	return true;
}

/* Returns the rule in the table for OFFSET from its base, or NULL if there is none. */
static __always_inline const struct unwind_rule *find_rule(
	const struct table_desc *t, uint64_t offset)
{
	uint32_t index = 0, start = 0;

	for (uint32_t level = UNWIND_LEVELS - 1; level > 0; level--) {
		if (level > t->height)
			continue;
		const struct unwind_node *node = block_at(t->level[level] + index);

		if (!node)
			return NULL;
		uint64_t at = UNWIND_SEARCH(node->start, UNWIND_FANOUT, offset);

		start = node->start[at];
		index = index * UNWIND_FANOUT + at;
	}
	const struct unwind_leaf *leaf = block_at(t->level[0] + index);

	if (!leaf)
		return NULL;
	uint64_t at = UNWIND_SEARCH(leaf->delta, UNWIND_FANOUT, offset - start);
	uint32_t number = leaf->rule[at];

	if (number >= t->nr_rules)
		return NULL;
	const struct unwind_rule *rules = block_at(t->rules + number / UNWIND_RULES);

	if (!rules)
		return NULL;
	return &rules[UNWIND_INDEX(number, UNWIND_RULES)];
}

/*
 * Returns the table of the walk's mapping or the better one that has replaced it, or NULL if there
 * is none.
 */
static __always_inline struct table_desc *table_of(const struct walk *w)
{
	struct table_desc *t = bpf_map_lookup_elem(&tables, &w->map.table);
	uint32_t better = t ? t->better : 0;

	return better ? bpf_map_lookup_elem(&tables, &better) : t;
}

/* Sets the rule in E for the walk's pc from the table of its mapping. */
static __always_inline int look_up_rule(const struct walk *w, struct cached_rule *e, uint64_t key)
{
	struct table_desc *t = table_of(w);
	const struct unwind_rule *rule = NULL;

	if (!t || t->state == TABLE_PENDING)
		return WALK_PENDING;
	if (t->state == TABLE_READY) {
		uint64_t offset = walk_pc(w) - w->map.bias - t->base;

		rule = offset < t->size ? find_rule(t, offset) : NULL;
	}
	e->rule = rule ? *rule : (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
	e->key = key;
	if (e->rule.cfa == UNWIND_CFA_NONE && !t->is_final) {
		t->missed = true;
		e->key = UINT64_MAX; /* to be looked up again */
	}
	return WALK_ON;
}

#endif
