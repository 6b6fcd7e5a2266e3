/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_reader.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

static bool fail_at(struct json_reader *j)
{
	j->bad = true;
	j->at = j->end;
	return false;
}

char json_peek(struct json_reader *j)
{
	while (j->at < j->end && (is_blank(*j->at) || *j->at == '\n' || *j->at == '\r'))
		j->at++;
	return j->at < j->end ? *j->at : '\0';
}

static bool accept(struct json_reader *j, char c)
{
	if (json_peek(j) != c)
		return false;
	j->at++;
	return true;
}

static bool expect(struct json_reader *j, char c)
{
	return accept(j, c) || fail_at(j);
}

/* Reads the four digits of \uXXXX. */
static bool read_hex(struct json_reader *j, uint32_t *c)
{
	uint64_t value;

	if (j->end - j->at < 4 || !parse_u64(j->at, 4, 16, &value))
		return fail_at(j);
	j->at += 4;
	*c = (uint32_t)value;
	return true;
}

/* Reads the text after "\u". Half a surrogate pair becomes U+FFFD. */
static bool read_unicode(struct json_reader *j, struct strbuf *out)
{
	uint32_t c, low;

	if (!read_hex(j, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && begins_with(j->at, (size_t)(j->end - j->at), "\\u")) {
		j->at += 2;
		if (!read_hex(j, &low))
			return false;
		c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
						  : 0xfffd;
	}
	utf8_add(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return true;
}

static bool read_escape(struct json_reader *j, struct strbuf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = j->at < j->end ? *j->at++ : '\0';
	const char *found = c ? strchr(from, c) : NULL;

	if (c == 'u')
		return read_unicode(j, out);
	if (!found)
		return fail_at(j);
	strbuf_addch(out, to[found - from]);
	return true;
}

bool json_read_string(struct json_reader *j, struct strbuf *out)
{
	strbuf_reset(out);
	if (json_peek(j) != '"') {
		json_skip(j);
		return false;
	}
	j->at++;
	while (j->at < j->end && *j->at != '"') {
		const char *start = j->at;

		while (j->at < j->end && *j->at != '"' && *j->at != '\\')
			j->at++;
		strbuf_add(out, start, (size_t)(j->at - start));
		if (j->at < j->end && *j->at == '\\') {
			j->at++;
			if (!read_escape(j, out))
				return false;
		}
	}
	return expect(j, '"');
}

static void skip_string(struct json_reader *j)
{
	for (j->at++; j->at < j->end && *j->at != '"'; j->at++)
		j->at += *j->at == '\\' && j->at + 1 < j->end;
	expect(j, '"');
}

/* Skips a number, true, false or null. */
static void skip_plain(struct json_reader *j)
{
	const char *start = j->at;

	while (j->at < j->end &&
		((*j->at | 0x20) >= 'a' ? (*j->at | 0x20) <= 'z'
					: *j->at && strchr("0123456789+-.", *j->at)))
		j->at++;
	if (j->at == start)
		fail_at(j);
}

void json_skip(struct json_reader *j)
{
	bool is_object[JSON_DEPTH_MAX + 1]; /* at each depth, from 1 on */
	unsigned depth = 0;

	do {
		char c = json_peek(j);

		if (c == '{' || c == '[') {
			if (depth == JSON_DEPTH_MAX) {
				j->deep = true;
				fail_at(j);
				return;
			}
			is_object[++depth] = c == '{';
			j->at++;
		} else if (depth && c == (is_object[depth] ? '}' : ']')) {
			depth--;
			j->at++;
		} else if (depth && (c == ',' || (c == ':' && is_object[depth]))) {
			j->at++;
		} else if (c == '"') {
			skip_string(j);
		} else {
			skip_plain(j);
		}
	} while (depth && !j->bad);
}

bool json_read_number(struct json_reader *j, struct json_number *number)
{
	const char *start;
	char c = json_peek(j);

	*number = (struct json_number){0};
	if (c != '-' && (c < '0' || c > '9')) {
		json_skip(j);
		return false;
	}
	start = j->at;
	skip_plain(j);

	size_t len = (size_t)(j->at - start), minus = c == '-';

	if (!parse_decimal(start + minus, len - minus, &number->value))
		return fail_at(j);
	number->is_whole = parse_u64(start, len, 10, &number->whole);
	if (minus)
		number->value = -number->value;
	return true;
}

bool json_read_loosely(struct json_reader *j, struct json_number *number)
{
	struct strbuf text = STRBUF_INIT;
	struct json_reader inner;
	bool ok;

	if (json_peek(j) != '"')
		return json_read_number(j, number);
	*number = (struct json_number){0};
	ok = json_read_string(j, &text) && text.len;
	inner = (struct json_reader){.at = text.buf, .end = text.buf + text.len};
	ok = ok && json_read_number(&inner, number);
	strbuf_release(&text);
	return ok;
}

bool json_read_index(struct json_reader *j, uint32_t *value)
{
	struct json_number number;

	*value = 0;
	if (!json_read_number(j, &number))
		return false;
	if (!number.is_whole || number.whole > UINT32_MAX)
		return false;
	*value = (uint32_t)number.whole;
	return true;
}

bool json_begin(struct json_reader *j, char kind)
{
	if (json_peek(j) != kind) {
		json_skip(j);
		return false;
	}
	j->at++;
	return true;
}

/*
 * Returns whether a value follows. The first value follows the bracket that begins the list or
 * object; a comma precedes every other value.
 */
static bool next(struct json_reader *j, char begin, char end)
{
	bool first = !j->bad && j->at[-1] == begin;

	if (j->bad || accept(j, end))
		return false;
	if (!first && !expect(j, ','))
		return false;
	return json_peek(j) || fail_at(j);
}

bool json_next(struct json_reader *j)
{
	return next(j, '[', ']');
}

const char *json_next_member(struct json_reader *j, struct strbuf *name)
{
	if (!next(j, '{', '}'))
		return NULL;
	if (json_peek(j) != '"') {
		fail_at(j);
		return NULL;
	}
	return json_read_string(j, name) && expect(j, ':') ? name->buf : NULL;
}
