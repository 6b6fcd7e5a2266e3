/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of every event that hit the target: hit = kept + left out + lost. Kept ones are split
 * twice, into whole / cut / broken stacks and into named / unnamed ones. Weights in the profile's
 * unit, but lost counts events (what was lost has no weight that is known).
 */
#ifndef MODEL_ACCOUNT_H
#define MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

enum lost_reason {
	LOST_SKIPPED, /* the probe did not run: its lock was held, it came again too soon, overload
		       */
	LOST_TABLE_FULL, /* a new stack found no room */
	LOST_NO_BODY,    /* counted, but the stack itself never arrived */
	LOST_TRANSPORT,  /* output of the kernel that was dropped on the way */
	LOST_UNREADABLE, /* lines that could not be read */
	LOST_REASONS,
};

struct account {
	bool known; /* false: the input says nothing of itself (folded) */
	uint64_t kept;
	uint64_t left_out; /* by a filter, as was asked for */
	uint64_t whole, cut, broken;
	uint64_t named, unnamed; /* sums over frames */
	uint64_t lost[LOST_REASONS];
};

const char *lost_reason_word(enum lost_reason reason); /* "table-full" */
int lost_reason_parse(const char *word);               /* -1: not known */
uint64_t account_lost(const struct account *account);  /* sum over all reasons */

/* Share of the frames that have names, in per cent; 0 without frames. */
double account_named(const struct account *account);

/*
 * False, and a message in OUT, when a smaller share than LEAST per cent of the frames has names.
 * WORST: the module that lacks most of them, NULL: not known.
 */
bool account_is_named(
	const struct account *account, double least, const char *worst, struct strbuf *out);

/* One line, without newline: "1302 samples kept, 3 lost (table-full 3); stacks 99.8 % whole, …". */
void account_line(const struct account *account, const char *unit, struct strbuf *out);

/* All of it as a JSON object. */
void account_json(const struct account *account, struct strbuf *out);

#endif
