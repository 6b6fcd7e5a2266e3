/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rows of options set, and errors. An invalid value ends the program with one line and
 * EXIT_USAGE_ERROR.
 */
#ifndef VIEW_ARGS_ARG_VALUE_H
#define VIEW_ARGS_ARG_VALUE_H

#include "arg_parse.h"
#include "model/membership.h"

/* Prints one line and ends the program with EXIT_USAGE_ERROR. */
void arg_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Reports "invalid --OPTION 'ARG': use USE". For values that have a parser of their own. */
void arg_invalid(const struct arg_option *option, const char *arg, const char *use)
	__attribute__((noreturn));

/* USE for options with the key of a label. */
#define ARG_LABEL_KEY "the key of a label"

/* ONCE for options with keys. */
#define ARG_KEYS_ONCE "separate several keys with a comma"

/*
 * What can be a root frame: words for what is known of each task, and keys of labels. After "one
 * of" in the help of an option, the shells complete these.
 */
#define ARG_TASK_WORDS "comm, thread, process, "
#define ARG_LABEL_WORDS MEMBERSHIP_WORDS "or the key of another label"
#define ARG_ROOT_WORDS ARG_TASK_WORDS ARG_LABEL_WORDS

arg_set arg_flag; /* bool */

/* const char *; it must not be empty if the row has USE. */
arg_set arg_text;

/* An enum, which is set to the row's choice. USE lists all such options if only one can be given.
 */
arg_set arg_choice;

/* A whole number from the row's min to max. */
arg_set arg_count;

/* double: a number above 0, at most the row's max. */
arg_set arg_positive;

/*
 * double: a duration in seconds, above 0 and at most the row's max. The value is a number and s
 * (the default), ms, m or h.
 */
arg_set arg_duration;

/* double: a number from 0 to 100. "%" may follow it. */
arg_set arg_percent;

/*
 * uint64_t: a number from 0 to below 2^32 with at most two decimals, in hundredths. "%" may follow
 * it.
 */
arg_set arg_hundredths;

/* A whole number or an enum: the index of the value among the row's words, which are at least 2. */
arg_set arg_word;

/* Returns what arg_word() sets. */
size_t arg_word_index(const struct arg_option *option, const char *arg);

/* --skid: whether late ticks are counted for the callers (view/skid.h). */
#define ARG_SKID(in_group, type, member)                                                           \
	{                                                                                          \
		"skid", 0, "none|caller",                                                          \
			"Count ticks that came late, as interrupts were off, for the caller",      \
			in_group, arg_word, ARG_AT(type, member), .words = arg_skid_words          \
	}
extern const char *const arg_skid_words[];

/* --scheduler: keeps the scheduler's functions in the stacks of waits (recording_view). */
#define ARG_SCHEDULER(in_group, type, member)                                                      \
	{                                                                                          \
		"scheduler", 0, NULL,                                                              \
			"Show the scheduler's functions at the leaf of waits, such as schedule",   \
			in_group, arg_flag, ARG_AT(type, member)                                   \
	}

/* --asleep: also shows threads that never ran (recording_view). */
#define ARG_ASLEEP(in_group, type, member)                                                         \
	{                                                                                          \
		"asleep", 0, NULL, "Show threads that waited all the time, too", in_group,         \
			arg_flag, ARG_AT(type, member)                                             \
	}

#endif
