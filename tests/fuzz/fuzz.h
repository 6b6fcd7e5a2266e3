/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of the fuzzers: input as lines, output as a string. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "input/text_format.h"
#include "lib/lines.h"
#include "model/profile.h"
#include "model/recording.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: must be true: %s\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			__builtin_trap();                                                          \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void fuzz_lines(struct lines *lines, const void *data, size_t size); /* lines.fd is an open file */
void fuzz_lines_end(struct lines *lines);

/* Reads the bytes as FORMAT and checks what must hold for any input. */
void fuzz_text(const struct text_format *format, const struct text_options *options,
	const uint8_t *data, size_t size);

/* The same for a format that is accepted as a whole or rejected. */
void fuzz_whole(const struct text_format *format, const struct text_options *options,
	const uint8_t *data, size_t size);

/* Reads these bytes with recording_read; the caller releases REC. An error must have a message. */
int fuzz_read_recording(struct recording *rec, const void *data, size_t size);

/* Writes REC and checks that the text reads as the same recording. */
void fuzz_write_twice(const struct recording *rec);

/* Writes P as folded lines and checks that they read as the same tree. Finishes P. */
void fuzz_fold_twice(struct profile *p);

#endif
