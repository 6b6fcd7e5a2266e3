/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusals.h"
#include "lib/hash.h"
#include "lib/program.h"
#include "lib/util.h"
#include "spool.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 5 }; /* of a window, before it is set aside */

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
	r->list[*at] = (struct refusal){.taken = r->nr_taken};
	return &r->list[*at];
}

bool refusals_has(const struct refusals *r, const struct spool_file *file)
{
	return find(r, file) != NULL;
}

bool refusals_has_now(const struct refusals *r, const struct spool_file *file)
{
	const struct refusal *refusal = find(r, file);

	return refusal && refusal->pass == r->pass;
}

void refusals_forget(struct refusals *r, const struct spool_file *file)
{
	struct refusal *refusal = find(r, file);

	if (refusal)
		refusal->nr = 0;
}

/* Says that the window FROM is kept as TO, at most each TROUBLE_QUIET_S. */
static void say_aside(struct refusals *r, const char *from, const char *to)
{
	char *text = xasprintf("%s, refused %d times while others were taken: '%s' is kept as '%s'",
		r->why.buf, TRIALS_MAX, from, to);
	int64_t now = monotonic_ns();

	if (trouble_note(&r->aside, text, "", now)) {
		program_say("%s", text);
		trouble_note(&r->aside, "", "", now);
	}
	free(text);
}

static void set_aside(struct refusals *r, const struct spool_file *file)
{
	char *other = spool_set_aside(file, "refused", NULL);

	if (!other)
		return;
	say_aside(r, file->path, other);
	refusals_forget(r, file);
	free(other);
}

void refusals_add(struct refusals *r, const struct spool_file *file, const struct strbuf *why)
{
	struct refusal *refusal = find(r, file);

	r->nr_in_pass++;
	strbuf_reset(&r->why);
	strbuf_add(&r->why, why->buf, strcspn(why->buf, "\n"));
	if (!refusal)
		refusal = add_first(r, file);
	refusal->pass = r->pass;
	if (++refusal->nr >= TRIALS_MAX && r->nr_taken > refusal->taken)
		set_aside(r, file);
}

size_t refusals_left(
	const struct refusals *r, const struct spool_list *files, bool last, struct strbuf *out)
{
	bool is_open = last;
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++) {
		const struct refusal *refusal = find(r, &files->list[i]);

		nr += refusal != NULL;
		is_open |= refusal && refusal->taken == r->nr_taken;
	}
	if (nr && is_open)
		strbuf_addf(out, "%s, windows left: %zu\n", r->why.buf, nr);
	return nr;
}
