/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/patterns.h"
#include "lib/strbuf.h"
#include "view/rule.h"

#include <string.h>

enum { NAMES = 200 }; /* names that are looked up */

static void add_functions(struct patterns *set, const struct rule_list *rules)
{
	for (uint32_t i = 0; i < rules->nr; i++)
		for (size_t k = 0; k < rules->list[i].functions.nr; k++)
			patterns_add(set, &rules->list[i].functions.list[k], i);
	patterns_sort(set);
}

/* Returns how many patterns match the text of PATTERN. */
static uint32_t matching(const struct patterns *set, const struct pattern *pattern)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < set->nr; i++)
		nr += pattern_matches(set->list[i].pattern, pattern->s, pattern->len);
	return nr;
}

static uint32_t found(const struct patterns *set, const struct pattern *pattern)
{
	uint32_t nr = 0;

	for (uint32_t at = patterns_first(set, pattern->s, pattern->len); at;
		at = patterns_next(set, at, pattern->s, pattern->len))
		nr++;
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	struct patterns set;
	struct rule_list rules;
	struct lines lines;

	rule_list_init(&rules);
	patterns_init(&set);
	fuzz_lines(&lines, data, size);
	int ret = rule_list_read(&rules, "file", &lines, &err);

	fuzz_lines_end(&lines);
	must((ret < 0) == (err.len > 0));
	must(!err.len || strchr(err.buf, '\n') == err.buf + err.len - 1);
	add_functions(&set, &rules);
	for (uint32_t i = 0; i < set.nr && i < NAMES; i++)
		must(found(&set, set.list[i].pattern) == matching(&set, set.list[i].pattern));
	patterns_release(&set);
	rule_list_release(&rules);
	strbuf_release(&err);
	return 0;
}
