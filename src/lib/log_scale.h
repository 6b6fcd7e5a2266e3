/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in buckets of a logarithmic scale: there are 16 buckets of equal width between a power of
 * two and the next, so that the numbers in a bucket differ by 1/16 at most. Below 16 each number
 * has its own bucket. Also included by the BPF programs.
 */
#ifndef LIB_LOG_SCALE_H
#define LIB_LOG_SCALE_H

#include <stdint.h>

enum { LOG_SCALE_BITS = 4, LOG_SCALE_STEPS = 1 << LOG_SCALE_BITS, LOG_SCALE_BUCKETS = 61 * 16 };

/*
 * Returns the position of the highest bit that is set, or 0 for 0. BPF has no instruction for this.
 */
static inline uint32_t log_scale_bit(uint64_t number)
{
	uint32_t bit = 0;

	for (uint32_t shift = 32; shift; shift /= 2)
		if (number >> shift) {
			number >>= shift;
			bit += shift;
		}
	return bit;
}

static inline uint32_t log_scale_bucket(uint64_t number)
{
	uint32_t bit = log_scale_bit(number);

	if (bit < LOG_SCALE_BITS)
		return (uint32_t)number;
	bit -= LOG_SCALE_BITS;
	return bit * LOG_SCALE_STEPS + (uint32_t)(number >> bit);
}

/* Returns the lowest number of BUCKET, which is below LOG_SCALE_BUCKETS. */
static inline uint64_t log_scale_lowest(uint32_t bucket)
{
	uint32_t shift = bucket < 2 * LOG_SCALE_STEPS ? 0 : bucket / LOG_SCALE_STEPS - 1;

	return (uint64_t)(bucket - shift * LOG_SCALE_STEPS) << shift;
}

#endif
