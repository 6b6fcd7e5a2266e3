/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why stacks are not whole: the weight of the cut and broken stacks, by file and cause. */
#ifndef MODEL_CUTS_H
#define MODEL_CUTS_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct account;
struct strbuf;

/* The order counts: ranges of causes are compared. */
enum cut_cause {
	CUT_RULES,   /* code in FILE without unwind rules */
	CUT_DENIED,  /* FILE cannot be opened */
	CUT_SILENT,  /* FILE did not answer */
	CUT_NOT_ELF, /* FILE is not ELF */
	CUT_DAMAGED, /* the unwind rules of FILE cannot be read */
	CUT_LATE,    /* the unwind table of FILE was not made in time */
	/* the following causes have no known FILE */
	CUT_MEMORY,    /* generated code of RUNTIME, in no file, without rules or frame pointers */
	CUT_DEPTH,     /* more frames than the unwinder walks, or a larger stack than it copies */
	CUT_BUSY,      /* the copy of the stack was lost */
	CUT_EARLIER,   /* a wait that began before the recording */
	CUT_COROUTINE, /* a coroutine's stack, which does not tell what resumed it */
	CUT_PROBED,    /* a return probe has replaced the return address */
	CUT_COPY,      /* perf's copy of the stack ends before */
	CUT_NO_CHAIN,  /* perf recorded only the address, without a call chain */
	CUT_TEXT,      /* the input's text of the stack is incomplete */
	/* with the following causes, the stack is broken */
	BROKEN_FAILED, /* in FILE, for an unknown reason */
	BROKEN_MEMORY, /* in FILE, where memory that a rule refers to could not be read */
	BROKEN_CALLER, /* in FILE, where the caller's address is in no code */
	BROKEN_CHAIN,  /* in FILE, where perf followed frame pointers */
	BROKEN_VM,     /* an interpreter was changing its stack */
	BROKEN_EMPTY,  /* the stack has no frames */
	CUT_CAUSES,
};

struct cut {
	enum cut_cause cause : 8;
	enum runtime runtime : 8; /* runtime of generated code */
	bool stap;                /* cut by SystemTap's unwinder, with CUT_RULES or CUT_MEMORY */
	bool generated;           /* CUT_MEMORY, or broken in generated code */
	uint32_t file;            /* number of a path or name in struct cuts, or 0 if unknown */
	uint64_t weight;
};

struct cuts {
	struct strpool names;
	struct table by_cut;
	struct cut *list;
	size_t nr, alloc;
};

void cuts_init(struct cuts *cuts);
void cuts_release(struct cuts *cuts);

/* Returns the number of a file for struct cut; it is 0 for NULL. */
uint32_t cuts_file(struct cuts *cuts, const char *file);

/* Adds the weight of CUT, whose file is from cuts_file(), to the weight of an equal cut, if any. */
void cuts_add(struct cuts *cuts, const struct cut *cut);
void cuts_add_all(struct cuts *cuts, const struct cuts *from);

/*
 * Returns the cut-by, in recordings, of a stack that was cut in FILE by CAUSE, which is at most
 * CUT_LATE. It is the path, followed by the cause unless that is CUT_RULES. The caller frees it.
 */
char *cut_text(enum cut_cause cause, const char *file);

/*
 * Returns the cut-by of a stack that was cut or broken by a CAUSE without a file, such as "depth",
 * or NULL if recordings have no word for it.
 */
const char *cut_word(enum cut_cause cause);

/*
 * Returns the cause that BY, the cut-by of a stack that was cut, stands for. BY is a text of
 * cut_text() or cut_word(), or "[anonymous]". If it has a file, the file's path is in the first
 * *FILE_LEN bytes.
 */
enum cut_cause cut_cause_of(const char *by, size_t *file_len);

/* Returns the cause that BY, the cut-by of a broken stack, stands for. */
enum cut_cause broken_cause_of(const char *by);

/* Sets the runtime of generated code whose runtime is not known to RUNTIME. */
void cuts_set_runtime(struct cuts *cuts, enum runtime runtime);

/*
 * Appends a line for each of the heaviest causes, at most three, and of at least one per cent of
 * the kept weight: "12.0 % cut in libx264.so.164: code without unwind rules, such as assembly".
 */
void cuts_lines(const struct cuts *cuts, const struct account *account, struct strbuf *out);

/* Appends all cuts as a JSON array, heaviest first. */
void cuts_json(const struct cuts *cuts, const struct account *account, struct strbuf *out);

#endif
