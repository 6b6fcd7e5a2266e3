/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the query that the current process works on, in the BPF programs. Included by label_list.h.
 * A global variable tells it, so the stack is not searched.
 */
#ifndef LABEL_POSTGRES_POSTGRES_BPF_H
#define LABEL_POSTGRES_POSTGRES_BPF_H

#include "label/label_hash_bpf.h"

static __always_inline void postgres_search_here(struct scratch *s, uint32_t lane)
{
	const struct postgres_layout *l = &s->label.layout.postgres;
	uint64_t text;

	(void)lane;
	s->label.leaf = true;
	s->label.searching = false;
	if (!bpf_probe_read_user(&text, sizeof(text), (const void *)l->query))
		s->label.found = text;
}

/* Queries are not counted. */
static __always_inline bool postgres_ends_here(struct scratch *s, uint64_t address)
{
	(void)s;
	(void)address;
	return false;
}

/* Reads the text at ADDRESS. Returns its hash. */
__noinline uint64_t postgres_read_query(uint32_t lane, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	char *text = s->label.record.set.texts.postgres.query;
	const uint64_t *word = (const uint64_t *)text;

	/* for so many bytes, compilers call memset(), which programs do not have */
	for (uint64_t i = 0; i < POSTGRES_TEXT_MAX / sizeof(*word); i++)
		((volatile uint64_t *)text)[i] = 0;
	bpf_probe_read_user_str(text, POSTGRES_TEXT_MAX, (const void *)address);
	return label_hash(1, word, POSTGRES_TEXT_MAX / sizeof(*word));
}

static __always_inline bool postgres_key_here(struct scratch *s, struct postgres_identity *id)
{
	id->hash = postgres_read_query(LANE_EVENT, s->label.found);
	return true;
}

/* The text was read with the identity. */
static __always_inline void postgres_texts_here(
	struct scratch *s, uint32_t lane, const struct postgres_identity *id)
{
	(void)s;
	(void)lane;
	(void)id;
}

#endif
