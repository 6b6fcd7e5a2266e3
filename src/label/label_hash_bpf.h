/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of labels' texts in the BPF programs. */
#ifndef LABEL_LABEL_HASH_BPF_H
#define LABEL_LABEL_HASH_BPF_H

#include "engine/bpf/kern/scratch.h"

/* Returns HASH, into which NR words are mixed. NR is a constant, for the verifier. */
static __always_inline uint64_t label_hash(uint64_t hash, const uint64_t *word, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	return hash;
}

#endif
