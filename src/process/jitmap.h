/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a process: the list of functions that its JIT compiler writes to /tmp/perf-N.map,
 * in the file system and under the number that the process itself sees. It is found while the
 * process lives and can be opened when it and its mounts are gone. What is in it is not looked at.
 */
#ifndef PROCESS_JITMAP_H
#define PROCESS_JITMAP_H

#include <stdint.h>

struct jitmap;

/* That of the process PID, which may write it later. NULL: the process is gone or not ours to see.
 */
struct jitmap *jitmap_new(uint32_t pid);
void jitmap_free(struct jitmap *j);

/* Opens what is there now; what was opened before stays when nothing is. */
void jitmap_open(struct jitmap *j);

/*
 * The open file, the caller's to close; -1: there is none. It is a regular file of the process's
 * own user, and was written since the process began: not one that others laid there or left.
 */
int jitmap_take(struct jitmap *j);

#endif
