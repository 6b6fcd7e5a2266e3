/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of all events that occurred in the target: each was kept, left out or lost. Kept
 * events are classified twice, by whole, cut and broken stacks, and by named and unnamed frames.
 * All numbers are weights in the profile's unit, except for lost, which counts events: their weight
 * is unknown.
 */
#ifndef MODEL_ACCOUNT_H
#define MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;
struct timing;

enum lost_reason {
	LOST_SKIPPED,    /* the probe did not run: lock contention, reentry, overload */
	LOST_TABLE_FULL, /* no space for a new stack */
	LOST_NO_BODY,    /* counted, but the stack itself was not received */
	LOST_TRANSPORT,  /* dropped between kernel and recorder */
	LOST_SPOOL,      /* in windows that the spool had no room for, or that cannot be sent */
	LOST_UNREADABLE, /* lines that could not be parsed */
	LOST_REASONS,
};

struct account {
	bool known; /* false if the input has no account (folded stacks) */
	uint64_t kept;
	uint64_t left_out;          /* by the user's filters */
	uint64_t asleep, nr_asleep; /* left out, as their threads never ran; number of threads */
	uint64_t whole, cut, broken;
	uint64_t named, unnamed; /* sums over frames */
	uint64_t lost[LOST_REASONS];
};

const char *lost_reason_word(enum lost_reason reason); /* for example "table-full" */
int lost_reason_parse(const char *word);               /* -1 if unknown */
uint64_t account_lost(const struct account *account);  /* sum over all reasons */

/* Returns the share of frames with names, in per cent, or 0 if there are no frames. */
double account_named(const struct account *account);

#define ACCOUNT_NO_LEAST (-1.0)

/* Without a least share, nothing is said if this share of the frames has names, in per cent. */
#define ACCOUNT_NAMED 90.0

/*
 * The module with the most unnamed frames, and what gives it names; NULL if unknown. REMEDY is
 * empty if the output says it.
 */
struct account_gap {
	const char *module, *remedy;
};

/* Whether nothing is said of the names of frames. */
bool account_names_suffice(const struct account *account, double least);

/*
 * Adds to OUT what helps unless names suffice. Returns false if less than LEAST per cent of the
 * frames have names.
 */
bool account_is_named(
	const struct account *account, double least, struct account_gap gap, struct strbuf *out);

/* Returns true if PART is one per cent of ALL or more, and so worth a line. */
bool account_is_much(uint64_t part, uint64_t all);

/* Appends a share as account_line() does: "99.8 %". */
void account_add_share(uint64_t part, uint64_t all, struct strbuf *out);

/*
 * Appends a line, without newline: "1302 samples kept, 3 lost (table-full 3); 1.9 of 2 CPUs for 5.0
 * s; stacks 99.8 % whole, …". TIMING is the profile's timing, which tells the CPUs in use.
 */
void account_line(const struct account *account, const struct timing *timing, const char *unit,
	struct strbuf *out);

/*
 * Appends a line for each reason by which one per cent or more of the samples were lost in the
 * recorder: what it means, and what helps. Appends nothing for other units, whose lost weight is
 * not known.
 */
void account_lost_lines(const struct account *account, const char *unit, struct strbuf *out);

/* Appends the whole account as a JSON object. */
void account_json(const struct account *account, const struct timing *timing, struct strbuf *out);

#endif
