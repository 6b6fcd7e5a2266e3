/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a target controls and may block for ever, its memory (userfaultfd) and files (FUSE), is
 * touched only by a helper, the reader, which is killed and replaced when it does not answer in
 * time; a process for which that happens again and again is not read any more.
 */
#ifndef PROCESS_READER_H
#define PROCESS_READER_H

#include "lib/untrusted/helper.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { READER_ROOM = 4 << 20 }; /* bytes */

/*
 * Memory shared with the reader, of READER_ROOM bytes: the arguments and the results of the next
 * reader_run. It is gone after a reader_run that failed. NULL: there is none.
 */
void *reader_room(void);

typedef helper_work reader_work;

/*
 * Has WORK done for the process PID. *FD is passed, stays the caller's, and is replaced by the file
 * that comes back, or -1; FD may be NULL. False: the reader did not answer in time, or did not
 * several times before for that process, or others of its user.
 */
bool reader_run(uint32_t pid, reader_work *work, int *fd);

/* Reads all SIZE bytes at ADDRESS of process PID. */
bool reader_memory(uint32_t pid, uint64_t address, void *to, size_t size);

/*
 * Reads at most NR pages of 4 KiB from ADDRESS on, up to the first that is not there; how many, at
 * *BYTES, valid until the next call.
 */
size_t reader_pages(uint32_t pid, uint64_t address, size_t nr, const void **bytes);

/*
 * Reads SIZE bytes at each of NR addresses of process PID, to TO, one behind the other. Those that
 * cannot be read are 0. Few requests for many addresses. False: the process did not answer.
 */
bool reader_scattered(uint32_t pid, const uint64_t *addresses, size_t nr, size_t size, void *to);

/* Appends a line about processes that did not answer, if any. */
void reader_describe(struct strbuf *out);

/*
 * Forgets what processes made us wait, if all have answered so far: the limits are for one look at
 * them. For programs that look again and again.
 */
void reader_forgive(void);

/* Ends the reader: to be called before privileges are dropped. */
void reader_end(void);

#endif
