/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of a profile's names, file by file: the share of the weight that has names and lines,
 * why the rest has none, and how to get them.
 */
#ifndef SYMBOL_QUALITY_H
#define SYMBOL_QUALITY_H

#include "lib/strbuf.h"
#include "model/recording.h"
#include "symbol_options.h"
#include "symbol_report.h"

#include <stdio.h>

struct packages;

/*
 * A file or pseudo-file: "[kernel]" and its modules, "[anonymous memory]" of one process, "[perl]"
 * or "[lua]" for functions of their programs, "[unknown]" for addresses in no mapping. Weights are
 * sums over frames, in the event's unit, as in the account.
 */
struct quality_module {
	const char *path, *build_id; /* of the recording */
	uint32_t pid;                /* process of anonymous memory, else 0 */
	bool kernel;
	bool interpreted; /* like "[perl]", whose lines are in the recording or cannot be found */
	uint64_t weight, named, lined;
	uint64_t lacks;                    /* weight of the frames without names or lines */
	const struct symbol_module *tried; /* or NULL if not looked up, as it had its names */
	char *why, *remedy;                /* NULL if nothing is missing, or there is no remedy */
};

struct quality {
	const struct recording *rec;
	struct account account;
	struct timing timing;
	struct cuts cuts; /* causes of the account's cut and broken stacks */
	const char *unit;
	bool lines;
	struct quality_module *list; /* by unnamed weight, heaviest first, then by path */
	size_t nr, alloc;
	uint64_t weight, named, lined; /* sums of all modules */
	struct strbuf notes;           /* hints for several modules, one per line */
};

/*
 * Adds up the rows that VIEW selects. REPORT is from symbol_resolve, or NULL. REC and REPORT must
 * outlive Q and must not change. If LINES is set, frames without lines lack something, too.
 */
void quality_init(struct quality *q, const struct recording *rec, const struct recording_view *view,
	const struct symbol_report *report, bool lines);
void quality_release(struct quality *q);

/*
 * Sets why and remedy of each module. OPTIONS were given to symbol_resolve. SERVERS tells whether
 * debuginfod servers are configured. Runs the package manager to find the packages of files. If REC
 * was made on another machine, only files that were found here by their build-ids are looked up.
 */
void quality_explain(struct quality *q, const struct symbol_options *options,
	const struct packages *packages, bool servers);

/*
 * Works like quality_explain() for the module that lacks most names only. Returns that module,
 * which belongs to Q, or NULL if there is no module.
 */
const struct quality_module *quality_explain_worst(struct quality *q,
	const struct symbol_options *options, const struct packages *packages, bool servers);

/* These return -1 and set ERR if OUT cannot be written. */
int quality_csv(const struct quality *q, FILE *out, struct strbuf *err);
int quality_json(const struct quality *q, FILE *out, struct strbuf *err);
/* Writes a table, COLUMNS wide, of the modules that lack something. */
int quality_text(const struct quality *q, size_t columns, FILE *out, struct strbuf *err);

#endif
