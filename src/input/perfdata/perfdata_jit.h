/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dumps of JIT compilers, jit-PID.dump, which processes of a perf.data file have mapped: a
 * mapping is how a compiler tells perf where its dump is.
 */
#ifndef INPUT_PERFDATA_PERFDATA_JIT_H
#define INPUT_PERFDATA_PERFDATA_JIT_H

#include "lib/table.h"
#include "symbol/names/jitdump.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_paths;
struct opener;
struct rec_name;
struct recording;
struct strbuf;

struct perfdata_jit {
	struct recording *rec;
	struct opener *opener;
	const char *root; /* or NULL */
	struct strbuf *notes;
	bool is_monotonic; /* the clock of samples is CLOCK_MONOTONIC, not perf's own */
	struct jitdump_clock
		clock;       /* makes perf's own clock of cycles, if its multiplier is not 0 */
	struct table by_pid; /* number of the dump + 1 */
	struct perfdata_dump {
		struct jitdump *dump;
		char *path;
		uint32_t first; /* number of its first function among all dumps */
		bool is_timed;  /* its times are in the clock of samples */
		bool is_mixed;  /* the last one of several functions was chosen for an address */
	} * dumps;
	size_t nr, alloc;
	uint32_t nr_functions;
};

void perfdata_jit_init(struct perfdata_jit *j, struct recording *rec, struct opener *opener,
	const char *root, struct strbuf *notes);
void perfdata_jit_release(struct perfdata_jit *j);

/* Reads the dump if PID has mapped one. INODE is the number of the mapped file, or 0. */
void perfdata_jit_map(struct perfdata_jit *j, uint32_t pid, const char *path, uint64_t inode);

/* Returns a number that changes when functions of PID have come until TIME. */
uint32_t perfdata_jit_state(const struct perfdata_jit *j, uint32_t pid, uint64_t time);

/*
 * Names ADDRESS in the memory of PID at TIME. Returns a number of the function that is unique among
 * all processes, or JITDUMP_NONE if it is not known.
 */
uint32_t perfdata_jit_name(struct perfdata_jit *j, uint32_t pid, uint64_t address, uint64_t time,
	struct rec_name *name);

/* Tells what is uncertain. */
void perfdata_jit_note(struct perfdata_jit *j);

#endif
