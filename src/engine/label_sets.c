/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label_sets.h"
#include "label/label_processes.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "samples.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * While recording, so many times more values are kept than at the end, when it is known which
 * matter.
 */
enum { KEPT_TIMES = 16 };

enum {
	SETS_MAX = 1 << 17,    /* received sets, until they are swept */
	LABELS_KEPT = 1 << 20, /* labels in all sets of samples; a set has about ten */
};

static const char other[] = "other";

void label_sets_init(struct label_sets *sets, struct samples *samples,
	struct label_processes *processes, uint32_t max)
{
	*sets = (struct label_sets){
		.samples = samples, .processes = processes, .max = max, .max_labels = LABELS_KEPT};
	table_init(&sets->by_id);
	table_init(&sets->recent);
	table_init(&sets->values);
}

void label_sets_release(struct label_sets *sets)
{
	table_release(&sets->by_id);
	table_release(&sets->recent);
	table_release(&sets->values);
	*sets = (struct label_sets){0};
}

/*
 * Returns the place of the label KEY in nr_values if clients choose its values, or -1 if they do
 * not. Sources may have a label in common, which has one place.
 */
static int unbounded_key(const struct label_sets *sets, const char *key)
{
	const struct chosen_sources *chosen = &sets->processes->chosen;

	for (size_t i = 0; i < chosen->nr; i++) {
		const struct label_source *source = chosen->list[i].source;
		int index = label_key_index(source, key, strlen(key));

		if (index >= 0 && source->keys[index].unbounded)
			return (int)source->kind * LABEL_KEYS_MAX + index;
	}
	return -1;
}

/* Returns whether VALUE of label number INDEX is a kept value, or becomes one. */
static bool keep_value(struct label_sets *sets, int index, const char *value)
{
	uint64_t hash = hash_text(value, strlen(value));
	bool is_new;

	if (table_get(&sets->values, (uint64_t)index, hash))
		return true;
	if (sets->nr_values[index] >= (uint64_t)sets->max * KEPT_TIMES)
		return false;
	table_put(&sets->values, (uint64_t)index, hash, &is_new);
	sets->nr_values[index]++;
	return true;
}

/*
 * Returns VALUE, or "other" if there are too many values of KEY, or too many sets to add a new one
 * with SET and VALUE.
 */
static const char *admit(struct label_sets *sets, uint32_t set, const char *key, const char *value)
{
	int index = unbounded_key(sets, key);

	if (index < 0)
		return value;
	if (!keep_value(sets, index, value)) {
		sets->nr_other++;
		return other;
	}
	if (sets->samples->nr_labels >= sets->max_labels &&
		!samples_has_label(sets->samples, set, key, value)) {
		sets->nr_refused++;
		return other;
	}
	return value;
}

/* A set to which labels are added. */
struct growing_set {
	struct label_sets *sets;
	uint32_t set;
};

static void take_label(void *context, const char *key, const char *value)
{
	struct growing_set *g = context;

	value = admit(g->sets, g->set, key, value);
	g->set = samples_label(g->sets->samples, g->set, key, value);
}

void label_sets_add(struct label_sets *sets, const struct label_new_set *set)
{
	struct growing_set growing = {.sets = sets};
	bool is_new;

	label_processes_take(sets->processes, set, &(struct label_taker){take_label, &growing});
	*table_put(&sets->by_id, set->id, 0, &is_new) = growing.set;
}

/* Returns the name of the source's place NUMBER, or NULL if it has no such place. */
static const char *place_of(const struct label_source *source, uint64_t number)
{
	uint64_t i = 1;

	if (number == LABEL_EARLIER)
		return "earlier";
	while (i < number && source->places[i])
		i++;
	return number ? source->places[i] : NULL;
}

/* Returns the set with the labels of the programs' set ID, which is of SOURCE, and of OTHERS. */
static uint32_t join(struct label_sets *sets, const struct label_source *source, uint64_t id,
	uint32_t others, uint64_t count)
{
	uint64_t number = label_set_number(id);
	const uint32_t *set;
	bool is_new;

	if (number <= LABEL_PLACES_MAX) {
		const char *place = place_of(source, number);

		return place ? samples_label(sets->samples, others, source->place, place) : others;
	}
	set = table_get(&sets->by_id, id, 0);
	if (!set)
		sets->nr_unknown += count;
	else
		*table_put(&sets->recent, id, 0, &is_new) = *set;
	if (!set || !*set)
		return others;
	if (!others)
		return *set;
	const struct sample_label label = sets->samples->labels[others];
	const struct strpool *strings = &sets->samples->strings;
	uint32_t rest = join(sets, source, id, label.others, 0);
	char *key = xstrdup(strpool_get(strings, label.key));
	char *value = xstrdup(strpool_get(strings, label.value));
	uint32_t joined = samples_label(sets->samples, rest, key, value);

	free(key);
	free(value);
	return joined;
}

/* Returns what is chosen of the source of the set ID in process PID, or NULL if it has none. */
static const struct chosen_source *choice_of(
	const struct label_processes *lp, uint64_t id, uint32_t pid)
{
	const struct label_source *source = id ? NULL : label_processes_source(lp, pid);
	uint32_t kind = source ? source->kind : label_set_kind(id);

	return label_chosen(&lp->chosen, kind);
}

uint32_t label_sets_join(
	struct label_sets *sets, uint64_t id, uint32_t pid, uint32_t others, uint64_t count)
{
	const struct chosen_source *choice = sets ? choice_of(sets->processes, id, pid) : NULL;
	const struct label_source *source = choice ? choice->source : NULL;
	char process[12];

	if (!source)
		return others;
	if (id)
		others = join(sets, source, id, others, count);
	struct growing_set growing = {sets, others};

	label_processes_take_own(sets->processes, pid, &(struct label_taker){take_label, &growing});
	others = growing.set;
	if (!(choice->keys >> source->process & 1) || label_processes_unused(sets->processes, pid))
		return others;
	snprintf(process, sizeof(process), "%" PRIu32, pid);
	return samples_label(sets->samples, others, source->keys[source->process].name, process);
}

bool label_sets_is_full(const struct label_sets *sets)
{
	return sets->by_id.nr > SETS_MAX;
}

void label_sets_sweep(struct label_sets *sets, int sent)
{
	const struct table *all = &sets->by_id;

	for (size_t i = 0; i <= all->mask && sent >= 0; i++)
		if (all->slots[i].used && !table_get(&sets->recent, all->slots[i].a, 0))
			bpf_map_delete_elem(sent, &all->slots[i].a);
	table_release(&sets->by_id);
	sets->by_id = sets->recent;
	table_init(&sets->recent);
}

/* ---- the limit ---- */

/*
 * A value of a label and its weights: the sum of the first event, which is sampled, and the sum of
 * the events that are counted.
 */
struct label_weight {
	uint32_t key, value; /* in strings */
	uint64_t sum, counted;
	bool dropped;
};

struct weights {
	struct label_weight *list;
	size_t nr, alloc;
	struct table by_value; /* key, value -> index in list */
};

static int compare_weights(const void *a, const void *b)
{
	const struct label_weight *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	if (x->counted != y->counted)
		return x->counted > y->counted ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static void weigh(const struct label_sets *sets, struct weights *w)
{
	const struct samples *s = sets->samples;

	for (size_t i = 1; i < s->nr_rows; i++)
		for (uint32_t set = s->rows[i].key.labels; set; set = s->labels[set].others) {
			const struct sample_label *l = &s->labels[set];
			bool is_new;

			if (unbounded_key(sets, strpool_get(&s->strings, l->key)) < 0 ||
				!strcmp(strpool_get(&s->strings, l->value), other))
				continue;
			uint32_t *at = table_put(&w->by_value, l->key, l->value, &is_new);

			if (is_new) {
				*at = (uint32_t)w->nr;
				ALLOC_GROW(w->list, w->nr, w->alloc);
				w->list[w->nr++] =
					(struct label_weight){.key = l->key, .value = l->value};
			}
			add_capped(s->rows[i].key.event ? &w->list[*at].counted : &w->list[*at].sum,
				s->rows[i].sum);
		}
}

/* Marks all values of each key but the MAX heaviest as dropped. Returns how many these are. */
static uint64_t drop_light(struct weights *w, uint32_t max)
{
	uint64_t dropped = 0;
	uint32_t kept = 0;
	bool is_new;

	if (w->nr)
		qsort(w->list, w->nr, sizeof(*w->list), compare_weights);
	for (size_t i = 0; i < w->nr; i++) {
		if (!i || w->list[i].key != w->list[i - 1].key)
			kept = 0;
		w->list[i].dropped = kept++ >= max;
		dropped += w->list[i].dropped;
		*table_put(&w->by_value, w->list[i].key, w->list[i].value, &is_new) = (uint32_t)i;
	}
	return dropped;
}

/* Returns for each set the set without the dropped values. */
static uint32_t *replace(struct samples *s, const struct weights *w)
{
	size_t nr = s->nr_labels;
	uint32_t *to = xcalloc(nr, sizeof(*to));

	/* the rest of a set has a lower number */
	for (size_t i = 1; i < nr; i++) {
		const struct sample_label l = s->labels[i];
		const uint32_t *at = table_get(&w->by_value, l.key, l.value);
		char *key = xstrdup(strpool_get(&s->strings, l.key));
		char *value = xstrdup(
			at && w->list[*at].dropped ? other : strpool_get(&s->strings, l.value));

		to[i] = samples_label(s, to[l.others], key, value);
		free(key);
		free(value);
	}
	return to;
}

uint32_t *label_sets_limit(struct label_sets *sets, struct strbuf *notes)
{
	const struct label_source *counted = sets->processes->counted;
	struct weights w = {0};

	if (!sets->processes->chosen.nr)
		return NULL;
	table_init(&w.by_value);
	weigh(sets, &w);
	uint64_t dropped = drop_light(&w, sets->max);
	uint32_t *to = dropped ? replace(sets->samples, &w) : NULL;

	if (dropped + sets->nr_other)
		strbuf_addf(notes,
			"%" PRIu64
			" values of labels count as \"other\": of each label the %" PRIu32
			" most frequent ones are kept; --labels changes that\n",
			dropped + sets->nr_other, sets->max);
	if (sets->nr_refused)
		strbuf_addf(notes,
			"%" PRIu64 " times a value of a label counts as \"other\": there are too "
			"many combinations of values; record fewer labels\n",
			sets->nr_refused);
	if (sets->nr_unknown) {
		strbuf_addf(notes, "%" PRIu64 " samples%s%s have no labels of ", sets->nr_unknown,
			counted ? " and " : "", counted ? counted->ends : "");
		label_add_titles(&sets->processes->chosen, notes);
		strbuf_adds(notes, ": they were not received\n");
	}
	free(w.list);
	table_release(&w.by_value);
	return to;
}
