/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples allocations by bytes: each byte is the start of a sample with the same probability, 1 in
 * EVERY, so that an allocation of SIZE bytes is taken with the probability
 * 1 - exp(-SIZE / EVERY). Divided by it, what is taken stands for all on average. Allocations below
 * SAMPLE_LEAST bytes count as so long, so that even allocations of 0 bytes are taken. Also included
 * by the BPF programs, which have no floating point numbers.
 */
#ifndef TOOL_ALLOC_ALLOC_SAMPLING_H
#define TOOL_ALLOC_ALLOC_SAMPLING_H

#include "lib/log_scale.h"

#include <stdint.h>

enum {
	SAMPLE_LEAST = 16,
	SAMPLE_EVERY_MAX = 1 << 30,
	SAMPLE_LOG_BITS = 24,  /* behind the binary point of logarithms */
	SAMPLE_CERTAIN = 32,   /* times EVERY: allocations so large are always taken */
	SAMPLE_ERROR_BITS = 10 /* behind the binary point of errors, see sample_weigh() */
};

#define SAMPLE_ONE (1ULL << 32) /* 1 as a number with 32 bits behind the binary point */

/* Returns how many bytes of an allocation count for its probability. */
static inline uint64_t sample_length(uint64_t size)
{
	return size < SAMPLE_LEAST ? SAMPLE_LEAST : size;
}

/*
 * Returns the number of bytes up to the next sample, which is distributed exponentially with the
 * mean EVERY. RANDOM is a uniform random number.
 */
static inline uint64_t sample_distance(uint64_t every, uint32_t random)
{
	uint64_t number = (uint64_t)random + 1, ln2 = 2977044472;
	uint32_t bit = log_scale_bit(number);
	uint64_t log = bit, rest = number << (63 - bit) >> 32;

	for (int i = 0; i < SAMPLE_LOG_BITS; i++) {
		rest = rest * rest >> 31;
		log = log << 1 | rest >> 32;
		rest >>= rest >> 32;
	}
	return every * (((32ULL << SAMPLE_LOG_BITS) - log) * ln2 >> 32) >> SAMPLE_LOG_BITS;
}

/* Returns X / (1 - exp(-X)) for X from 0 to 1. Both have 32 bits behind the binary point. */
static inline uint64_t sample_growth(uint64_t x)
{
	uint64_t x2 = x * x >> 32, x4 = x2 * x2 >> 32;

	return SAMPLE_ONE + x / 2 + x2 / 12 - x4 / 720 + (x4 * x2 >> 32) / 30240;
}

/* Returns exp(-X), both with 32 bits behind the binary point, for X from 0 to 1. */
static inline uint64_t sample_decay(uint64_t x)
{
	uint64_t value = SAMPLE_ONE;

	for (uint32_t i = 12; i; i--)
		value = SAMPLE_ONE - (x * value >> 32) / i;
	return value;
}

/*
 * Returns LENGTH / (1 - exp(-LENGTH / EVERY)), rounded up or down at RANDOM, so that the mean is
 * right.
 */
static inline uint64_t sample_total(uint64_t length, uint64_t every, uint32_t random)
{
	uint64_t decay, ratio;

	if (length < every)
		return (every * sample_growth((length << 32) / every) + random) >> 32;
	if (length >= SAMPLE_CERTAIN * every)
		return length;
	decay = sample_decay((length << 27) / every); /* of a 32nd of the length */
	for (int i = 0; i < 5; i++)
		decay = decay * decay >> 32;
	ratio = (decay << 24) / (SAMPLE_ONE - decay);
	return length + ((length * ratio + (random >> 8)) >> 24);
}

/* What an allocation that was taken stands for. */
struct sample_weight {
	uint64_t bytes, calls;
	/*
	 * The square of the error that not taking all allocations is expected to add to the sum, in
	 * units of (EVERY / 2^SAMPLE_ERROR_BITS)^2.
	 */
	uint64_t bytes_error;
};

/* Sets the errors of an allocation that counts as LENGTH bytes and stands for TOTAL bytes. */
static inline void sample_set_error(
	struct sample_weight *weight, uint64_t length, uint64_t total, uint64_t every)
{
	uint64_t more = total > length ? total - length : 0;

	weight->bytes_error =
		((more << SAMPLE_ERROR_BITS) / every) * ((total << SAMPLE_ERROR_BITS) / every);
}

/* Weighs an allocation of SIZE bytes. RANDOM is a uniform random number. */
static inline void sample_weigh(
	struct sample_weight *weight, uint64_t size, uint64_t every, uint64_t random)
{
	uint64_t length = sample_length(size), total;

	*weight = (struct sample_weight){size, 1, 0};
	if (every <= 1)
		return;
	total = sample_total(length, every, (uint32_t)random);
	weight->calls = total / length + (random % length < total % length);
	weight->bytes =
		size == length ? total : (total * size + random % SAMPLE_LEAST) / SAMPLE_LEAST;
	sample_set_error(weight, length, total, every);
}

/*
 * Sets WEIGHT for an allocation of SIZE bytes that stands for TOTAL bytes, as it was weighed in
 * another place. For how many calls one of 0 bytes stands only EVERY tells.
 */
static inline void sample_take_weight(struct sample_weight *weight, uint64_t size, uint64_t total,
	uint64_t every, uint64_t random)
{
	if (!size) {
		sample_weigh(weight, size, every, random);
		return;
	}
	*weight = (struct sample_weight){total, 1, 0};
	if (total > size)
		weight->calls = total / size + (random % size < total % size);
	sample_set_error(weight, size, total, every);
}

#endif
