/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys that a report is by. A row is a combination of their values. Keys of stacks have one
 * value for a whole stack: its task or the value of its label. Keys of frames have a value for each
 * frame of a stack.
 */
#ifndef VIEW_REPORT_REPORT_KEYS_H
#define VIEW_REPORT_REPORT_KEYS_H

#include "model/recording.h"

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

enum report_by {
	BY_FUNCTION,
	BY_CATEGORY,
	BY_MODULE,
	BY_FILE,
	BY_LINE,
	BY_COMM, /* from here on, keys of stacks */
	BY_PROCESS,
	BY_THREAD,
	BY_LABEL, /* the profile was read with keep_labels */
	NR_BY,
};

enum { REPORT_LABELS_MAX = 1 + BY_MORE_MAX };
enum { REPORT_KEYS_MAX = 6 + REPORT_LABELS_MAX }; /* all keys of frames, a task and labels */

struct report_keys {
	enum report_by list[REPORT_KEYS_MAX];
	size_t nr;
	char *labels[REPORT_LABELS_MAX]; /* the keys of labels, in the order of the list */
	size_t nr_labels;
};

/*
 * Adds the keys of ARG, which is KEY[,KEY...]. Other words than these are keys of labels, which may
 * follow "label:". Returns -1 with a message without newline if they cannot be combined.
 */
int report_keys_parse(struct report_keys *keys, const char *arg, struct strbuf *err);
void report_keys_release(struct report_keys *keys);

/* Sets what has to be read of the input. */
void report_keys_read(const struct report_keys *keys, struct recording_view *view);

bool report_keys_have(const struct report_keys *keys, enum report_by by);

/* Whether keys are of stacks: one of them, or all. */
bool report_by_is_of_stacks(enum report_by by);
bool report_keys_are_of_stacks(const struct report_keys *keys);

/* Returns the key of the label that key number KEY of the list is. */
const char *report_keys_label(const struct report_keys *keys, size_t key);

/* Returns whether the label is the only key. */
bool report_keys_are_a_label(const struct report_keys *keys);

/* Returns the index in the list of the task, or of label number NR, or nr if there is none. */
size_t report_keys_of_task(const struct report_keys *keys);
size_t report_keys_of_label(const struct report_keys *keys, size_t nr);

/* Whether rows are slices of time. */
bool report_keys_are_slices(const struct report_keys *keys);

/*
 * Whether a row also has a module, because its function, file or line may be in several modules.
 */
bool report_keys_add_module(const struct report_keys *keys);
bool report_by_has_module(enum report_by by);

/*
 * Returns the heading of a key's column in CSV, and the member in JSON: "module", or "value" for a
 * label, or each label's key if there are several.
 */
const char *report_keys_column(const struct report_keys *keys, size_t key);

/* Returns the noun for N values of a key: "modules". */
const char *report_by_noun(enum report_by by, size_t n);

#endif
