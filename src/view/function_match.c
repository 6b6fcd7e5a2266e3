/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "function_match.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "rules.h"
#include "lib/similar.h"
#include "symbol/names/short_name.h"

#include <stdlib.h>
#include <string.h>

static int init_regex(struct function_match *m, const char *expression, struct strbuf *err)
{
	char why[128];
	int error = regcomp(&m->regex, expression, REG_EXTENDED | REG_NOSUB);

	if (!error) {
		m->by = MATCH_REGEX;
		return 0;
	}
	regerror(error, &m->regex, why, sizeof(why));
	return fail(err, "a valid regular expression after 're:' (%s)", why);
}

int function_match_init(struct function_match *m, const char *text, struct strbuf *err)
{
	static const char regex[] = "re:";
	size_t len = strlen(text);

	*m = (struct function_match){.text = text, .is_short = strstr(text, "<>") != NULL};
	if (!len)
		return fail(err, "the name of a function, or a pattern such as 'malloc*'");
	if (begins_with(text, len, regex))
		return init_regex(m, text + strlen(regex), err);
	if (!pattern_init(&m->pattern, text, len))
		m->by = MATCH_PATTERN;
	return 0;
}

void function_match_release(struct function_match *m)
{
	if (m->by == MATCH_PATTERN)
		pattern_release(&m->pattern);
	if (m->by == MATCH_REGEX)
		regfree(&m->regex);
	*m = (struct function_match){0};
}

int function_match_add(struct function_match_list *l, const char *text, struct strbuf *err)
{
	ALLOC_GROW(l->list, l->nr, l->alloc);
	if (function_match_init(&l->list[l->nr], text, err) < 0)
		return -1;
	l->nr++;
	return 0;
}

void function_match_release_all(struct function_match_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		function_match_release(&l->list[i]);
	free(l->list);
	*l = (struct function_match_list){0};
}

static bool is_text(const struct function_match *m, const char *name, size_t len)
{
	return strlen(m->text) == len && !memcmp(m->text, name, len);
}

void function_match_learn(struct function_match *m, const char *name, size_t len)
{
	m->is_name |= is_text(m, name, len);
}

static bool regex_matches(const regex_t *regex, const char *name, size_t len)
{
	regmatch_t part = {.rm_eo = (regoff_t)len};

	return !regexec(regex, name, 0, &part, REG_STARTEND);
}

static bool is_short_of(const struct function_match *m, const char *name, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	short_name_add(&text, name, len);
	bool is = text.len && is_text(m, text.buf, text.len);

	strbuf_release(&text);
	return is;
}

bool function_match_name(const struct function_match *m, const char *name, size_t len)
{
	if (m->is_short && !m->is_name && is_short_of(m, name, len))
		return true;
	if (m->is_name || m->by == MATCH_NAME)
		return is_text(m, name, len);
	return m->by == MATCH_REGEX ? regex_matches(&m->regex, name, len)
				    : pattern_matches(&m->pattern, name, len);
}

/* Returns what M is compared with, and its length in *LEN, or NULL if FRAME has no such name. */
static const char *name_for(
	const struct function_match *m, const struct profile *p, uint32_t frame, size_t *len)
{
	enum frame_kind kind = p->frames[frame].kind;
	const char *module;

	if (p->frames[frame].label == LABEL_SET)
		return NULL;
	if (!m->of_module)
		return rules_function(p, frame, len);
	module = rules_module(p, frame, len);
	return *len && kind != FRAME_TASK && kind != FRAME_NOTE ? module : NULL;
}

bool function_match_frame(const struct function_match *m, const struct profile *p, uint32_t frame)
{
	size_t len;
	const char *name = name_for(m, p, frame, &len);

	return name && function_match_name(m, name, len);
}

static void learn_all(struct function_match *m, const struct profile *p)
{
	size_t len;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const char *name = name_for(m, p, i, &len);

		if (name)
			function_match_learn(m, name, len);
	}
}

static bool matches_any(const struct function_match *m, const struct profile *p)
{
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (function_match_frame(m, p, i))
			return true;
	return false;
}

static void try_all(
	const struct function_match *m, struct similar *similar, const struct profile *p)
{
	size_t len;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const char *name = name_for(m, p, i, &len);

		if (name)
			similar_try(similar, name, len);
	}
}

bool function_match_settle(
	struct function_match *m, struct profile *const *profiles, size_t nr, struct strbuf *notes)
{
	struct similar similar;

	for (size_t i = 0; i < nr; i++)
		learn_all(m, profiles[i]);
	for (size_t i = 0; i < nr; i++)
		if (matches_any(m, profiles[i]))
			return true;
	if (!notes)
		return false;
	similar_init(&similar, m->text);
	for (size_t i = 0; i < nr; i++)
		try_all(m, &similar, profiles[i]);
	similar_note(&similar, m->of_module ? "module" : "function", m->text, notes);
	return false;
}
