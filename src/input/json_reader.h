/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON (RFC 8259) in memory value by value, without building a tree. The caller skips the
 * values that it does not need, and keeps a copy of the reader to come back to a value later. After
 * invalid JSON, bad is set, and every function does nothing.
 */
#ifndef INPUT_JSON_READER_H
#define INPUT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { JSON_DEPTH_MAX = 1024 }; /* maximum nesting of lists and objects in a skipped value */

struct json_reader {
	const char *at, *end;
	bool bad;
	bool deep; /* it is bad because it is nested deeper than JSON_DEPTH_MAX */
};

/*
 * Returns the first character of the next value, '"', '{', '[', a digit, '-' or a letter, or '\0'
 * if there is no value.
 */
char json_peek(struct json_reader *j);

/* Skips a value of any kind. */
void json_skip(struct json_reader *j);

/*
 * These functions read a value of one kind. They skip a value of another kind and return false.
 * They also return false if bad is set.
 */
bool json_read_string(struct json_reader *j, struct strbuf *out); /* replaces the contents of OUT */
bool json_read_index(struct json_reader *j, uint32_t *value);     /* reads a whole number */

struct json_number {
	double value;
	uint64_t whole; /* the same value, if is_whole */
	bool is_whole;
};
bool json_read_number(struct json_reader *j, struct json_number *number);
bool json_read_loosely(struct json_reader *j, struct json_number *number); /* also from a string */

/*
 * Reads a list or an object: call json_begin(j, '[') or json_begin(j, '{'), then json_next or
 * json_next_member before each value, which must be read or skipped. json_next_member returns the
 * member's name, which is valid until the next call. At the end, they return false or NULL.
 */
bool json_begin(struct json_reader *j, char kind);
bool json_next(struct json_reader *j);
const char *json_next_member(struct json_reader *j, struct strbuf *name);

#endif
