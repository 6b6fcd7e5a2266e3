/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stackline.h"
#include "lib/util.h"

#include <string.h>

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned hex_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c | 0x20) - 'a' + 10;
}

static bool has_0x(const char *s, const char *end)
{
	return end - s >= 2 && s[0] == '0' && s[1] == 'x';
}

size_t stackline_address(const char *s, const char *end, uint64_t *address)
{
	const char *digits = has_0x(s, end) ? s + 2 : s;
	const char *c = digits;

	*address = 0;
	for (; c < end && is_hex(*c); c++)
		*address = *address << 4 | hex_value(*c);
	return c == digits || c - digits > 16 ? 0 : (size_t)(c - s);
}

/*
 * Returns the length of "+0xOFF" or "+0xOFF/0xSIZE" at S, or 0 if there is none. Sets *CUT if the
 * text ends before it is complete.
 */
static size_t offset_len(const char *s, const char *end, bool *cut)
{
	const char *c = s + 1;
	uint64_t ignored;

	if (!has_0x(c, end))
		return 0;
	size_t n = stackline_address(c, end, &ignored);

	if (!n) {
		*cut = c + 2 == end;
		return *cut ? 3 : 0;
	}
	c += n;
	if (c == end || *c != '/')
		return (size_t)(c - s);
	c++;
	n = has_0x(c, end) ? stackline_address(c, end, &ignored) : 0;
	if (n)
		return (size_t)(c + n - s);
	*cut = c == end || (c + 1 == end && *c == '0') || (c + 2 == end && has_0x(c, end));
	return *cut ? (size_t)(end - s) : 0;
}

/*
 * Returns the start of the offset after NAME. The end, a module, or file and line must follow the
 * offset.
 */
static const char *find_offset(const char *s, const char *end, size_t *len, bool *cut)
{
	for (; (s = memchr(s, '+', (size_t)(end - s))); s++) {
		*len = offset_len(s, end, cut);
		if (!*len)
			continue;
		const char *after = s + *len;
		size_t rest = (size_t)(end - after);

		if (!rest || (rest > 1 && !memcmp(after, " [", 2)))
			return s;
		if (!memcmp(after, " at ", rest < 4 ? rest : 4)) {
			*cut = rest <= 4;
			return s;
		}
	}
	return NULL;
}

/* Returns the "[" that matches the "]" at the end of the text, or NULL if there is none. */
static const char *open_bracket(const char *s, const char *end)
{
	int depth = 0;

	for (const char *c = end; c > s;) {
		c--;
		if (*c == ']')
			depth++;
		else if (*c == '[' && !--depth)
			return c;
	}
	return NULL;
}

/* Sets the module from MODULE or MODULE+0xOFF/0xSIZE. Returns true if there is an offset. */
static bool set_module(struct stackline *line, const char *s, const char *end)
{
	const char *c = end;
	bool ignored;

	line->module = s;
	line->module_len = (size_t)(end - s);
	while (c > s && *--c != '+')
		;
	if (c == end || *c != '+' || offset_len(c, end, &ignored) != (size_t)(end - c))
		return false;
	line->module_len = (size_t)(c - s);
	return true;
}

/* Reads " at FILE:LINE". Returns false if the text has another form. */
static bool set_source(struct stackline *line, const char *s, const char *end)
{
	const char *c = end;

	while (c > s && c[-1] >= '0' && c[-1] <= '9')
		c--;
	if (c == end || end - s < 4 || memcmp(s, " at ", 4) || c <= s + 4 || c[-1] != ':')
		return false;
	line->source = s + 4;
	line->source_len = (size_t)(end - line->source);
	return true;
}

/* Reads the rest after the offset: "", " [MODULE]", " at FILE:LINE", " at FILE:LINE [MODULE]". */
static void parse_behind(struct stackline *line, const char *s, const char *end)
{
	if (s == end || line->cut)
		return;
	if (end[-1] == ']') {
		const char *open = s[1] == '[' ? s + 1 : open_bracket(s, end);

		if (open) {
			set_module(line, open + 1, end - 1);
			set_source(line, s, open - (open > s && open[-1] == ' '));
		}
		return;
	}
	line->cut = !set_source(line, s, end);
}

/*
 * Reads "[MODULE+0xOFF/0xSIZE]", optionally followed by file and line. Returns false if the text
 * has another form.
 */
static bool parse_module_only(struct stackline *line, const char *s, const char *end)
{
	struct stackline try = *line;
	const char *close = memmem(s, (size_t)(end - s), "] at ", 5);

	if (*s != '[')
		return false;
	if (!close && end[-1] == ']')
		close = end - 1;
	if (!close) {
		line->cut = line->has_address;
		return line->has_address;
	}
	if (!set_module(&try, s + 1, close) && !line->has_address)
		return false;
	*line = try;
	return true;
}

static void parse_without_offset(struct stackline *line, const char *s, const char *end)
{
	const char *name_end = end;
	uint64_t address;

	if (parse_module_only(line, s, end))
		return;
	if (end[-1] == ']') {
		const char *open = open_bracket(s, end);

		if (open && open > s + 1 && open[-1] == ' ') {
			set_module(line, open + 1, end - 1);
			name_end = open - 1;
		}
	}
	size_t n = has_0x(s, name_end) ? stackline_address(s, name_end, &address) : 0;

	/* The text is an address only, which may be repeated. */
	if (n && (s + n == name_end || s[n] == ' ')) {
		line->cut = s + n != name_end;
		if (!line->has_address)
			line->address = address;
		line->has_address = true;
		return;
	}
	if (has_0x(s, name_end) && name_end - s == 2) {
		line->cut = true;
		return;
	}
	line->name = s;
	line->name_len = (size_t)(name_end - s);
}

/* Reads "ADDR : " or "ADDR " at the start of a line. Returns the start of the rest. */
static const char *parse_address(struct stackline *line, const char *s, const char *end)
{
	uint64_t address;
	size_t n = stackline_address(s, end, &address);
	const char *c = s + n;
	bool colon = n && end - c >= 2 && c[0] == ' ' && c[1] == ':';

	if (!n || (!colon && !has_0x(s, end)))
		return s;
	if (colon && (end - c == 2 || c[2] == ' ')) {
		c += end - c == 2 ? 2 : 3;
		line->cut = c == end;
	} else if (end - c >= 2 && !memcmp(c, " [", 2)) {
		c++;
	} else {
		return s;
	}
	line->has_address = true;
	line->address = address;
	return c;
}

void stackline_parse(struct stackline *line, const char *text, size_t len)
{
	static const char inexact[] = " (inexact)";
	const char *end = text + len, *at;
	size_t n = sizeof(inexact) - 1;

	*line = (struct stackline){0};
	if (len > n && !memcmp(end - n, inexact, n)) {
		line->inexact = true;
		end -= n;
	}
	text = parse_address(line, text, end);
	if (text == end)
		return;
	at = find_offset(text, end, &n, &line->cut);
	if (!at || (*text == '[' && !memchr(text, ']', (size_t)(at - text)))) {
		line->cut = false;
		parse_without_offset(line, text, end);
		return;
	}
	line->name = text;
	line->name_len = (size_t)(at - text);
	parse_behind(line, at + n, end);
}

bool stackline_is_list(const char *text, size_t len)
{
	const char *s = text, *end = text + len;
	size_t addresses = 0;
	bool sure = false; /* "added 12345" is not a list */

	while (s < end) {
		uint64_t address;
		size_t n = stackline_address(s, end, &address);
		bool marked = n && has_0x(s, end);

		if (n < 5 && !marked) /* may be a truncated "0x…" */
			return sure && addresses > 1 && s + 2 >= end && *s == '0';
		sure = sure || marked || n >= 12;
		s += n;
		addresses++;
		if (s < end && !is_blank(*s))
			return false;
		while (s < end && is_blank(*s))
			s++;
	}
	return sure && addresses > 1;
}

bool stackline_is_number(const char *text, size_t len)
{
	const char *s = text, *end = text + len;
	size_t n;
	bool cut = false;

	if (*s == '-' || *s == '+' || *s == '.')
		s++;
	if (s == end || *s < '0' || *s > '9' || has_0x(s, end) || end[-1] == ']')
		return false;
	uint64_t address;

	n = stackline_address(text, end, &address);
	if (n && end - text - n >= 2 && !memcmp(text + n, " :", 2))
		return false;
	return !find_offset(text, end, &n, &cut);
}
