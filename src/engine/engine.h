/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine records: it inserts probes, sums up in the kernel and returns (task, stacks) -> (count,
 * sum). The rest of the program does not depend on which engine ran.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "label/label.h"
#include "model/recording.h"
#include "probe.h"
#include "measure.h"
#include "process/selection.h"
#include "tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct open_files;
struct strbuf;

enum { TARGETS_MAX = 300 }; /* processes and threads; limited by the length of stap's strings */

struct engine_request {
	const struct tool *tool; /* what to record, and the values of its options */
	struct tool_values values;
	const struct probe *probes; /* of the tool at */
	size_t nr_probes;
	struct measure measure; /* at their hits; ranges also of other tools that take distr */
	uint64_t count;         /* of a counter's events for each hit, or 0 for the usual number */
	const uint32_t *pids;   /* none with tids, all or a selection, except for a command's PID */
	size_t nr_pids;
	const uint32_t *tids;
	size_t nr_tids;
	bool all; /* every task; the idle tasks only if idle is set */
	bool idle;
	struct selection selection; /* instead of processes; bpf also records later ones */
	bool children;              /* also record present and future children; bpf only */
	bool user, kernel; /* which stacks; with both, user stack and kernel part at every tick */
	/*
	 * The interpreters whose stacks are taken instead of user stacks, as bits VM_BIT(). Each
	 * process has at most one of them, see vm_processes.h.
	 */
	uint32_t vms;
	bool any_vm;    /* vms are those to look for; no process has to run one */
	bool mixed;     /* their frames are put into the user stacks; user is set, too */
	bool operators; /* samples are labelled with the operator that they execute */
	struct chosen_sources labels; /* the sources of the samples' labels */
	uint32_t memberships;    /* MEMBERSHIP_BIT of each label of processes that is recorded */
	bool label_is_optional;  /* the sources need not be in any process */
	bool count_ends;         /* requests and other owners of samples are counted at their end */
	uint32_t label_values;   /* how many values are kept of each label that clients choose */
	bool no_names;           /* processes are not asked for the names of their compiled code */
	bool (*impatient)(void); /* returns true if the user does not want to wait for them */
	bool fetch;              /* debug files may be downloaded */
	bool by_default;         /* user and kernel were not given; a module built ahead decides */
	unsigned hz;             /* or 0 for the engine's own tick */
	uint64_t slice_ns;       /* length of the slices of time, or 0 to record none */
	bool windows;            /* the recording is taken in parts, which only bpf does */
	bool must_slice;         /* the user asked for slices */
	uint32_t slices_max;     /* more slices become half as many longer ones; or 0 */
	uint32_t slices_last;    /* only this many slices before the end are kept; or 0 for all */
	double seconds;          /* an upper bound for the engine, or 0 to run until stopped */
	size_t stacks;     /* room for this many different (thread, stacks), or 0 for the default */
	unsigned overload; /* per cent of a CPU that the probes may take, or 0 for no limit */
	const char *command; /* will be executed by pids[0], or NULL if that runs already */
	char *preload;       /* the library of the tool that the command loads first, or NULL */
	const char *const *stap_args; /* passed through */
	size_t nr_stap_args;
	const char *module;     /* built by compile_only before, or NULL to build it */
	bool compile_only;      /* build the module and record nothing */
	const char *compile_to; /* where to write it, or NULL to keep it and print its path */
	const char *release;    /* of the kernel, or NULL for the running one; for compile_only */
	bool verbose;           /* show the engine's messages on stderr */
};

enum engine_state { ENGINE_STARTING, ENGINE_READY, ENGINE_ENDED };

struct engine {
	const struct engine_ops *ops;
};

struct engine_ops {
	const char *name;
	/*
	 * Scans the targets and prepares the engine. Returns NULL with ERR if it cannot work.
	 * REQUEST must outlive the engine, which stores in it what a module built ahead decides.
	 */
	struct engine *(*new)(struct engine_request *request, struct strbuf *err);
	/* Writes what would run, as text. */
	void (*describe)(const struct engine *engine, FILE *out);
	/* Starts without waiting until the probes are in place. */
	int (*start)(struct engine *engine, struct strbuf *err);
	/*
	 * Waits for TIMEOUT_MS or until a signal, and reads what is there. Returns the new state.
	 */
	enum engine_state (*wait)(struct engine *engine, int timeout_ms);
	/*
	 * Requests the sums; the state becomes ENGINE_ENDED when they have arrived. The second call
	 * requests the end without them, the third one forces it.
	 */
	void (*stop)(struct engine *engine);
	/*
	 * Makes REC, which is empty, the recording so far, with "seconds" if the engine measures
	 * them. NOTES are for the user. Returns 0 on success, 1 with losses of the engine itself,
	 * which ERR tells, or -1 if there are no results; ERR then tells the reason and what to do.
	 *
	 * May be called again and again while the state is ENGINE_READY: bpf gives the samples so
	 * far, without what has begun and not ended, and counts samples whose stacks are still
	 * being unwound as lost. stap gives no samples, as the scripts print them at the end.
	 *
	 * To be called once after the end, for all samples. Only then processes are asked for
	 * names, and FILES gets the files that cannot be opened by their recorded path.
	 */
	int (*take)(struct engine *engine, struct recording *rec, struct open_files *files,
		struct strbuf *notes, struct strbuf *err);
	/*
	 * Makes REC, which is empty, the recording since the last call or, at first, since the
	 * start. take() then gives only what comes later. Samples whose stacks are still being
	 * unwound, and what has begun and not ended, are in a later recording. FILES gets the files
	 * that names come from; they belong to the engine: open_files_return(). NULL if the engine
	 * cannot do it; to be called while the state is ENGINE_READY.
	 */
	int (*window)(struct engine *engine, struct recording *rec, struct open_files *files,
		struct strbuf *notes, struct strbuf *err);
	/* Returns the messages of an engine that failed to start, or NULL if it did start. */
	const char *(*log)(const struct engine *engine);
	void (*free)(struct engine *engine);
};

extern const struct engine_ops stap_engine, bpf_engine;

enum { ENGINES_MAX = 2 };

/* Returns whether REQUEST contains something that only SystemTap does. */
bool engine_needs_stap(const struct engine_request *request);

/* Returns whether SystemTap counts by the slices of time that REQUEST asks for. */
bool engine_stap_slices(const struct engine_request *request);

/*
 * Finds the engines that support REQUEST, in the order in which they are tried. NAME is "auto" or
 * the name of one engine, "stap" or "bpf". Returns their number, or 0 if there is no engine of this
 * name.
 */
size_t engines_find(const char *name, const struct engine_request *request,
	const struct engine_ops *found[ENGINES_MAX]);

#endif
