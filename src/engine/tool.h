/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tool: a SystemTap script NAME.stp, BPF programs in src/tool, or both. What it records, its
 * options and its requirements are in its header, lines "// flametap: KEY VALUE" of the script or
 * of NAME.tool beside the BPF programs; see flametap-scripts(7).
 */
#ifndef ENGINE_TOOL_H
#define ENGINE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { TOOL_OPTIONS_MAX = 16, TOOL_FUNCTIONS_MAX = 2, TOOL_COUNTS_MAX = 2 };

/*
 * An option that the script declares: a number, a list of keywords that is a sum of bits, or a
 * text, whose value is the address of the text.
 */
struct tool_option {
	char *name, *metavar, *help;
	uint64_t min, max;                  /* of a number */
	const struct tool_option *at_least; /* an option that must not exceed it, or NULL */
	struct tool_keyword {
		char *name;
		uint64_t bits;
	} * keywords; /* or NULL if it is a number */
	size_t nr_keywords;
	bool is_text;
	bool compiled;          /* an argument of the script, not a variable of its module */
	uint64_t default_value; /* or 0 if there is none */
};

/* Values of a tool's options, in the order of their declaration, or 0 if not given. */
struct tool_values {
	uint64_t list[TOOL_OPTIONS_MAX];
};

/* A probe of the script, which a kernel may lack. */
struct tool_probe {
	char *tracepoint;  /* "sched:sched_switch", or NULL for the timer */
	bool begins, ends; /* durations are measured from a probe that begins to one that ends */
};

/* A function that the script probes, in the program with the labels. */
struct tool_function {
	char *name;
	char *program;  /* the BPF program that is called there */
	bool at_result; /* the program gets what the function has allocated, not its arguments */
};

/* A further event of the recording, whose rows have the number of events of the tool's rows. */
struct tool_count {
	char *name;  /* also the unit */
	char *label; /* it counts only rows with this label, or NULL if it counts all rows */
	char *value; /* which the label must have, or NULL if any value counts */
};

struct tool {
	char *name;
	char *path;       /* of the script, or NULL if only the built-in programs exist */
	bool is_built_in; /* it has no script, only programs of the built-in engine */
	char **tapsets;   /* folders for -I, NULL-terminated */
	char *event, *title, *unit, *clock;
	char *none;    /* why there may be no samples */
	char *stacks;  /* "user" if there are user stacks only, or NULL */
	char *takes;   /* options of sample-bt that it supports, separated by blanks, or NULL */
	char *actions; /* MAXACTION, the statements of a probe, or NULL for the default */
	char *preload; /* name of the library that a command loads first, or NULL */
	char *program; /* of the built-in engine, or NULL if only SystemTap runs it */
	char *labels;  /* the source of labels that it needs, or NULL */
	char *keys;  /* of the labels that its rows may have, separated by blanks, "-" if there are
		      * none, or NULL if they are not known */
	char *table; /* label by which samples are listed on a terminal, or NULL for backtraces */
	char *leaf; /* labels, separated by blanks, whose values are the frames at the leaf, or NULL
		     */
	struct tool_count counts[TOOL_COUNTS_MAX];
	size_t nr_counts;
	struct tool_function functions[TOOL_FUNCTIONS_MAX];
	size_t nr_functions;
	struct tool_probe *probes;
	size_t nr_probes, probes_alloc;
	struct tool_option *options[TOOL_OPTIONS_MAX];
	size_t nr_options;
};

/*
 * Reads the header of the script NAME.stp in the data folder: $FLAMETAP_DATADIR, or the tree that
 * the program was built in, or PREFIX/share/flametap beside it; or else in the user's own scripts,
 * see tool_files.h. Without the file, the headers of the scripts that come with the program are
 * still known. Returns -1 with ERR if there is no such script, if another user could change it, or
 * if its header is wrong.
 */
int tool_find(struct tool *tool, const char *name, struct strbuf *err);
void tool_release(struct tool *tool);

/*
 * Appends a line for each tool: its name, its title and where its script is; and to ERR a line for
 * each script that cannot be used.
 */
void tools_describe(struct strbuf *out, struct strbuf *err);

/* Returns -1 with ERR if the script itself was not found. */
int tool_need_script(const struct tool *tool, struct strbuf *err);

/*
 * Returns whether the tool supports this option of sample-bt: rate, idle, vm, label, at, distr, or
 * slice by its script.
 */
bool tool_takes(const struct tool *tool, const char *option);

/*
 * Returns the word at *TEXT, which may be NULL, and its length, and moves *TEXT to the next one.
 * Returns NULL if there are no more.
 */
const char *tool_next_word(const char **text, size_t *len);

/* Returns whether the tool records what happens in user mode, so that it has no kernel stacks. */
bool tool_is_in_user(const struct tool *tool);

bool tool_is_timed(const struct tool *tool);

/*
 * Returns the path of the library that a command loads first, which the caller frees, or NULL if
 * there is none, if the option "preload" has another value than 1, or if functions to probe are
 * given, in options that are texts: the library does not know them.
 */
char *tool_find_preload(const struct tool *tool, const struct tool_values *values);

bool tool_has_probe(const struct tool *tool, const char *tracepoint);

/* Returns whether the time from one probe to another is measured. */
bool tool_measures(const struct tool *tool);

/*
 * Returns the divisor from sums of the BPF programs to the tool's unit: the time from one probe to
 * another is measured in ns and recorded in us, unless the unit is ns; everything else is counted
 * in its unit.
 */
unsigned tool_divisor(const struct tool *tool);

/* Returns the value of option I if it was given, or else its default, or 0 if it has none. */
uint64_t tool_value_at(const struct tool *tool, const struct tool_values *values, size_t i);

/* Returns the text of the option NAME, or NULL if it was not given. */
const char *tool_text(const struct tool *tool, const struct tool_values *values, const char *name);

/* Returns the value of the option NAME in this way, or 0 if there is no such option. */
uint64_t tool_value(const struct tool *tool, const struct tool_values *values, const char *name);

/*
 * Returns whether the tool has an option NAME, a list with the keyword WORD, whose value lacks that
 * keyword.
 */
bool tool_leaves_out(const struct tool *tool, const struct tool_values *values, const char *name,
	const char *word);

/* Parses the value in TEXT, which is never 0. Returns -1 with ERR if it is invalid. */
int tool_option_parse(
	const struct tool_option *option, const char *text, uint64_t *value, struct strbuf *err);

/* Checks values against each other. Returns -1 with ERR if they contradict each other. */
int tool_values_check(
	const struct tool *tool, const struct tool_values *values, struct strbuf *err);

/* Adds VALUE in the form of the command line, "S,D,T". */
void tool_option_print(const struct tool_option *option, uint64_t value, struct strbuf *out);

#endif
