/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the lines that our stap scripts print (described in tapsets/stacks and tapsets/vm) and
 * stores their tasks, stacks and sums. Lines are parsed as they arrive, while /proc still has the
 * processes that they name.
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

struct label_sets;
struct memberships;
struct samples;
struct vm_processes;

struct tally {
	struct processes *ps;
	struct memberships *ms;     /* NULL: none */
	struct vm_processes *vms;   /* for names that the script does not know; NULL: none */
	bool ready;                 /* "ready" was read: the probes are active */
	int64_t began_ns, until_ns; /* monotonic; waits count between them; 0: unknown */
	bool ended;                 /* "end" was read: all rows are here */
	const struct vm *vm;        /* its stacks replace user stacks, NULL: none */
	uint32_t command;           /* its process begins when the recording has; 0: none */
	struct tally_stack {
		uint64_t id;
		uint32_t nr, missing; /* frames; those of them that were not read yet */
		uint64_t *addresses;  /* 0: not read yet */
		bool kernel;
		bool has_vm;         /* has an interpreter's stack, with or without a user stack */
		const struct vm *vm; /* NULL: no part of that was read yet */
		enum vm_end vm_end;  /* VM_ON: its last part was not read yet */
		uint32_t parts;      /* bit mask of the parts that were read */
		uint64_t *frames;    /* ids of the interpreter's frames, leaf first */
		uint32_t nr_frames;  /* up to the end of the last part that was read */
	} * stacks;
	size_t nr_stacks, stacks_alloc;
	struct table by_id;
	struct tally_frame {
		const struct vm *vm;
		uint32_t pid;
		uint64_t what;       /* as in struct vm_frame */
		uint32_t line;       /* 0: unknown */
		uint32_t first_line; /* as in struct vm_name */
		char *name, *file;   /* "": unknown */
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
		uint64_t set;    /* number of a set of a source's labels, 0: none */
		uint32_t labels; /* in texts, 0: none */
	} * rows;
	size_t nr_rows, rows_alloc;
	struct tally_set {
		uint64_t number;
		uint32_t pid;
		uint32_t labels; /* in texts */
	} * sets;
	size_t nr_sets, sets_alloc;
	struct table by_set;
	struct strpool texts; /* "KEY=VALUE", separated by blanks, as the script prints them */
	struct waiters waiters;
	uint64_t lost[LOST_REASONS];
};

/* Ids that stand for no stack: the wait began before the recording. */
enum { EARLIER_USER = 0x1000, EARLIER_KERNEL = 0x1400 };

/* Ids of user stacks that tasks do not have, see tapsets/stacks/user.stp. */
enum { NO_USER_KERNEL_THREAD = 0x2000, NO_USER_EXITING = 0x3000, NO_USER_EXECVE = 0x4000 };

void tally_init(struct tally *t, struct processes *ps);
void tally_release(struct tally *t);

/* Parses one line, which is changed; an invalid one counts as lost (LOST_UNREADABLE). */
void tally_line(struct tally *t, char *line, size_t len);

/* The stack of an id, NULL: parts of it are missing. */
const struct tally_stack *tally_stack(const struct tally *t, uint64_t id);

/*
 * Decodes a string that was escaped by stap's text_str(): quotes and backslash by a backslash,
 * unprintable bytes as \NNN (octal), UTF-8 characters as \uXXXX or \UXXXXXXXX. The caller frees it.
 */
char *tally_text(const char *text, size_t len);

/* An interpreter's frame, NULL: its line was lost. */
const struct tally_frame *tally_frame(const struct tally *t, uint64_t id);

/*
 * Adds tasks, stacks, rows of EVENT and losses to SAMPLES, after the last line. SETS: of the source
 * of labels, NULL: none is recorded.
 */
void tally_samples(
	const struct tally *t, uint32_t event, struct samples *samples, struct label_sets *sets);

/* Gives the sets of labels that were read to SETS. */
void tally_label_sets(const struct tally *t, struct label_sets *sets);

#endif
