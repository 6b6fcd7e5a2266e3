/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the built-in engine share: a recording by BPF programs, which take stacks,
 * unwind them by our unwind tables and sum them.
 */
#ifndef ENGINE_BPF_BPF_ENGINE_H
#define ENGINE_BPF_BPF_ENGINE_H

#include "bpf_tool.h"
#include "counters.h"
#include "drain.h"
#include "engine/engine.h"
#include "engine/memberships.h"
#include "jit_layouts.h"
#include "label/label_processes.h"
#include "loader.h"
#include "pace.h"
#include "programs.h"
#include "ring_records.h"
#include "sideband.h"
#include "spaces.h"
#include "stack_copies.h"
#include "targets.h"
#include "vm/vm_processes.h"

enum {
	POOL_MAX = 512 << 20, /* bytes of unwind tables in the kernel */
	POOL_PART = 8,        /* of a memory limit */
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
	struct facets facets; /* of the processes; they are the next ones */
	struct facet layouts; /* see jit_layouts.h */
	struct spaces spaces;
	struct vm_processes vms;
	struct label_processes labels;
	struct label_sets label_sets;
	struct memberships memberships;
	struct samples samples;
	struct stack_copies copies;
	struct drain drain;
	struct ring_records ring;
	struct counters *counters; /* by processor and lane; memory that the programs write */
	size_t nr_cpus;
	bool young; /* a round should follow soon */
	struct kallsyms *kallsyms;
	struct strbuf no_kallsyms; /* why there are none */
	struct tool_run tool;
	size_t nr_points;                     /* of labels.points that have a probe */
	struct strbuf no_scan;                /* why the threads were not scanned at the start */
	uint64_t drained_nodes, drained_rows; /* counters at the last drain */
	uint64_t nr_drains;
	struct leaving {
		uint32_t pid;
		uint64_t id; /* of the process, see struct process */
	} * leaving;         /* whose main thread has exited */
	size_t nr_leaving, leaving_alloc;
	uint64_t lost_events; /* for which mappings were scanned again */
	int64_t rescan_ns;    /* not before */
	uint64_t swept;       /* processes.nr_added at the last sweep */
	int64_t sweep_ns;     /* not before */
	int64_t cpus_ns;      /* when to look at the processors again */
	uint64_t nr_restarts; /* how often the events of a processor were started again */
	int restarted;        /* the last one of these processors */
	uint64_t missed;      /* estimated ticks of the target before the restarts */
	struct pace pace;
	uint64_t began;    /* CLOCK_MONOTONIC, ns: the first event may have come */
	uint64_t duration; /* ns, from then until the last; known when stopped */
	bool started, waited, stopped;
	bool no_memory; /* left: that is why it stopped */
};

/* ---- bpf.c ---- */

/* Any process may become one that is recorded. */
bool bpf_is_open(const struct engine_request *r);
/* Whether native stacks are walked: recorded, or to where an interpreter is. */
bool bpf_walks_native(const struct engine_request *r);
struct counters bpf_counters(const struct bpf *b);
/* Waits for what bpf_take_round() takes, TIMEOUT_MS at most. */
void bpf_wait_for_input(struct bpf *b, int timeout_ms);

/* ---- bpf_rounds.c ---- */

/* Takes what the programs and the kernel have sent, and publishes what changes by it. */
void bpf_take_round(struct bpf *b);
/* Ends processes that live no more although no event has said so. */
void bpf_end_processes(struct bpf *b);
/* As drain.on_switch; CONTEXT is a struct bpf: takes the names and labels of rows to be drained. */
void bpf_take_names(void *context);

/* ---- bpf_labels.c ---- */

/* Names the functions to the source of labels. */
void bpf_choose_functions(struct bpf *b);
/* Fails where no target has the source of labels, nor can any that starts later. */
int bpf_find_labels(struct bpf *b, struct strbuf *err);
/* Fails if a function that the tool needs is known in none of the processes. */
int bpf_need_functions(const struct bpf *b, struct strbuf *err);
/*
 * Probes functions of the source of labels in files that were found since the last call. -1 and
 * ERR: one of them not; the next call goes on with the next one.
 */
int bpf_attach_points(struct bpf *b, struct strbuf *err);
/* What is missing of the labels, and of what is counted by them. */
void bpf_note_labels(const struct bpf *b, const struct counters *counters, struct strbuf *notes);

/* ---- bpf_sweep.c ---- */

/* Half of the room for stacks or rows is taken. */
bool bpf_is_half_full(const struct bpf *b);
void bpf_drain(struct bpf *b);
/* If it is time to: frees what ended some time ago and is in no stack. */
void bpf_sweep(struct bpf *b);

/* ---- bpf_cpus.c ---- */

/* Once a second: starts the events of processors that have come online. */
void bpf_update_cpus(struct bpf *b);
/* Adds a line about ticks that were missed on such processors, if there were any. */
void bpf_note_cpus(const struct bpf *b, struct strbuf *notes);

/* ---- bpf_result.c ---- */

/* As engine_ops.finish. */
int bpf_finish(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err);

#endif
