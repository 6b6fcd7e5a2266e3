/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tool: a SystemTap script NAME.stp, BPF programs in src/tool, or both. What it records, its
 * options and its requirements are in its header, lines "// flametap: KEY VALUE" of the script or of
 * NAME.tool beside the BPF programs; see flametap-scripts(7).
 */
#ifndef ENGINE_TOOL_H
#define ENGINE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { TOOL_OPTIONS_MAX = 16, TOOL_FUNCTIONS_MAX = 2 };

/* An option that the script declares: a number, or a list of keywords that is a sum of bits. */
struct tool_option {
	char *name, *metavar, *help;
	uint64_t min, max;                  /* of a number */
	const struct tool_option *at_least; /* an option that must not exceed it, NULL: none */
	struct tool_keyword {
		char *name;
		uint64_t bits;
	} * keywords; /* NULL: it is a number */
	size_t nr_keywords;
	bool compiled;          /* an argument of the script, not a variable of its module */
	uint64_t default_value; /* 0: none */
};

/* Values of a tool's options, in the order of their declaration; 0: not given. */
struct tool_values {
	uint64_t list[TOOL_OPTIONS_MAX];
};

/* What the script probes, as far as a kernel may lack it. */
struct tool_probe {
	char *tracepoint;  /* "sched:sched_switch"; NULL: the timer */
	bool begins, ends; /* durations are measured from one that begins to one that ends */
};

/* A function of the program with the labels, in which the script probes. */
struct tool_function {
	char *name;
	char *program;  /* of BPF, which is called there */
	bool at_result; /* gets what the function has allocated, not its arguments */
};

struct tool {
	char *name;
	char *path;     /* of the script, or NULL if only the built-in programs exist */
	bool is_built_in; /* it has no script, only programs of the built-in engine */
	char **tapsets; /* folders for -I, NULL-terminated */
	char *event, *title, *unit, *clock;
	char *none;    /* why there may be no samples */
	char *takes;   /* options of sample-bt that it supports, separated by blanks; NULL: none */
	char *actions; /* MAXACTION, the statements of a probe; NULL: the default */
	char *program; /* of the built-in engine, NULL: only SystemTap runs it */
	char *labels;  /* the source of labels that it needs, NULL: none */
	struct tool_function functions[TOOL_FUNCTIONS_MAX];
	size_t nr_functions;
	struct tool_probe *probes;
	size_t nr_probes, probes_alloc;
	struct tool_option *options[TOOL_OPTIONS_MAX];
	size_t nr_options;
};

/*
 * Reads the header of the script NAME.stp in the data folder: $FLAMETAP_DATADIR, or the tree that
 * the program was built in, or PREFIX/share/flametap beside it. Without the file the header of a
 * script of ours is still known. -1 and ERR: there is no such script, or its header is wrong.
 */
int tool_find(struct tool *tool, const char *name, struct strbuf *err);
void tool_release(struct tool *tool);

/* -1 and ERR: the script itself was not found. */
int tool_need_script(const struct tool *tool, struct strbuf *err);

/* Whether it supports this option of sample-bt: rate, idle, vm, label. */
bool tool_takes(const struct tool *tool, const char *option);

bool tool_is_timed(const struct tool *tool);
bool tool_has_probe(const struct tool *tool, const char *tracepoint);

/*
 * What sums of the BPF programs are divided by for the tool's unit: what lasts from one probe to
 * another is measured in ns and recorded in us, all else is counted in its unit.
 */
unsigned tool_divisor(const struct tool *tool);

/* The value of option I: given, or its default; 0: neither. */
uint64_t tool_value_at(const struct tool *tool, const struct tool_values *values, size_t i);

/* The value of the option of this name: given, or its default; 0: neither, or no such option. */
uint64_t tool_value(const struct tool *tool, const struct tool_values *values, const char *name);

/* The value in TEXT, never 0. -1 and ERR: it is invalid. */
int tool_option_parse(
	const struct tool_option *option, const char *text, uint64_t *value, struct strbuf *err);

/* Checks values against each other; -1 and ERR. */
int tool_values_check(
	const struct tool *tool, const struct tool_values *values, struct strbuf *err);

/* Adds VALUE as it is given on the command line, "S,D,T". */
void tool_option_print(const struct tool_option *option, uint64_t value, struct strbuf *out);

#endif
