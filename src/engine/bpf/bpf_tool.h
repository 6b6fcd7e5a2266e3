/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tools of the built-in engine. Each has a folder of src/tool and a row of BPF_TOOL_LIST; the
 * engine knows none of them by name.
 */
#ifndef ENGINE_BPF_BPF_TOOL_H
#define ENGINE_BPF_BPF_TOOL_H

#include "process/facet.h"

#define BPF_TOOL_LIST(X)                                                                           \
	X(on_cpu)                                                                                  \
	X(off_cpu)                                                                                 \
	X(wall)                                                                                    \
	X(at)                                                                                      \
	X(syscalls)                                                                                \
	X(faults)                                                                                  \
	X(rss)                                                                                     \
	X(vfs)                                                                                     \
	X(block)                                                                                   \
	X(tcp)                                                                                     \
	X(pools)                                                                                   \
	X(alloc)                                                                                   \
	X(leaks)                                                                                   \
	X(mmap)                                                                                    \
	X(locks)                                                                                   \
	X(wakers)

struct drain;
struct embedded;
struct engine_request;
struct programs;
struct settings;
struct strbuf;

/* A recording with a tool. */
struct tool_run {
	struct facet facet; /* reports the ends of processes */
	const struct bpf_tool *tool;
	const struct engine_request *request;
	struct drain *drain; /* reads the spans */
	const struct settings *settings;
	void *data; /* data of the tool, NULL at first */
};

struct bpf_tool {
	const char *program; /* the program in the header of its script */
	/* The BPF programs of NAME.bpf.c, and the same without interpreters and labels. */
	const struct embedded *object, *plain_object;

	/* The tool's part in user space. All of these functions may be NULL. */

	/* Returns whether the program of this name is needed. Without it, all are. */
	bool (*is_needed)(const struct engine_request *request, const char *program);
	/* Changes the programs before they are loaded. */
	void (*prepare)(const struct programs *programs);
	/*
	 * Adds the tool's states, and the events of its rows other than ROW_SAMPLES, to the drain.
	 */
	void (*begin)(struct tool_run *run);
	/*
	 * Attaches the programs that do not tell where they are attached. Returns -1 with ERR if
	 * one cannot be attached.
	 */
	int (*attach)(struct tool_run *run, struct programs *programs, struct strbuf *err);
	/* Returns the labels, a set of samples, of rows with the state TOOL_VALUE(VALUE). */
	uint32_t (*labels)(struct tool_run *run, uint32_t value);
	/* Called when the process PID has ended or executes another program. */
	void (*ended)(struct tool_run *run, uint32_t pid);
	/* Called in each round of the recording, when the mappings of processes are known. */
	void (*update)(struct tool_run *run);
	/* Called at the end of the recording, while the probes are still attached. */
	void (*stop)(struct tool_run *run);
	/* Called after the probes were removed. */
	void (*stopped)(struct tool_run *run);
	/*
	 * Called when all rows have been drained. Adds the spans that have not ended at NOW_NS
	 * (monotonic).
	 */
	void (*add_open)(struct tool_run *run, uint64_t now_ns);
	/* Appends a line for each kind of data that is missing in the recording. */
	void (*note)(const struct tool_run *run, struct strbuf *notes);
	void (*release)(struct tool_run *run);
};

#define BPF_TOOL_DECLARE(name) extern const struct bpf_tool name##_tool;
BPF_TOOL_LIST(BPF_TOOL_DECLARE)
#undef BPF_TOOL_DECLARE

/* Returns the tool with the program PROGRAM, which may be NULL, or NULL if there is none. */
const struct bpf_tool *bpf_tool_find(const char *program);

/* Begins a recording with the tool of PROGRAMS. PS, DRAIN and PROGRAMS must outlive it. */
void tool_run_begin(struct tool_run *run, const struct programs *programs, struct processes *ps,
	struct drain *drain);
int tool_run_attach(struct tool_run *run, struct programs *programs, struct strbuf *err);
void tool_run_stop(struct tool_run *run);
void tool_run_stopped(struct tool_run *run);
void tool_run_add_open(struct tool_run *run, uint64_t now_ns);
void tool_run_release(struct tool_run *run);

#endif
