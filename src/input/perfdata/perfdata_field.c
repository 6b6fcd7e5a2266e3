/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_field.h"
#include "lib/bytes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_MINOR_BITS = 20, WORDS_MAX = 1024 };

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* ---- the format ---- */

/* A line such as "field:char prev_comm[16];	offset:8;	size:16;	signed:0;". */
struct line {
	const char *type, *end; /* the declaration */
	const char *name;
	size_t name_len;
};

/* Sets LINE to the next one from *AT on, and moves *AT past it. */
static bool next_line(const char **at, struct line *line)
{
	static const char key[] = "\tfield:";
	const char *begin = strstr(*at, key), *bracket;

	if (!begin)
		return false;
	line->type = begin + strlen(key);
	line->end = line->type + strcspn(line->type, ";\n");
	*at = line->end;

	const char *end = line->end;

	bracket = memchr(line->type, '[', (size_t)(end - line->type));
	if (bracket && end[-1] == ']') /* "char name[16]", but not "__data_loc char[] name" */
		end = bracket;
	line->name = end;
	while (line->name > line->type && strchr(NAME_CHARS, line->name[-1]))
		line->name--;
	line->name_len = (size_t)(end - line->name);
	return true;
}

/* Returns the number behind KEY in the line that ends with the declaration at END, or 0. */
static uint64_t number_behind(const char *end, const char *key)
{
	const char *at = memmem(end, strcspn(end, "\n"), key, strlen(key));
	uint64_t number = 0;

	if (at)
		parse_u64(at + strlen(key), strcspn(at + strlen(key), ";\n"), 10, &number);
	return number;
}

static bool has(const struct line *line, const char *word)
{
	return memmem(line->type, (size_t)(line->end - line->type), word, strlen(word));
}

static enum perfdata_field_kind kind_of(const struct line *line, uint64_t size)
{
	bool is_text = has(line, "char"), is_array = line->end[-1] == ']';

	if (has(line, "__data_loc"))
		return is_text ? FIELD_DATA : FIELD_NONE;
	if (has(line, "__rel_loc"))
		return is_text ? FIELD_RELATIVE : FIELD_NONE;
	if (is_array)
		return is_text ? FIELD_TEXT : FIELD_NONE;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return FIELD_NONE;
	if (has(line, "*"))
		return FIELD_POINTER;
	if (has(line, "dev_t "))
		return FIELD_DEVICE;
	return number_behind(line->end, "signed:") ? FIELD_SIGNED : FIELD_UNSIGNED;
}

/* ---- words ---- */

/* Returns what is behind CHAR and the blanks around it at AT, or NULL. */
static const char *behind(const char *at, char c)
{
	if (!at)
		return NULL;
	at += strspn(at, " ");
	return *at == c ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* Takes a text in quotes at AT. Returns what is behind it, or NULL if there is none. */
static const char *take_text(const char *at, char **text)
{
	const char *begin = behind(at, '"'), *end = begin ? strchr(begin, '"') : NULL;

	*text = end ? xstrndup(begin, (size_t)(end - begin)) : NULL;
	return end ? end + 1 : NULL;
}

static const char *take_number(const char *at, uint64_t *number)
{
	size_t len = at ? strspn(at, NAME_CHARS) : 0;
	bool is_hex = len > 2 && begins_with(at, len, "0x");

	return len && parse_u64(is_hex ? at + 2 : at, is_hex ? len - 2 : len, is_hex ? 16 : 10,
			      number)
		       ? at + len
		       : NULL;
}

/* Takes a pair such as { 0x1, "S" } at AT. Returns what is behind it, or NULL if it is none. */
static const char *take_word(struct perfdata_field *f, const char *at)
{
	struct perfdata_word w = {0};

	at = take_number(behind(at, '{'), &w.number);
	at = take_text(behind(at, ','), &w.text);
	if (!at)
		return NULL;
	ALLOC_GROW(f->words, f->nr, f->alloc);
	f->words[f->nr++] = w;
	return behind(at, '}');
}

static void forget_words(struct perfdata_field *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->words[i].text);
	free(f->words);
	free(f->otherwise);
	f->words = NULL;
	f->otherwise = NULL;
	f->nr = f->alloc = 0;
}

/*
 * Takes the pairs of the call at AT, behind the name of the field. If a number is an expression,
 * none is kept.
 */
static void take_words(struct perfdata_field *f, const char *at)
{
	const char *next = at + strcspn(at, "{");

	do {
		at = f->nr < WORDS_MAX ? take_word(f, next) : NULL;
		next = behind(at, ',');
	} while (next);
	at = behind(at, ')');
	if (!at)
		forget_words(f);
	else if (f->are_flags)
		take_text(behind(at, ':'), &f->otherwise);
}

/* Finds what FORMAT prints for the numbers of the field NAME by FUNCTION. */
static bool find_words(
	struct perfdata_field *f, const char *format, const char *function, const char *name)
{
	char *call = xasprintf("%s(REC->%s", function, name);
	const char *at = format;
	size_t len = strlen(call);

	while ((at = strstr(at, call)) && strchr(NAME_CHARS, at[len]) && at[len])
		at += len;
	if (at)
		take_words(f, at + len);
	free(call);
	return f->nr;
}

struct perfdata_field perfdata_field_find(const char *format, const char *name)
{
	struct perfdata_field f = {0};
	struct line line;
	const char *at = format;
	size_t len = strlen(name);

	while (at && next_line(&at, &line)) {
		if (line.name_len != len || memcmp(line.name, name, len) != 0)
			continue;
		f.offset = number_behind(line.end, "offset:");
		f.size = number_behind(line.end, "size:");
		f.kind = kind_of(&line, f.size);
		break;
	}
	if (f.kind == FIELD_SIGNED || f.kind == FIELD_UNSIGNED) {
		f.are_flags = !find_words(&f, at, "__print_symbolic", name);
		if (f.are_flags)
			find_words(&f, at, "__print_flags", name);
	}
	return f;
}

void perfdata_field_release(struct perfdata_field *f)
{
	forget_words(f);
	*f = (struct perfdata_field){0};
}

void perfdata_field_names(const char *format, struct strbuf *out)
{
	static const char common[] = "common_";
	const char *between = "";
	struct line line;

	while (next_line(&format, &line)) {
		uint64_t size = number_behind(line.end, "size:");

		if (begins_with(line.name, line.name_len, common) || !kind_of(&line, size))
			continue;
		strbuf_adds(out, between);
		message_add(out, line.name, line.name_len);
		between = ", ";
	}
}

/* ---- values ---- */

/* Appends the bits of NUMBER that have words. Returns false if there are none. */
static bool add_flags(const struct perfdata_field *f, uint64_t number, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < f->nr; i++) {
		const struct perfdata_word *w = &f->words[i];

		if (!w->number || (number & w->number) != w->number)
			continue;
		strbuf_adds(out, any ? "|" : "");
		strbuf_adds(out, w->text);
		number &= ~w->number;
		any = true;
	}
	if (!any && f->otherwise)
		strbuf_adds(out, f->otherwise);
	return any || f->otherwise;
}

static bool add_word(const struct perfdata_field *f, uint64_t number, struct strbuf *out)
{
	if (f->are_flags)
		return add_flags(f, number, out);
	for (size_t i = 0; i < f->nr; i++)
		if (f->words[i].number == number) {
			strbuf_adds(out, f->words[i].text);
			return true;
		}
	return false;
}

static void add_number(const struct perfdata_field *f, uint64_t number, struct strbuf *out)
{
	unsigned unused = 64 - 8 * (unsigned)f->size;

	if (f->nr && add_word(f, number, out))
		return;
	switch (f->kind) {
	case FIELD_SIGNED:
		strbuf_addf(out, "%" PRId64, (int64_t)(number << unused) >> unused);
		break;
	case FIELD_POINTER:
		strbuf_addf(out, "0x%" PRIx64, number);
		break;
	case FIELD_DEVICE:
		strbuf_addf(out, "%" PRIu64 ",%" PRIu64, number >> DEVICE_MINOR_BITS,
			number & ((1U << DEVICE_MINOR_BITS) - 1));
		break;
	default:
		strbuf_addu(out, number);
	}
}

/* Appends the text of the next SIZE bytes, up to its NUL. */
static void add_text(struct bytes *b, uint64_t size, struct strbuf *out)
{
	const char *text = (const char *)bytes_take(b, size);

	if (text)
		strbuf_add(out, text, strnlen(text, size));
}

bool perfdata_field_value(
	const struct perfdata_field *f, const unsigned char *raw, size_t size, struct strbuf *out)
{
	struct bytes b = {raw, raw + size, false};
	uint64_t place;

	if (!f->kind)
		return false;
	bytes_take(&b, f->offset);
	switch (f->kind) {
	case FIELD_TEXT:
		add_text(&b, f->size, out);
		break;
	case FIELD_DATA:
	case FIELD_RELATIVE:
		place = bytes_number(&b, 4);
		if (f->kind == FIELD_DATA)
			b.at = raw;
		bytes_take(&b, place & UINT16_MAX);
		add_text(&b, place >> 16, out);
		break;
	default: {
		uint64_t number = bytes_number(&b, (unsigned)f->size);

		if (!b.bad)
			add_number(f, number, out);
	}
	}
	return !b.bad;
}
