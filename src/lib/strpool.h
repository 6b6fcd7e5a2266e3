/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned strings, numbered from 1 in the order in which they were added; 0 is the empty string.
 */
#ifndef LIB_STRPOOL_H
#define LIB_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

struct strpool {
	char *bytes; /* all strings, each with its NUL */
	size_t len, alloc;
	struct strpool_entry {
		size_t at;
		uint32_t len;
		uint32_t hash;
	} * entries;
	uint32_t nr;
	size_t nr_alloc;
	uint32_t *slots; /* open addressing, entry numbers */
	uint32_t mask;
};

void strpool_init(struct strpool *pool);
void strpool_release(struct strpool *pool);

/* Returns the number of the LEN bytes at S, which are copied if they are new. */
uint32_t strpool_add(struct strpool *pool, const char *s, size_t len);
uint32_t strpool_adds(struct strpool *pool, const char *s);
uint32_t strpool_import(struct strpool *pool, const struct strpool *from, uint32_t id);

/* Returns the string of a number. Valid until the next strpool_add(). */
const char *strpool_get(const struct strpool *pool, uint32_t id);
size_t strpool_len(const struct strpool *pool, uint32_t id);

/* Compares as strcmp(), by bytes. Strings may contain NUL. */
int strpool_compare(const struct strpool *pool, uint32_t a, uint32_t b);

#endif
