/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree with weights, which all views are made from. Weights are unsigned integers in the
 * profile's unit. Frames are equal if all their members are; a node is a frame under its caller.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include "account.h"
#include "cuts.h"
#include "lib/strpool.h"
#include "origin.h"
#include "value_counts.h"
#include "timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL, /* folded suffix _[k] */
	FRAME_INLINE, /* _[i] */
	FRAME_JIT,    /* _[j] */
	FRAME_WAKER,  /* _[w] */
	FRAME_PERL,
	FRAME_LUA,
	FRAME_TASK, /* comm or comm/tid, or the value of a label, at the root */
	FRAME_NOTE, /* a note of the profiler: [truncated: FILE], [lost] */
	FRAME_KINDS,
};

/* Frames that represent labels of rows, from input_read to input_settle. */
enum frame_label {
	LABEL_NONE,
	LABEL_STATE, /* a note for a state, as leaf */
	LABEL_BY,    /* the value of the label given by --by, as root frame */
	LABEL_SET,   /* all labels as words of a recording, as callee of the leaf; never shown */
};

struct frame {
	uint32_t name;   /* in names */
	uint32_t module; /* in names; 0: unknown */
	uint32_t source; /* in names, "file.c:12"; 0: unknown or not requested */
	uint32_t place;  /* in names, "1139 BUILDID" (place.h); 0: unknown or not requested */
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
		uint64_t total;    /* inclusive weight, after profile_finish */
		uint64_t children; /* number of children, before that */
	};
};

struct profile {
	struct strpool names;
	struct frame *frames;
	uint32_t nr_frames, frames_alloc;
	struct profile_node *nodes; /* node 0 is the root, without frame */
	uint32_t nr_nodes, nodes_alloc;
	struct profile_index {
		uint32_t *slots;
		uint32_t mask, nr;
	} by_frame, by_node; /* by_node has only nodes with many siblings */
	char *title;         /* NULL: unknown; owned */
	bool titled;         /* the title is the user's, or has the target */
	char *unit;          /* "samples", "us", "bytes"; owned */
	char *event;         /* event of a text format, without modifiers, NULL: unknown; owned */
	struct timing timing;
	struct origin origin;
	struct account account;
	struct cuts cuts;            /* of the account's cut and broken stacks */
	struct value_counts counted; /* by the label given by --by, of what was counted besides */
	bool reversed;               /* the leaf is at the root, see filter_reverse() */
	bool tasks;                  /* there are several processes, distinguished by task frames */
	bool states, no_states;      /* recordings have rows with a state label; without one */
	uint64_t unlabelled;         /* weight of rows without LABEL_SET frame due to the limit */
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
/* Appends the title and, unless titled, the target: "CPU time: nginx 1302"; nothing: unknown. */
void profile_heading(const struct profile *p, struct strbuf *out);

void profile_set(char **field, const char *value); /* title, unit, event */

/* Copies everything about FROM except for frames and nodes: title, unit, event, timing, account and
 * flags. */
void profile_describe(struct profile *p, const struct profile *from);

/* NULL, or what P counts if OTHER counts something else: its unit, or its event if both are known.
 */
const char *profile_differs(const struct profile *p, const struct profile *other);

/* The number of a frame, which is added if it is new. MODULE may be NULL. */
uint32_t profile_frame(struct profile *p, enum frame_kind kind, const char *name, size_t name_len,
	const char *module, size_t module_len);

/* More frames end the program, like out of memory. */
enum { PROFILE_FRAMES_MAX = 1 << 26 };

/* The same for FRAME, whose strings are in P's names. */
uint32_t profile_add_frame(struct profile *p, const struct frame *frame);

/* A frame of FROM with its strings in P's names; all frames of FROM added to P, as an array by
 * number in FROM that the caller frees. */
struct frame profile_import_frame(struct profile *p, const struct profile *from, uint32_t frame);
uint32_t *profile_import_frames(struct profile *p, const struct profile *from);

/* Like strcmp, the order of children: by name (bytes), then kind, module, source. */
int profile_compare_frames(const struct profile *p, uint32_t a, uint32_t b);

/* The node of FRAME under NODE, which is added if it is new. */
uint32_t profile_child(struct profile *p, uint32_t node, uint32_t frame);

/* Adds WEIGHT to the self weight of a stack of N frames, root first. Sums stop at UINT64_MAX. */
void profile_add(struct profile *p, const uint32_t *frames, size_t n, uint64_t weight);

/*
 * Adds the tree of FROM to P. FRAME_OF maps frames of FROM to frames of P; 0: the frame is left
 * out, and its callees become its caller's.
 */
void profile_add_tree(struct profile *p, const struct profile *from, const uint32_t *frame_of);

/*
 * Removes the frames that are true in OUT, indexed by frame; their callees become their caller's.
 * To be called before profile_finish; numbers of frames and nodes change.
 */
void profile_leave_out(struct profile *p, const bool *out);

/*
 * Renames all frames: NAMES, indexed by frame, are strings in P's names; entry 0 is ignored. Frames
 * that become equal are merged, and so are their nodes under the same caller. To be called before
 * profile_finish; numbers of frames and nodes change.
 */
void profile_rename(struct profile *p, const uint32_t *names);

/*
 * To be called once after everything is added and before a view: computes the total of every node
 * and sorts children (profile_compare_frames), those of a reversed tree by weight first.
 */
void profile_finish(struct profile *p);

/* Recomputes the total of every node after self weights were changed. */
void profile_add_up(struct profile *p);

/* The frame's name, NUL-terminated and with its length; valid until a frame is added. */
const char *profile_name(const struct profile *p, uint32_t frame, size_t *len);
const char *profile_module(const struct profile *p, uint32_t frame); /* "": unknown */

/* The suffix of a kind in folded stacks ("_[k]" or ""); its name in CSV and JSON ("kernel"). */
const char *frame_kind_suffix(enum frame_kind kind);
const char *frame_kind_word(enum frame_kind kind);

#endif
