/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers for values of options. OPTION is the name as users write it ("--top"). An invalid value
 * ends the program with one line and EXIT_USAGE_ERROR.
 */
#ifndef VIEW_ARGS_ARG_VALUE_H
#define VIEW_ARGS_ARG_VALUE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the same as argp_error, but prints one line. Ends the program with EXIT_USAGE_ERROR. */
void arg_error(struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Reports "invalid OPTION 'ARG': use USE". For values that have a parser of their own. */
void arg_invalid(const char *option, const char *arg, const char *use, struct argp_state *state);

/* Returns ARG, which must not be empty. */
const char *arg_text(
	const char *option, const char *arg, const char *use, struct argp_state *state);

/* USE for options with a function pattern. */
#define ARG_PATTERN "a pattern such as 'malloc*'"

/* Returns a whole number from MIN to MAX. */
uint64_t arg_count(
	const char *option, const char *arg, uint64_t min, uint64_t max, struct argp_state *state);

/* Returns a number above 0, at most MAX, which is an integer. */
double arg_positive(const char *option, const char *arg, double max, struct argp_state *state);

/*
 * Returns a duration in seconds, above 0 and at most MAX. ARG is a number and s (the default), ms,
 * m or h.
 */
double arg_duration(const char *option, const char *arg, double max, struct argp_state *state);

/* Returns a number from 0 to 100. "%" may follow it. */
double arg_percent(const char *option, const char *arg, struct argp_state *state);

/*
 * Returns a number from 0 to below 2^32 with at most two decimals, in hundredths. "%" may follow
 * it.
 */
uint64_t arg_hundredths(const char *option, const char *arg, struct argp_state *state);

/* --skid: whether late ticks are counted for the callers (view/skid.h). */
#define ARG_SKID "none|caller"
#define ARG_SKID_HELP "Count ticks that came late, as interrupts were off, for the caller"
bool arg_skid(const char *arg, struct argp_state *state);

/* Returns the index of ARG among the NR > 1 WORDS. */
size_t arg_word(const char *option, const char *arg, const char *const *words, size_t nr,
	struct argp_state *state);

#endif
