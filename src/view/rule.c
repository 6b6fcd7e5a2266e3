/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rule.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20 }; /* maximum size of a file in bytes */

struct rule_reader {
	struct rule_list *rules;
	const char *name; /* name of the file */
	uint64_t line;
	const char *at, *end; /* the rest of the line */
	struct strbuf word;
	struct strbuf *err;
};

void rule_list_init(struct rule_list *rules)
{
	*rules = (struct rule_list){0};
}

static void alternatives_release(struct alternatives *a)
{
	for (size_t i = 0; i < a->nr; i++)
		pattern_release(&a->list[i]);
	free(a->list);
}

void rule_list_release(struct rule_list *rules)
{
	for (uint32_t i = 0; i < rules->nr; i++) {
		free(rules->list[i].category);
		alternatives_release(&rules->list[i].modules);
		alternatives_release(&rules->list[i].functions);
	}
	free(rules->list);
	rule_list_init(rules);
}

void rule_list_prepend(struct rule_list *rules, struct rule_list *first)
{
	for (uint32_t i = 0; i < rules->nr; i++) {
		ALLOC_GROW(first->list, first->nr, first->alloc);
		first->list[first->nr++] = rules->list[i];
	}
	free(rules->list);
	*rules = *first;
	rule_list_init(first);
}

/* Appends the message "rules 'FILE': line N: 'TEXT' WHAT". TEXT may be NULL. */
static int wrong(struct rule_reader *r, const char *text, size_t len, const char *what)
{
	enum { SHOWN = 60 };

	if (!r->err)
		return -1;
	strbuf_adds(r->err, "rules ");
	message_add_path(r->err, r->name);
	strbuf_addf(r->err, ": line %" PRIu64 ": ", r->line);
	if (text) {
		strbuf_addch(r->err, '\'');
		message_add(r->err, text, len <= SHOWN ? len : SHOWN);
		strbuf_adds(r->err, len <= SHOWN ? "' " : "...' ");
	}
	return fail(r->err, "%s\n", what);
}

/*
 * Reads the next word and removes quotes, but not backslashes. Returns 1 if there is a word, 0 at
 * the end of the line, or -1 if the word is invalid.
 */
static int next_word(struct rule_reader *r)
{
	bool quoted = false;

	strbuf_reset(&r->word);
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	if (r->at == r->end || *r->at == '#')
		return 0;
	for (; r->at < r->end && (quoted || !is_blank(*r->at)); r->at++) {
		if (*r->at == '"') {
			quoted = !quoted;
			continue;
		}
		if (*r->at == '\\' && r->at + 1 < r->end)
			strbuf_addch(&r->word, *r->at++);
		strbuf_addch(&r->word, *r->at);
	}
	return quoted ? wrong(r, r->word.buf, r->word.len, "has a quote that does not end") : 1;
}

static int wrong_kind(struct rule_reader *r, const char *s, size_t len)
{
	struct strbuf why = STRBUF_INIT;

	strbuf_adds(&why, "is not a kind; use");
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		strbuf_addf(&why, "%s %s", kind ? "," : "", frame_kind_word((enum frame_kind)kind));
	wrong(r, s, len, why.buf);
	strbuf_release(&why);
	return -1;
}

static int add_kind(struct rule_reader *r, unsigned *kinds, const char *s, size_t len)
{
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		const char *word = frame_kind_word(kind);

		if (strlen(word) == len && !memcmp(word, s, len)) {
			*kinds |= 1U << kind;
			return 0;
		}
	}
	return wrong_kind(r, s, len);
}

static int add_pattern(struct rule_reader *r, struct alternatives *a, const char *s, size_t len)
{
	ALLOC_GROW(a->list, a->nr, a->alloc);
	if (pattern_init(&a->list[a->nr], s, len))
		return wrong(r, s, len,
			"has a '[' without ']' or ends in '\\'; \\ takes a "
			"character as it is");
	a->nr++;
	return 0;
}

/* Returns the length of the alternative at S, up to the next "|" without a "\" before it. */
static size_t alternative(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] != '|')
		n += s[n] == '\\' && n + 1 < len ? 2 : 1;
	return n;
}

/* Parses the text S after the "=" of a condition into KINDS or, if KINDS is NULL, into PATTERNS. */
static int read_condition(struct rule_reader *r, unsigned *kinds, struct alternatives *patterns,
	const char *s, size_t len)
{
	if (kinds ? *kinds : patterns->nr)
		return wrong(r, r->word.buf, r->word.len, "repeats a condition");
	for (const char *end = s + len;; s++) {
		size_t n = alternative(s, (size_t)(end - s));

		if (!n)
			return wrong(r, r->word.buf, r->word.len, "has an empty alternative");
		if (kinds ? add_kind(r, kinds, s, n) : add_pattern(r, patterns, s, n))
			return -1;
		s += n;
		if (s == end)
			return 0;
	}
}

static int read_word(struct rule_reader *r, struct rule *rule)
{
	const char *s = r->word.buf;
	size_t len = r->word.len;

	if (!strcmp(s, "inherit")) {
		rule->inherit = true;
		return 0;
	}
	if (!strncmp(s, "kind=", 5))
		return read_condition(r, &rule->kinds, NULL, s + 5, len - 5);
	if (!strncmp(s, "module=", 7))
		return read_condition(r, NULL, &rule->modules, s + 7, len - 7);
	if (!strncmp(s, "function=", 9))
		return read_condition(r, NULL, &rule->functions, s + 9, len - 9);
	return wrong(r, s, len, "is neither kind=, module=, function= nor inherit");
}

/* Returns the word without backslashes. The caller frees it. */
static char *category_of(const struct strbuf *word)
{
	char *category = xstrdup(word->buf), *out = category;

	for (const char *s = word->buf; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		*out++ = *s;
	}
	*out = '\0';
	return category;
}

static int read_rule(struct rule_reader *r)
{
	struct rule_list *rules = r->rules;
	int more;

	if (!r->word.len || strchr(r->word.buf, '='))
		return wrong(r, r->word.buf, r->word.len, "is where the category is expected");
	ALLOC_GROW(rules->list, rules->nr, rules->alloc);
	struct rule *rule = &rules->list[rules->nr++];

	*rule = (struct rule){.category = category_of(&r->word)};
	while ((more = next_word(r)) > 0)
		if (read_word(r, rule))
			return -1;
	if (!more && !rule->kinds && !rule->modules.nr && !rule->functions.nr)
		return wrong(r, rule->category, strlen(rule->category),
			"has no condition; use kind=, module=, function=");
	return more;
}

static int read_line(struct rule_reader *r, const char *line, size_t len)
{
	r->line++;
	r->at = line;
	r->end = line + len;
	if (memchr(line, 0, len))
		return wrong(r, NULL, 0, "it has a NUL byte");
	int more = next_word(r);

	return more > 0 ? read_rule(r) : more;
}

int rule_list_read_text(
	struct rule_list *rules, const char *name, const char *text, struct strbuf *err)
{
	struct rule_reader r = {.rules = rules, .name = name, .word = STRBUF_INIT, .err = err};
	int ret = 0;

	for (size_t n; !ret && *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		ret = read_line(&r, text, n);
	}
	strbuf_release(&r.word);
	return ret;
}

static int read_lines(struct rule_reader *r, struct lines *lines)
{
	size_t len, sum = 0;
	char *line;

	while (lines_next(lines, &line, &len)) {
		sum += len;
		if (lines->too_long || sum > FILE_MAX) {
			r->line++;
			return wrong(r, NULL, 0, "it is too long for a file of rules");
		}
		if (read_line(r, line, len))
			return -1;
	}
	return 0;
}

static int cannot_read(const char *path, struct strbuf *err)
{
	const char *why = strerror(errno);

	if (!err)
		return -1;
	strbuf_adds(err, "rules ");
	message_add_path(err, path);
	return fail(err, ": cannot be read: %s\n", why);
}

int rule_list_read(
	struct rule_list *rules, const char *name, struct lines *lines, struct strbuf *err)
{
	struct rule_reader r = {.rules = rules, .name = name, .word = STRBUF_INIT, .err = err};
	int ret = read_lines(&r, lines);

	if (!ret && lines->error) {
		errno = lines->error;
		ret = cannot_read(name, err);
	}
	strbuf_release(&r.word);
	return ret;
}

int rule_list_read_file(struct rule_list *rules, const char *path, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lines lines;

	if (fd < 0)
		return cannot_read(path, err);
	lines_init(&lines, fd);
	int ret = rule_list_read(rules, path, &lines, err);

	lines_release(&lines);
	close(fd);
	return ret;
}
