/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What records: puts probes in, adds up in the kernel, hands over (task, stacks) -> (count, sum).
 * The rest of the program does not know which engine ran.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "model/recording.h"
#include "tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct open_files;
struct strbuf;
struct vm;

struct engine_request {
	const struct tool *tool; /* which question, and the values of its options */
	struct tool_values values;
	const uint32_t *pids; /* none with tids or all */
	size_t nr_pids;
	const uint32_t *tids;
	size_t nr_tids;
	bool all; /* every task; without the idle ones unless idle is set */
	bool idle;
	bool children;     /* and what the processes start; bpf only */
	bool user, kernel; /* which stacks; both: every tick, user stack and kernel part */
	/* Whose stacks are taken in place of user stacks; NULL: of no interpreter. */
	const struct vm *vm;
	bool mixed;        /* its frames in the user stacks: user is set, too */
	bool fetch;        /* debug files from servers may be asked for */
	bool by_default;   /* user and kernel were not asked for: a module built ahead decides */
	unsigned hz;       /* 0: the engine's own tick */
	double seconds;    /* how long, 0: until it is stopped; a bound for the engine, no clock */
	size_t stacks;     /* room for so many different (thread, stacks); 0: the engine chooses */
	unsigned overload; /* per cent of a CPU that the probes may take, 0: no limit */
	const char *command;    /* program that pids[0] will execute, NULL: it runs already */
	char *const *stap_args; /* passed through */
	size_t nr_stap_args;
	const char *module;     /* what an earlier compile_only made, NULL: make it now */
	bool compile_only;      /* make what a recording needs, record nothing */
	const char *compile_to; /* put it there; NULL: keep it and print its path */
	const char *release; /* for another kernel than the running one; only with compile_only */
	bool verbose;        /* the engine's own words on stderr */
};

enum engine_state { ENGINE_STARTING, ENGINE_READY, ENGINE_ENDED };

struct engine {
	const struct engine_ops *ops;
};

struct engine_ops {
	const char *name;
	/*
	 * Looks at the targets and prepares; NULL and ERR when it cannot work. REQUEST must outlive
	 * it; what a module built ahead decides is put into it.
	 */
	struct engine *(*new)(struct engine_request *request, struct strbuf *err);
	/* Writes what would run, for people to read. */
	void (*describe)(const struct engine *engine, FILE *out);
	/* Starts without waiting until the probes are in place. */
	int (*start)(struct engine *engine, struct strbuf *err);
	/* Waits up to TIMEOUT_MS or a signal, takes in what came; the state then. */
	enum engine_state (*wait)(struct engine *engine, int timeout_ms);
	/*
	 * Asks for the sums; the state becomes ENGINE_ENDED when they are here. Called again: for
	 * the end without them; a third time: by force.
	 */
	void (*stop)(struct engine *engine);
	/*
	 * After ENGINE_ENDED: adds all that was gathered to REC (and "seconds" if it knows better
	 * than the clock of its caller), and to FILES those that cannot be opened by their recorded
	 * path; NOTES are good to know. 0: good; 1: with losses of the
	 * engine itself, ERR says which; -1: nothing was gathered, ERR says why and what to do.
	 */
	int (*finish)(struct engine *engine, struct recording *rec, struct open_files *files,
		struct strbuf *notes, struct strbuf *err);
	/* All that the programs of an engine that could not start said; NULL: it did start. */
	const char *(*log)(const struct engine *engine);
	void (*free)(struct engine *engine);
};

extern const struct engine_ops stap_engine, bpf_engine;

enum { ENGINES_MAX = 2 };

/*
 * The engines that may record what REQUEST asks for, in the order in which they are tried: NAME is
 * that of one, "stap" or "bpf", or "auto". Their number; 0 and ERR: there is none called so.
 */
size_t engines_find(const char *name, const struct engine_request *request,
	const struct engine_ops *found[ENGINES_MAX], struct strbuf *err);

#endif
