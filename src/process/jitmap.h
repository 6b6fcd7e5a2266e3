/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a process: the functions that its JIT compiler writes to /tmp/perf-PID.map, in
 * the root directory and with the PID that the process itself sees. It is located while the process
 * lives and can be opened after it and its mounts are gone. The content is not read here.
 */
#ifndef PROCESS_JITMAP_H
#define PROCESS_JITMAP_H

#include <stdbool.h>
#include <stdint.h>

struct jitmap;

/* For the process PID, which may write the file later. NULL: it is gone or access is denied. */
struct jitmap *jitmap_new(uint32_t pid);
void jitmap_free(struct jitmap *j);

/* Opens the current file, if any; else an earlier one stays open. */
void jitmap_open(struct jitmap *j);

/* The same at the end of the process, after which nothing else is opened. */
void jitmap_end(struct jitmap *j);
bool jitmap_found(const struct jitmap *j);

/* The directory /tmp of the process, open with O_PATH; -1: after the end. J keeps it. */
int jitmap_tmp(const struct jitmap *j);

/* Takes ownership of FD, a map that the process has written for us and that is at no path. */
void jitmap_put(struct jitmap *j, int fd);

/*
 * The open file, which the caller closes; -1: none. It is a regular file that belongs to the user
 * of the process and was written after the process started: not planted or left over by others. It
 * is not empty.
 */
int jitmap_take(struct jitmap *j);

#endif
