/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_modules.h"
#include "input/notes.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "lib/word.h"

#include <stdlib.h>
#include <string.h>

enum { COMMON = 8 }; /* a name in more modules than this is ignored */

enum { IN_BEFORE = 1, IN_AFTER = 2, IN_BOTH = 3 };

/* The matching of two profiles. Strings are numbers in the pool. */
struct matching {
	const struct profile *before, *after;
	struct strpool pool;
	uint8_t *in;     /* for each string: profiles with this module; IN_BOTH if matched */
	uint32_t *as;    /* for each string: the module after that it is matched with, or 0 */
	uint32_t *sizes; /* for each string: number of functions in the module */
};

/* A name by which modules are matched: a function of the module, or its file name. */
struct mark {
	uint32_t name, module;
};

struct marks {
	struct mark *list;
	size_t nr;
};

struct pair {
	uint32_t before, after, shared;
};

struct pairs {
	struct table numbers; /* maps the two modules to an index in the list */
	struct pair *list;
	uint32_t nr;
	size_t alloc;
};

static uint32_t module_of(struct matching *m, const struct profile *p, uint32_t frame)
{
	return strpool_import(&m->pool, &p->names, p->frames[frame].module);
}

static uint32_t file_of(struct matching *m, uint32_t module)
{
	char *path = xstrdup(strpool_get(&m->pool, module)); /* adding moves the pool's strings */
	uint32_t id = strpool_adds(&m->pool, file_name(path));

	free(path);
	return id;
}

static void add_strings(struct matching *m, const struct profile *p)
{
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		strpool_import(&m->pool, &p->names, p->frames[i].name);
		file_of(m, module_of(m, p, i));
	}
}

static void matching_init(
	struct matching *m, const struct profile *before, const struct profile *after)
{
	*m = (struct matching){.before = before, .after = after};
	strpool_init(&m->pool);
	add_strings(m, before);
	add_strings(m, after);
	m->in = xcalloc(m->pool.nr, sizeof(*m->in));
	m->as = xcalloc(m->pool.nr, sizeof(*m->as));
	m->sizes = xcalloc(m->pool.nr, sizeof(*m->sizes));
	for (uint32_t i = 1; i < before->nr_frames; i++)
		m->in[module_of(m, before, i)] |= IN_BEFORE;
	for (uint32_t i = 1; i < after->nr_frames; i++)
		m->in[module_of(m, after, i)] |= IN_AFTER;
	m->in[0] = IN_BOTH; /* no module */
}

static void matching_release(struct matching *m)
{
	strpool_release(&m->pool);
	free(m->in);
	free(m->as);
	free(m->sizes);
}

static int compare_marks(const void *va, const void *vb)
{
	const struct mark *a = va, *b = vb;
	int c = (a->name > b->name) - (a->name < b->name);

	return c ? c : (a->module > b->module) - (a->module < b->module);
}

/* Sorts marks and removes duplicates. */
static void sort_marks(struct marks *marks)
{
	size_t nr = 0;

	qsort(marks->list, marks->nr, sizeof(*marks->list), compare_marks);
	for (size_t i = 0; i < marks->nr; i++)
		if (!nr || compare_marks(&marks->list[nr - 1], &marks->list[i]))
			marks->list[nr++] = marks->list[i];
	marks->nr = nr;
}

/* Returns the marks of P's modules that are not matched and are only in SIDE. */
static struct marks find_marks(struct matching *m, const struct profile *p, int side, bool files)
{
	struct marks marks = {.list = xcalloc(p->nr_frames, sizeof(*marks.list))};

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		uint32_t module = module_of(m, p, i);

		if (m->in[module] != side || (!files && frame_is_unnamed(p, i)))
			continue;
		marks.list[marks.nr++] = (struct mark){
			.name = files ? file_of(m, module)
				      : strpool_import(&m->pool, &p->names, p->frames[i].name),
			.module = module,
		};
	}
	sort_marks(&marks);
	for (size_t i = 0; i < marks.nr; i++)
		m->sizes[marks.list[i].module]++;
	return marks;
}

static void count_pair(struct pairs *pairs, uint32_t before, uint32_t after)
{
	bool is_new;
	uint32_t *number = table_put(&pairs->numbers, before, after, &is_new);

	if (is_new) {
		ALLOC_GROW(pairs->list, pairs->nr, pairs->alloc);
		pairs->list[pairs->nr] = (struct pair){before, after, 0};
		*number = pairs->nr++;
	}
	pairs->list[*number].shared++;
}

/* Returns the number of marks from AT on that have the same name. */
static size_t run(const struct marks *marks, size_t at)
{
	size_t end = at;

	while (end < marks->nr && marks->list[end].name == marks->list[at].name)
		end++;
	return end - at;
}

static void find_pairs(struct pairs *pairs, const struct marks *before, const struct marks *after)
{
	size_t i = 0, k = 0;

	while (i < before->nr && k < after->nr) {
		const struct mark *b = &before->list[i], *a = &after->list[k];
		size_t nr_b = run(before, i), nr_a = run(after, k);

		if (a->name == b->name && nr_b <= COMMON && nr_a <= COMMON)
			for (size_t n = 0; n < nr_b * nr_a; n++)
				count_pair(pairs, b[n / nr_a].module, a[n % nr_a].module);
		if (b->name <= a->name)
			i += nr_b;
		if (a->name <= b->name)
			k += nr_a;
	}
}

static int compare_pairs(const void *va, const void *vb, void *pool)
{
	const struct pair *a = va, *b = vb;
	int c = (a->shared < b->shared) - (a->shared > b->shared);

	if (!c)
		c = strpool_compare(pool, a->before, b->before);
	return c ? c : strpool_compare(pool, a->after, b->after);
}

/* Two modules match if they share at least half of the marks of the smaller one. */
static void match(struct matching *m, bool files)
{
	struct marks before = find_marks(m, m->before, IN_BEFORE, files);
	struct marks after = find_marks(m, m->after, IN_AFTER, files);
	struct pairs pairs = {0};

	table_init(&pairs.numbers);
	find_pairs(&pairs, &before, &after);
	if (pairs.nr)
		qsort_r(pairs.list, pairs.nr, sizeof(*pairs.list), compare_pairs, &m->pool);
	for (uint32_t i = 0; i < pairs.nr; i++) {
		const struct pair *pair = &pairs.list[i];
		uint32_t size = m->sizes[pair->before];

		if (m->sizes[pair->after] < size)
			size = m->sizes[pair->after];
		if (m->in[pair->before] == IN_BOTH || m->in[pair->after] == IN_BOTH ||
			pair->shared < size - size / 2)
			continue;
		m->as[pair->before] = pair->after;
		m->in[pair->before] = m->in[pair->after] = IN_BOTH;
	}
	table_release(&pairs.numbers);
	free(pairs.list);
	free(before.list);
	free(after.list);
}

static void note_matches(struct matching *m, struct strbuf *notes)
{
	for (uint32_t id = 1; id < m->pool.nr; id++) {
		const char *before = strpool_get(&m->pool, id);
		const char *after = strpool_get(&m->pool, m->as[id]);

		if (!m->as[id] || !strcmp(file_name(before), file_name(after)))
			continue;
		message_add_path(notes, before);
		strbuf_adds(notes, " before is matched with ");
		message_add_path(notes, after);
		strbuf_adds(notes, " after\n");
	}
}

static void rename_unnamed(struct profile *p, struct frame *frame)
{
	const char *file = file_name(strpool_get(&p->names, frame->module));
	const char *old = strpool_get(&p->names, frame->name);
	size_t len = name_of_start(old, strpool_len(&p->names, frame->name));
	char *name = len ? xasprintf("%s%s", file, old + len) : xasprintf("[%s]", file);

	frame->name = strpool_adds(&p->names, name);
	free(name);
}

/* Rebuilds BEFORE's tree with the matched modules. */
static void apply(struct matching *m, struct profile *before)
{
	struct profile old = *before;
	uint32_t *frame_of = xcalloc(old.nr_frames, sizeof(*frame_of));

	profile_init(before);
	profile_describe(before, &old);
	for (uint32_t i = 1; i < old.nr_frames; i++) {
		uint32_t as = m->as[module_of(m, &old, i)];
		struct frame frame = profile_import_frame(before, &old, i);

		if (as) {
			frame.module = strpool_import(&before->names, &m->pool, as);
			if (frame_is_unnamed(&old, i))
				rename_unnamed(before, &frame);
		}
		frame_of[i] = profile_add_frame(before, &frame);
	}
	profile_add_tree(before, &old, frame_of);
	profile_finish(before);
	profile_release(&old);
	free(frame_of);
}

void diff_match_modules(struct profile *before, const struct profile *after, struct strbuf *notes)
{
	struct matching m;
	bool found = false;

	matching_init(&m, before, after);
	match(&m, true);
	memset(m.sizes, 0, m.pool.nr * sizeof(*m.sizes));
	match(&m, false);
	for (uint32_t id = 0; id < m.pool.nr; id++)
		found |= m.as[id] != 0;
	if (found) {
		note_matches(&m, notes);
		apply(&m, before);
	}
	matching_release(&m);
}
