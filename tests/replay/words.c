/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MAX = 120,         /* characters, without the last word */
	SKIPPED_MAX = 0xfff,    /* unchanged words within a line */
	REPEATED_MAX = 1 << 16, /* repetitions of a word */
};

/* Marks for words without a value. */
static const char unreadable = '-', outdated = '?', unchanged = '=';

/* ---- reading ---- */

/* Sets the word at ADDRESS from the text at AT; returns the text behind it. */
static const char *set_word(struct case_state *s, uint64_t address, const char *at)
{
	bool is_new;
	char *end = (char *)(uintptr_t)at + 1;
	struct case_word *word;

	if (*at == unchanged)
		return end;
	word = case_put(s, address, &is_new);
	word->outdated = *at == outdated;
	if (word->outdated)
		return end;
	word->readable = *at != unreadable;
	word->value = word->readable ? strtoull(at, &end, 16) : 0;
	return end;
}

bool words_line(struct case_state *s, const char *line)
{
	char *from;
	uint64_t address = strtoull(line, &from, 16);

	if (from == line || *from != ' ' || address % CASE_WORD)
		return false;
	for (const char *at = from + 1, *end = at; *end; at = end + 1) {
		unsigned long times = 1;

		end = set_word(s, address, at);
		if (*end == '*') {
			times = strtoul(end + 1, &from, 16);
			end = from;
		}
		if (end == at || times - 1 >= REPEATED_MAX || (*end && *end != ' '))
			return false;
		for (address += CASE_WORD; --times; address += CASE_WORD)
			set_word(s, address, at);
	}
	return true;
}

/* ---- writing ---- */

static bool is_as_told(const struct case_word *w)
{
	return w->value == w->told.value && w->readable == w->told.readable;
}

/* Whether W must be written. */
static bool is_due(const struct case_word *w)
{
	return w->read ? !w->told.known || !is_as_told(w) : w->told.known && !is_as_told(w);
}

static void add_word(const struct case_word *w, struct strbuf *out)
{
	if (!w->read)
		strbuf_addch(out, outdated);
	else if (!w->readable)
		strbuf_addch(out, unreadable);
	else
		strbuf_addf(out, "%" PRIx64, w->value);
}

static int by_address(const void *a, const void *b)
{
	const struct case_word *const *x = a, *const *y = b;

	return ((*x)->address > (*y)->address) - ((*x)->address < (*y)->address);
}

/* Counts the words from LIST on that equal the first of its NR words and follow it without a gap;
 * appends and returns the count. */
static size_t add_equal(struct case_word *const *list, size_t nr, struct strbuf *line)
{
	struct strbuf first = STRBUF_INIT, other = STRBUF_INIT;
	size_t n = 0;

	do {
		strbuf_reset(&other);
		add_word(list[n], n ? &other : &first);
		if (n && strcmp(first.buf, other.buf))
			break;
		n++;
	} while (
		n < nr && n < REPEATED_MAX && list[n]->address == list[n - 1]->address + CASE_WORD);
	strbuf_addf(line, " %s", first.buf);
	if (n > 1)
		strbuf_addf(line, "*%zx", n);
	strbuf_release(&first);
	strbuf_release(&other);
	return n;
}

/* Begins a line at the word ADDRESS, or continues the line if the word follows PREVIOUS. */
static void go_to(uint64_t address, uint64_t previous, struct strbuf *line, FILE *out)
{
	uint64_t skipped = (address - previous) / CASE_WORD - 1;

	if (line->len && line->len < LINE_MAX && skipped <= SKIPPED_MAX) {
		if (skipped)
			strbuf_addf(line, skipped > 1 ? " =*%" PRIx64 : " =", skipped);
		return;
	}
	if (line->len)
		fprintf(out, "%s\n", line->buf);
	strbuf_reset(line);
	strbuf_addf(line, "%" PRIx64, address);
}

static void write_list(struct case_word *const *list, size_t nr, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < nr;) {
		go_to(list[i]->address, i ? list[i - 1]->address : 0, &line, out);
		i += add_equal(list + i, nr - i, &line);
	}
	if (nr)
		fprintf(out, "%s\n", line.buf);
	strbuf_release(&line);
}

void words_write(struct case_state *s, FILE *out)
{
	struct case_word **list = xcalloc(s->nr_words + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < s->nr_words; i++)
		if (is_due(&s->words[i]))
			list[nr++] = &s->words[i];
	qsort(list, nr, sizeof(*list), by_address);
	write_list(list, nr, out);
	for (size_t i = 0; i < nr; i++) {
		list[i]->told.known = list[i]->read;
		list[i]->told.value = list[i]->value;
		list[i]->told.readable = list[i]->readable;
	}
	free(list);
}
