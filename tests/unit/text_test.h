/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for functions that read from a file descriptor. */
#ifndef TESTS_UNIT_TEXT_TEST_H
#define TESTS_UNIT_TEXT_TEST_H

#include "input/text_format.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "model/profile.h"

#include <stddef.h>
#include <stdio.h>

/* Returns an unnamed file that holds the text, at its start; the reader closes it. */
static inline FILE *text_file(const char *text, size_t len)
{
	FILE *file = tmpfile();

	if (!file || fwrite(text, 1, len, file) != len || fflush(file) || fseek(file, 0, SEEK_SET))
		return NULL;
	return file;
}

/* Reads the text as FORMAT into P. OPTIONS may be NULL. Returns the reader's result. */
static inline int text_read(const struct text_format *format, const struct text_options *options,
	const char *text, size_t len, struct profile *p, struct strbuf *notes)
{
	static const struct text_options none;
	FILE *file = text_file(text, len);
	struct lines lines;
	int ret;

	if (!file)
		return -2;
	lines_init(&lines, fileno(file));
	ret = format->read(&(struct text_input){
		.lines = &lines, .options = options ? options : &none, .p = p, .notes = notes});
	lines_release(&lines);
	fclose(file);
	return ret;
}

#endif
