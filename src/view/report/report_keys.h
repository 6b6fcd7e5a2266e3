/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys that a report is by. A row is a combination of their values. Keys of stacks have one
 * value for a whole stack: its task or the value of its label. Keys of frames have a value for each
 * frame of a stack.
 */
#ifndef VIEW_REPORT_REPORT_KEYS_H
#define VIEW_REPORT_REPORT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

struct recording_view;
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

enum { REPORT_KEYS_MAX = 7 }; /* all keys of frames, a task and a label */

struct report_keys {
	enum report_by list[REPORT_KEYS_MAX];
	size_t nr;
	char *label; /* the key of the label, or NULL */
};

/*
 * Adds the keys of ARG, which is KEY[,KEY...]. Other words than these are the key of a label, which
 * may follow "label:". Returns -1 with a message without newline if they cannot be combined.
 */
int report_keys_parse(struct report_keys *keys, const char *arg, struct strbuf *err);
void report_keys_release(struct report_keys *keys);

/* Sets what has to be read of the input. */
void report_keys_read(const struct report_keys *keys, struct recording_view *view);

bool report_keys_have(const struct report_keys *keys, enum report_by by);

/* Whether keys are of stacks: one of them, or all. */
bool report_by_is_of_stacks(enum report_by by);
bool report_keys_are_of_stacks(const struct report_keys *keys);

/* Whether rows are slices of time. */
bool report_keys_are_slices(const struct report_keys *keys);

/*
 * Whether a row also has a module, because its function, file or line may be in several modules.
 */
bool report_keys_add_module(const struct report_keys *keys);
bool report_by_has_module(enum report_by by);

/* Returns the heading of the column in CSV, and the member in JSON: "module", "value". */
const char *report_by_column(enum report_by by);

/* Returns the noun for N values of a key: "modules". */
const char *report_by_noun(enum report_by by, size_t n);

#endif
