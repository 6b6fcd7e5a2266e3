/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames whose texts the BPF programs have sent to user space: sets of keys, which are hashes
 * of frames. A frame that is forgotten is sent again. The BPF programs and unit tests share this
 * code.
 */
#ifndef RUNTIME_VM_SENT_H
#define RUNTIME_VM_SENT_H

#include "vm_frame.h"

enum {
	VM_SENT_SETS = 1 << 16, /* a power of two */
	VM_SENT_WAYS = 8,
};

/* Keys, the newest first, or 0. */
struct vm_sent_set {
	uint64_t key[VM_SENT_WAYS];
} __attribute__((aligned(64))); /* one cache line */

static inline uint64_t vm_sent_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/*
 * Returns the key, which is not 0, of a frame of PROGRAM, which is a number of a process and its
 * generation. SEED is random, so that no process can choose frames whose keys are equal.
 */
static inline uint64_t vm_sent_key(uint64_t seed, uint64_t program, const struct vm_words *frame)
{
	uint64_t hash =
		vm_sent_mix(vm_sent_mix(vm_sent_mix(seed, program), frame->what), frame->at);

	hash = vm_sent_mix(hash, seed >> 32);
	return hash ? hash : 1;
}

/* Returns the index of the set of KEY. */
static inline uint32_t vm_sent_index(uint64_t key)
{
	return (uint32_t)(key >> 40) & (VM_SENT_SETS - 1);
}

static inline bool vm_sent_has(const struct vm_sent_set *set, uint64_t key)
{
	bool found = false;

	for (int i = 0; i < VM_SENT_WAYS; i++)
		found |= set->key[i] == key;
	return found;
}

/*
 * Adds KEY in place of the oldest key. If another processor adds a key at the same time, one of
 * them may get lost.
 */
static inline void vm_sent_add(struct vm_sent_set *set, uint64_t key)
{
	for (int i = VM_SENT_WAYS - 1; i > 0; i--)
		set->key[i] = set->key[i - 1];
	set->key[0] = key;
}

#endif
