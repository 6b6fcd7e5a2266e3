/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines. An option is one row of a table: its name, its help, how its value is parsed, and
 * what that sets. Errors are reported in one line.
 */
#ifndef VIEW_ARGS_ARG_PARSE_H
#define VIEW_ARGS_ARG_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arg_option;

/* Sets TO to ARG, the value of OPTION, which is NULL if none was given. See arg_value.h. */
typedef void arg_set(const struct arg_option *option, const char *arg, void *to);

/* A row without SET is a heading or, with a NAME, another name of the option before it. */
struct arg_option {
	const char *name;  /* NULL if it has none */
	int letter;        /* 0 if it has none */
	const char *value; /* what --help calls the value; NULL if the option takes none */
	const char *help;
	int group; /* sections of --help are in this order */
	arg_set *set;
	size_t at, size; /* ARG_AT() of what is set, in the input of the table */
	/* for the functions of arg_value.h */
	uint64_t min, max;
	const char *use;          /* what to use instead of an invalid value */
	const char *once;         /* how to give several values: the option is refused if it is
				     given twice. NULL if the last value counts. */
	const char *const *words; /* ended by NULL */
	int choice;
	bool is_optional; /* the value can be left out */
	bool is_hidden;   /* in --help */
};

#define ARG_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* The words of a command line that are neither options nor their values. */
struct arg_words {
	char **list; /* in argv */
	size_t nr;
	size_t nr_quoted; /* the last ones, which follow "--" */
};

/* An option that other programs have, and what to use here instead. */
struct arg_elsewhere {
	const char *option, *use;
};

struct arg_table {
	const struct arg_option *options; /* ended by a row of zeros; NULL if there are none */
	/* Tables that are parsed, too, ended by a row of zeros. The first row of a name counts. */
	const struct arg_part {
		const struct arg_table *table;
		size_t at; /* of its input in the input of this table */
	} * parts;
	/* Checks and completes the input after all options were parsed. NULL does nothing. */
	void (*settle)(void *input);
	/* Takes the words, if there are any. The first table that has this function takes them. */
	void (*take_words)(void *input, const struct arg_words *words);
	/* of a program */
	const char *words, *about; /* for --help */
	bool in_order;             /* options end at the first word */
	/* Ended by a row of zeros, or NULL. Options of the program itself come first. */
	const struct arg_elsewhere *elsewhere;
};

/*
 * Parses a command line. If an option is unknown, ambiguous, has a value that it does not take, or
 * lacks a value, ends the program with EXIT_USAGE_ERROR and one line, which names similar options.
 */
void arg_parse(const struct arg_table *table, int argc, char **argv, void *input);

#endif
