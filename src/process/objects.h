/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mapped files that a long recording still needs. */
#ifndef PROCESS_OBJECTS_H
#define PROCESS_OBJECTS_H

#include "process.h"

/*
 * Sets is_needed of the objects that are mapped or were mapped after TIME_NS (monotonic), and of
 * the MAX other objects that were mapped last. Sets is_used of all objects that a mapping refers
 * to.
 */
void objects_mark(struct processes *ps, int64_t time_ns, size_t max);

/*
 * Closes the files of objects that are not needed and have no unwind table. Frees these objects if
 * they are not used, either; new objects may get their numbers.
 */
void objects_sweep(struct processes *ps);

#endif
