/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules.h"
#include "input/notes.h"
#include "lib/patterns.h"
#include "lib/util.h"
#include "rule.h"

#include <stdlib.h>
#include <string.h>

/* Rules are indexed by their functions or, if they have none, by their modules. */
struct rules {
	struct rule_list all;
	struct patterns functions, modules, paths;
	struct pattern any; /* function pattern for rules with neither functions nor modules */
};

const char rules_text[] =
#include "view/default.rules.inc"
	;

/* Whether a pattern is matched against the whole path, because it contains a "/". */
static bool is_of_path(const struct pattern *module)
{
	return memchr(module->s, '/', module->len);
}

static void sort_in(struct rules *rules, uint32_t number)
{
	const struct rule *rule = &rules->all.list[number];

	for (size_t i = 0; i < rule->functions.nr; i++)
		patterns_add(&rules->functions, &rule->functions.list[i], number);
	if (rule->functions.nr)
		return;
	for (size_t i = 0; i < rule->modules.nr; i++)
		patterns_add(is_of_path(&rule->modules.list[i]) ? &rules->paths : &rules->modules,
			&rule->modules.list[i], number);
	if (!rule->modules.nr)
		patterns_add(&rules->functions, &rules->any, number);
}

static void release_order(struct rules *rules)
{
	patterns_release(&rules->functions);
	patterns_release(&rules->modules);
	patterns_release(&rules->paths);
}

static void order(struct rules *rules)
{
	release_order(rules);
	for (uint32_t i = 0; i < rules->all.nr; i++)
		sort_in(rules, i);
	patterns_sort(&rules->functions);
	patterns_sort(&rules->modules);
	patterns_sort(&rules->paths);
}

struct rules *rules_new(void)
{
	struct rules *rules = xcalloc(1, sizeof(*rules));

	rule_list_init(&rules->all);
	if (pattern_init(&rules->any, "*", 1) ||
		rule_list_read_text(&rules->all, "built-in", rules_text, NULL))
		abort(); /* a test reads these rules as well */
	order(rules);
	return rules;
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	release_order(rules);
	rule_list_release(&rules->all);
	pattern_release(&rules->any);
	free(rules);
}

int rules_add_file(struct rules *rules, const char *path, struct strbuf *err)
{
	struct rule_list list;

	rule_list_init(&list);
	int ret = rule_list_read_file(&list, path, err);

	if (!ret) {
		rule_list_prepend(&rules->all, &list);
		order(rules);
	}
	rule_list_release(&list);
	return ret;
}

uint32_t rules_nr(const struct rules *rules)
{
	return rules->all.nr;
}

const char *rules_category(const struct rules *rules, uint32_t rule)
{
	return rules->all.list[rule].category;
}

bool rules_is_kernel(const struct profile *p, uint32_t frame)
{
	return p->frames[frame].kind == FRAME_KERNEL ||
	       !strcmp(profile_module(p, frame), "[kernel]");
}

const char *rules_function(const struct profile *p, uint32_t frame, size_t *len)
{
	const char *name = profile_name(p, frame, len);
	const char *source = strpool_get(&p->names, p->frames[frame].source);
	size_t n = strlen(source);

	if (n && *len > n && name[*len - n - 1] == ' ' && !memcmp(name + *len - n, source, n))
		*len -= n + 1;
	return name;
}

const char *rules_module(const struct profile *p, uint32_t frame, size_t *len)
{
	const char *s = profile_module(p, frame);
	size_t file_len = 0;

	if (!*s && frame_is_unnamed(p, frame)) {
		s = profile_name(p, frame, len);
		file_len = name_of_start(s, *len);
	} else {
		s = file_name(s);
	}
	*len = file_len ? file_len : strlen(s);
	if (*len > 2 && s[0] == '[' && s[*len - 1] == ']') {
		s++;
		*len -= 2;
	}
	return s;
}

/* The properties of a frame that rules match. */
struct subject {
	unsigned kinds; /* 1 << frame_kind for each kind */
	const char *function, *module, *path;
	size_t function_len, module_len, path_len;
};

static struct subject subject_of(const struct profile *p, uint32_t frame)
{
	struct subject s = {.kinds = 1U << p->frames[frame].kind};

	if (rules_is_kernel(p, frame))
		s.kinds |= 1U << FRAME_KERNEL;
	else if (p->frames[frame].kind == FRAME_INLINE)
		s.kinds |= 1U << FRAME_USER;
	s.function = rules_function(p, frame, &s.function_len);
	s.module = rules_module(p, frame, &s.module_len);
	s.path = profile_module(p, frame);
	s.path_len = strlen(s.path);
	return s;
}

static bool is_in_module(const struct rule *rule, const struct subject *s)
{
	for (size_t i = 0; i < rule->modules.nr; i++) {
		const struct pattern *module = &rule->modules.list[i];

		if (is_of_path(module) ? pattern_matches(module, s->path, s->path_len)
				       : pattern_matches(module, s->module, s->module_len))
			return true;
	}
	return !rule->modules.nr;
}

/* Updates MATCH if the remaining conditions of a rule found by the index are true as well. */
static void consider(const struct rules *rules, uint32_t number, const struct subject *s,
	struct rules_match *match)
{
	const struct rule *rule = &rules->all.list[number];

	if (number >= match->own && (!rule->inherit || number >= match->passed))
		return;
	if (rule->kinds && !(rule->kinds & s->kinds))
		return;
	if (rule->functions.nr && !is_in_module(rule, s))
		return;
	if (number < match->own)
		match->own = number;
	if (rule->inherit && number < match->passed)
		match->passed = number;
}

static void look_up(const struct rules *rules, const struct patterns *set, const char *name,
	size_t len, const struct subject *s, struct rules_match *match)
{
	for (uint32_t at = patterns_first(set, name, len); at;
		at = patterns_next(set, at, name, len))
		consider(rules, patterns_value(set, at), s, match);
}

/*
 * Returns the length of NAME without suffixes that compilers append to parts and copies of a
 * function, as in "free.part.0".
 */
static size_t without_suffix(const char *name, size_t len)
{
	static const char *const suffixes[] = {
		".part.", ".isra.", ".constprop.", ".cold", ".llvm.", ".lto_priv."};

	for (const char *at = memchr(name, '.', len); at;) {
		size_t rest = len - (size_t)(at - name);

		for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
			size_t n = strlen(suffixes[i]);

			if (rest >= n && !memcmp(at, suffixes[i], n))
				return len - rest;
		}
		at = memchr(at + 1, '.', rest - 1);
	}
	return len;
}

struct rules_match rules_match(const struct rules *rules, const struct profile *p, uint32_t frame)
{
	struct rules_match match = {.own = rules->all.nr, .passed = rules->all.nr};
	struct subject s = subject_of(p, frame);
	size_t len = without_suffix(s.function, s.function_len);

	look_up(rules, &rules->functions, s.function, s.function_len, &s, &match);
	if (len < s.function_len)
		look_up(rules, &rules->functions, s.function, len, &s, &match);
	look_up(rules, &rules->modules, s.module, s.module_len, &s, &match);
	look_up(rules, &rules->paths, s.path, s.path_len, &s, &match);
	return match;
}
