/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_format.h"
#include "lib/util.h"

#include <string.h>

static const struct text_format *const formats[] = {
	&picture_format,
	&speedscope_format,
	&pprof_format,
	&bpftrace_format,
	&bcc_format,
	&perfscript_format,
	&stacktext_format,
	&folded_format,
};

/* The first bytes of formats that cannot be read. */
static const struct {
	const char *begins, *why;
} refused[] = {
	{"\x1f\x8b", "it is compressed twice: run gunzip on it first"},
	{"\x28\xb5\x2f\xfd", "it is compressed twice: run unzstd on it first"},
	{"\xfd"
	 "7zXZ",
		"it is compressed: run unxz on it first"},
	{"BZh", "it is compressed: run bunzip2 on it first"},
	{"PERFILE2", "it is perf's own format: run perf script on it first"},
	{"\x7f"
	 "ELF",
		"it is a program, not a profile"},
};

static void vote(const char *line, size_t len, size_t votes[])
{
	while (len && (is_blank(line[len - 1]) || line[len - 1] == '\r'))
		len--;
	for (size_t i = 0; len && i < ARRAY_LEN(formats); i++)
		if (formats[i]->is_line && formats[i]->is_line(line, len)) {
			votes[i] += formats[i]->votes;
			return;
		}
}

static bool is_binary(const char *bytes, size_t n)
{
	size_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		odd += c < 9 || (c > 13 && c < 32 && c != 27);
	}
	return odd > n / 20;
}

/* Why a file with these first N bytes cannot be read; NULL: it may be readable. */
static const char *why_refused(const char *bytes, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (begins_with(bytes, n, refused[i].begins))
			return refused[i].why;
	if (is_binary(bytes, n))
		return "it is binary: neither a recording nor stacks";
	return NULL;
}

/* The format with most votes; NULL: no line looks like any. */
static const struct text_format *elect(const char *s, const char *end)
{
	size_t votes[ARRAY_LEN(formats)] = {0}, best = 0;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		vote(s, (size_t)((nl ? nl : end) - s), votes);
		s = nl ? nl + 1 : end;
	}
	for (size_t i = 1; i < ARRAY_LEN(formats); i++)
		if (votes[i] > votes[best])
			best = i;
	return votes[best] ? formats[best] : NULL;
}

const struct text_format *text_format_of(const char *bytes, size_t n, const char **why)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (formats[i]->is_head && formats[i]->is_head(bytes, n))
			return formats[i];
	*why = why_refused(bytes, n);
	if (*why)
		return NULL;
	*why = "it is neither a recording nor folded stacks nor backtraces with counts";
	return elect(bytes, bytes + n);
}
