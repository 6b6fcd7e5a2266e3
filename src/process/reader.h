/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory (userfaultfd) and files (FUSE) that a target controls may block for ever. Only a helper,
 * the reader, accesses them. It is killed and replaced when it does not answer in time. A process
 * for which this happens repeatedly is not read any more.
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
 * Returns the memory that is shared with the reader, of READER_ROOM bytes, or NULL if there is
 * none. It is for the arguments and the results of the next reader_run(). It is gone if
 * reader_run() fails.
 */
void *reader_room(void);

typedef helper_work reader_work;

/*
 * Has WORK done for process PID. *FD is passed to the reader and stays the caller's. It is replaced
 * by the file that comes back, or by -1; FD may be NULL. Returns false if the reader did not answer
 * in time, or if that has happened several times for this process or other processes of its user.
 */
bool reader_run(uint32_t pid, reader_work *work, int *fd);

/* Reads all SIZE bytes at ADDRESS of process PID. */
bool reader_memory(uint32_t pid, uint64_t address, void *to, size_t size);

/*
 * Reads at most NR pages of 4 KiB from ADDRESS on, up to the first page that is not there. Returns
 * the number of pages. *BYTES is valid until the next call.
 */
size_t reader_pages(uint32_t pid, uint64_t address, size_t nr, const void **bytes);

/*
 * Reads SIZE bytes at each of NR addresses of process PID to TO, in this order. Bytes that cannot
 * be read are 0. Many addresses need only few requests. Returns false if the process did not
 * answer.
 */
bool reader_scattered(uint32_t pid, const uint64_t *addresses, size_t nr, size_t size, void *to);

/* Appends a line about processes that did not answer, if there are any. */
void reader_describe(struct strbuf *out);

/*
 * Forgets how long processes made us wait, if all have answered so far. The limits are meant for
 * one look at the processes; programs that look repeatedly call this in between.
 */
void reader_forgive(void);

/* Ends the reader. To be called before privileges are dropped. */
void reader_end(void);

#endif
