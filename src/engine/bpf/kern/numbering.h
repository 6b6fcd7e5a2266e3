/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives numbers to things whose names user space reads, so that rows need not contain them. */
#ifndef ENGINE_BPF_KERN_NUMBERING_H
#define ENGINE_BPF_KERN_NUMBERING_H

#include "maps.h"

enum { NUMBER_PROBES = 8 }; /* numbers that a thing may get, from its hash on */

static __always_inline bool words_are_same(const uint64_t *a, const uint64_t *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/*
 * Returns the number, from 1 to MAX, under which MAP (a hash) has a value that begins with the same
 * NR words as FIRST. Adds FIRST if there is none. Returns 0 if there is no room. NR and MAX are
 * constant.
 */
static __always_inline uint32_t number_in(void *map, const void *first, uint32_t nr, uint32_t max)
{
	const uint64_t *words = first;
	uint64_t hash = 0;

	for (uint32_t i = 0; i < nr; i++)
		hash = (hash ^ words[i] ^ hash >> 32) * 0x9e3779b97f4a7c15ULL;
	for (uint32_t i = 0; i < NUMBER_PROBES; i++) {
		uint32_t number = ((hash >> 32) + i) % max + 1;
		const uint64_t *known = bpf_map_lookup_elem(map, &number);

		if (!known) {
			bpf_map_update_elem(map, &number, first, BPF_NOEXIST);
			known = bpf_map_lookup_elem(map, &number);
		}
		if (known && words_are_same(known, words, nr))
			return number;
	}
	return 0;
}

#endif
