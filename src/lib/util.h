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
 * malloc, realloc, strdup that exit with "out of memory" (EXIT_FAILED) on failure, after the
 * reserve of lib/memory is used up.
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

/* Parses all of S as a number in BASE; false if it is empty, has other characters or overflows. */
bool parse_u64(const char *s, size_t len, int base, uint64_t *value);

/* The same for a number >= 0 such as 12, 0.5 or 1e-3; not hexadecimal, infinity or NaN. */
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

/* True if the LEN bytes at S, which may contain NUL, begin with HEAD. */
static inline bool begins_with(const char *s, size_t len, const char *head)
{
	return len >= strlen(head) && !memcmp(s, head, strlen(head));
}

bool ends_with(const char *s, const char *tail);

/* Negative, 0 or positive, for comparators. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* CLOCK_MONOTONIC of the kernel, also in a time namespace, in nanoseconds. */
int64_t monotonic_ns(void);
/* What the time namespace of a process adds to it. OF: the process in /proc, "self" or a PID. */
int64_t monotonic_offset_ns(const char *of);
int64_t realtime_ms(void); /* since 1970 */
int64_t cpu_time_ns(void); /* of this thread: work, however long others kept it waiting */

/* The part of PATH after its last slash; all of PATH if that is empty. */
const char *file_name(const char *path);

/* Appends a message to ERR (may be NULL) and returns -1. */
int fail(struct strbuf *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Flushes OUT. -1 and ERR if not everything could be written. */
int written(FILE *out, struct strbuf *err);

/* Writes all SIZE bytes of DATA to FD. -1 and errno on failure. */
int write_whole(int fd, const void *data, size_t size);

/* Syncs and closes OUT. -1 and errno if not everything reached the disk. */
int close_whole(FILE *out);

/* Hash of N bytes (FNV-1a, finished by the 64-bit mix of MurmurHash3). */
uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_u64(uint64_t x);

#endif
