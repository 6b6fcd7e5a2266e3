/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search in a sorted list. */
#ifndef LIB_SEARCH_H
#define LIB_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many of the NR elements of LIST, which is sorted by MEMBER, have a MEMBER that is at
 * most VALUE: the index of the first element that is greater, and one more than the index of the
 * last element that is not.
 */
#define COUNT_UNTIL(list, nr, member, value)                                                       \
	({                                                                                         \
		size_t low_ = 0, high_ = (nr);                                                     \
                                                                                                   \
		while (low_ < high_) {                                                             \
			size_t middle_ = low_ + (high_ - low_) / 2;                                \
                                                                                                   \
			if ((list)[middle_].member <= (value))                                     \
				low_ = middle_ + 1;                                                \
			else                                                                       \
				high_ = middle_;                                                   \
		}                                                                                  \
		low_;                                                                              \
	})

/* Returns the index of the first of the NR sorted numbers that is not below VALUE, or NR. */
static inline size_t search_first_from(const uint64_t *list, size_t nr, uint64_t value)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
