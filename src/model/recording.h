/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in memory and as text, in the format of sample-bt-recording(5). References to other
 * records (event, task, map, frame, stack) are indexes here and IDs in the text. Strings are
 * numbers in the pool, or 0 if unknown.
 */
#ifndef MODEL_RECORDING_H
#define MODEL_RECORDING_H

#include "account.h"
#include "labels.h"
#include "lib/strpool.h"
#include "profile.h"
#include "runtime.h"
#include "series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct lines;
struct similar;
struct strbuf;

enum { RECORDING_VERSION = 2, RECORDING_SLICES_MAX = 1 << 24 };
#define RECORDING_MAGIC "flametap-recording"

#define STACK_OF_LANGUAGE(ID, ...) STACK_##ID,
enum stack_kind {
	STACK_USER,
	STACK_KERNEL,
	LANGUAGE_LIST(STACK_OF_LANGUAGE) STACK_WAKER,
	STACK_KINDS,
};
#undef STACK_OF_LANGUAGE
enum { STACK_LANGUAGE = STACK_KERNEL + 1 };

/* The kinds of a row's stacks in the order of the call tree, from the root. */
extern const enum stack_kind stack_order[STACK_KINDS];

/* Returns the language of stacks of KIND, or NULL if they have none. */
const struct language *stack_language(enum stack_kind kind);

/* Returns the kind of the stacks of a language. */
enum stack_kind language_stack(const struct language *language);

enum stack_end {
	END_ROOT,   /* reached the thread's first function */
	END_CUT,    /* truncated for a known reason: no unwind rules for a file, depth */
	END_BROKEN, /* the unwinder failed */
	END_KINDS,
};

struct rec_event {
	uint32_t name, unit, clock;
	uint64_t period; /* ns of the clock between two ticks, or 0 if it is not a tick */
};

struct rec_task {
	uint32_t pid, tid;
	uint64_t start; /* clock ticks since boot, as field 22 of /proc/PID/stat, or 0 if unknown */
	uint32_t comm;
};

struct rec_map {
	uint32_t pid;
	uint32_t generation; /* number of the first scan of the process's mappings that found it */
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* offset of start in the file */
	uint32_t build_id;   /* lower-case hex */
	uint32_t path;       /* as the process saw it */
	uid_t owner;         /* owner of the file; also 0 if unknown, as after reading */
	bool has_link;
	uint64_t link; /* link-time address of start, by the file's program headers */
};

enum frame_place { AT_MAP, AT_ADDRESS, AT_NAME };

struct rec_frame {
	enum frame_kind kind;
	enum frame_place place;
	bool call;     /* the address is a return address: look up the byte before it */
	uint32_t map;  /* for AT_MAP */
	uint64_t addr; /* bytes from the mapping's start for AT_MAP, the address for AT_ADDRESS */
	bool cold;     /* start belongs to a part of a function that the compiler moved elsewhere */
	uint64_t start; /* for AT_MAP without name: link address of its function, or 0 */
	/* In names: the innermost inlined function first, the containing function last. */
	uint32_t names, nr_names;
};

struct rec_name {
	uint32_t function; /* symbol name, mangled */
	uint64_t offset;   /* bytes from the function's start */
	uint32_t module;   /* file, "[kernel]", "[nf_tables]", or 0 for the mapping's path */
	uint32_t file, line;
};

struct rec_stack {
	enum stack_kind kind;
	enum stack_end end;
	uint32_t cut_by;    /* file without rules, "depth", or what broke it; or 0 */
	uint32_t first, nr; /* in frame_refs, leaf first */
};

enum { ROW_STACKS = 4, NO_STACK = UINT32_MAX };

struct rec_row {
	uint32_t event, task;
	uint32_t stacks[ROW_STACKS]; /* NO_STACK after the last one */
	uint32_t labels;             /* number of the label set */
	uint32_t series;             /* number in the recording's series, or 0 without slices */
	uint64_t count;              /* events */
	uint64_t sum;                /* in the event's unit; equals count for ticks */
};

/*
 * A branch that the processor has recorded with samples (LBR), and the code that has run after it,
 * from its target to the source of the next branch, LAST. The newest branch of a sample has none.
 */
struct rec_branch {
	uint32_t event, task, labels;  /* of the samples, as in struct rec_row */
	uint32_t source, target, last; /* frames; last may be NO_FRAME */
	uint64_t count, mispredicted;
};

enum { NO_FRAME = UINT32_MAX };

struct recording {
	struct strpool strings;
	struct rec_meta {
		uint32_t key, value;
	} * meta;
	size_t nr_meta, meta_alloc;
	uint32_t kernel_release, kernel_build_id;
	uint64_t kernel_text; /* address of _stext, or 0 if unknown */
	struct rec_module {
		uint32_t name, build_id;
		uint64_t text; /* address of its .text */
	} * modules;           /* kernel modules that contain frames */
	size_t nr_modules, modules_alloc;
	struct rec_source {
		uint32_t path; /* as in names */
		uint32_t blob; /* ID of its contents (lib/blob_id.h) */
		bool late;     /* changed after a process began that has executed it */
	} * sources;           /* source files; several of a path had different contents */
	size_t nr_sources, sources_alloc;
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
	struct rec_branch *branches; /* only in memory, if the reader was asked for them */
	size_t nr_branches, branches_alloc;
	/*
	 * The rows by slice of time. In each series, slices are in ascending order.
	 */
	struct rec_slices {
		uint64_t ns; /* length of a slice, or 0 without slices */
		uint32_t nr;
		uint64_t begin; /* of the first one, ns after the recording began */
	} slices;
	struct series_pool series;
	uint64_t lost[LOST_REASONS]; /* numbers of events */
	/* set by recording_read() */
	uint64_t unknown; /* number of records of unknown kinds */
	bool complete;    /* it has a valid end record */
};

void recording_init(struct recording *rec);
void recording_release(struct recording *rec);

/* Each function adds one record and returns its number, if it has one. */
uint32_t recording_add_event(struct recording *rec, const char *name, const char *unit,
	const char *clock, uint64_t period);
uint32_t recording_add_task(struct recording *rec, const struct rec_task *task);
uint32_t recording_add_map(struct recording *rec, const struct rec_map *map);
uint32_t recording_add_frame(struct recording *rec, const struct rec_frame *frame);
uint32_t recording_add_stack(struct recording *rec, enum stack_kind kind, enum stack_end end,
	uint32_t cut_by, const uint32_t *frames, size_t nr);
void recording_add_row(struct recording *rec, const struct rec_row *row);

/*
 * Returns the number of the set of these labels for rows, which has at most LABEL_SET_MAX labels.
 * If several labels have the same key, the first one is used. Labels with an empty value are
 * ignored.
 */
uint32_t recording_labels(struct recording *rec, const struct label *labels, size_t nr);

/*
 * Works like recording_labels(), for the single label RECORDING_STATE. STATE is a letter of
 * waits.h, or "" for none.
 */
uint32_t recording_state_label(struct recording *rec, const char *state);
#define RECORDING_STATE "state"
/* The label of the waits of threads that did not run during the recording. */
#define RECORDING_RAN "ran"
#define RECORDING_RAN_NEVER "never"
/* The label with the lowest number of a bucket of log_scale.h, which has the value of each event.
 */
#define RECORDING_RANGE "range"

void recording_add_meta(struct recording *rec, const char *key, const char *value);
/* Returns the number of the source file with these strings, which is added. */
uint32_t recording_add_source(struct recording *rec, uint32_t path, uint32_t blob);
void recording_add_module(struct recording *rec, const struct rec_module *module);

/* Replaces the names of FRAME. */
void recording_name_frame(
	struct recording *rec, uint32_t frame, const struct rec_name *names, size_t nr);

uint32_t recording_string(struct recording *rec, const char *s); /* 0 for NULL */
const char *recording_get(const struct recording *rec, uint32_t string);
/* Replaces the value of KEY, which is added if there is none. */
void recording_set_meta(struct recording *rec, const char *key, const char *value);
const char *recording_meta(const struct recording *rec, const char *key); /* or NULL */

/*
 * Writes REC to OUT. Returns -1 with errno's text in ERR on failure. The same recording gives the
 * same bytes.
 */
int recording_write(const struct recording *rec, FILE *out, struct strbuf *err);

/*
 * Reads a recording from LINES into REC, which was just initialised. Returns -1 and sets ERR if it
 * is not a valid recording of a known version. A missing end is not an error: complete is then
 * false, and REC has all records before it.
 */
int recording_read(struct recording *rec, struct lines *lines, struct strbuf *err);

/*
 * Returns true if parts of the recording are missing in REC, and lists them in NOTES, one per line.
 */
bool recording_is_part(const struct recording *rec, struct strbuf *notes);

struct recording_view;

/* Returns true if VIEW selects more than one process, so that it should show process names. */
bool recording_has_several_processes(
	const struct recording *rec, const struct recording_view *view);

/*
 * Appends a name for F, which has none: FILE+0xSTART or FILE+0xSTART.cold if the start of its
 * function is known, otherwise [FILE] or [unknown].
 */
void recording_add_unnamed(
	const struct recording *rec, const struct rec_frame *f, struct strbuf *out);

enum { BY_MORE_MAX = 2 };

/* How rows are converted to stacks of the call tree. */
struct recording_view {
	bool comm;      /* the root frame is the task's comm */
	bool threads;   /* the root frame is comm/tid */
	bool processes; /* the root frame is comm/pid of the process; before threads */
	bool lines;     /* frames have their source line */
	bool paths;     /* source lines have the folders of their files */
	int event;      /* number of the event, or -1 for the first with rows */
	const struct label_filter *labels; /* shows matching rows, or all if NULL */
	const struct label_filter *tasks;  /* the same, of tasks (task_filter.h) */
	bool range_by_leaf; /* distributions are grouped by the function at the leaf */
	const char *by;     /* the root frame is the value of this label, unless it is NULL */
	const char *by_more[BY_MORE_MAX + 1]; /* below it the values of these, up to a NULL */
	const char *const *by_words;          /* for messages: what BY could have been, or NULL */
	bool keep_labels; /* frames that stand for labels stay different from other frames */
	bool note_states; /* add notes for states even if there is only one, or too many */
	bool scheduler;   /* keep the scheduler's functions at the leaf of waits (scheduler.h) */
	bool asleep;      /* show threads that never ran, too */
	bool awake;       /* leave them out; see recording_leave_out_asleep() */
	bool places;      /* frames have their place (place.h) */
	/* Each stack ends in a frame for its row's labels, if any; see the profile's unlabelled. */
	bool label_sets;
	bool times;  /* the profile has the times of its nodes */
	bool counts; /* it has what is only counted, too, as it always has with BY */
	/* If the recording has slices: the same, and threads and processes. */
	bool timeline;
};

/* Returns the number of the event that VIEW shows. REC may not have that event. */
uint32_t recording_viewed_event(const struct recording *rec, const struct recording_view *view);

/*
 * Returns for each event whether it only counts: VIEW does not show it, and none of its rows has a
 * stack, as they stand for the owners of labels, such as requests; or it is the number of what the
 * shown event measures, such as calls, unless VIEW is by slice. The caller frees the array.
 */
bool *recording_counting_events(const struct recording *rec, const struct recording_view *view);

/* Returns the timing of EVENT, one of REC's events. */
struct timing recording_timing(const struct recording *rec, const struct rec_event *event);

/*
 * Sets awake in VIEW, unless it shows threads that never ran, or there are no others among the rows
 * that it shows.
 */
void recording_leave_out_asleep(const struct recording *rec, struct recording_view *view);

bool recording_selects_task(const struct recording *rec, const struct recording_view *view,
	const struct rec_task *task);

/* Returns true if ROW has a task and labels that VIEW selects. */
bool recording_selects(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row);
/* Returns true if ROW also belongs to the event that VIEW shows, and its thread is not left out. */
bool recording_shows(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row);

/*
 * Returns true if PATH, as in /proc/PID/maps, is not a file but memory that may contain generated
 * code. Some such paths look like files and may be programs; those have a build-id.
 */
bool recording_is_memory(const char *path);

/* Whether the file PATH is a dump of a JIT compiler, jit-PID.dump. */
bool recording_is_dump(const char *path);

/* Returns when the recording began, in ns since 1970, or 0 if unknown. */
uint64_t recording_started(const struct recording *rec);

/*
 * Returns the record for "[kernel]" or a kernel module in brackets, with all members 0 if unknown.
 */
struct rec_module recording_find_module(const struct recording *rec, const char *name);

/*
 * Returns for each frame the sum of the rows that VIEW shows, times its occurrences in their
 * stacks. The caller frees the array.
 */
uint64_t *recording_frame_weights(const struct recording *rec, const struct recording_view *view);

/* Adds the causes of the stacks in these rows that the account counts as cut or broken. */
void recording_cuts(
	const struct recording *rec, const struct recording_view *view, struct cuts *cuts);

/*
 * Appends a line for each interpreter, such as Python's, whose code is in much of what VIEW shows
 * but whose own functions are not.
 */
void recording_add_interpreters(
	const struct recording *rec, const struct recording_view *view, struct strbuf *out);

/* Returns the runtime of process PID, by its mapped files or the names of its threads. */
enum runtime recording_runtime(const struct recording *rec, uint32_t pid);

/* Returns the value of a row's label, or "" if it has none. */
const char *recording_label(
	const struct recording *rec, const struct rec_row *row, const char *key, size_t *len);

/*
 * Checks the tasks that VIEW selects, and the labels that it selects or shows. Returns false if
 * there is no such task, or if no row of its event has the label, or none of the values that VIEW
 * selects. NOTES then list these, and the existing tasks, labels or values. For a label to show,
 * rows that count the label's owners are sufficient. Labels are not checked if there are no rows.
 */
bool recording_has_selected(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes);

/* Ends a note on a missing key: appends "; other keys are comm", and similar keys, also of S. */
void recording_end_no_key(const struct recording_view *view, struct similar *s, struct strbuf *out);

enum { RECORDING_STATES_MAX = 16 }; /* states that views distinguish */

/*
 * Returns true if the rows that VIEW shows have 2 to RECORDING_STATES_MAX different states. Each
 * row then has its state's note as leaf.
 */
bool recording_mixes_states(const struct recording *rec, const struct recording_view *view);

/* Returns whether the rows that VIEW shows are waits: one of them has a state. */
bool recording_has_waits(const struct recording *rec, const struct recording_view *view);

/* Appends the note for a row's state: "[sleeping]" or "[tag: x]", or nothing if it has none. */
void recording_add_state(
	const struct recording *rec, const struct rec_row *row, struct strbuf *out);

/* Appends the note for a missing label: "[no KEY]". */
void recording_add_no_label(const char *key, struct strbuf *out);

/*
 * Appends the note for an incomplete stack: "[truncated: FILE]" or "[broken]", or nothing if its
 * frames include a note where it is broken.
 */
void recording_add_end(
	const struct recording *rec, const struct rec_stack *stack, struct strbuf *out);

/*
 * Sets ACCOUNT to the account of the rows that VIEW shows and of their stacks, and of all lost
 * events. Rows of other events are not included, because their units may differ.
 */
void recording_account(
	const struct recording *rec, const struct recording_view *view, struct account *account);

/*
 * Adds the rows that VIEW shows to P (root first: label, task, user, perl, lua, kernel, waker,
 * state), and sets unit, title, account and, if states are shown, states. A row without frames and
 * notes becomes the stack [no stack].
 */
void recording_to_profile(
	const struct recording *rec, const struct recording_view *view, struct profile *p);

#endif
