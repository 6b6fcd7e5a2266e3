/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strbuf.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char strbuf_empty[1];

void strbuf_release(struct strbuf *sb)
{
	if (sb->alloc)
		free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->alloc)
		sb->buf[0] = '\0';
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->alloc ? sb->buf : xstrdup("");

	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need;

	if (__builtin_add_overflow(sb->len, extra, &need) ||
		__builtin_add_overflow(need, (size_t)1, &need))
		need = SIZE_MAX; /* xrealloc exits the program */
	if (need <= sb->alloc)
		return;
	size_t alloc = sb->alloc < SIZE_MAX / 2 ? sb->alloc * 2 : SIZE_MAX;

	if (alloc < need)
		alloc = need;
	if (alloc < 64)
		alloc = 64;
	sb->buf = xrealloc(sb->alloc ? sb->buf : NULL, alloc, 1);
	sb->alloc = alloc;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_grow(sb, len);
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addu(struct strbuf *sb, unsigned long long value)
{
	char digits[24];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + value % 10);
	while (value /= 10);
	strbuf_add(sb, digits + n, sizeof(digits) - n);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	strbuf_grow(sb, (size_t)n);
	vsnprintf(sb->buf + sb->len, (size_t)n + 1, fmt, ap);
	sb->len += (size_t)n;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_flush(struct strbuf *sb, FILE *out)
{
	fwrite(sb->buf, 1, sb->len, out);
	strbuf_reset(sb);
}
