/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mutations.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A walk and its names need fewer reads than READS_MAX, because of limits such as PERL_STACKS_MAX.
 */
enum { READS_MAX = 1 << 20, CHANGES = 3 };

/* The memory of a case, some words of which are changed. */
struct changed {
	const struct case_state *state;
	uint64_t *read; /* addresses that the walk has read */
	size_t nr_read, alloc_read;
	bool learns; /* addresses are collected */
	unsigned nr_reads;
	struct case_word now[CHANGES];
};

static struct case_word word_at(const struct changed *c, uint64_t address)
{
	const struct case_word *word = case_get(c->state, address);

	for (size_t i = 0; i < CHANGES; i++)
		if (c->now[i].address == address)
			return c->now[i];
	return word ? *word
		    : (struct case_word){
			      .address = address, .readable = case_is_zero(c->state, address)};
}

static bool read_changed(void *context, uint64_t address, void *to, size_t len)
{
	struct changed *c = context;

	if (c->nr_reads++ == READS_MAX) {
		fprintf(stderr, "mutations: a walk does not end\n");
		abort();
	}
	if (address + len < address)
		return false;
	for (uint64_t at = address & -(uint64_t)CASE_WORD; at < address + len; at += CASE_WORD) {
		struct case_word word = word_at(c, at);
		uint64_t from = at < address ? address : at;
		uint64_t end = at + CASE_WORD < address + len ? at + CASE_WORD : address + len;

		if (c->learns) {
			ALLOC_GROW(c->read, c->nr_read, c->alloc_read);
			c->read[c->nr_read++] = at;
		}
		if (!word.readable)
			return false;
		memcpy((char *)to + (from - address), (char *)&word.value + (from - at),
			end - from);
	}
	return true;
}

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
	*seed = hash_u64(*seed + 0x9e3779b97f4a7c15);
	return *seed % n;
}

/* Makes a word that was read unreadable, or replaces it by another word or the address of one, or
 * flips a bit. */
static struct case_word change(const struct changed *c, uint64_t *seed)
{
	struct case_word word = word_at(c, c->read[random_below(seed, c->nr_read)]);
	uint64_t other = c->read[random_below(seed, c->nr_read)];

	switch (random_below(seed, 8)) {
	case 0:
		word.readable = false;
		break;
	case 1:
		word.value = word_at(c, other).value;
		break;
	case 2:
		word.value = other;
		break;
	case 3:
		word.value = random_below(seed, 2) ? UINT64_MAX : 0;
		break;
	case 4:
		word.value += random_below(seed, 2) ? CASE_WORD : -(uint64_t)CASE_WORD;
		break;
	default:
		word.value ^= 1ULL << random_below(seed, 64);
	}
	return word;
}

void mutated_walks(
	const struct case_state *s, const struct case_walk *w, unsigned nr, uint64_t *seed)
{
	struct changed c = {.state = s, .learns = true};
	struct memory memory = {.read = read_changed, .context = &c};
	struct case_walk walk = *w;
	struct strbuf text = STRBUF_INIT;

	walk.memory = &memory;
	case_walk(&walk, false, &text);
	c.learns = false;
	for (unsigned i = 0; i < nr && c.nr_read; i++) {
		for (size_t k = 0; k < CHANGES; k++)
			c.now[k] = change(&c, seed);
		c.nr_reads = 0;
		case_walk(&walk, i & 1, &text);
		strbuf_reset(&text);
	}
	strbuf_release(&text);
	free(c.read);
}
