/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in memory and as text: see sample-bt-recording(5), which defines the format. Every
 * number that names another record (event, task, map, frame, stack) is its index here and its ID in
 * the text. Strings are numbers in the pool, 0 is "not known".
 */
#ifndef MODEL_RECORDING_H
#define MODEL_RECORDING_H

#include "account.h"
#include "labels.h"
#include "lib/strpool.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct lines;
struct strbuf;

enum { RECORDING_VERSION = 2 };
#define RECORDING_MAGIC "flametap-recording"

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_PERL, STACK_LUA, STACK_WAKER, STACK_KINDS };

enum stack_end {
	END_ROOT,   /* reached the thread's first function */
	END_CUT,    /* stopped where it was known that it would: no rules for a file, depth */
	END_BROKEN, /* lost its way */
	END_KINDS,
};

struct rec_event {
	uint32_t name, unit, clock;
	uint64_t period; /* ns of the clock between two ticks; 0: the event is not a tick */
};

struct rec_task {
	uint32_t pid, tid;
	uint64_t start; /* clock ticks since boot, as field 22 of /proc/PID/stat; 0: not known */
	uint32_t comm;
};

struct rec_map {
	uint32_t pid;
	uint32_t generation; /* counts the looks at the process's mappings; this one was seen first
				in it */
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of start in the file */
	uint32_t build_id;   /* lower-case hex */
	uint32_t path;       /* as the process saw it */
	bool has_link;
	uint64_t link; /* the address at which start is linked, by the file's program headers */
};

enum frame_place { AT_MAP, AT_ADDRESS, AT_NAME };

struct rec_frame {
	enum frame_kind kind;
	enum frame_place place;
	bool call;    /* the address is a return address: what is looked up is the byte before it */
	uint32_t map; /* AT_MAP */
	uint64_t addr; /* AT_MAP: bytes from the mapping's start; AT_ADDRESS: the address */
	uint32_t names,
		nr_names; /* in names: innermost inlined function first, the real one last */
};

struct rec_name {
	uint32_t function; /* as the linker has it: mangled */
	uint64_t offset;   /* bytes from the function's start */
	uint32_t module;   /* file, "[kernel]", "[nf_tables]"; 0: the mapping's path */
	uint32_t file, line;
};

struct rec_stack {
	enum stack_kind kind;
	enum stack_end end;
	uint32_t cut_by;    /* file that has no rules, "depth"; 0 unless END_CUT */
	uint32_t first, nr; /* in frame_refs, leaf first */
};

enum { ROW_STACKS = 4, NO_STACK = UINT32_MAX };

struct rec_row {
	uint32_t event, task;
	uint32_t stacks[ROW_STACKS]; /* NO_STACK behind the last */
	uint32_t labels;             /* number of the set */
	uint32_t slice;              /* of time, from 1; 0: not known */
	uint64_t count;              /* events */
	uint64_t sum;                /* in the event's unit; equals count for ticks */
};

struct recording {
	struct strpool strings;
	struct rec_meta {
		uint32_t key, value;
	} * meta;
	size_t nr_meta, meta_alloc;
	uint32_t kernel_release, kernel_build_id;
	uint64_t kernel_text; /* address of _stext, 0: not known */
	struct rec_module {
		uint32_t name, build_id;
		uint64_t text; /* address of its .text */
	} * modules;           /* of the kernel, in which frames lie */
	size_t nr_modules, modules_alloc;
	struct rec_event *events;
	size_t nr_events, events_alloc;
	struct rec_task *tasks;
	size_t nr_tasks, tasks_alloc;
	struct rec_map *maps;
	size_t nr_maps, maps_alloc;
	struct rec_frame *frames;
	size_t nr_frames, frames_alloc;
	struct rec_name *names;
	size_t nr_names, names_alloc;
	uint32_t *frame_refs;
	size_t nr_refs, refs_alloc;
	struct rec_stack *stacks;
	size_t nr_stacks, stacks_alloc;
	struct labels labels;
	struct rec_row *rows;
	size_t nr_rows, rows_alloc;
	uint64_t lost[LOST_REASONS]; /* events */
	/* set by reading */
	uint64_t unknown; /* records of kinds that this version does not know */
	bool complete;    /* the end record was there and right */
};

void recording_init(struct recording *rec);
void recording_release(struct recording *rec);

/* Each adds one record and returns its number. */
uint32_t recording_add_event(struct recording *rec, const char *name, const char *unit,
	const char *clock, uint64_t period);
uint32_t recording_add_task(struct recording *rec, const struct rec_task *task);
uint32_t recording_add_map(struct recording *rec, const struct rec_map *map);
uint32_t recording_add_frame(struct recording *rec, const struct rec_frame *frame);
uint32_t recording_add_stack(struct recording *rec, enum stack_kind kind, enum stack_end end,
	uint32_t cut_by, const uint32_t *frames, size_t nr);
void recording_add_row(struct recording *rec, const struct rec_row *row);

/*
 * The number of the set of these labels, for rows; of two with one key the first one counts, an
 * empty value is none. There may be LABEL_SET_MAX.
 */
uint32_t recording_labels(struct recording *rec, const struct label *labels, size_t nr);

/* The same for one label, RECORDING_STATE: a letter of waits.h. "": none. */
uint32_t recording_state_label(struct recording *rec, const char *state);
#define RECORDING_STATE "state"

void recording_add_meta(struct recording *rec, const char *key, const char *value);
void recording_add_module(struct recording *rec, const struct rec_module *module);

/* Gives FRAME its NR names at once, in place of those it had. */
void recording_name_frame(
	struct recording *rec, uint32_t frame, const struct rec_name *names, size_t nr);

uint32_t recording_string(struct recording *rec, const char *s); /* NULL: 0 */
const char *recording_get(const struct recording *rec, uint32_t string);
const char *recording_meta(const struct recording *rec, const char *key); /* NULL: not there */

/*
 * Writes everything to OUT. -1 with errno's text in ERR when writing failed. Same recording, same
 * bytes.
 */
int recording_write(const struct recording *rec, FILE *out, struct strbuf *err);

/*
 * Reads a whole recording from LINES into REC, which was just initialised. -1 and ERR at what
 * cannot be a recording of this version; a recording without its end is no error: complete stays
 * false and REC holds what came before.
 */
int recording_read(struct recording *rec, struct lines *lines, struct strbuf *err);

/* True when a part of what was recorded is missing in REC; NOTES then tell which, one a line. */
bool recording_is_part(const struct recording *rec, struct strbuf *notes);

/* True when more than one process was recorded: then its name belongs into what is shown. */
bool recording_has_several_processes(const struct recording *rec);

/* How rows become stacks of the call tree. */
struct recording_view {
	bool comm;    /* the task's comm is the root frame */
	bool threads; /* comm/tid is */
	bool lines;   /* frames are told apart by their line, which is their source */
	int event;    /* number of the event, -1: the first that has rows */
	const struct label_filter *labels; /* only rows with these; NULL: all */
	const char *by;   /* the value of the label with this key is the root frame; NULL: none */
	bool note_states; /* a state's note is there even if it is the only one, or one of many */
	bool label_sets;  /* each stack ends in a frame for its row's labels, if it has any; see
			     the profile's unlabelled */
};

/* The number of the event that VIEW shows; REC may have none of that number. */
uint32_t recording_viewed_event(const struct recording *rec, const struct recording_view *view);

bool recording_shows(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row);

/*
 * PATH, as /proc/PID/maps has it, names no file but memory, as compilers use it at run time. Some
 * of them look like files, and may be programs: those have a build-id.
 */
bool recording_is_memory(const char *path);

/* What is known of "[kernel]" or a module of it in brackets; all 0: nothing. */
struct rec_module recording_find_module(const struct recording *rec, const char *name);

/*
 * Of each frame the sum of the rows that VIEW shows, as often as it is in their stacks; the
 * caller's to free.
 */
uint64_t *recording_frame_weights(const struct recording *rec, const struct recording_view *view);

/* The value of a row's label, "" when it has none. */
const char *recording_label(
	const struct recording *rec, const struct rec_row *row, const char *key, size_t *len);

/*
 * False when none of the rows of the event that VIEW shows has one of the labels that it asks for;
 * NOTES then tell which, and which labels there are. True for a recording without such rows.
 */
bool recording_has_labels(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes);

enum { RECORDING_STATES_MAX = 16 }; /* that a picture tells apart */

/*
 * Whether the rows that VIEW shows have 2 to RECORDING_STATES_MAX different states; then each gets
 * its state's note as leaf.
 */
bool recording_mixes_states(const struct recording *rec, const struct recording_view *view);

/* What a picture says of a row's state: "[sleeping]", "[tag: x]"; nothing when it has none. */
void recording_add_state(
	const struct recording *rec, const struct rec_row *row, struct strbuf *out);

/* What it says in place of the value of a label that a row does not have: "[no KEY]". */
void recording_add_no_label(const char *key, struct strbuf *out);

/*
 * What a picture says of a stack that does not reach its end: "[truncated: FILE]", "[broken]";
 * nothing where a note among its frames says where it is broken.
 */
void recording_add_end(
	const struct recording *rec, const struct rec_stack *stack, struct strbuf *out);

/*
 * What DESIGN calls the account, from the rows that VIEW shows, their stacks, and all that was
 * lost: the rows of other events may be in other units.
 */
void recording_account(
	const struct recording *rec, const struct recording_view *view, struct account *account);

/*
 * Adds the rows that VIEW shows to P (root first: label, task, user, kernel, waker, state), with
 * unit, title, account and whether there are states, if they are shown. A row without any frame or
 * note is the stack [no stack].
 */
void recording_to_profile(
	const struct recording *rec, const struct recording_view *view, struct profile *p);

#endif
