/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree with weights, from which all views are made. Weights are unsigned integers in the
 * profile's unit. Frames are equal if their members down to label are equal. A node is a frame
 * under its caller.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include "account.h"
#include "cuts.h"
#include "language.h"
#include "lib/strpool.h"
#include "origin.h"
#include "profile_times.h"
#include "ranges.h"
#include "value_counts.h"
#include "timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

#define FRAME_OF_LANGUAGE(ID, ...) FRAME_##ID,
enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,                    /* folded suffix _[k] */
	FRAME_INLINE,                    /* _[i] */
	FRAME_JIT,                       /* _[j] */
	FRAME_WAKER,                     /* _[w] */
	LANGUAGE_LIST(FRAME_OF_LANGUAGE) /* functions of an interpreted language */
	FRAME_TASK, /* comm or comm/tid, or the value of a label, at the root */
	FRAME_NOTE, /* a note of the profiler: [truncated: FILE], [lost] */
	FRAME_KINDS,
};
#undef FRAME_OF_LANGUAGE
enum { FRAME_LANGUAGE = FRAME_WAKER + 1 };

/* Frames that represent labels of rows. They exist from input_read() to input_settle(). */
enum frame_label {
	LABEL_NONE,
	LABEL_STATE, /* a note for a state, as leaf */
	LABEL_BY,    /* the value of the label given by --by, as root frame */
	LABEL_SET,   /* all labels as words of a recording, as callee of the leaf; never shown */
};

struct frame {
	uint32_t name;   /* in names */
	uint32_t module; /* in names, or 0 if unknown */
	uint32_t source; /* in names, "file.c:12", or 0 if unknown or not requested */
	uint32_t place;  /* in names, "1139 BUILDID" (place.h), or 0 if unknown or not requested */
	enum frame_kind kind : 8;
	enum frame_label label : 8;
	/* Where it was executed, as far as it is known, or 0. Frames that differ only here are
	 * equal. */
	uint32_t file; /* in names, the path */
	uint32_t first_line, last_line;
};

struct profile_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t child; /* first child, or 0 */
	uint32_t next;  /* next sibling, or 0 */
	uint64_t self;
	union {
		uint64_t total;    /* inclusive weight, after profile_finish() */
		uint64_t children; /* number of children, before that */
	};
};

struct profile {
	struct strpool names;
	struct frame *frames;
	uint32_t nr_frames, frames_alloc;
	struct profile_node *nodes; /* node 0 is the root, without a frame */
	uint32_t nr_nodes, nodes_alloc;
	struct profile_index {
		uint32_t *slots;
		uint32_t mask, nr;
	} by_frame, by_node; /* by_node has only nodes with many siblings */
	char *title;         /* or NULL if unknown; owned */
	bool titled;         /* the title is the user's, or contains the target */
	char *unit;          /* "samples", "us", "bytes"; owned */
	char *event;         /* event of a text format, without modifiers, or NULL; owned */
	struct timing timing;
	struct origin origin;
	struct account account;
	struct cuts cuts;                         /* why the account has cut and broken stacks */
	struct value_counts counted[COUNTED_MAX]; /* if the view asks for them */
	struct ranges ranges;                     /* the distribution of the events' values */
	struct profile_times times;               /* of the self weights */
	bool reversed;          /* the leaf is at the root, see filter_reverse() */
	bool tasks;             /* there are several processes, distinguished by task frames */
	bool states, no_states; /* there are rows with a state label, and without one */
	uint64_t unlabelled;    /* weight of rows without LABEL_SET frame due to the limit */
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
/*
 * Appends the title and, unless titled, the target: "CPU time: nginx 1302". A long target, such as
 * a command with many files, is cut and ends in "...". Appends nothing if the title is unknown.
 */
void profile_heading(const struct profile *p, struct strbuf *out);

void profile_set(char **field, const char *value); /* sets title, unit or event */

/*
 * Copies everything about FROM except for frames and nodes: title, unit, event, timing, account and
 * flags.
 */
void profile_describe(struct profile *p, const struct profile *from);

/*
 * Returns NULL if OTHER counts the same as P, otherwise what P counts: its unit, or its event if
 * both events are known.
 */
const char *profile_differs(const struct profile *p, const struct profile *other);

/* Returns the number of a frame, which is added if it is new. MODULE may be NULL. */
uint32_t profile_frame(struct profile *p, enum frame_kind kind, const char *name, size_t name_len,
	const char *module, size_t module_len);

/* More frames end the program, as if it were out of memory. */
enum { PROFILE_FRAMES_MAX = 1 << 26 };

/* Works like profile_frame(), for FRAME, whose strings are in P's names. */
uint32_t profile_add_frame(struct profile *p, const struct frame *frame);

/*
 * Return a frame of FROM, with its strings added to P's names; and all frames of FROM, added to P,
 * as an array by their numbers in FROM, which the caller frees.
 */
struct frame profile_import_frame(struct profile *p, const struct profile *from, uint32_t frame);
uint32_t *profile_import_frames(struct profile *p, const struct profile *from);

/* Compares as strcmp() in the order of children: by name (bytes), then kind, module, source. */
int profile_compare_frames(const struct profile *p, uint32_t a, uint32_t b);

/* Returns the node of FRAME under NODE, which is added if it is new. */
uint32_t profile_child(struct profile *p, uint32_t node, uint32_t frame);

/* Adds WEIGHT to the self weight of a stack of N frames, root first. Sums stop at UINT64_MAX. */
void profile_add(struct profile *p, const uint32_t *frames, size_t n, uint64_t weight);

/* Returns whether things were counted that had the stack of NODE. */
bool profile_has_counts(const struct profile *p, uint32_t node);

/*
 * Adds the self weight of node OTHER of FROM to NODE, with its times and counts. FROM may be P. The
 * second function also removes it from OTHER, a node of P.
 */
void profile_add_self(struct profile *p, uint32_t node, const struct profile *from, uint32_t other);
void profile_move_self(struct profile *p, uint32_t node, uint32_t other);

/* Sets the self weight of NODE to 0. */
void profile_clear_self(struct profile *p, uint32_t node);

/*
 * Adds the tree of FROM to P. FRAME_OF maps frames of FROM to frames of P. If it is 0, the frame is
 * left out, and its callees become callees of its caller.
 */
void profile_add_tree(struct profile *p, const struct profile *from, const uint32_t *frame_of);

/*
 * Removes the frames that are true in OUT, indexed by frame; their callees become callees of their
 * caller. To be called before profile_finish(). The numbers of frames and nodes change.
 */
void profile_leave_out(struct profile *p, const bool *out);

/*
 * Renames all frames. NAMES, indexed by frame, has strings in P's names; entry 0 is ignored. Frames
 * that become equal are merged, and so are their nodes under the same caller. To be called before
 * profile_finish(). The numbers of frames and nodes change.
 */
void profile_rename(struct profile *p, const uint32_t *names);

/*
 * To be called once, after everything is added and before a view. Computes the total of every node
 * and sorts children by profile_compare_frames(); in a reversed tree, by weight first.
 */
void profile_finish(struct profile *p);

/* Recomputes the total of every node after self weights were changed. */
void profile_add_up(struct profile *p);

/* Returns the frame's name, NUL-terminated, and sets *LEN. Valid until a frame is added. */
const char *profile_name(const struct profile *p, uint32_t frame, size_t *len);
const char *profile_module(const struct profile *p, uint32_t frame); /* "" if unknown */

/*
 * Return the suffix of a kind in folded stacks ("_[k]" or ""), and its name in CSV and JSON
 * ("kernel").
 */
const char *frame_kind_suffix(enum frame_kind kind);
const char *frame_kind_word(enum frame_kind kind);

/* Returns the language of frames of KIND, or NULL if they have none. */
const struct language *frame_language(enum frame_kind kind);

/* Returns the kind of frames of a language. */
enum frame_kind language_frame(const struct language *language);

#endif
