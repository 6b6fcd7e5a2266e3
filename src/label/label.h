/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels by the owners of samples, such as the request that a server works for. Each source of such
 * labels has a folder and a row of LABEL_LIST.
 */
#ifndef LABEL_LABEL_H
#define LABEL_LABEL_H

#include "label_layout.h"
#include "model/membership.h"

#include <stddef.h>

struct argv;
struct strbuf;
struct target;
struct target_file;

/* Takes the labels of a set, one by one. */
struct label_taker {
	void (*take)(void *context, const char *key, const char *value);
	void *context;
};

/*
 * A source of labels. Without state, all is known when the source was found; without open and
 * close, the texts of a set are all that names its labels. Without end and ends, owners are not
 * counted; without add_values and the functions after it, only the built-in engine records the
 * labels. All else is needed.
 */
struct label_source {
	const char *name;   /* in options: "nginx" */
	const char *title;  /* in messages */
	const char *owner;  /* of samples, in --help: "the request that nginx works on" */
	const char *advice; /* where no process has the source: which process to give */
	enum label_kind kind;
	bool children;        /* the work is done by child processes of the named process */
	uint32_t memberships; /* MEMBERSHIP_BIT of the labels of processes that are recorded, too */
	/* The labels, up to LABEL_KEYS_MAX; their indexes are the bits of sets of them. */
	const struct label_key {
		const char *name; /* or NULL at the end of the list */
		bool by_default;
		bool unbounded; /* clients choose its values, so their number is limited */
	} * keys;
	int dotted; /* index of the label that stands for all names with a dot, or 0 */
	/*
	 * The index of the label that is the PID. All samples of the source's processes have it,
	 * except for processes whose state is LABEL_INCOMPLETE.
	 */
	int process;
	/* The label of samples without an owner, and its values by number, from 1 to NULL. */
	const char *place;
	const char *const *places;

	/*
	 * Finds the source in T. Returns 0 if it was found, 1 if it is not there, or -1 with ERR if
	 * it is there but its layout is unknown.
	 */
	int (*find)(const struct target *t, struct label_layout *layout, struct strbuf *err);
	/* Returns whether all is known, or whether find should be called again. */
	enum label_state {
		LABEL_COMPLETE,
		LABEL_UNVERIFIED, /* it can be used, but is to be verified */
		LABEL_INCOMPLETE, /* soon complete, if the process has just started */
	} (*state)(const struct label_layout *layout);
	/* Appends version, file and how the layout is known, for --check. */
	void (*describe)(const struct target *t, const struct label_layout *layout, uint32_t pid,
		struct strbuf *out);
	/*
	 * Reads what is needed to name the labels of the process. Returns it, to be passed to
	 * close(), or NULL if it could not be read.
	 */
	void *(*open)(const struct target *t, const struct label_layout *layout);
	void (*close)(void *names);
	/* Reads what has been added since, after find was called again. May be NULL. */
	void (*renew)(void *names, const struct target *t);
	/* Passes the labels that all samples of the process have, besides the PID. May be NULL. */
	void (*own)(const void *names, const struct label_taker *taker);
	/* Returns the file of T with the functions that are probed, or NULL. */
	const struct target_file *(*file)(const struct target *t);
	/*
	 * The function that is called at the end of an owner of samples, whose address is its first
	 * argument.
	 */
	const char *end;
	/* The owners that end there, as the unit of the event that counts them: "requests". */
	const char *ends;
	/* Passes the labels of KEYS in a set, without the PID, to TAKER. NAMES may be NULL. */
	void (*take)(const void *names, const struct label_new_set *set, uint32_t keys,
		const struct label_taker *taker);

	/*
	 * Adds the location of the source in T, which is process PID, to *VALUES, which is NULL at
	 * first, for a script. Returns -1 with ERR if the script could not find it there or has no
	 * room.
	 */
	int (*add_values)(void **values, const struct target *t, const struct label_layout *layout,
		uint32_t pid, struct strbuf *err);
	/* Adds the values to ARGV as "NAME=VALUE", and that the labels of KEYS are recorded. */
	void (*give_values)(const void *values, uint32_t keys, struct argv *argv);
	void (*release_values)(void *values);
	/*
	 * Sets label number KEY of a set to the value that the script has printed. TEXT is NULL for
	 * a number.
	 */
	void (*put)(struct label_new_set *set, int key, uint64_t number, const char *text);
};

#define LABEL_DECLARE(KIND, name) extern const struct label_source name##_labels;
LABEL_LIST(LABEL_DECLARE)
#undef LABEL_DECLARE

enum { NR_LABEL_SOURCES = LABEL_KINDS - 1 };

extern const struct label_source *const label_sources[NR_LABEL_SOURCES];

/* The sources of labels in a recording, in the order in which processes are searched for them. */
struct chosen_sources {
	struct chosen_source {
		const struct label_source *source;
		uint32_t keys; /* bits of the labels that are recorded */
	} list[NR_LABEL_SOURCES];
	size_t nr;
};

/* Returns the source with this name in options, or NULL if there is none. */
const struct label_source *label_named(const char *name);

/* Adds SOURCE, unless it has been chosen before. */
void label_choose(struct chosen_sources *chosen, const struct label_source *source);

/* Returns what is chosen of the source of KIND, or NULL if it is not chosen. */
const struct chosen_source *label_chosen(const struct chosen_sources *chosen, uint32_t kind);

/* Returns the source if only one is chosen, or NULL. */
const struct label_source *label_only(const struct chosen_sources *chosen);

/* Returns the first source whose owners of samples can be counted, or NULL. */
const struct label_source *label_that_ends(const struct chosen_sources *chosen);

/* Returns whether a source's work is done by child processes of the named ones. */
bool label_need_children(const struct chosen_sources *chosen);

/* Appends the titles of the sources, as in "nginx or PHP". */
void label_add_titles(const struct chosen_sources *chosen, struct strbuf *out);

/* Returns the bits of the labels that are recorded unless more are asked for. */
uint32_t label_default_keys(const struct label_source *source);

/* Returns the index of the label NAME, of LEN bytes, or -1 if there is none. */
int label_key_index(const struct label_source *source, const char *name, size_t len);

/* Returns whether NAME, which a process has chosen, can be the name of a label in options. */
bool label_name_is_usable(const char *name, size_t len);

/*
 * Passes a label whose name a process has chosen, unless it cannot be used. What has no dot in its
 * name could be one of our own labels, so PREFIX comes in front of it, which ends with a dot.
 */
void label_take_chosen(const struct label_taker *taker, const char *prefix, const char *name,
	size_t name_len, const void *value, size_t len);

/* Returns the bit of this label, or 0 if there is none. */
uint32_t label_key_bit(const struct label_source *source, const char *name, size_t len);

#endif
