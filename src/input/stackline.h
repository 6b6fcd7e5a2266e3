/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of a backtrace as stap prints it, taken apart: see stacktext.c for the forms. */
#ifndef INPUT_STACKLINE_H
#define INPUT_STACKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of the line itself; a part that is not there has length 0. */
struct stackline {
	const char *name, *module, *source; /* FILE:LINE */
	size_t name_len, module_len, source_len;
	bool has_address;
	uint64_t address;
	bool inexact;
	bool cut; /* the line ends inside a part that was begun: stap had no more room */
};

/* Takes apart the LEN > 0 bytes of TEXT, which has no blanks at its ends. */
void stackline_parse(struct stackline *line, const char *text, size_t len);

/*
 * The hexadecimal number at S, with or without 0x: its length, 0 when there is none of 1 to 16
 * digits.
 */
size_t stackline_address(const char *s, const char *end, uint64_t *address);

/* True when TEXT is two or more addresses. */
bool stackline_is_list(const char *text, size_t len);

/* True when TEXT is meant to be a number: 12, -3, 12.5, 1,302, "12 samples"; but no frame. */
bool stackline_is_number(const char *text, size_t len);

#endif
