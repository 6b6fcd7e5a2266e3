/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JVMs among the recorded processes are asked for the names of their compiled code: at the end,
 * and those that may end before at growing intervals, too.
 */
#ifndef ENGINE_JIT_JVMS_H
#define ENGINE_JIT_JVMS_H

#include <stdbool.h>

struct jvms;
struct processes;
struct strbuf;

/* EARLY: also before the end. IMPATIENT: whether the user wants no more waiting at the end. */
struct jvms *jvms_new(bool early, bool (*impatient)(void));
void jvms_free(struct jvms *j);

/* While it records: asks those that are due, takes maps that have come. Does not wait for them. */
void jvms_update(struct jvms *j, struct processes *ps);

/*
 * At the end: asks those with frames in compiled code, whose mappings N have USED[N] set, side by
 * side, and waits at most 3 s. NOTES: whose names are missing, why, and what helps.
 */
void jvms_finish(struct jvms *j, struct processes *ps, const bool *used, struct strbuf *notes);

#endif
