/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine records: it inserts probes, sums up in the kernel and returns (task, stacks) -> (count,
 * sum). The rest of the program does not depend on which engine ran.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "model/recording.h"
#include "process/selection.h"
#include "tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct jvms;
struct label_source;
struct open_files;
struct strbuf;
struct vm;

enum { TARGETS_MAX = 300 }; /* processes and threads; limited by the length of stap's strings */

struct engine_request {
	const struct tool *tool; /* what to record, and the values of its options */
	struct tool_values values;
	const uint32_t *pids; /* none with tids, all or a selection, but for that of a command */
	size_t nr_pids;
	const uint32_t *tids;
	size_t nr_tids;
	bool all; /* every task; without the idle ones unless idle is set */
	bool idle;
	struct selection selection; /* instead of processes; bpf: also those that start later */
	bool children;     /* also those that the processes have started or start; bpf only */
	bool user, kernel; /* which stacks; both: every tick, user stack and kernel part */
	/* Whose stacks are taken instead of user stacks; NULL: of no interpreter. */
	const struct vm *vm;
	bool mixed; /* its frames in the user stacks: user is set, too */
	/* Whose labels samples get; NULL: of no source. */
	const struct label_source *label;
	uint32_t label_keys;    /* which, a bit each */
	bool label_is_optional; /* also processes without the source are recorded */
	bool count_ends;        /* also what samples belong to is counted, when it ends */
	uint32_t label_values;  /* of each label that clients choose, the most frequent ones */
	struct jvms *jvms;      /* who are asked for names, NULL: nobody; set before start */
	bool fetch;             /* debug files may be downloaded */
	bool by_default;        /* user and kernel were not given: a module built ahead decides */
	unsigned hz;            /* 0: the engine's own tick */
	double seconds;         /* an upper bound for the engine, 0: until it is stopped */
	size_t stacks; /* room for this many different (thread, stacks); 0: the engine chooses */
	unsigned overload;      /* per cent of a CPU that the probes may take, 0: no limit */
	const char *command;    /* that pids[0] will execute, NULL: it runs already */
	char *const *stap_args; /* passed through */
	size_t nr_stap_args;
	const char *module;     /* built by compile_only before, NULL: build it now */
	bool compile_only;      /* build the module, record nothing */
	const char *compile_to; /* write it there; NULL: keep it and print its path */
	const char *release;    /* of the kernel, NULL: the running one; only with compile_only */
	bool verbose;           /* the engine's messages on stderr */
};

enum engine_state { ENGINE_STARTING, ENGINE_READY, ENGINE_ENDED };

struct engine {
	const struct engine_ops *ops;
};

struct engine_ops {
	const char *name;
	/*
	 * Scans the targets and prepares; NULL and ERR if it cannot work. REQUEST must outlive it;
	 * what a module built ahead decides is stored in it.
	 */
	struct engine *(*new)(struct engine_request *request, struct strbuf *err);
	/* Writes what would run, as text. */
	void (*describe)(const struct engine *engine, FILE *out);
	/* Starts without waiting until the probes are in place. */
	int (*start)(struct engine *engine, struct strbuf *err);
	/* Waits up to TIMEOUT_MS or until a signal, reads what is there; the state then. */
	enum engine_state (*wait)(struct engine *engine, int timeout_ms);
	/*
	 * Requests the sums; the state becomes ENGINE_ENDED when they have arrived. The second call
	 * requests the end without them, the third one forces it.
	 */
	void (*stop)(struct engine *engine);
	/*
	 * After ENGINE_ENDED: adds the results to REC (and "seconds" if it has measured them), and
	 * to FILES those that cannot be opened by their recorded path; NOTES are for the user. 0:
	 * ok; 1: with losses of the engine itself, ERR says which; -1: there are no results, ERR
	 * says why and what to do.
	 */
	int (*finish)(struct engine *engine, struct recording *rec, struct open_files *files,
		struct strbuf *notes, struct strbuf *err);
	/* The messages of an engine that failed to start; NULL: it did start. */
	const char *(*log)(const struct engine *engine);
	void (*free)(struct engine *engine);
};

extern const struct engine_ops stap_engine, bpf_engine;

enum { ENGINES_MAX = 2 };

/* Whether only SystemTap does something that REQUEST contains. */
bool engine_needs_stap(const struct engine_request *request);

/*
 * The engines that support REQUEST, in the order in which they are tried. NAME is that of one,
 * "stap" or "bpf", or "auto". Returns their number; 0: there is none of this name.
 */
size_t engines_find(const char *name, const struct engine_request *request,
	const struct engine_ops *found[ENGINES_MAX]);

#endif
