/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JVMs among the recorded processes are asked for the names of their compiled code: at the end,
 * and those that may end before at growing intervals, too.
 */
#ifndef ENGINE_JIT_JVMS_H
#define ENGINE_JIT_JVMS_H

#include <stdbool.h>

struct facet;
struct jvms;
struct processes;
struct strbuf;

/*
 * With EARLY, they are asked before the end, too. IMPATIENT returns true if the user does not want
 * to wait at the end.
 */
struct jvms *jvms_new(bool early, bool (*impatient)(void));
void jvms_free(struct jvms *j);

/* Returns the facet of the JVMs among PS; J has no other processes. */
struct facet *jvms_facet(struct jvms *j, struct processes *ps);

/* While it records: asks those that are due, and takes maps that have come, without waiting. */
void jvms_update(struct jvms *j);

/*
 * At the end: asks those with frames in compiled code, whose mappings N have USED[N] set, side by
 * side, and waits for at most 3 s. Appends to NOTES whose names are missing, why, and what helps.
 */
void jvms_finish(struct jvms *j, const bool *used, struct strbuf *notes);

#endif
