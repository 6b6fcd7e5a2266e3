/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels are properties of samples: pairs of key and value (state=S, uri=/cart), and sets of such
 * pairs with different keys. Each different pair and each different set has a number. Strings are
 * numbers in a pool of the caller.
 */
#ifndef MODEL_LABELS_H
#define MODEL_LABELS_H

#include "lib/pattern.h"
#include "lib/strpool.h"
#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { LABEL_SET_MAX = 64 }; /* pairs in one set */

struct label {
	uint32_t key, value;
};

struct labels {
	struct label *pairs;
	size_t nr_pairs, pairs_alloc;
	struct label_set {
		uint32_t rest; /* the set without the pair with the last key */
		uint32_t pair;
	} * sets; /* number 0 is the empty set */
	size_t nr_sets, sets_alloc;
	struct table by_pair, by_set;
};

void labels_init(struct labels *l);
void labels_release(struct labels *l);

/* Returns the number of a pair, from 0. */
uint32_t labels_add_pair(struct labels *l, struct label pair);

/*
 * Returns the number of the set of NR pairs, whose numbers may be in any order. The empty set is 0.
 * Returns UINT32_MAX if there are more than LABEL_SET_MAX pairs, or two with the same key.
 */
uint32_t labels_add_set(
	struct labels *l, const struct strpool *strings, const uint32_t *pairs, size_t nr);

/* Sets PAIRS to the numbers of the set's pairs, sorted by key. Returns how many there are. */
size_t labels_get(const struct labels *l, uint32_t set, uint32_t pairs[LABEL_SET_MAX]);

/* Returns the value of KEY in the set, or 0 if it is missing or empty. */
uint32_t labels_value(
	const struct labels *l, const struct strpool *strings, uint32_t set, const char *key);

/* Selects the sets that have, for every key in the filter, one of its values. */
struct label_filter {
	struct label_choice {
		char *key, *value;
		size_t value_len; /* 0 selects sets without the key */
		struct pattern pattern;
		bool is_pattern;
	} * choices;
	size_t nr, alloc;
};

void label_filter_release(struct label_filter *f);

/*
 * Adds the choices of ARG, which is KEY=VALUE[,VALUE...], with a comma in a value as \x2c. A value
 * with "*" is a pattern, see lib/pattern.h. Returns -1 if ARG has no key.
 */
int label_filter_add(struct label_filter *f, const char *arg);

/* Adds the choices of LIST, values of KEY that are separated by commas. */
void label_filter_add_values(struct label_filter *f, const char *key, const char *list);

/* Returns true if the LEN bytes of VALUE are one of the values of KEY. */
bool label_filter_has(const struct label_filter *f, const char *key, const char *value, size_t len);

bool label_filter_matches(const struct label_filter *f, const struct labels *l,
	const struct strpool *strings, uint32_t set);

#endif
