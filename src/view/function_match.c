/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "function_match.h"
#include "rules.h"
#include "similar.h"

bool function_matches(const struct profile *p, uint32_t frame, const struct pattern *fn)
{
	size_t len;
	const char *name = rules_function(p, frame, &len);

	return pattern_matches(fn, name, len);
}

static void try_all(struct similar *similar, const struct profile *p)
{
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		size_t len;
		const char *name = rules_function(p, i, &len);

		if (p->frames[i].label != LABEL_SET)
			similar_try(similar, name, len);
	}
}

bool function_is_there(
	struct profile *const *profiles, size_t nr, const struct pattern *fn, struct strbuf *notes)
{
	struct similar similar;

	for (size_t i = 0; i < nr; i++)
		for (uint32_t k = 1; k < profiles[i]->nr_frames; k++)
			if (function_matches(profiles[i], k, fn))
				return true;
	if (!notes)
		return false;
	similar_init(&similar, fn->s);
	for (size_t i = 0; i < nr; i++)
		try_all(&similar, profiles[i]);
	similar_note(&similar, fn->s, notes);
	return false;
}
