/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of a recording's rows. */
#include "lib/similar.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "membership.h"
#include "recording.h"
#include "task_filter.h"
#include "waits.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 8 }; /* values in a message */

uint32_t recording_labels(struct recording *rec, const struct label *labels, size_t nr)
{
	uint32_t pairs[LABEL_SET_MAX];
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		bool counts = labels[i].value != 0;

		for (size_t k = 0; k < i; k++)
			counts &= labels[k].key != labels[i].key;
		if (counts && n < LABEL_SET_MAX)
			pairs[n++] = labels_add_pair(&rec->labels, labels[i]);
	}
	return labels_add_set(&rec->labels, &rec->strings, pairs, n);
}

uint32_t recording_state_label(struct recording *rec, const char *state)
{
	struct label label = {
		recording_string(rec, RECORDING_STATE),
		recording_string(rec, state),
	};

	return recording_labels(rec, &label, 1);
}

const char *recording_label(
	const struct recording *rec, const struct rec_row *row, const char *key, size_t *len)
{
	uint32_t value = labels_value(&rec->labels, &rec->strings, row->labels, key);

	*len = strpool_len(&rec->strings, value);
	return recording_get(rec, value);
}

/*
 * Returns for each label set whether a row has it that belongs to the viewed event or, if a label
 * is to be shown, that only counts. Returns NULL if there are no such rows. The caller frees the
 * array.
 */
static bool *find_used_sets(const struct recording *rec, const struct recording_view *view)
{
	bool *used = xcalloc(rec->labels.nr_sets, sizeof(*used)), any = false;
	bool *counts = view->by ? recording_counting_events(rec, view) : NULL;
	uint32_t event = recording_viewed_event(rec, view);

	for (size_t i = 0; i < rec->nr_rows; i++)
		if (rec->rows[i].event == event || (counts && counts[rec->rows[i].event]))
			any = used[rec->rows[i].labels] = true;
	free(counts);
	if (any)
		return used;
	free(used);
	return NULL;
}

static bool is_used(const struct recording *rec, const bool *used, const char *key)
{
	for (uint32_t set = 1; set < rec->labels.nr_sets; set++)
		if (used[set] && labels_value(&rec->labels, &rec->strings, set, key))
			return true;
	return false;
}

/* Appends "; its labels are state, uri", and tries these keys. */
static void add_keys(
	const struct recording *rec, const bool *used, struct similar *similar, struct strbuf *out)
{
	bool *seen = xcalloc(rec->strings.nr, sizeof(*seen));
	const char *before = "; its labels are ";

	for (uint32_t set = 1; set < rec->labels.nr_sets; set++) {
		uint32_t pairs[LABEL_SET_MAX];
		size_t nr = used[set] ? labels_get(&rec->labels, set, pairs) : 0;

		for (size_t i = 0; i < nr; i++) {
			uint32_t key = rec->labels.pairs[pairs[i]].key;

			if (seen[key])
				continue;
			seen[key] = true;
			strbuf_adds(out, before);
			message_add(out, recording_get(rec, key), strpool_len(&rec->strings, key));
			similar_try(
				similar, recording_get(rec, key), strpool_len(&rec->strings, key));
			before = ", ";
		}
	}
	strbuf_adds(out, *before == ';' ? "; it has no labels" : "");
	free(seen);
}

/* Returns the key that has another name in perf and in other programs, or NULL. */
static const char *key_by_habit(const char *word)
{
	static const struct {
		const char *word, *key;
	} habits[] = {{"pid", "process"}, {"tid", "thread"}, {"cmd", "comm"}, {"command", "comm"},
		{"dso", "module"}, {"sym", "function"}, {"symbol", "function"}, {"srcline", "line"},
		{"srcfile", "file"}};

	for (size_t i = 0; i < ARRAY_LEN(habits); i++)
		if (!strcmp(habits[i].word, word))
			return habits[i].key;
	return NULL;
}

void recording_end_no_key(const struct recording_view *view, struct similar *s, struct strbuf *out)
{
	const char *meant = key_by_habit(s->text);
	bool has_meant = false;

	for (size_t i = 0; view->by_words && view->by_words[i]; i++) {
		const char *word = view->by_words[i];

		strbuf_addf(out, "%s%s", i ? ", " : "; other keys are ", word);
		similar_try(s, word, strlen(word));
		has_meant |= meant && !strcmp(meant, word);
	}
	if (has_meant)
		similar_choose(s, meant);
	similar_add(s, out);
	strbuf_addch(out, '\n');
}

/* Appends how to record the label KEY if it is a label of processes. */
static void add_with(const char *key, struct strbuf *out)
{
	static const char *const keys[] = {MEMBERSHIP_LIST(MEMBERSHIP_TEXT)};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!strcmp(key, keys[i]))
			strbuf_addf(out, ", which sample-bt --with %s records", key);
}

/* Adds a note and returns false if no row has the label. WORDS may have other keys. */
static bool check_key(const struct recording *rec, const bool *used, const char *key,
	const struct recording_view *words, struct strbuf *notes)
{
	struct similar similar;

	if (is_used(rec, used, key))
		return true;
	similar_init(&similar, key);
	strbuf_adds(notes, "no row has the label ");
	message_add_path(notes, key);
	add_with(key, notes);
	add_keys(rec, used, &similar, notes);
	recording_end_no_key(words, &similar, notes);
	return false;
}

/*
 * Returns true if a row has one of the values of KEY in F, or has no KEY and F selects such rows.
 */
static bool has_value(const struct recording *rec, const bool *used, const struct label_filter *f,
	const char *key)
{
	struct label_filter alone = {0};
	bool found = false;

	for (size_t i = 0; i < f->nr; i++) {
		if (strcmp(f->choices[i].key, key))
			continue;
		ALLOC_GROW(alone.choices, alone.nr, alone.alloc);
		alone.choices[alone.nr++] = f->choices[i];
	}
	for (uint32_t set = 0; set < rec->labels.nr_sets && !found; set++)
		found = used[set] && label_filter_matches(&alone, &rec->labels, &rec->strings, set);
	free(alone.choices); /* the strings belong to F */
	return found;
}

/* Appends "; its values are S, D". */
static void add_values(
	const struct recording *rec, const bool *used, const char *key, struct strbuf *out)
{
	bool *seen = xcalloc(rec->strings.nr, sizeof(*seen));
	const char *before = "; its values are ";
	size_t nr = 0;

	for (uint32_t set = 1; set < rec->labels.nr_sets; set++) {
		uint32_t value =
			used[set] ? labels_value(&rec->labels, &rec->strings, set, key) : 0;

		if (!value || seen[value])
			continue;
		seen[value] = true;
		if (nr++ == VALUES_MAX) {
			strbuf_adds(out, ", …");
			break;
		}
		strbuf_adds(out, before);
		message_add(out, recording_get(rec, value), strpool_len(&rec->strings, value));
		before = ", ";
	}
	strbuf_addch(out, '\n');
	free(seen);
}

/* Adds a note and returns false if no row has the label, or none of the values that F selects. */
static bool check_values(const struct recording *rec, const bool *used,
	const struct label_filter *f, const char *key, struct strbuf *notes)
{
	if (!check_key(rec, used, key, &(struct recording_view){0}, notes))
		return false;
	if (has_value(rec, used, f, key))
		return true;
	strbuf_adds(notes, "no row has that value of the label ");
	message_add_path(notes, key);
	add_values(rec, used, key, notes);
	return false;
}

static bool has_labels(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes)
{
	size_t nr = view->labels ? view->labels->nr : 0;

	if (!nr && !view->by)
		return true;
	bool *used = find_used_sets(rec, view), all = true;

	for (size_t i = 0; used && i < nr; i++)
		if (!i || strcmp(view->labels->choices[i].key, view->labels->choices[i - 1].key))
			all &= check_values(
				rec, used, view->labels, view->labels->choices[i].key, notes);
	if (used && view->by)
		all &= check_key(rec, used, view->by, view, notes);
	for (size_t i = 0; used && view->by_more[i]; i++)
		all &= check_key(rec, used, view->by_more[i], view, notes);
	free(used);
	return all;
}

bool recording_has_selected(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes)
{
	bool tasks = recording_has_tasks(rec, view, notes);

	return has_labels(rec, view, notes) && tasks;
}

bool recording_mixes_states(const struct recording *rec, const struct recording_view *view)
{
	uint32_t states[RECORDING_STATES_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];
		size_t k = 0;

		if (!recording_shows(rec, view, row))
			continue;
		uint32_t state =
			labels_value(&rec->labels, &rec->strings, row->labels, RECORDING_STATE);

		while (k < nr && states[k] != state)
			k++;
		if (k == RECORDING_STATES_MAX)
			return false;
		if (k == nr)
			states[nr++] = state;
	}
	return nr > 1;
}

bool recording_has_waits(const struct recording *rec, const struct recording_view *view)
{
	size_t len;

	for (size_t i = 0; i < rec->nr_rows; i++)
		if (recording_shows(rec, view, &rec->rows[i]) &&
			wait_is_off_cpu(recording_label(rec, &rec->rows[i], RECORDING_STATE, &len)))
			return true;
	return false;
}

void recording_add_state(const struct recording *rec, const struct rec_row *row, struct strbuf *out)
{
	size_t len;
	const char *state = recording_label(rec, row, RECORDING_STATE, &len);
	const char *note = wait_note(state);

	if (note)
		strbuf_adds(out, note);
	else if (len)
		strbuf_addf(out, "[tag: %s]", state);
}

void recording_add_no_label(const char *key, struct strbuf *out)
{
	strbuf_addf(out, "[no %s]", key);
}
