/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to find a pointer: starting at the thread pointer or 0, each step reads the word at an
 * offset. Without steps the pointer is 0.
 */
#ifndef RUNTIME_POINTER_PATH_H
#define RUNTIME_POINTER_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum { PATH_STEPS = 3 };

struct pointer_path {
	bool per_thread;
	uint32_t nr;
	uint64_t step[PATH_STEPS]; /* offsets; negative ones wrap around */
};

#endif
