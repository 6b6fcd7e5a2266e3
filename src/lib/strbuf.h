/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing string. buf is always NUL-terminated and may hold NUL bytes before len. */
#ifndef LIB_STRBUF_H
#define LIB_STRBUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct strbuf {
	char *buf;
	size_t len;
	size_t alloc;
};

#define STRBUF_INIT                                                                                \
	{                                                                                          \
		strbuf_empty, 0, 0                                                                 \
	}
extern char strbuf_empty[];

void strbuf_release(struct strbuf *sb); /* frees the content and reinitialises SB */
void strbuf_reset(struct strbuf *sb);   /* empties it, but keeps the memory */
char *strbuf_detach(struct strbuf *sb); /* returns the content, which the caller frees */
void strbuf_grow(struct strbuf *sb, size_t extra);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addu(struct strbuf *sb, unsigned long long value); /* in decimal */
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void strbuf_flush(struct strbuf *sb, FILE *out); /* writes the content to OUT and empties SB */

#endif
