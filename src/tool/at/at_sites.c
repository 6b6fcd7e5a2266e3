/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_sites.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 50 }; /* that are told for each reason */

void at_sites_add(struct at_sites *sites, const struct at_site *site)
{
	ALLOC_GROW(sites->list, sites->nr, sites->alloc);
	sites->list[sites->nr] = *site;
	sites->list[sites->nr++].name = xstrdup(site->name);
}

static int compare_sites(const void *a, const void *b)
{
	const struct at_site *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (!x->file)
		return strcmp(x->name, y->name);
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void at_sites_sort(struct at_sites *sites)
{
	size_t kept = 0;

	if (sites->nr)
		qsort(sites->list, sites->nr, sizeof(*sites->list), compare_sites);
	for (size_t i = 0; i < sites->nr; i++) {
		if (kept && !compare_sites(&sites->list[kept - 1], &sites->list[i]))
			free(sites->list[i].name);
		else
			sites->list[kept++] = sites->list[i];
	}
	sites->nr = kept;
}

void at_sites_release(struct at_sites *sites)
{
	for (size_t i = 0; i < sites->nr; i++)
		free(sites->list[i].name);
	free(sites->list);
	*sites = (struct at_sites){0};
}

static struct at_left_reason *reason_of(struct at_left_out *left, const char *why)
{
	for (size_t i = 0; i < left->nr; i++)
		if (!strcmp(left->list[i].why, why))
			return &left->list[i];
	ALLOC_GROW(left->list, left->nr, left->alloc);
	left->list[left->nr] = (struct at_left_reason){xstrdup(why), xstrdup(""), 0};
	return &left->list[left->nr++];
}

void at_left_out_add(struct at_left_out *left, const char *name, const char *why)
{
	struct at_left_reason *reason = reason_of(left, why);
	char *names = reason->names;

	if (reason->nr++ >= NAMES_MAX)
		return;
	reason->names = xasprintf("%s%s%s", names, *names ? " " : "", name);
	free(names);
}

void at_left_out_note(const struct at_left_out *left, struct strbuf *notes)
{
	for (size_t i = 0; i < left->nr; i++) {
		const struct at_left_reason *r = &left->list[i];

		strbuf_addf(notes, "%zu that match the pattern are not probed, %s: %s%s\n", r->nr,
			r->why, r->names, r->nr > NAMES_MAX ? " …" : "");
	}
}

void at_left_out_release(struct at_left_out *left)
{
	for (size_t i = 0; i < left->nr; i++) {
		free(left->list[i].why);
		free(left->list[i].names);
	}
	free(left->list);
	*left = (struct at_left_out){0};
}
