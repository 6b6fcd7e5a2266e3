/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in the making: aggregated raw samples, to which both engines add until the recording
 * is sealed, see seal.h. Each task, stack, name and label is stored once and has a number. A row
 * sums the samples that have all of them in common.
 */
#ifndef ENGINE_SAMPLES_H
#define ENGINE_SAMPLES_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/recording.h"
#include "unwind/walk.h"

#include <stddef.h>
#include <stdint.h>

struct mapping;
struct processes;

/* How a stack ended: enum walk_end for user space, enum vm_end for a VM, or one of these. */
enum {
	SAMPLE_UNKNOWN = 64, /* the unwinder stopped; the unwind rules of the last frame tell why */
	SAMPLE_EARLIER,      /* no frames, as the wait began before the recording */
	SAMPLE_NAMED,        /* a kernel stack whose frames are numbers in names, not addresses */
	/* no frames, as the task has no user stack; a note tells why */
	SAMPLE_KERNEL_THREAD,
	SAMPLE_EXITING, /* its memory is freed already */
	SAMPLE_EXECVE,  /* the new program's memory is not yet set up */
};

/*
 * The "frames" of a stack of kind STACK_WAKER, if it is a waker: numbers of its stacks, or 0, and
 * the number in names of its name. Several wakers that have woken each other are such a stack, too,
 * whose frames are numbers of wakers, the last one first.
 */
enum sample_waker {
	SAMPLE_WAKER_USER,
	SAMPLE_WAKER_KERNEL,
	SAMPLE_WAKER_VM,
	SAMPLE_WAKER_COMM,
	SAMPLE_WAKER_WORDS,
};
enum { SAMPLE_WAKER, SAMPLE_WAKERS }; /* how such a stack ends */

/* The frame of any stack that replaces the innermost frames of a rare stack, see condense.h. */
#define SAMPLE_RARE UINT64_MAX

struct samples {
	struct strpool strings;
	struct sample_event {
		const char *name, *unit, *clock; /* owned by the engine */
		uint64_t period;                 /* ns between two ticks, or 0 without a tick */
		uint64_t divisor; /* sums of rows are divided by it to get the unit */
	} * events;
	size_t nr_events, events_alloc;
	struct rec_task *tasks; /* comm is in strings */
	size_t nr_tasks, tasks_alloc;
	/*
	 * Leaf first. User-space frames are encoded by walk_frame(), where the serial is the
	 * mapping's index in struct processes + 1. Kernel frames are addresses. VM frames are
	 * numbers in names or, for functions in C, encoded like user-space frames.
	 */
	struct sample_stack {
		size_t first; /* in frames */
		uint32_t nr;
		uint32_t next;   /* next one with the same hash, or 0 */
		uint32_t actual; /* 0 for a stack, its own number if pending, else another stack */
		uint8_t kind;    /* enum stack_kind */
		uint8_t end;
	} * stacks; /* from 1 */
	size_t nr_stacks, stacks_alloc;
	uint64_t *frames;
	size_t nr_frames, frames_alloc;
	struct sample_name {
		uint64_t what;       /* as in struct vm_frame, or the offset in a kernel function */
		uint32_t function;   /* in strings, or 0 if unknown */
		uint32_t file;       /* in strings; for kernel functions the module */
		uint32_t blob;       /* in strings: ID of the file (lib/blob_id.h), or 0 */
		bool late;           /* the file was changed after the process began */
		uint32_t line;       /* or 0 if unknown */
		uint32_t first_line; /* of the function, or 0 if it is told apart without it */
	} * names;
	size_t nr_names, names_alloc;
	struct sample_label {
		uint32_t key, value; /* in strings */
		uint32_t others;     /* number of the rest of the set, or 0 */
	} * labels;                  /* from 1; a set has the number of its last label */
	size_t nr_labels, labels_alloc;
	struct sample_row {
		struct sample_key {
			uint32_t event, task;      /* indexes in events and tasks */
			uint32_t user, kernel, vm; /* numbers of stacks, or 0 */
			uint32_t waker;            /* in the same way */
			uint32_t labels;           /* number of a set, or 0 */
		} key;
		uint32_t next;   /* as in stacks */
		uint32_t series; /* number in series, or 0 without slices of time */
		uint64_t count, sum;
	} * rows;
	size_t nr_rows, rows_alloc;
	struct series_pool series;
	struct rec_slices slices; /* of the series now */
	unsigned merged;          /* 2 to this power first slices are one slice now */
	uint32_t forgotten;       /* slices without series, which are not in the recording */
	struct table by_task, by_stack, by_name, by_label, by_row;
	uint64_t lost[LOST_REASONS];
	/* See condense.h. */
	uint64_t nr_summed;  /* tasks whose rows were added to a sum, without tid and start */
	size_t condensed;    /* tasks, stacks and rows that remained the last time */
	uint32_t rare_depth; /* frames of rare stacks the next time, or 0 if they keep all */
};

void samples_init(struct samples *s);
void samples_release(struct samples *s);

/*
 * These functions return the number of the entry, which is added if it is new. Events are always
 * added.
 */
uint32_t samples_event(struct samples *s, const struct sample_event *event);
uint32_t samples_task(
	struct samples *s, uint32_t pid, uint32_t tid, uint64_t start, const char *comm);
uint32_t samples_name(struct samples *s, const struct sample_name *name);
/* Returns the set OTHERS, which may be 0 if empty, plus KEY=VALUE. */
uint32_t samples_label(struct samples *s, uint32_t others, const char *key, const char *value);

/* Returns whether samples_label() would return the number of an existing set. */
bool samples_has_label(struct samples *s, uint32_t others, const char *key, const char *value);
uint32_t samples_stack(
	struct samples *s, const uint64_t *frames, uint32_t nr, enum stack_kind kind, unsigned end);

/* Returns the stack of a waker with these stacks, which may be 0, and this name. */
uint32_t samples_waker(
	struct samples *s, uint32_t user, uint32_t kernel, uint32_t vm, const char *comm);
/* Returns the stack of the wakers in LIST, which ends at the first 0 or after NR. */
uint32_t samples_wakers(struct samples *s, const uint32_t *list, uint32_t nr);

/* Returns the number of a stack that will be set later, or never. */
uint32_t samples_pending(struct samples *s);
/* Sets a pending stack. STACK is 0 if it is lost. */
void samples_set_pending(struct samples *s, uint32_t pending, uint32_t stack);
/* Returns NUMBER, or the stack that was set for it, or 0 if it is still pending. */
uint32_t samples_actual(const struct samples *s, uint32_t number);

void samples_add(struct samples *s, const struct sample_key *key, uint64_t count, uint64_t sum);
/*
 * Works like samples_add(), for slices of the length at which the recording began. The slice of AT
 * is 0 without slices.
 */
void samples_add_at(struct samples *s, const struct sample_key *key, const struct series_item *at);
/* Adds ROW of FROM, other samples, to the row of KEY, with its series. */
void samples_add_row(struct samples *s, const struct sample_key *key, const struct samples *from,
	const struct sample_row *row);
/* Works like samples_add_row(), with the counts in place of the sums. */
void samples_add_counts(struct samples *s, const struct sample_key *key, const struct samples *from,
	const struct sample_row *row);
/* Returns the slice that SLICE, of the length at which the recording began, belongs to now. */
uint32_t samples_slice(const struct samples *s, uint32_t slice);
/*
 * Removes the first NR slices, which were not merged, with what was counted in them. Slices may be
 * counted after they were removed, by a wait that ends late: they are removed again.
 */
void samples_forget(struct samples *s, uint32_t nr);
/* Returns whether nothing of ROW is left after samples_forget(). */
bool samples_forgot(const struct sample_row *row);
/* Makes the slices twice as long. */
void samples_halve_slices(struct samples *s);

/* Returns about how many bytes the tasks, stacks and rows take. */
size_t samples_bytes(const struct samples *s);

/*
 * Returns the NR addresses in kernel stacks, ascending and each once, or NULL if there are none.
 * The caller frees them.
 */
uint64_t *samples_kernel_addresses(const struct samples *s, size_t *nr);

/* Sets USED[N] for each of the NR mappings N that a stack has. */
void samples_mark_mappings(const struct samples *s, bool *used, size_t nr);
/* Sets USED[N] for the mappings of NR_FRAMES encoded frames. Other frames are ignored. */
void samples_mark_frames(const uint64_t *frames, size_t nr_frames, bool *used, size_t nr);

/* Encodes the frame at ADDRESS in M, which may be NULL. CALL tells that it is a return address. */
uint64_t samples_user_frame(const struct mapping *m, uint64_t address, bool call);

/* A decoded frame of samples_user_frame(). */
struct user_frame {
	const struct mapping *map;   /* or NULL */
	const struct object *object; /* of map, or NULL */
	uint64_t address;
	bool call;
	bool is_vm; /* as in WALK_FRAME_VM */
};
struct user_frame samples_decode_frame(const struct processes *ps, uint64_t frame);

#endif
