/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw samples, added up: what both engines hand to the collector. Each task, stack, name and label
 * is there once and has a number; a row adds up the samples that have all of them in common.
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

/*
 * How a stack ended: one of user space as enum walk_end tells, one of a VM as enum vm_end tells, or
 * one of these.
 */
enum {
	SAMPLE_UNKNOWN = 64, /* the unwinder got no further: the rules of the last frame tell why */
	SAMPLE_EARLIER,      /* no frames: the thread was there before the recording began */
	SAMPLE_NAMED,        /* a kernel stack whose frames are numbers of names, not addresses */
};

struct samples {
	struct strpool strings;
	struct sample_event {
		const char *name, *unit, *clock; /* the engine's */
		uint64_t period;                 /* ns of the clock between two ticks; 0: no tick */
		uint64_t divisor;                /* from the sums of rows to the unit */
	} * events;
	size_t nr_events, events_alloc;
	struct sample_task {
		uint64_t start; /* ns since boot, 0: not known */
		uint32_t pid, tid;
		uint32_t comm; /* in strings */
	} * tasks;
	size_t nr_tasks, tasks_alloc;
	/*
	 * Leaf first. Frames of user space are numbers as walk_frame() makes them, whose serial is
	 * the mapping's place in struct processes + 1; those of the kernel are addresses; those of
	 * a VM are numbers of names.
	 */
	struct sample_stack {
		size_t first; /* in frames */
		uint32_t nr;
		uint32_t next;   /* the next one of the same hash, 0: none */
		uint32_t became; /* 0: it is a stack; itself: it is pending; else what it is by now
				  */
		uint8_t kind;    /* enum stack_kind */
		uint8_t end;
	} * stacks; /* from 1 */
	size_t nr_stacks, stacks_alloc;
	uint64_t *frames;
	size_t nr_frames, frames_alloc;
	struct sample_name {
		uint64_t what;     /* a VM's frame: its kind, see there; a kernel one: the offset */
		uint32_t function; /* in strings; 0: not known */
		uint32_t file;     /* likewise; of a kernel frame its module */
		uint32_t line;     /* 0: not known */
	} * names;
	size_t nr_names, names_alloc;
	struct sample_label {
		uint32_t key, value; /* in strings */
		uint32_t others;     /* the label before it in the same set, 0: none */
	} * labels;                  /* from 1; the number of a set is that of its last label */
	size_t nr_labels, labels_alloc;
	struct sample_row {
		struct sample_key {
			uint32_t event, task;      /* places in events and tasks */
			uint32_t user, kernel, vm; /* numbers of stacks, 0: none */
			uint32_t labels;           /* number of a set, 0: none */
			uint32_t slice; /* of time, from 1; 0: it is not cut into slices */
		} key;
		uint32_t next; /* as in stacks */
		uint64_t count, sum;
	} * rows;
	size_t nr_rows, rows_alloc;
	struct table by_task, by_stack, by_name, by_label, by_row;
	uint64_t lost[LOST_REASONS];
};

void samples_init(struct samples *s);
void samples_release(struct samples *s);

/* Each gives the number of what is new or was there. */
uint32_t samples_event(struct samples *s, const struct sample_event *event);
uint32_t samples_task(
	struct samples *s, uint32_t pid, uint32_t tid, uint64_t start, const char *comm);
uint32_t samples_name(struct samples *s, const struct sample_name *name);
/* The set of OTHERS, 0: none, and KEY=VALUE. */
uint32_t samples_label(struct samples *s, uint32_t others, const char *key, const char *value);
uint32_t samples_stack(
	struct samples *s, const uint64_t *frames, uint32_t nr, enum stack_kind kind, unsigned end);

/* The number of a stack that will be known later, or never. */
uint32_t samples_pending(struct samples *s);
/* PENDING is STACK; 0: it is lost. */
void samples_settle(struct samples *s, uint32_t pending, uint32_t stack);
/* What NUMBER is by now; 0: it was never known. */
uint32_t samples_settled(const struct samples *s, uint32_t number);

void samples_add(struct samples *s, const struct sample_key *key, uint64_t count, uint64_t sum);

/* The number of a frame at ADDRESS in M, NULL: in no mapping. CALL: it is a return address. */
uint64_t samples_user_frame(
	const struct processes *ps, const struct mapping *m, uint64_t address, bool call);

#endif
