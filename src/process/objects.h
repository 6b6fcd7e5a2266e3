/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mapped files that a long recording still needs. */
#ifndef PROCESS_OBJECTS_H
#define PROCESS_OBJECTS_H

#include "process.h"

/*
 * Sets is_needed of the objects that are mapped, or were after TIME_NS (monotonic), and of the MAX
 * others that were mapped last; and is_used of all that a mapping has.
 */
void objects_mark(struct processes *ps, int64_t time_ns, size_t max);

/*
 * Of objects that are not needed and have no unwind table, closes the file, or frees them if they
 * are not used either. New objects may get their numbers.
 */
void objects_sweep(struct processes *ps);

#endif
