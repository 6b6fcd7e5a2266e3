/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of time, which the BPF programs and user space count in the same way. */
#ifndef ENGINE_BPF_KERN_SLICES_H
#define ENGINE_BPF_KERN_SLICES_H

#include <stdbool.h>
#include <stdint.h>

/* Slices of NS nanoseconds, or none if that is 0. The first one begins at SINCE. */
struct slices {
	uint64_t since, ns;
};

/* Returns the slice at TIME, or 0 without slices. Earlier times belong to the first slice. */
static inline uint32_t slice_at(struct slices s, uint64_t time)
{
	if (!s.ns)
		return 0;
	return time > s.since ? (uint32_t)((time - s.since) / s.ns) + 1 : 1;
}

/* Returns when SLICE begins. */
static inline uint64_t slice_begin(struct slices s, uint32_t slice)
{
	return s.since + (slice - 1) * s.ns;
}

/* A part of a time: NS in a slice, or in equal parts in it and in MORE following slices. */
struct slice_part {
	uint32_t slice, more;
	uint64_t ns;
	bool is_last;
};

enum { SLICE_PARTS_MAX = 3 }; /* the first slice, all slices between, and the last one */

/* Returns the next part of the time from *SINCE to END, and moves *SINCE to its end. */
static __always_inline struct slice_part slice_next(struct slices s, uint64_t *since, uint64_t end)
{
	uint32_t first = slice_at(s, *since), last = slice_at(s, end);
	bool is_whole = first < last && *since == slice_begin(s, first);
	uint64_t until = first == last ? end : slice_begin(s, is_whole ? last : first + 1);
	struct slice_part part = {
		first, is_whole ? last - first - 1 : 0, until - *since, first == last};

	*since = until;
	return part;
}

#endif
