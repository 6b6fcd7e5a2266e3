/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for fuzzers that mutate their inputs themselves. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "lib/util.h"

/* libFuzzer defines it; without libFuzzer it is not called. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* Returns a number below N, which is not 0. */
static inline uint64_t mutate_random(uint64_t *state, uint64_t n)
{
	*state = hash_u64(*state + 0x9e3779b97f4a7c15);
	return *state % n;
}

#endif
