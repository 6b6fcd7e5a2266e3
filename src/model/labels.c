/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "labels.h"
#include "lib/util.h"
#include "lib/word.h"

#include <stdlib.h>
#include <string.h>

void labels_init(struct labels *l)
{
	*l = (struct labels){0};
	table_init(&l->by_pair);
	table_init(&l->by_set);
	ALLOC_GROW(l->sets, l->nr_sets, l->sets_alloc);
	l->sets[l->nr_sets++] = (struct label_set){0};
}

void labels_release(struct labels *l)
{
	free(l->pairs);
	free(l->sets);
	table_release(&l->by_pair);
	table_release(&l->by_set);
	*l = (struct labels){0};
}

uint32_t labels_add_pair(struct labels *l, struct label pair)
{
	bool is_new;
	uint32_t *number = table_put(&l->by_pair, pair.key, pair.value, &is_new);

	if (is_new) {
		*number = (uint32_t)l->nr_pairs;
		ALLOC_GROW(l->pairs, l->nr_pairs, l->pairs_alloc);
		l->pairs[l->nr_pairs++] = pair;
	}
	return *number;
}

/* Returns the set of REST's pairs and PAIR, whose key sorts after all keys of REST. */
static uint32_t extend(struct labels *l, uint32_t rest, uint32_t pair)
{
	bool is_new;
	uint32_t *number = table_put(&l->by_set, rest, pair, &is_new);

	if (is_new) {
		*number = (uint32_t)l->nr_sets;
		ALLOC_GROW(l->sets, l->nr_sets, l->sets_alloc);
		l->sets[l->nr_sets++] = (struct label_set){rest, pair};
	}
	return *number;
}

uint32_t labels_add_set(
	struct labels *l, const struct strpool *strings, const uint32_t *pairs, size_t nr)
{
	uint32_t sorted[LABEL_SET_MAX], set = 0;

	if (nr > LABEL_SET_MAX)
		return UINT32_MAX;
	for (size_t i = 0; i < nr; i++) {
		uint32_t key = l->pairs[pairs[i]].key;
		size_t at = i;

		for (; at && strpool_compare(strings, l->pairs[sorted[at - 1]].key, key) > 0; at--)
			sorted[at] = sorted[at - 1];
		if (at && l->pairs[sorted[at - 1]].key == key)
			return UINT32_MAX;
		sorted[at] = pairs[i];
	}
	for (size_t i = 0; i < nr; i++)
		set = extend(l, set, sorted[i]);
	return set;
}

size_t labels_get(const struct labels *l, uint32_t set, uint32_t pairs[LABEL_SET_MAX])
{
	size_t nr = 0;

	for (uint32_t s = set; s; s = l->sets[s].rest)
		nr++;
	for (size_t i = nr; i--; set = l->sets[set].rest)
		pairs[i] = l->sets[set].pair;
	return nr;
}

uint32_t labels_value(
	const struct labels *l, const struct strpool *strings, uint32_t set, const char *key)
{
	size_t len = strlen(key);

	for (; set; set = l->sets[set].rest) {
		const struct label *pair = &l->pairs[l->sets[set].pair];

		if (strpool_len(strings, pair->key) == len &&
			!memcmp(strpool_get(strings, pair->key), key, len))
			return pair->value;
	}
	return 0;
}

void label_filter_release(struct label_filter *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->choices[i].key);
		free(f->choices[i].value);
		if (f->choices[i].is_pattern)
			pattern_release(&f->choices[i].pattern);
	}
	free(f->choices);
	*f = (struct label_filter){0};
}

static void add_choice(struct label_filter *f, const char *key, const char *value, size_t len)
{
	struct label_choice choice = {.key = xstrdup(key), .value = xstrndup(value, len)};

	choice.value_len = word_decode(choice.value, len);
	choice.is_pattern = memchr(choice.value, '*', choice.value_len) &&
			    !pattern_init(&choice.pattern, choice.value, choice.value_len);
	ALLOC_GROW(f->choices, f->nr, f->alloc);
	f->choices[f->nr++] = choice;
}

void label_filter_add_values(struct label_filter *f, const char *key, const char *list)
{
	for (;;) {
		size_t n = strcspn(list, ",");

		add_choice(f, key, list, n);
		if (!list[n])
			return;
		list += n + 1;
	}
}

int label_filter_add(struct label_filter *f, const char *arg)
{
	const char *equals = strchr(arg, '=');

	if (!equals || equals == arg)
		return -1;
	char *key = xstrndup(arg, (size_t)(equals - arg));

	label_filter_add_values(f, key, equals + 1);
	free(key);
	return 0;
}

static bool is_value(const struct label_choice *c, const char *value, size_t len)
{
	if (c->is_pattern)
		return len && pattern_matches(&c->pattern, value, len);
	return c->value_len == len && !memcmp(c->value, value, len);
}

bool label_filter_has(const struct label_filter *f, const char *key, const char *value, size_t len)
{
	for (size_t i = 0; i < f->nr; i++) {
		const struct label_choice *c = &f->choices[i];

		if (is_value(c, value, len) && !strcmp(c->key, key))
			return true;
	}
	return false;
}

bool label_filter_matches(const struct label_filter *f, const struct labels *l,
	const struct strpool *strings, uint32_t set)
{
	for (size_t i = 0; i < f->nr; i++) {
		const char *key = f->choices[i].key;
		uint32_t value = labels_value(l, strings, set, key);

		if (!label_filter_has(
			    f, key, strpool_get(strings, value), strpool_len(strings, value)))
			return false;
	}
	return true;
}
