/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for what reads from a file descriptor. */
#ifndef TESTS_UNIT_TEXT_TEST_H
#define TESTS_UNIT_TEXT_TEST_H

#include "lib/lines.h"

#include <stddef.h>
#include <stdio.h>

/* An unnamed file that holds the text, at its start; the reader's to close. */
static inline FILE *text_file(const char *text, size_t len)
{
	FILE *file = tmpfile();

	if (!file || fwrite(text, 1, len, file) != len || fflush(file) || fseek(file, 0, SEEK_SET))
		return NULL;
	return file;
}

#endif
