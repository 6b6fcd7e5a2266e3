/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perffields.h"
#include "lib/util.h"
#include "stackline.h"

#include <stdint.h>
#include <string.h>

enum { ADDRESS_WIDTH = 16 }; /* perf right-aligns an ip to this width, after a blank */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the number of hexadecimal digits at S if a blank or END follows them, otherwise 0. */
static size_t hex_word(const char *s, const char *end)
{
	uint64_t ignored;
	size_t n = stackline_address(s, end, &ignored);

	if (!n || (n > 1 && s[1] == 'x') || (s + n < end && !is_blank(s[n])))
		return 0;
	return n;
}

/*
 * Whether S begins with the flags of a branch, such as "/P/-/-/12": predicted or not, in a
 * transaction, aborted, cycles.
 */
static bool is_branch_flags(const char *s, const char *end)
{
	if (end - s > 2 && s[2] == 'N') /* not taken: "/PN" */
		s++;
	return end - s > 7 && memchr("PMN-", s[1], 4) && s[2] == '/' && memchr("X-", s[3], 2) &&
	       s[4] == '/' && memchr("A-", s[5], 2) && s[6] == '/' && is_digit(s[7]);
}

bool perffields_has_branches(const char *text, size_t len)
{
	const char *end = text + len;

	while ((text = memchr(text, '/', (size_t)(end - text)))) {
		if (is_branch_flags(text, end))
			return true;
		text++;
	}
	return false;
}

/* Whether the text is the size of a page: "4K", "2M", "1G", or "N/A". */
static bool is_page_size(const char *s, size_t len)
{
	if (len == 3 && !memcmp(s, "N/A", 3))
		return true;
	for (size_t i = 0; i + 1 < len; i++)
		if (!is_digit(s[i]))
			return false;
	return len > 1 && memchr("BKMG", s[len - 1], 4);
}

bool perffields_is_numbers(const char *text, size_t len)
{
	const char *s = text, *end = text + len;

	while (s < end) {
		const char *word = s;

		while (s < end && !is_blank(*s))
			s++;
		if (!hex_word(word, s) && !is_page_size(word, (size_t)(s - word)))
			return false;
		while (s < end && is_blank(*s))
			s++;
	}
	return len > 0;
}

bool perffields_is_detail(const char *line, const char *text, size_t len)
{
	static const char *const beginnings[] = {"ABI:", "0x", "=> ", "BPF output:", "BPF string:",
		"ilen: ", "insn: ", "IPC: ", "mismatch of LBR data and executable",
		"... not reaching sample ..."};
	const char *end = text + len;

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (begins_with(text, len, beginnings[i]))
			return true;
	if (*text == '|') /* srccode */
		return len > 1 && is_digit(text[1]);
	if (*line == ' ') /* the next line of bpf-output: "0008: 2a 00" */
		return len > 5 && text[4] == ':' && text[5] == ' ' && hex_word(text, text + 4) == 4;
	if (*line != '\t')
		return false;
	if (text > line + 1) /* disasm */
		return text == line + 2 && line[1] == '\t';
	if (len > ADDRESS_WIDTH && text[ADDRESS_WIDTH] == '\t')
		return hex_word(text, end) == ADDRESS_WIDTH;  /* an instruction of brstackinsn */
	return end[-1] == ':' || memmem(text, len, ":\t", 2); /* the function of brstackinsn */
}

/* Whether S begins with the addr of a branch: " => 401136". */
static bool is_target(const char *s, const char *end)
{
	if (!begins_with(s, (size_t)(end - s), " => "))
		return false;
	for (s += 4; s < end && is_blank(*s); s++)
		;
	return hex_word(s, end);
}

/*
 * Whether S, which is a blank, is followed by a field that perf prints after a frame in the same
 * line.
 */
static bool is_behind(const char *s, const char *end)
{
	size_t len = (size_t)(end - s);

	switch (len > 1 ? s[1] : '\0') {
	case '0':
		return begins_with(s, len, " 0x") && perffields_has_branches(s, len);
	case '=':
		return is_target(s, end);
	case 'A':
		return begins_with(s, len, " ABI:");
	case 'i':
		return (begins_with(s, len, " ilen: ") || begins_with(s, len, " insn: ")) &&
		       hex_word(s + 7, end);
	default:
		return false;
	}
}

/* Returns the end of the text before the first field that is not part of a frame. */
static const char *end_before_fields(const char *s, const char *end)
{
	const char *tab = memchr(s, '\t', (size_t)(end - s)); /* disasm, ipc */

	end = tab ? tab : end;
	for (; (s = memchr(s, ' ', (size_t)(end - s))); s++)
		if (is_behind(s, end))
			return s;
	return end;
}

/* Returns the end of a frame that is followed by brstacksym, without a blank after its module. */
static const char *end_before_branches(const char *s, const char *end)
{
	if (!perffields_has_branches(s, (size_t)(end - s)))
		return end;
	for (const char *c = s; (c = memchr(c, ')', (size_t)(end - c))); c++)
		if (c + 1 < end && !is_blank(c[1]) && c[1] != '/')
			return c + 1;
	return end;
}

/*
 * Returns the last address that is aligned like an ip and is followed by a blank and a name or
 * module. Returns NULL if there is none, because blanks were removed, or because only addresses are
 * printed.
 */
static const char *find_ip(const char *s, const char *end)
{
	const char *found = NULL;

	for (; (s = memchr(s, ' ', (size_t)(end - s))); s++) {
		const char *first = s;

		while (s + 1 < end && s[1] == ' ')
			s++;

		size_t n = hex_word(s + 1, end), width = n + (size_t)(s + 1 - first);

		if (n && width > ADDRESS_WIDTH && end - s > (ptrdiff_t)n + 2 && s[n + 2] != ' ')
			found = s + 1;
	}
	return found;
}

/*
 * Returns the end of the text without phys_addr and the sizes of pages, the words behind the
 * module.
 */
static const char *end_before_numbers(const char *s, const char *end)
{
	const char *close = memrchr(s, ')', (size_t)(end - s));

	if (!close || close + 1 == end || !is_blank(close[1]))
		return end;
	for (s = close + 1; s < end && is_blank(*s); s++)
		;
	return perffields_is_numbers(s, (size_t)(end - s)) ? close + 1 : end;
}

bool perffields_narrow(const char **text, size_t *len)
{
	const char *s = *text, *end = end_before_fields(s, s + *len), *ip = find_ip(s, end);

	s = ip ? ip : s;
	end = end_before_branches(s, end);
	end = end_before_numbers(s, end);
	while (end > s && is_blank(end[-1]))
		end--;
	*text = s;
	*len = (size_t)(end - s);
	s = memchr(s, ' ', *len);
	return !(s && end - s > 1 && s[1] == '|'); /* this is data_src without an ip */
}
