/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight: checks whether a recording by one engine would work here, what prevents it, and
 * the remedy. Nothing is changed and nothing stays loaded; it takes some milliseconds and `stap
 * --version`.
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
struct label_source;
struct vm;

enum check_state {
	CHECK_FOUND,
	CHECK_MISSING,  /* a recording cannot work */
	CHECK_DEGRADED, /* it works with restrictions */
};

struct check {
	const char *name;
	enum check_state state;
	char *what;
	char *remedy; /* the one thing to do, NULL: nothing */
};

struct checks {
	const char *engine, *by; /* its name for --engine, and in messages */
	struct check *list;
	size_t nr, alloc;
	bool compile_only; /* checked for a kernel that is not running here */
};

struct check_request {
	const char *root; /* a folder used as "/"; "": the real one */
	bool built_in;    /* the built-in engine, not SystemTap */
	/*
	 * NULL: the running kernel. For another one only what compiling a module needs is checked.
	 */
	const char *release;
	const uint32_t
		*pids; /* running processes of the real root whose files should have symbols */
	size_t nr_pids;
	bool user, kernel;   /* the stacks that are recorded */
	const struct vm *vm; /* the interpreter whose stacks are recorded, NULL: none */
	const struct label_source *label; /* whose labels samples get, NULL: of no source */
	bool children;                    /* also processes that these start */
	const struct tool *tool;          /* what is to be recorded */
	bool probes_program;              /* in functions of programs */
	bool module_given;        /* a compiled module: what compiling needs is not checked */
	bool runtime_given;       /* SystemTap does not use the installed runtime */
	bool module_signed;       /* the module is signed, or stap signs it */
	const char *module_fault; /* why a compiled module cannot run here, NULL: it can */
	/* Records this process for a moment; NULL: not tried. */
	int (*try_it)(
		const struct engine_request *request, struct trial *trial, struct strbuf *err);
	const struct engine_request *trial_request;
};

/* Runs all checks; the caller releases CHECKS. */
void checks_run(struct checks *checks, const struct check_request *request);
void checks_release(struct checks *checks);

/* True if nothing is missing. */
bool checks_fit(const struct checks *checks);

/* The first of the NR engines in LIST that would record; NULL: none. */
const struct checks *checks_first_fit(const struct checks *list, size_t nr);

/*
 * For each of NR engines: writes one line per check, "STATE NAME WHAT; REMEDY", and a summary. With
 * several engines each line begins with the engine's name, and a last line names the one that would
 * record.
 */
void checks_text(const struct checks *list, size_t nr, FILE *out);

/*
 * {"works": BOOL, "compile_only": BOOL, "engine": the one that would record, or null,
 * "checks": [{"engine", "name", "state", "what", "remedy"}]}
 */
void checks_json(const struct checks *list, size_t nr, FILE *out);

#endif
