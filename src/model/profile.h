/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call tree of counts: what every view draws. Weights are unsigned integers in the profile's
 * unit. A frame is known by all its members together; a node is a frame under its
 * caller.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include "account.h"
#include "lib/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL, /* folded suffix _[k] */
	FRAME_INLINE, /* _[i] */
	FRAME_JIT,    /* _[j] */
	FRAME_WAKER,  /* _[w] */
	FRAME_PERL,
	FRAME_LUA,
	FRAME_TASK, /* comm or comm/tid, or the value of a label, at the root */
	FRAME_NOTE, /* what the profiler says: [truncated: FILE], [lost] */
	FRAME_KINDS,
};

/* Which frames stand for labels of rows, from reading recordings to settling what is shown. */
enum frame_label {
	LABEL_NONE,
	LABEL_STATE, /* a note for a state, which is a leaf */
	LABEL_BY,    /* the value of the label that the view is by, at the root */
	LABEL_SET,   /* all labels as words of a recording, below the leaf; it is never shown */
};

struct frame {
	uint32_t name;   /* in names */
	uint32_t module; /* in names; 0: not known */
	uint32_t source; /* in names, "file.c:12"; 0: not known or not wanted */
	enum frame_kind kind : 8;
	enum frame_label label : 8;
};

struct profile_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t child; /* first child, 0: none */
	uint32_t next;  /* next sibling, 0: none */
	uint64_t self;
	union {
		uint64_t total;    /* self and all below, from profile_finish on */
		uint64_t children; /* how many, before */
	};
};

struct profile {
	struct strpool names;
	struct frame *frames;
	uint32_t nr_frames, frames_alloc;
	struct profile_node *nodes; /* node 0 is the root, it has no frame */
	uint32_t nr_nodes, nodes_alloc;
	struct profile_index {
		uint32_t *slots;
		uint32_t mask, nr;
	} by_frame, by_node; /* the latter knows only nodes with many siblings */
	char *title;         /* what was recorded, NULL: not known; owned */
	char *unit;          /* "samples", "us", "bytes"; owned */
	char *event;         /* what was counted, if texts say it, without modifiers; owned */
	struct profile_timing {
		uint64_t started;  /* ns since 1970; 0, as in the others: not known */
		uint64_t duration; /* ns */
		uint64_t period;   /* ns of processor time between two samples */
	} timing; /* of several recordings: the first start, all durations, the longest period */
	struct account account;
	bool tasks;             /* there are several processes, which tasks tell apart */
	bool states, no_states; /* rows of recordings have a state as label, have none */
	uint64_t unlabelled;    /* weight of rows whose sets of labels were too many */
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
void profile_set(char **field, const char *value); /* title, unit, event */

/* P gets all that is known of FROM as a whole: title, unit, event, timing, account, what
 * its tasks, states and labels are. */
void profile_describe(struct profile *p, const struct profile *from);

/* NULL, or what P counts that OTHER does not: its unit, or its event where both are known. */
const char *profile_differs(const struct profile *p, const struct profile *other);

/* The number of a frame, which is added when new. MODULE may be NULL. */
uint32_t profile_frame(struct profile *p, enum frame_kind kind, const char *name, size_t name_len,
	const char *module, size_t module_len);

/* Numbers of frames are below it; one more ends the program, as if there were no memory. */
enum { PROFILE_FRAMES_MAX = 1 << 26 };

/* The same for FRAME, whose strings are in P's names. */
uint32_t profile_add_frame(struct profile *p, const struct frame *frame);

/* A frame of FROM with its strings in P's names, and all of them as frames of P, by their numbers
 * there, the caller's to free. */
struct frame profile_import_frame(struct profile *p, const struct profile *from, uint32_t frame);
uint32_t *profile_import_frames(struct profile *p, const struct profile *from);

/* As strcmp, the order of children: by name (bytes), then kind, module, source. */
int profile_compare_frames(const struct profile *p, uint32_t a, uint32_t b);

/* The node of FRAME under NODE, which is added when new. */
uint32_t profile_child(struct profile *p, uint32_t node, uint32_t frame);

/* Adds WEIGHT to the self weight of a stack of N frames, root first. Sums stop at UINT64_MAX. */
void profile_add(struct profile *p, const uint32_t *frames, size_t n, uint64_t weight);

/*
 * Adds the tree of FROM to P; FRAME_OF holds the frames of P that those of FROM are, 0 for one that
 * is left out: its caller calls what it calls.
 */
void profile_add_tree(struct profile *p, const struct profile *from, const uint32_t *frame_of);

/*
 * Leaves out the frames that are true in OUT, by their numbers: the caller of one calls what it
 * calls. To be called before profile_finish; numbers of frames and nodes change.
 */
void profile_leave_out(struct profile *p, const bool *out);

/*
 * Gives every frame the name that NAMES, by its number, holds for it (a string in P's names; that
 * of frame 0 is not looked at). Frames that become the same become one, and so do their nodes under
 * one caller. To be called before profile_finish; numbers of frames and nodes change.
 */
void profile_rename(struct profile *p, const uint32_t *names);

/*
 * To be called once when all is added and before a view: computes total of every node and puts the
 * children of each in their order (profile_compare_frames).
 */
void profile_finish(struct profile *p);

/* The total of every node anew, from weights that were changed after profile_finish. */
void profile_add_up(struct profile *p);

/* The frame's name, NUL-terminated and with its length; valid until a frame is added. */
const char *profile_name(const struct profile *p, uint32_t frame, size_t *len);
const char *profile_module(const struct profile *p, uint32_t frame); /* "" when not known */

/*
 * "_[k]" and its like, "" where folded has none; and the word of a kind for CSV and JSON
 * ("kernel").
 */
const char *frame_kind_suffix(enum frame_kind kind);
const char *frame_kind_word(enum frame_kind kind);

#endif
