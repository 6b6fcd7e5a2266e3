/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that our stap scripts print (tapsets/stacks and tapsets/vm describe them), taken in
 * as they come, and what they add up to. Naming needs /proc while the processes live, so each line
 * is looked at at once.
 */
#ifndef ENGINE_STAP_TALLY_H
#define ENGINE_STAP_TALLY_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/recording.h"
#include "process/process.h"
#include "vm/vm.h"
#include "waiters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples;

struct tally {
	struct processes *ps;
	bool ready;                 /* "ready" came: probes are in place */
	int64_t began_ns, until_ns; /* monotonic times between which waits count; 0: not told */
	bool ended;                 /* "end" came: all rows are here */
	const struct vm *vm;        /* whose stacks are in place of user stacks, NULL: none */
	struct tally_stack {
		uint64_t id;
		uint32_t nr, missing; /* frames; how many of them have not come yet */
		uint64_t *addresses;  /* 0: not yet there */
		bool kernel;
		bool has_vm;         /* an interpreter's, too, or nothing else */
		const struct vm *vm; /* NULL: no part of that has come yet */
		enum vm_end vm_end;  /* VM_ON: its last part has not come yet */
		uint32_t parts;      /* a bit for each part of the frames that is here */
		uint64_t *frames;    /* ids of the interpreter's, innermost first */
		uint32_t nr_frames;  /* up to the end of the last part that is here */
	} * stacks;
	size_t nr_stacks, stacks_alloc;
	struct table by_id;
	struct tally_frame {
		uint64_t what;     /* as in struct vm_frame */
		uint32_t line;     /* 0: not known */
		char *name, *file; /* "": not known */
	} * frames;
	size_t nr_frames, frames_alloc;
	struct table by_frame;
	struct tally_task {
		uint32_t pid, tid;
		uint64_t start;
		char *comm;
	} * tasks;
	size_t nr_tasks, tasks_alloc;
	struct table by_tid;
	struct tally_row {
		uint32_t tid;
		uint64_t user, kernel; /* ids, 0: none */
		uint64_t count, sum;
		uint32_t labels; /* in label_sets, 0: none */
	} * rows;
	size_t nr_rows, rows_alloc;
	struct strpool label_sets; /* "KEY=VALUE", separated by blanks, as the script wrote them */
	struct waiters waiters;
	uint64_t lost[LOST_REASONS];
};

/* In place of a stack's id: the wait began before the recording. */
enum { EARLIER_USER = 0x1000, EARLIER_KERNEL = 0x1400 };

void tally_init(struct tally *t, struct processes *ps);
void tally_release(struct tally *t);

/* Takes in one line; what is no line of ours counts as lost (LOST_UNREADABLE). */
void tally_line(struct tally *t, char *line, size_t len);

/* The stack of an id, NULL when it never came whole. */
const struct tally_stack *tally_stack(const struct tally *t, uint64_t id);

/*
 * What text_str() of stap made TEXT of, the caller's to free: quotes and backslash are escaped,
 * control and other unprintable bytes are \NNN octal, characters of UTF-8 \uXXXX or \UXXXXXXXX.
 */
char *tally_text(const char *text, size_t len);

/* An interpreter's frame, NULL: its line never came. */
const struct tally_frame *tally_frame(const struct tally *t, uint64_t id);

/* Adds tasks, stacks, rows of EVENT and losses to SAMPLES; the bodies of stacks come in any order.
 */
void tally_samples(const struct tally *t, uint32_t event, struct samples *samples);

#endif
