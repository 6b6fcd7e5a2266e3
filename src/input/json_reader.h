/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON (RFC 8259) in memory value by value, without a tree of it: what is not read is
 * skipped, and a copy of the reader comes back to a value later. After something invalid, bad is
 * set, and every function does nothing.
 */
#ifndef INPUT_JSON_READER_H
#define INPUT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { JSON_DEPTH_MAX = 64 }; /* of lists and objects in a value that is skipped */

struct json_reader {
	const char *at, *end;
	bool bad;
	bool deep; /* it is bad because it is nested deeper than JSON_DEPTH_MAX */
};

/* The first character of the next value, '"', '{', '[', a digit, '-' or a letter; 0: none. */
char json_peek(struct json_reader *j);

/* Skips a value of any kind. */
void json_skip(struct json_reader *j);

/* Each reads a value of this kind; false: it is of another kind, and is skipped, or bad is set. */
bool json_read_string(struct json_reader *j, struct strbuf *out); /* replaces what OUT holds */
bool json_read_index(struct json_reader *j, uint32_t *value);     /* a whole number */

struct json_number {
	double value;
	uint64_t whole; /* the same, if is_whole */
	bool is_whole;
};
bool json_read_number(struct json_reader *j, struct json_number *number);

/*
 * For lists and objects: json_begin(j, '[') or json_begin(j, '{'), then, before each value,
 * json_next or json_next_member, which returns its name, valid until the next call; false or NULL:
 * the end. The value must be read or skipped.
 */
bool json_begin(struct json_reader *j, char kind);
bool json_next(struct json_reader *j);
const char *json_next_member(struct json_reader *j, struct strbuf *name);

#endif
