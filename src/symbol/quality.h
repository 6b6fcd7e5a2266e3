/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile's names are worth, file by file: which share of the weight has names and lines,
 * why the rest has none, and the one thing that mends it.
 */
#ifndef SYMBOL_QUALITY_H
#define SYMBOL_QUALITY_H

#include "lib/strbuf.h"
#include "resolve.h"

#include <stdio.h>

struct packages;

/*
 * A file, or what stands for one: "[kernel]" and its modules, "[anonymous memory]" of one process,
 * "[perl]" for the subs of Perl programs, "[unknown]" for addresses in no mapping. Weights are sums
 * over frames, in the event's unit, as in the account.
 */
struct quality_module {
	const char *path, *build_id; /* of the recording */
	uint32_t pid;                /* of anonymous memory, else 0 */
	bool kernel;
	uint64_t weight, named, lined;
	uint64_t lacks;                    /* what wants mending */
	const struct symbol_module *tried; /* NULL: was not looked at, as it had its names */
	char *why, *remedy;                /* NULL: nothing is missing; nothing helps */
};

struct quality {
	const struct recording *rec;
	struct account account;
	const char *unit;
	bool lines;
	struct quality_module *list; /* heaviest unnamed first, of equal ones by path */
	size_t nr, alloc;
	uint64_t weight, named, lined; /* of all */
	struct strbuf notes;           /* what helps several of them, one a line */
};

/* Its frames have their lines from the recorder, or never. */
bool quality_is_perl(const struct quality_module *m);

/*
 * Of the rows that VIEW shows; REPORT is what symbol_resolve said of REC (NULL: nothing). Both must
 * outlive it, and stay as they are. LINES: frames without lines want mending, too.
 */
void quality_init(struct quality *q, const struct recording *rec, const struct recording_view *view,
	const struct symbol_report *report, bool lines);
void quality_release(struct quality *q);

/*
 * Sets why and remedy. OPTIONS are those that symbol_resolve had; SERVERS: debuginfod has some to
 * ask. Asks the package manager which packages files of this machine belong to; files of another
 * one, where REC was made, only count when they were found here by their build-ids.
 */
void quality_explain(struct quality *q, const struct symbol_options *options,
	const struct packages *packages, bool servers);

/* -1 and ERR when OUT cannot be written. */
int quality_csv(const struct quality *q, FILE *out, struct strbuf *err);
int quality_json(const struct quality *q, FILE *out, struct strbuf *err);
/* For people, COLUMNS wide: only what lacks something. */
int quality_text(const struct quality *q, size_t columns, FILE *out, struct strbuf *err);

#endif
