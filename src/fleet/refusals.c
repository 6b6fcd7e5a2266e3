/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusals.h"
#include "lib/hash.h"
#include "lib/program.h"
#include "lib/util.h"
#include "spool.h"

#include <stdlib.h>
#include <string.h>

/* Trials of a window before it is set aside. The sender makes 12 of them in some 15 minutes. */
enum { REFUSED_MAX = 5, ERRORS_MAX = 12 };

void refusals_init(struct refusals *r)
{
	*r = (struct refusals){.why = STRBUF_INIT};
	table_init(&r->by_path);
}

void refusals_release(struct refusals *r)
{
	table_release(&r->by_path);
	free(r->list);
	strbuf_release(&r->why);
	trouble_release(&r->aside);
}

void refusals_begin_pass(struct refusals *r)
{
	r->pass++;
	r->nr_in_pass = 0;
}

static uint64_t hash_of(const struct spool_file *file)
{
	return hash_text(file->path, strlen(file->path));
}

/* Returns the refusal of the window, or NULL if there is none. */
static struct refusal *find(const struct refusals *r, const struct spool_file *file)
{
	const uint32_t *at = table_get(&r->by_path, hash_of(file), 0);

	return at && r->list[*at].nr ? &r->list[*at] : NULL;
}

static struct refusal *add_first(struct refusals *r, const struct spool_file *file)
{
	bool is_new;
	uint32_t *at = table_put(&r->by_path, hash_of(file), 0, &is_new);

	if (is_new) {
		*at = (uint32_t)r->nr++;
		ALLOC_GROW(r->list, *at, r->alloc);
	}
	r->list[*at] = (struct refusal){.first = r->nr_taken, .last = r->nr_taken, .nr = 1};
	return &r->list[*at];
}

bool refusals_has(const struct refusals *r, const struct spool_file *file)
{
	return find(r, file) != NULL;
}

static int compare_files(const void *va, const void *vb, void *refusals)
{
	const struct spool_file *a = va, *b = vb;
	const struct refusal *of_a = find(refusals, a), *of_b = find(refusals, b);
	int order = compare_u64(of_a ? of_a->pass : 0, of_b ? of_b->pass : 0);

	return order ? order : strcmp(a->path, b->path);
}

void refusals_sort(struct refusals *r, struct spool_list *files)
{
	if (files->nr)
		qsort_r(files->list, files->nr, sizeof(*files->list), compare_files, r);
}

void refusals_forget(struct refusals *r, const struct spool_file *file)
{
	struct refusal *refusal = find(r, file);

	if (refusal)
		refusal->nr = 0;
}

/* Says that the window FROM is kept as TO, at most each TROUBLE_QUIET_S. */
static void say_aside(struct refusals *r, unsigned nr, const char *from, const char *to)
{
	char *text = xasprintf("%s, %u times while others were taken: '%s' is kept as '%s'",
		r->why.buf, nr, from, to);
	int64_t now = monotonic_ns();

	if (trouble_note(&r->aside, text, "", now)) {
		program_say("%s", text);
		trouble_note(&r->aside, "", "", now);
	}
	free(text);
}

static void set_aside(struct refusals *r, const struct spool_file *file, unsigned nr)
{
	char *other = spool_set_aside(file, "refused", NULL);

	if (!other)
		return;
	say_aside(r, nr, file->path, other);
	refusals_forget(r, file);
	free(other);
}

void refusals_add(
	struct refusals *r, const struct spool_file *file, bool is_error, const struct strbuf *why)
{
	const unsigned nr_max = is_error ? ERRORS_MAX : REFUSED_MAX;
	struct refusal *refusal = find(r, file);

	r->nr_in_pass++;
	strbuf_reset(&r->why);
	strbuf_add(&r->why, why->buf, strcspn(why->buf, "\n"));
	if (!refusal)
		refusal = add_first(r, file);
	refusal->nr += r->nr_taken > refusal->last;
	refusal->last = r->nr_taken;
	refusal->pass = r->pass;
	if (refusal->nr >= nr_max)
		set_aside(r, file, refusal->nr);
}

size_t refusals_left(
	const struct refusals *r, const struct spool_list *files, bool last, struct strbuf *out)
{
	bool is_open = last;
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++) {
		const struct refusal *refusal = find(r, &files->list[i]);

		nr += refusal != NULL;
		is_open |= refusal && refusal->first == r->nr_taken;
	}
	if (nr && is_open)
		strbuf_addf(out, "%s, windows left: %zu\n", r->why.buf, nr);
	return nr;
}
