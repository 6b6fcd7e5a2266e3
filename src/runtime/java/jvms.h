/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the JVMs among the recorded processes for the names of their compiled code: all at the end,
 * and those that may end earlier also before, at growing intervals.
 */
#ifndef RUNTIME_JAVA_JVMS_H
#define RUNTIME_JAVA_JVMS_H

#include <stdbool.h>

struct facet;
struct processes;

/*
 * Returns a facet of PS, see native.h: JVMs that are due are asked without waiting, those with
 * frames in compiled code at the end, all at the same time, for at most 3 s.
 */
struct facet *jvms_new(struct processes *ps, bool early, bool (*impatient)(void));

#endif
