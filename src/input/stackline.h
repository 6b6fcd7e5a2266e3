/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses one line of a backtrace as printed by stap; stacktext.c describes the forms. */
#ifndef INPUT_STACKLINE_H
#define INPUT_STACKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of a line. Pointers point into the line; missing parts have length 0. */
struct stackline {
	const char *name, *module, *source; /* source is FILE:LINE */
	size_t name_len, module_len, source_len;
	bool has_address;
	uint64_t address;
	bool inexact;
	bool cut; /* the line ends in the middle of a part, because stap's buffer was full */
};

/* Parses the LEN > 0 bytes of TEXT, which is trimmed. */
void stackline_parse(struct stackline *line, const char *text, size_t len);

/*
 * Returns the length of the hexadecimal number at S, which has 1 to 16 digits, with or without 0x.
 * Returns 0 if there is none.
 */
size_t stackline_address(const char *s, const char *end, uint64_t *address);

/* True if TEXT is a list of two or more addresses. */
bool stackline_is_list(const char *text, size_t len);

/*
 * True if TEXT looks like a number, valid or not, and not like a frame: 12, -3, 12.5, 1,302, "12
 * samples".
 */
bool stackline_is_number(const char *text, size_t len);

#endif
