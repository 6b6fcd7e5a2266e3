/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of the built-in engine. It records with BPF programs, which take stacks,
 * unwind them with the engine's unwind tables and sum them.
 */
#ifndef ENGINE_BPF_BPF_ENGINE_H
#define ENGINE_BPF_BPF_ENGINE_H

#include "bpf_tool.h"
#include "counters.h"
#include "drain.h"
#include "engine/condense.h"
#include "engine/engine.h"
#include "label/label_processes.h"
#include "label/memberships.h"
#include "loader.h"
#include "pace.h"
#include "programs.h"
#include "ring_records.h"
#include "sideband.h"
#include "spaces.h"
#include "stack_copies.h"
#include "targets.h"
#include "runtime/native.h"
#include "runtime/vm_processes.h"

enum {
	POOL_MAX = 512 << 20, /* bytes of unwind tables in the kernel */
	POOL_PART = 8,        /* the pool gets 1/8 of a memory limit */
};

struct bpf {
	struct engine engine;
	const struct engine_request *request;
	struct targets targets;
	struct programs programs;
	struct sideband side;
	struct pool pool;
	struct loader loader;
	struct processes processes;
	struct facets facets; /* the facets of the processes, see the next members */
	struct facet layouts; /* see jit_layouts_init() */
	struct spaces spaces;
	struct vm_processes vms;
	struct label_processes labels;
	struct label_sets label_sets;
	struct memberships memberships;
	struct samples samples;
	struct stack_copies copies;
	struct drain drain;
	struct ring_records ring;
	struct counters *counters; /* by processor and lane; the programs write to this memory */
	size_t nr_cpus;
	bool young;                /* a round should follow soon */
	struct kallsyms *kallsyms; /* names of what is in kernel stacks */
	struct strbuf no_kallsyms; /* why there are no kernel symbols */
	struct tool_run tool;
	size_t nr_points;                     /* how many of labels.points have a probe */
	struct strbuf no_scan;                /* why the threads were not scanned at the start */
	uint64_t drained_nodes, drained_rows; /* counters at the last drain */
	uint64_t nr_drains;
	struct leaving {
		uint32_t pid;
		uint64_t id; /* of the process, see struct process */
	} * leaving;         /* processes whose main thread has exited */
	size_t nr_leaving, leaving_alloc;
	uint64_t lost_events;     /* side.lost when all mappings were last scanned again */
	int64_t rescan_ns;        /* the next such scan is not before this time */
	uint64_t swept;           /* processes.nr_added at the last sweep */
	bool window_ended;        /* since the last sweep */
	int64_t sweep_ns;         /* the next sweep is not before this time */
	struct condense condense; /* of the sweep that has begun, if its `to` is set */
	int64_t swept_ns;         /* that sweep frees what ended before this time */
	int64_t cpus_ns;          /* when to look at the processors again */
	uint64_t nr_restarts;     /* how often the events of a processor were started again */
	int restarted;            /* the last such processor */
	uint64_t missed; /* estimated ticks of the target that were missed before restarts */
	struct pace pace;
	uint64_t began; /* CLOCK_MONOTONIC, ns, when the first event may have come */
	uint64_t ended; /* likewise for the last one, or 0 until the recording is stopped */
	uint64_t since; /* when the window began that bpf_take() gives, or 0 for `began` */
	uint64_t lost[LOST_REASONS]; /* what the windows before it have told as lost */
	size_t nr_put_off;           /* rows that the window before it has put off */
	bool started, waited;
	bool no_memory; /* stopped because memory was low */
};

/* ---- bpf.c ---- */

/* Returns whether any process may become one that is recorded. */
bool bpf_is_open(const struct engine_request *r);
/* Returns whether native stacks are walked, to record them or to find labels or an interpreter. */
bool bpf_walks_native(const struct engine_request *r);
struct counters bpf_counters(const struct bpf *b);
/* Waits for input of bpf_take_round(), for at most TIMEOUT_MS. */
void bpf_wait_for_input(struct bpf *b, int timeout_ms);

/* ---- bpf_rounds.c ---- */

/* Takes the records of the programs and the kernel, and publishes the resulting changes. */
void bpf_take_round(struct bpf *b);
/* Handles the end of processes whose end was not reported by an event. */
void bpf_end_processes(struct bpf *b);
/* Takes the names and labels of the rows to be drained. */
void bpf_take_names(struct bpf *b);

/* ---- bpf_labels.c ---- */

/* Tells the source of labels which functions to probe. */
void bpf_choose_functions(struct bpf *b);
/* Fails if no target has the source of labels and no process that starts later can have it. */
int bpf_find_labels(struct bpf *b, struct strbuf *err);
/* Fails if a function that the tool needs is known in none of the processes. */
int bpf_need_functions(const struct bpf *b, struct strbuf *err);
/*
 * Probes functions of the source of labels in files that were found since the last call. Returns -1
 * with ERR if one of them cannot be probed; the next call goes on with the next one.
 */
int bpf_attach_points(struct bpf *b, struct strbuf *err);
/* Adds to NOTES which labels, and which counts that depend on them, are missing. */
void bpf_note_labels(const struct bpf *b, const struct counters *counters, struct strbuf *notes);

/* ---- bpf_sweep.c ---- */

/* Returns whether half of the room for stacks or rows is used. */
bool bpf_is_half_full(const struct bpf *b);
void bpf_drain(struct bpf *b);
/*
 * If a sweep is due, frees processes and files that ended some time ago and are in no stack. If the
 * samples are condensed for that, a call copies only a part of them, so that the sums are drained
 * in time.
 */
void bpf_sweep(struct bpf *b);
/* Begins to condense the samples. */
void bpf_begin_condensing(struct bpf *b);
/* Condenses the rest of the samples that are being condensed. */
void bpf_end_condensing(struct bpf *b);

/* ---- bpf_cpus.c ---- */

/* Starts the events of processors that have come online, once a second. */
void bpf_update_cpus(struct bpf *b);
/* Adds a line about the ticks that were missed on such processors, if there are any. */
void bpf_note_cpus(const struct bpf *b, struct strbuf *notes);

/* ---- bpf_result.c ---- */

/* Implement engine_ops.take and engine_ops.window. */
int bpf_take(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err);
int bpf_window(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err);

#endif
