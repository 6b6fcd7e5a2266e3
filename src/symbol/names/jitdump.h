/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump of a JIT compiler, jit-PID.dump: its functions, with the times from which on they are at
 * their addresses, see jitdump-specification.txt in tools/perf/Documentation of Linux. The file may
 * be large and its writer hostile. The code itself is not kept.
 */
#ifndef SYMBOL_NAMES_JITDUMP_H
#define SYMBOL_NAMES_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

struct jitdump;
struct strbuf;

#define JITDUMP_NONE UINT32_MAX
#define JITDUMP_LATEST UINT64_MAX

/* How the processor's cycles become the times of samples, as in perf_event_mmap_page. */
struct jitdump_clock {
	uint64_t shift, multiplier, zero;
};

/*
 * Reads the dump from FD, which the caller keeps. CLOCK is for dumps whose times are cycles; it may
 * be NULL. Returns NULL with a message in ERR if the file is no dump of this kind of processor.
 * What follows a damaged record, or 256 MiB of names (less under a memory limit), is ignored.
 */
struct jitdump *jitdump_read(int fd, const struct jitdump_clock *clock, struct strbuf *err);
void jitdump_free(struct jitdump *d);

/* Whether the end is missing, as it is while the process runs, or after it was killed. */
bool jitdump_is_cut(const struct jitdump *d);

/* Whether the times are cycles. If not, they are of CLOCK_MONOTONIC. */
bool jitdump_has_cycles(const struct jitdump *d);

/* Returns the number of functions; a function that was moved or compiled again counts again. */
uint32_t jitdump_nr(const struct jitdump *d);

/* Returns how many of the functions, which are in the order of time, were there at TIME. */
uint32_t jitdump_passed(const struct jitdump *d, uint64_t time);

/*
 * Returns the function that was at ADDRESS at TIME. If there was none yet, it is the first one that
 * came there, because compilers write the record a little later. Returns JITDUMP_NONE if there was
 * never one.
 */
uint32_t jitdump_find(const struct jitdump *d, uint64_t address, uint64_t time);

/* Both are valid as long as the dump. */
const char *jitdump_name(const struct jitdump *d, uint32_t function);
uint64_t jitdump_start(const struct jitdump *d, uint32_t function);

/* Returns the line of ADDRESS in FUNCTION, and sets FILE, or returns 0 if it is not known. */
uint32_t jitdump_line(
	const struct jitdump *d, uint32_t function, uint64_t address, const char **file);

#endif
