/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a process: the functions that its JIT compiler writes to /tmp/perf-PID.map, with
 * the root directory and the PID that the process itself sees. The file is located while the
 * process lives, and can be opened after the process and its mounts are gone. The content is not
 * read here. A dump of functions (jit-PID.dump, see symbol/names/jitdump.h) takes its place.
 */
#ifndef PROCESS_JITMAP_H
#define PROCESS_JITMAP_H

#include <stdbool.h>
#include <stdint.h>

struct jitmap;

/*
 * Prepares for the perf map of process PID, which may write the file later. Returns NULL if the
 * process has ended or access is denied.
 */
struct jitmap *jitmap_new(uint32_t pid);
void jitmap_free(struct jitmap *j);

/*
 * Opens the dump at PATH, which the process has mapped and may go on writing. It is returned in
 * place of a perf map if there is none, each time.
 */
void jitmap_open_dump(struct jitmap *j, const char *path);

/* Opens the current file. If there is none, an earlier one stays open. */
void jitmap_open(struct jitmap *j);

/* Works like jitmap_open(), but at the end of the process: no other file is opened later. */
void jitmap_end(struct jitmap *j);
bool jitmap_found(const struct jitmap *j);

/* Returns the directory /tmp of the process, open with O_PATH, or -1 after the end. J owns it. */
int jitmap_tmp(const struct jitmap *j);

/* Takes ownership of FD, a map without a path that the process has written at our request. */
void jitmap_put(struct jitmap *j, int fd);

/*
 * Returns the open file, which the caller closes, or -1 if there is none. It is a regular file that
 * is not empty, belongs to the user of the process, and was written after the process started:
 * others have not planted it, and it is not left over. A dump may be empty, and is at any offset.
 */
int jitmap_take(struct jitmap *j);

#endif
