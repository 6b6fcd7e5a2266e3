/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples belong to, such as the request that a server works for: one folder and one row of
 * LABEL_LIST for each source of such labels.
 */
#ifndef LABEL_LABEL_H
#define LABEL_LABEL_H

#include "label_layout.h"

#include <stddef.h>

struct argv;
struct strbuf;
struct target;
struct target_file;

/* Takes a label of a set. */
struct label_taker {
	void (*take)(void *context, const char *key, const char *value);
	void *context;
};

struct label_source {
	const char *name;  /* in options: "nginx" */
	const char *title; /* in messages */
	enum label_kind kind;
	bool children; /* the work is done by child processes of the one that is named */
	/* The labels, up to 32; their indexes are the bits of sets of them. */
	const struct label_key {
		const char *name; /* NULL: end of the list */
		bool by_default;
		bool unbounded; /* clients choose its values: their number is limited */
	} * keys;
	/*
	 * The index of the label that is the PID; all samples of the source's processes have it,
	 * but for those whose state is LABEL_INCOMPLETE.
	 */
	int process;
	/* The label of samples that belong to nothing; its values by number, from 1 to NULL. */
	const char *place;
	const char *const *places;

	/* 0: found in T; 1: it is not there; -1 and ERR: it is there, but its layout is unknown. */
	int (*find)(const struct target *t, struct label_layout *layout, struct strbuf *err);
	/* Whether all is known, or find should be called again. */
	enum label_state {
		LABEL_COMPLETE,
		LABEL_UNVERIFIED, /* it can be used, but is to be verified */
		LABEL_INCOMPLETE, /* soon, if the process has just started */
	} (*state)(const struct label_layout *layout);
	/* Appends version, file and how the layout is known, for --check. */
	void (*describe)(const struct target *t, const struct label_layout *layout, uint32_t pid,
		struct strbuf *out);
	/* Reads what is needed to name labels of the process, for close(); NULL: could not. */
	void *(*open)(const struct target *t, const struct label_layout *layout);
	void (*close)(void *names);
	/* The file of T with the functions that are probed; NULL: none. */
	const struct target_file *(*file)(const struct target *t);
	/*
	 * The function that is called at the end of what samples belong to, with the address of
	 * that as first argument.
	 */
	const char *end;
	/* What ends there, as the unit of the event that counts it: "requests". */
	const char *ends;
	/* Names the labels of KEYS in a set, without the PID; NAMES may be NULL. */
	void (*take)(const void *names, const struct label_new_set *set, uint32_t keys,
		const struct label_taker *taker);

	/*
	 * Adds where T, which is process PID, has it to *VALUES, NULL at first, for a script. -1
	 * and ERR: the script could not find it there, or has no room.
	 */
	int (*add_values)(void **values, const struct target *t, const struct label_layout *layout,
		uint32_t pid, struct strbuf *err);
	/* Adds them, and that the labels of KEYS are recorded, to ARGV as "NAME=VALUE". */
	void (*give_values)(const void *values, uint32_t keys, struct argv *argv);
	void (*release_values)(void *values);
	/* Sets label number KEY of a set to what the script has printed; TEXT: NULL of a number. */
	void (*put)(struct label_new_set *set, int key, uint64_t number, const char *text);
};

#define LABEL_DECLARE(KIND, name) extern const struct label_source name##_labels;
LABEL_LIST(LABEL_DECLARE)
#undef LABEL_DECLARE

enum { NR_LABEL_SOURCES = LABEL_KINDS - 1 };

extern const struct label_source *const label_sources[NR_LABEL_SOURCES];

/* The bits of the labels that are recorded unless more are asked for. */
uint32_t label_default_keys(const struct label_source *source);

/* The index of the label NAME, of LEN bytes; -1: there is none. */
int label_key_index(const struct label_source *source, const char *name, size_t len);

/* Its bit; 0: there is none. */
uint32_t label_key_bit(const struct label_source *source, const char *name, size_t len);

#endif
