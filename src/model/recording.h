/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in memory and as text, in the format of sample-bt-recording(5). References to other
 * records (event, task, map, frame, stack) are indexes here and IDs in the text. Strings are
 * numbers in the pool; 0: unknown.
 */
#ifndef MODEL_RECORDING_H
#define MODEL_RECORDING_H

#include "account.h"
#include "labels.h"
#include "lib/strpool.h"
#include "profile.h"
#include "runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct lines;
struct strbuf;

enum { RECORDING_VERSION = 2 };
#define RECORDING_MAGIC "flametap-recording"

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_PERL, STACK_LUA, STACK_WAKER, STACK_KINDS };

enum stack_end {
	END_ROOT,   /* reached the thread's first function */
	END_CUT,    /* truncated for a known reason: no unwind rules for a file, depth */
	END_BROKEN, /* the unwinder failed */
	END_KINDS,
};

struct rec_event {
	uint32_t name, unit, clock;
	uint64_t period; /* ns of the clock between two ticks; 0: the event is not a tick */
};

struct rec_task {
	uint32_t pid, tid;
	uint64_t start; /* clock ticks since boot, as field 22 of /proc/PID/stat; 0: unknown */
	uint32_t comm;
};

struct rec_map {
	uint32_t pid;
	uint32_t generation; /* number of the read of the process's mappings that found it first */
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of start in the file */
	uint32_t build_id;   /* lower-case hex */
	uint32_t path;       /* as the process saw it */
	uid_t owner;         /* of the file; 0: root, or not known, as in a recording that was read */
	bool has_link;
	uint64_t link; /* link-time address of start, by the file's program headers */
};

enum frame_place { AT_MAP, AT_ADDRESS, AT_NAME };

struct rec_frame {
	enum frame_kind kind;
	enum frame_place place;
	bool call;     /* the address is a return address: look up the byte before it */
	uint32_t map;  /* AT_MAP */
	uint64_t addr; /* AT_MAP: bytes from the mapping's start; AT_ADDRESS: the address */
	bool cold;     /* START is that of a part of a function that the compiler moved elsewhere */
	uint64_t start; /* AT_MAP, without name: link address of its function, 0: unknown */
	uint32_t names,
		nr_names; /* in names: innermost inlined function first, the containing one last */
};

struct rec_name {
	uint32_t function; /* symbol name, mangled */
	uint64_t offset;   /* bytes from the function's start */
	uint32_t module;   /* file, "[kernel]", "[nf_tables]"; 0: the mapping's path */
	uint32_t file, line;
};

struct rec_stack {
	enum stack_kind kind;
	enum stack_end end;
	uint32_t cut_by;    /* file without unwind rules, "depth"; what broke it; 0: unknown */
	uint32_t first, nr; /* in frame_refs, leaf first */
};

enum { ROW_STACKS = 4, NO_STACK = UINT32_MAX };

struct rec_row {
	uint32_t event, task;
	uint32_t stacks[ROW_STACKS]; /* NO_STACK after the last */
	uint32_t labels;             /* number of the set */
	uint32_t slice;              /* time slice, from 1; 0: unknown */
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
	uint64_t kernel_text; /* address of _stext, 0: unknown */
	struct rec_module {
		uint32_t name, build_id;
		uint64_t text; /* address of its .text */
	} * modules;           /* kernel modules that contain frames */
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
	/* set by recording_read */
	uint64_t unknown; /* number of records of unknown kinds */
	bool complete;    /* it has a valid end record */
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
 * The number of the set of these labels, for rows, at most LABEL_SET_MAX. Of labels with the same
 * key the first one is used; those with an empty value are ignored.
 */
uint32_t recording_labels(struct recording *rec, const struct label *labels, size_t nr);

/* The same for one label, RECORDING_STATE: a letter of waits.h. "": none. */
uint32_t recording_state_label(struct recording *rec, const char *state);
#define RECORDING_STATE "state"

void recording_add_meta(struct recording *rec, const char *key, const char *value);
void recording_add_module(struct recording *rec, const struct rec_module *module);

/* Replaces the names of FRAME. */
void recording_name_frame(
	struct recording *rec, uint32_t frame, const struct rec_name *names, size_t nr);

uint32_t recording_string(struct recording *rec, const char *s); /* NULL: 0 */
const char *recording_get(const struct recording *rec, uint32_t string);
/* Replaces the value of KEY, which is added if there is none. */
void recording_set_meta(struct recording *rec, const char *key, const char *value);
const char *recording_meta(const struct recording *rec, const char *key); /* NULL: none */

/* Writes REC to OUT. -1 with errno's text in ERR on failure. Same recording, same bytes. */
int recording_write(const struct recording *rec, FILE *out, struct strbuf *err);

/*
 * Reads a recording from LINES into REC, which was just initialised. -1 and ERR if it is not a
 * valid recording of a known version. A missing end is not an error: complete is false, and REC
 * has all records before it.
 */
int recording_read(struct recording *rec, struct lines *lines, struct strbuf *err);

/* True if parts of the recording are missing in REC; they are listed in NOTES, one per line. */
bool recording_is_part(const struct recording *rec, struct strbuf *notes);

/* True if more than one process was recorded, so that views should show process names. */
bool recording_has_several_processes(const struct recording *rec);

/*
 * Appends what F, which has no name, is called: FILE+0xSTART or FILE+0xSTART.cold if the start of
 * its function is known, else [FILE] or [unknown].
 */
void recording_add_unnamed(
	const struct recording *rec, const struct rec_frame *f, struct strbuf *out);

/* How rows are converted to stacks of the call tree. */
struct recording_view {
	bool comm;                         /* the task's comm is the root frame */
	bool threads;                      /* comm/tid is */
	bool processes;                    /* comm/pid of the process is */
	bool lines;                        /* frames have their source line */
	bool paths;                        /* with the folders of its file */
	int event;                         /* number of the event, -1: the first that has rows */
	const struct label_filter *labels; /* only rows that match; NULL: all */
	const char *by;   /* the value of the label with this key is the root frame; NULL: none */
	bool keep_labels; /* frames that stand for labels stay different from others */
	bool note_states; /* add notes for states even if there is only one, or too many */
	bool places;      /* frames have their place (place.h) */
	bool label_sets;  /* each stack ends in a frame for its row's labels, if any; see the
			     profile's unlabelled */
};

/* The number of the event that VIEW shows; REC may not have that event. */
uint32_t recording_viewed_event(const struct recording *rec, const struct recording_view *view);

/*
 * For each event, whether it only counts what labels belong to: it is not the one that VIEW shows,
 * and none of its rows has a stack. Freed by the caller.
 */
bool *recording_counting_events(const struct recording *rec, const struct recording_view *view);

/* Of EVENT, one of REC's. */
struct timing recording_timing(const struct recording *rec, const struct rec_event *event);

/* Whether ROW has the labels that VIEW selects. */
bool recording_selects(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row);
/* The same, and it is of the event that VIEW shows. */
bool recording_shows(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row);

/*
 * True if PATH, as in /proc/PID/maps, is not a file but memory that may contain generated code.
 * Some such paths look like files and may be programs; those have a build-id.
 */
bool recording_is_memory(const char *path);

/* When it began, in ns since 1970; 0: unknown. */
uint64_t recording_started(const struct recording *rec);

/* The record for "[kernel]" or a kernel module in brackets; all 0: unknown. */
struct rec_module recording_find_module(const struct recording *rec, const char *name);

/*
 * For each frame the sum of the rows that VIEW shows, times its occurrences in their stacks; freed
 * by the caller.
 */
uint64_t *recording_frame_weights(const struct recording *rec, const struct recording_view *view);

/* Adds why the stacks of these rows that the account counts as cut or broken are so. */
void recording_cuts(
	const struct recording *rec, const struct recording_view *view, struct cuts *cuts);

/* That of process PID, by its mapped files or the names of its threads. */
enum runtime recording_runtime(const struct recording *rec, uint32_t pid);

/* The value of a row's label; "": none. */
const char *recording_label(
	const struct recording *rec, const struct rec_row *row, const char *key, size_t *len);

/*
 * False if a label that VIEW selects or shows is in no row of its event, or none of the values that
 * it selects; NOTES list these, and the existing labels or values. With a label to show, rows that
 * count what it belongs to are as good. True if there are no such rows.
 */
bool recording_has_labels(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes);

enum { RECORDING_STATES_MAX = 16 }; /* distinguished in views */

/*
 * Whether the rows that VIEW shows have 2 to RECORDING_STATES_MAX different states; then each has
 * its state's note as leaf.
 */
bool recording_mixes_states(const struct recording *rec, const struct recording_view *view);

/* Appends the note for a row's state: "[sleeping]", "[tag: x]"; nothing if it has none. */
void recording_add_state(
	const struct recording *rec, const struct rec_row *row, struct strbuf *out);

/* Appends the note for a missing label: "[no KEY]". */
void recording_add_no_label(const char *key, struct strbuf *out);

/*
 * Appends the note for an incomplete stack: "[truncated: FILE]", "[broken]"; nothing if its frames
 * include a note where it is broken.
 */
void recording_add_end(
	const struct recording *rec, const struct rec_stack *stack, struct strbuf *out);

/*
 * The account of the rows that VIEW shows and their stacks, and of all lost events. Rows of other
 * events are not included: their units may differ.
 */
void recording_account(
	const struct recording *rec, const struct recording_view *view, struct account *account);

/*
 * Adds the rows that VIEW shows to P (root first: label, task, user, kernel, waker, state), and
 * sets unit, title, account and, if states are shown, states. A row without frames and notes is the
 * stack [no stack].
 */
void recording_to_profile(
	const struct recording *rec, const struct recording_view *view, struct profile *p);

#endif
