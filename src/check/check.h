/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight: would a recording by one engine work here, what is in its way, what is to be done.
 * Nothing is changed and nothing stays loaded; it takes some milliseconds and `stap --version`.
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
struct vm;

enum check_state {
	CHECK_FOUND,
	CHECK_MISSING,  /* a recording cannot work */
	CHECK_DEGRADED, /* it works, with less */
};

struct check {
	const char *name;
	enum check_state state;
	char *what;
	char *remedy; /* the one thing to do, NULL: nothing */
};

struct checks {
	const char *engine, *by; /* its name for --engine, and for people */
	struct check *list;
	size_t nr, alloc;
	bool compile_only; /* it was about a kernel that does not run here */
};

struct check_request {
	const char *root; /* a folder that stands for "/", "": that one itself */
	bool built_in;    /* the built-in engine, not SystemTap */
	/*
	 * NULL: the running kernel. Another one: only what compiling a module for it needs is
	 * looked at.
	 */
	const char *release;
	const uint32_t *pids; /* whose files should have names; always running ones, not of root */
	size_t nr_pids;
	bool user, kernel;        /* the stacks that are recorded */
	const struct vm *vm;      /* and whose, NULL: of no interpreter */
	bool children;            /* and those of what the processes start */
	const struct tool *tool;  /* what is to be recorded */
	bool module_given;        /* a compiled module: nothing that compiling needs is looked at */
	bool runtime_given;       /* SystemTap uses another runtime than the installed one */
	bool module_signed;       /* the module is signed, or stap was told to sign it */
	const char *module_fault; /* why a compiled module cannot run here, NULL: it can */
	/* Records this process for a moment; NULL: that is not tried. */
	int (*try_it)(
		const struct engine_request *request, struct trial *trial, struct strbuf *err);
	const struct engine_request *trial_request;
};

/* Looks at everything. CHECKS is what checks_release is for. */
void checks_run(struct checks *checks, const struct check_request *request);
void checks_release(struct checks *checks);

/* Nothing is missing. */
bool checks_fit(const struct checks *checks);

/* The first of the NR engines of LIST that would record; NULL: none. */
const struct checks *checks_first_fit(const struct checks *list, size_t nr);

/*
 * Of each of NR engines: one line for each check, "STATE NAME WHAT; REMEDY", and one with the sum
 * of it. With several ones the name of the engine before them, and a last line that says which one
 * would record.
 */
void checks_text(const struct checks *list, size_t nr, FILE *out);

/*
 * {"works": BOOL, "compile_only": BOOL, "engine": the one that would record, or null,
 * "checks": [{"engine", "name", "state", "what", "remedy"}]}
 */
void checks_json(const struct checks *list, size_t nr, FILE *out);

#endif
