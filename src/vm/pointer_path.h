/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to come to a pointer: from the thread pointer or from 0, for each step the word at that
 * distance. No step: it is 0 itself.
 */
#ifndef VM_POINTER_PATH_H
#define VM_POINTER_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum { PATH_STEPS = 3 };

struct pointer_path {
	bool per_thread;
	uint32_t nr;
	uint64_t step[PATH_STEPS]; /* distances may be negative: they wrap around */
};

#endif
