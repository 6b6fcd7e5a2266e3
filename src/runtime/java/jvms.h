/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the JVMs among the recorded processes for the names of their compiled code: all at the end,
 * and those that may end earlier also before, at growing intervals.
 */
#ifndef RUNTIME_JAVA_JVMS_H
#define RUNTIME_JAVA_JVMS_H

#include <stdbool.h>

struct facet;
struct jvms;
struct processes;
struct strbuf;

/*
 * With EARLY, the JVMs are also asked before the end. IMPATIENT returns true if the user does not
 * want to wait at the end.
 */
struct jvms *jvms_new(bool early, bool (*impatient)(void));
void jvms_free(struct jvms *j);

/* Returns the facet of the JVMs among PS, which replaces the facet of an earlier engine. */
struct facet *jvms_facet(struct jvms *j, struct processes *ps);

/*
 * Asks the JVMs that are due, and takes maps that have come, without waiting. To be called while
 * recording.
 */
void jvms_update(struct jvms *j);

/*
 * Asks the JVMs that have frames in compiled code, all at the same time, and waits for at most 3 s.
 * USED[N] is set for each mapping N with frames. Appends to NOTES which names are missing, why, and
 * what helps. To be called at the end.
 */
void jvms_finish(struct jvms *j, const bool *used, struct strbuf *notes);

#endif
