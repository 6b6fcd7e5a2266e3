/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the lines that flametap's stap scripts print (tapsets/stacks and tapsets/vm describe them)
 * and adds their tasks, stacks and sums to samples. Lines are parsed as they arrive, while /proc
 * still has the processes that they name. Rows and stacks are kept here until they are complete, as
 * a stack may follow its rows.
 */
#ifndef ENGINE_STAP_TALLY_H
#define ENGINE_STAP_TALLY_H

#include "engine/samples.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "process/process.h"
#include "runtime/vm.h"
#include "waiters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_sets;
struct memberships;
struct vm_processes;

struct tally {
	struct processes *ps;
	struct samples *samples;    /* have one event */
	struct label_sets *sets;    /* of the source of labels, or NULL */
	struct memberships *ms;     /* or NULL */
	struct vm_processes *vms;   /* for names that the script does not know, or NULL */
	bool ready;                 /* "ready" was read: the probes are active */
	int64_t began_ns, until_ns; /* monotonic times between which events count; 0 if unknown */
	bool ended;                 /* "end" was read: all rows are here */
	const struct vm *vm;        /* interpreter whose stacks replace user stacks, or NULL */
	uint32_t nr_slices;         /* slices of time until the end, or 0 without slices */
	uint32_t command;           /* PID of the command, which waits for the recording, or 0 */
	struct tally_stack {
		uint64_t id;
		uint32_t nr, missing; /* number of frames, and of frames that were not read yet */
		uint64_t *addresses;  /* an address is 0 if it was not read yet */
		bool kernel;
		bool has_vm;         /* has an interpreter's stack, with or without a user stack */
		const struct vm *vm; /* or NULL if no part of the interpreter's stack was read */
		enum vm_end vm_end;  /* VM_ON if the last part was not read yet */
		uint32_t parts;      /* bit mask of the parts that were read */
		uint64_t *frames;    /* ids of the interpreter's frames, leaf first */
		uint32_t nr_frames;  /* up to the end of the last part that was read */
	} * stacks;
	size_t nr_stacks, stacks_alloc;
	struct table by_id;
	struct tally_frame {
		const struct vm *vm;
		uint32_t pid;
		struct sample_name name;
	} * frames;
	size_t nr_frames, frames_alloc;
	struct table by_frame;
	struct table by_tid; /* thread -> its last task in samples */
	struct tally_row {
		uint32_t tid, slice;   /* slice of time, from 1, or 0 without slices */
		uint32_t more;         /* following slices, which have equal parts of the sum */
		uint64_t user, kernel; /* ids of stacks, or 0 */
		uint64_t count, sum;
		uint64_t set;    /* the script's number of a set of the source's labels, or 0 */
		uint32_t labels; /* the other labels, a set in samples */
	} * rows;
	size_t nr_rows, rows_alloc;
	struct waiters waiters;
	struct strbuf notes; /* lines for the user */
};

/* Ids in place of unknown stacks, of waits that began before the recording. */
enum { EARLIER_USER = 0x1000, EARLIER_KERNEL = 0x1400 };

/* Ids in place of user stacks, for tasks that have none: see tapsets/stacks/user.stp. */
enum { NO_USER_KERNEL_THREAD = 0x2000, NO_USER_EXITING = 0x3000, NO_USER_EXECVE = 0x4000 };

void tally_init(struct tally *t, struct processes *ps, struct samples *samples);
void tally_release(struct tally *t);

/* Parses one line, which is changed. An invalid line counts as lost (LOST_UNREADABLE). */
void tally_line(struct tally *t, char *line, size_t len);

/* Returns the stack of an id, or NULL if parts of it are missing. */
const struct tally_stack *tally_stack(const struct tally *t, uint64_t id);

/*
 * Decodes a string that was escaped by stap's text_str(): quotes and backslashes have a backslash
 * before them, unprintable bytes are \NNN (octal), and UTF-8 characters are \uXXXX or \UXXXXXXXX.
 * The caller frees the result.
 */
char *tally_text(const char *text, size_t len);

/* Returns an interpreter's frame, or NULL if its line was lost. */
const struct tally_frame *tally_frame(const struct tally *t, uint64_t id);

/*
 * Moves the rows whose stacks are complete to the samples. Returns how many samples the other rows
 * have.
 */
uint64_t tally_add_rows(struct tally *t);

#endif
