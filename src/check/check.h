/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight: checks whether a recording by one engine would work here, what prevents it, and
 * the remedy. It changes nothing, and nothing stays loaded. It takes some milliseconds and the time
 * of `stap --version`.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct engine_request;
struct strbuf;
struct tool;
struct trial;
struct chosen_sources;

enum check_state {
	CHECK_FOUND,
	CHECK_MISSING,  /* a recording cannot work */
	CHECK_DEGRADED, /* it works with restrictions */
};

struct check {
	const char *name;
	enum check_state state;
	char *what;
	char *remedy; /* the one thing to do, or NULL if nothing is to be done */
};

struct checks {
	const char *engine, *by; /* name of the engine for --engine, and in messages */
	struct check *list;
	size_t nr, alloc;
	bool compile_only; /* the check was for a kernel that is not running here */
};

struct check_request {
	const char *root; /* a folder used as "/", or "" for the real one */
	bool built_in;    /* the built-in engine, not SystemTap */
	/*
	 * NULL for the running kernel. For another kernel, only the needs of compiling a module are
	 * checked.
	 */
	const char *release;
	const uint32_t
		*pids; /* running processes below the real root whose files should have symbols */
	size_t nr_pids;
	bool user, kernel;                   /* the stacks that are recorded */
	uint32_t vms;                        /* interpreters whose stacks are recorded, VM_BIT() */
	bool any_vm;                         /* as in struct engine_request */
	const struct chosen_sources *labels; /* sources of the samples' labels */
	bool children;                       /* record processes that these start as well */
	const struct tool *tool;             /* what is to be recorded */
	bool probes_program;                 /* probes are in functions of programs */
	bool module_given;  /* a compiled module is used; the needs of compiling are not checked */
	bool runtime_given; /* SystemTap does not use the installed runtime */
	bool module_signed; /* the module is signed, or stap signs it */
	const char *module_fault; /* why a compiled module cannot run here, or NULL */
	/* Records this process for a moment. NULL to skip this. */
	int (*try_it)(
		const struct engine_request *request, struct trial *trial, struct strbuf *err);
	const struct engine_request *trial_request;
};

/* Runs all checks. The caller releases CHECKS. */
void checks_run(struct checks *checks, const struct check_request *request);
void checks_release(struct checks *checks);

/* Returns how many things are missing. */
size_t checks_missing(const struct checks *checks);

/* True if nothing is missing. */
bool checks_fit(const struct checks *checks);

/* Returns the first of the NR engines in LIST that would record, or NULL if there is none. */
const struct checks *checks_first_fit(const struct checks *list, size_t nr);

/*
 * Writes, for each of NR engines, one line per check, "STATE NAME WHAT; REMEDY", and a summary.
 * With several engines, the engine's name comes before its lines, and a last line names the engine
 * that would record.
 */
void checks_text(const struct checks *list, size_t nr, FILE *out);

/*
 * Writes {"works": BOOL, "compile_only": BOOL, "engine": ENGINE, "checks": [{"engine", "name",
 * "state", "what", "remedy"}]}. ENGINE is the engine that would record, or null.
 */
void checks_json(const struct checks *list, size_t nr, FILE *out);

#endif
