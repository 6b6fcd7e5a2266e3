/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that cannot fail, checked numbers, checked output. */
#ifndef LIB_UTIL_H
#define LIB_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct strbuf;

/* Exit codes of every program. */
enum {
	EXIT_OK = 0,
	EXIT_PARTIAL = 1,
	EXIT_FAILED = 2,
	EXIT_ABOVE = 3,
	EXIT_USAGE_ERROR = 64,
};

/*
 * malloc(), realloc() and strdup() variants that exit with "out of memory" (EXIT_FAILED) on
 * failure, after the reserve of lib/limits/memory.h is used up.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in the array P with NR elements and room for ALLOC. */
#define ALLOC_GROW(p, nr, alloc)                                                                   \
	do {                                                                                       \
		if ((nr) >= (alloc)) {                                                             \
			(alloc) = (alloc) ? (alloc)*2 : 16;                                        \
			(p) = xrealloc((p), (alloc), sizeof(*(p)));                                \
		}                                                                                  \
	} while (0)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Parses all of S as a number in BASE. Returns false if S is empty, has other characters or
 * overflows.
 */
bool parse_u64(const char *s, size_t len, int base, uint64_t *value);

/*
 * Works like parse_u64(), for a number >= 0 such as 12, 0.5 or 1e-3, but not hexadecimal, infinity
 * or NaN.
 */
bool parse_decimal(const char *s, size_t len, double *value);

/* Adds N to *SUM, saturating at UINT64_MAX. */
static inline void add_capped(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/* Adds N * M to *SUM, saturating. */
static inline void add_product_capped(uint64_t *sum, uint64_t n, uint64_t m)
{
	uint64_t product;

	add_capped(sum, __builtin_mul_overflow(n, m, &product) ? UINT64_MAX : product);
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns true if the LEN bytes at S, which may contain NUL, begin with HEAD. */
static inline bool begins_with(const char *s, size_t len, const char *head)
{
	return len >= strlen(head) && !memcmp(s, head, strlen(head));
}

bool ends_with(const char *s, const char *tail);

/* Returns a negative number, 0 or a positive number, for comparators. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Returns CLOCK_MONOTONIC of the kernel, even in a time namespace, in nanoseconds. */
int64_t monotonic_ns(void);
/*
 * Returns what the time namespace of a process adds to it. OF is the process in /proc: "self" or a
 * PID.
 */
int64_t monotonic_offset_ns(const char *of);
int64_t realtime_ms(void); /* since 1970 */
int64_t cpu_time_ns(void); /* CPU time of this thread, without any waiting */

/* Returns the part of PATH after its last slash, or all of PATH if that part is empty. */
const char *file_name(const char *path);

/* Appends a message to ERR (may be NULL) and returns -1. */
int fail(struct strbuf *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns -1 and sets ERR if something could not be written to OUT so far. */
int written(FILE *out, struct strbuf *err);

/* Writes all SIZE bytes of DATA to FD. Returns -1 with errno on failure. */
int write_whole(int fd, const void *data, size_t size);

/* Syncs and closes OUT. Returns -1 with errno if not everything reached the disk. */
int close_whole(FILE *out);

/* Returns a hash of N bytes (FNV-1a, finished by the 64-bit mix of MurmurHash3). */
uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_u64(uint64_t x);

/*
 * Returns a hash of N words, in independent lanes, which is as fast as memory is read. It detects
 * damage, but not manipulation.
 */
uint64_t hash_words(const uint64_t *words, size_t n);

#endif
