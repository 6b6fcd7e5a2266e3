/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "groups.h"
#include "input/notes.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/leaves.h"
#include "model/recording.h"

#include <stdlib.h>
#include <string.h>

/*
 * The values of the keys of a frame or, with zeros for these keys, of a stack: numbers in
 * categories.names. Its bytes are its identity.
 */
struct combination {
	uint32_t values[REPORT_KEYS_MAX];
	uint32_t module; /* in the profile's names, if modules are shown */
	uint32_t kernel; /* whether it is a function of the kernel without a module */
};

struct group_index {
	struct report_entries *groups;
	const struct report_keys *keys;
	struct strpool combinations;
	struct table numbers; /* maps the combinations of a stack and a frame to a group */
	struct table frames;  /* maps a frame and its category to a combination */
	struct strbuf name;
	uint32_t alloc, values_alloc;
};

/*
 * Sets the name of a module's group: its path, "[kernel]", the file "libfoo.so" of the frame
 * "libfoo.so+0x1200", or the kind of frame, such as "[perl]".
 */
static void name_module(struct group_index *x, const struct profile *p, uint32_t frame)
{
	const char *path = profile_module(p, frame);
	enum frame_kind kind = rules_is_kernel(p, frame) ? FRAME_KERNEL : p->frames[frame].kind;
	size_t len;

	if (*path) {
		strbuf_adds(&x->name, path);
	} else if (frame_is_unnamed(p, frame)) {
		const char *file = rules_module(p, frame, &len);
		bool is_file = *profile_name(p, frame, NULL) != '[';

		strbuf_adds(&x->name, is_file ? "" : "[");
		strbuf_add(&x->name, file, len);
		strbuf_adds(&x->name, is_file ? "" : "]");
	} else if (kind == FRAME_USER || kind == FRAME_INLINE) {
		strbuf_adds(&x->name, "[unknown]");
	} else {
		strbuf_addf(&x->name, "[%s]", frame_kind_word(kind));
	}
}

static void name_source(
	struct group_index *x, enum report_by by, const struct profile *p, uint32_t frame)
{
	const char *source = strpool_get(&p->names, p->frames[frame].source);
	const char *line = by == BY_FILE ? strrchr(source, ':') : NULL;

	if (*source)
		strbuf_add(&x->name, source, line ? (size_t)(line - source) : strlen(source));
	else
		strbuf_adds(&x->name, "[no source]");
}

/* Sets the name of a function, without the source line that follows it if lines are keys, too. */
static void name_function(struct group_index *x, const struct profile *p, uint32_t frame)
{
	const char *source = strpool_get(&p->names, p->frames[frame].source);
	size_t len, more = strlen(source) + 1;
	const char *name = profile_name(p, frame, &len);
	bool lines = report_keys_have(x->keys, BY_FILE) || report_keys_have(x->keys, BY_LINE);

	if (lines && *source && len > more && name[len - more] == ' ' && ends_with(name, source))
		len -= more;
	strbuf_add(&x->name, name, len);
}

/* Returns the value of a key of frames. CATEGORY is the frame's. */
static uint32_t value_of_frame(
	struct group_index *x, enum report_by by, uint32_t frame, uint32_t category)
{
	const struct profile *p = x->groups->p;

	strbuf_reset(&x->name);
	if (by == BY_CATEGORY)
		return category;
	if (by == BY_MODULE)
		name_module(x, p, frame);
	else if (by == BY_FUNCTION)
		name_function(x, p, frame);
	else
		name_source(x, by, p, frame);
	return strpool_add(&x->groups->categories.names, x->name.buf, x->name.len);
}

static uint32_t add_combination(struct group_index *x, const struct combination *c)
{
	return strpool_add(&x->combinations, (const char *)c, sizeof(*c));
}

static struct combination get_combination(const struct group_index *x, uint32_t number)
{
	struct combination c;

	memcpy(&c, strpool_get(&x->combinations, number), sizeof(c));
	return c;
}

/* Returns the combination of the keys of frames. */
static uint32_t combination_of_frame(struct group_index *x, uint32_t frame, uint32_t category)
{
	const struct profile *p = x->groups->p;
	struct combination c = {0};
	bool is_new;
	uint32_t *known = table_put(&x->frames, frame, category, &is_new);

	if (!is_new)
		return *known;
	for (size_t i = 0; i < x->keys->nr; i++)
		if (!report_by_is_of_stacks(x->keys->list[i]))
			c.values[i] = value_of_frame(x, x->keys->list[i], frame, category);
	if (report_keys_add_module(x->keys))
		c.module = p->frames[frame].module;
	if (report_keys_have(x->keys, BY_FUNCTION))
		c.kernel = !p->frames[frame].module && rules_is_kernel(p, frame);
	return *known = add_combination(x, &c);
}

/* Returns the combination of the keys of stacks for stacks without task and label. */
static uint32_t no_combination(struct group_index *x)
{
	struct strpool *names = &x->groups->categories.names;
	struct combination c = {0};

	for (size_t i = 0; i < x->keys->nr; i++) {
		if (!report_by_is_of_stacks(x->keys->list[i]))
			continue;
		strbuf_reset(&x->name);
		if (x->keys->list[i] == BY_LABEL)
			recording_add_no_label(report_keys_label(x->keys, i), &x->name);
		else
			strbuf_adds(&x->name, "[unknown]");
		c.values[i] = strpool_add(names, x->name.buf, x->name.len);
	}
	return add_combination(x, &c);
}

/* Returns combination NUMBER with the value of key KEY, unless there is no such key. */
static uint32_t with_value(struct group_index *x, uint32_t number, size_t key, const char *value)
{
	struct combination c = get_combination(x, number);

	if (key < x->keys->nr)
		c.values[key] = strpool_adds(&x->groups->categories.names, value);
	return add_combination(x, &c);
}

/* Whether a node stands for a task, a label, or the note that there is none. */
static bool is_root(const struct group_index *x, uint32_t node)
{
	const struct profile *p = x->groups->p;
	const struct frame *f = &p->frames[p->nodes[node].frame];

	if (f->kind == FRAME_TASK || f->label == LABEL_BY)
		return true;
	if (f->kind != FRAME_NOTE || p->nodes[node].parent || !x->keys->nr_labels)
		return false;
	const char *name = profile_name(p, p->nodes[node].frame, NULL);
	const char *label = x->keys->labels[0];
	size_t len = strlen(label);

	return begins_with(name, strlen(name), "[no ") && !strncmp(name + 4, label, len) &&
	       !strcmp(name + 4 + len, "]");
}

/* Returns for each node the combination of its stack's keys. The caller frees the array. */
static uint32_t *combinations_of_stacks(struct group_index *x)
{
	const struct profile *p = x->groups->p;
	uint32_t *of = xcalloc(p->nr_nodes, sizeof(*of));
	uint8_t *labels = xcalloc(p->nr_nodes, sizeof(*labels)); /* in the stack, up to the node */

	of[0] = no_combination(x);
	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* a parent's number is below its children's */
		const struct frame *f = &p->frames[p->nodes[i].frame];
		uint32_t parent = p->nodes[i].parent;

		of[i] = of[parent];
		labels[i] = labels[parent] + (f->label == LABEL_BY);
		if (f->kind == FRAME_TASK)
			of[i] = with_value(x, of[i],
				f->label == LABEL_BY ? report_keys_of_label(x->keys, labels[parent])
						     : report_keys_of_task(x->keys),
				profile_name(p, p->nodes[i].frame, NULL));
	}
	free(labels);
	return of;
}

static void add_group(struct group_index *x, uint32_t frame, const struct combination *c)
{
	struct report_entries *g = x->groups;
	uint32_t at = g->nr * (uint32_t)x->keys->nr;

	ALLOC_GROW(g->list, g->nr, x->alloc);
	while (x->values_alloc < at + x->keys->nr) {
		x->values_alloc = x->values_alloc * 2 + REPORT_KEYS_MAX;
		g->values = xrealloc(g->values, x->values_alloc, sizeof(*g->values));
	}
	memcpy(g->values + at, c->values, x->keys->nr * sizeof(*c->values));
	g->list[g->nr++] =
		(struct report_entry){.frame = frame, .category = at, .kernel = c->kernel};
}

/*
 * Returns the index of the group with the combinations OF_STACK and OF_FRAME, which is 0 if there
 * are no keys of frames. Adds the group if it is new.
 */
static uint32_t number_of_group(
	struct group_index *x, uint32_t of_stack, uint32_t of_frame, uint32_t frame)
{
	bool is_new;
	uint32_t *number = table_put(&x->numbers, of_stack, of_frame, &is_new);

	if (!is_new)
		return *number;
	*number = x->groups->nr;

	struct combination c = get_combination(x, of_stack);

	if (of_frame) {
		struct combination own = get_combination(x, of_frame);

		for (size_t i = 0; i < x->keys->nr; i++)
			c.values[i] += own.values[i]; /* one of them is 0 */
		c.kernel = own.kernel;
	}
	add_group(x, frame, &c);
	return x->groups->nr - 1;
}

/* CATEGORIES has the category of each node, or is NULL. */
static void add_up_frames(
	struct group_index *x, const uint32_t *of_stack, const uint32_t *categories)
{
	const struct profile *p = x->groups->p;
	uint32_t *number = xcalloc(p->nr_nodes, sizeof(*number));
	struct leaves leaves;

	leaves_init(&leaves, p);
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[i].frame, category = categories ? categories[i] : 0;

		number[i] = NO_ENTRY;
		if (!is_root(x, i) && !leaves_is_state(&leaves, i))
			number[i] = number_of_group(
				x, of_stack[i], combination_of_frame(x, frame, category), frame);
	}
	leaves_release(&leaves);
	entries_add_up(x->groups->list, x->groups->nr, number, p);
	free(number);
}

static void add_up_stacks(struct group_index *x, const uint32_t *of_stack)
{
	const struct profile *p = x->groups->p;

	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		if (!p->nodes[i].self)
			continue;
		uint32_t number = number_of_group(x, of_stack[i], 0, 0);

		add_capped(&x->groups->list[number].inclusive, p->nodes[i].self);
	}
}

bool groups_have_counts(const struct value_counts *counts, const struct report_keys *keys)
{
	return counts->stacks ? report_keys_are_of_stacks(keys) : report_keys_are_a_label(keys);
}

/* Adds the counts of what had the stacks of the nodes, whose combinations are OF_STACK. */
static void add_node_counts(struct group_index *x, size_t which, const uint32_t *of_stack)
{
	const struct profile *p = x->groups->p;

	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		uint64_t nr = value_counts_of_node(&p->counted[which], i);
		uint32_t number = nr ? number_of_group(x, of_stack[i], 0, 0) : 0;

		if (nr)
			add_capped(&x->groups->list[number].counts[which], nr);
	}
}

/* Adds the counts of the label's values, also of values that no stack has. */
static void add_value_counts(struct group_index *x, size_t which)
{
	const struct value_counts *t = &x->groups->p->counted[which];
	uint32_t none = no_combination(x);

	for (uint32_t i = 0; i < t->values.nr && i < t->alloc; i++) {
		if (!t->counts[i])
			continue;
		uint32_t of = with_value(x, none, 0, strpool_get(&t->values, i));
		uint32_t number = number_of_group(x, of, 0, 0);

		x->groups->list[number].counts[which] = t->counts[i];
	}
}

static void add_counts(struct group_index *x, const uint32_t *of_stack)
{
	const struct profile *p = x->groups->p;

	for (size_t i = 0; i < COUNTED_MAX; i++) {
		if (!groups_have_counts(&p->counted[i], x->keys))
			continue;
		if (p->counted[i].stacks)
			add_node_counts(x, i, of_stack);
		else
			add_value_counts(x, i);
	}
}

const char *group_value(
	const struct report_entries *groups, const struct report_entry *group, size_t key)
{
	return strpool_get(&groups->categories.names, groups->values[group->category + key]);
}

static int compare_values(
	const struct group_index *x, const struct report_entry *a, const struct report_entry *b)
{
	const struct report_entries *g = x->groups;
	int c = 0;

	for (size_t i = 0; !c && i < x->keys->nr; i++)
		c = strpool_compare(&g->categories.names, g->values[a->category + i],
			g->values[b->category + i]);
	return c;
}

static int compare_groups(const void *va, const void *vb, void *arg)
{
	const struct group_index *x = arg;
	const struct profile *p = x->groups->p;
	const struct report_entry *a = va, *b = vb;
	int c = (a->self < b->self) - (a->self > b->self);

	if (!c)
		c = (a->inclusive < b->inclusive) - (a->inclusive > b->inclusive);
	if (!c)
		c = compare_u64(b->counts[0], a->counts[0]);
	if (!c)
		c = compare_values(x, a, b);
	if (!c)
		c = strpool_compare(
			&p->names, p->frames[a->frame].module, p->frames[b->frame].module);
	return c ? c : a->kernel - b->kernel;
}

static bool has_counts(const struct report_entry *entry)
{
	for (size_t i = 0; i < COUNTED_MAX; i++)
		if (entry->counts[i])
			return true;
	return false;
}

static void sort(struct group_index *x)
{
	struct report_entries *g = x->groups;

	if (g->nr)
		qsort_r(g->list, g->nr, sizeof(*g->list), compare_groups, x);
	while (g->nr && !g->list[g->nr - 1].inclusive && !has_counts(&g->list[g->nr - 1]))
		g->nr--;
}

/* Starts the groups. Returns the category of each node if a key needs it, otherwise NULL. */
static uint32_t *begin(struct group_index *x, const struct profile *p, const struct rules *rules)
{
	if (report_keys_have(x->keys, BY_CATEGORY))
		return entries_begin_categories(x->groups, p, rules);
	*x->groups = (struct report_entries){.p = p};
	strpool_init(&x->groups->categories.names);
	return NULL;
}

void groups_init(struct report_entries *groups, const struct profile *p,
	const struct report_keys *keys, const struct rules *rules)
{
	struct group_index x = {.groups = groups, .keys = keys, .name = STRBUF_INIT};
	uint32_t *categories = begin(&x, p, rules);

	strpool_init(&x.combinations);
	table_init(&x.numbers);
	table_init(&x.frames);
	uint32_t *of_stack = combinations_of_stacks(&x);

	if (report_keys_are_of_stacks(keys))
		add_up_stacks(&x, of_stack);
	else
		add_up_frames(&x, of_stack, categories);
	add_counts(&x, of_stack);
	sort(&x);
	free(of_stack);
	free(categories);
	table_release(&x.frames);
	table_release(&x.numbers);
	strpool_release(&x.combinations);
	strbuf_release(&x.name);
}
