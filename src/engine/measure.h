/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured at the hits of probe points: a value of each, or the time of a call. Values are
 * named in SystemTap's syntax. SystemTap takes any expression; what is parsed here is the part that
 * the built-in engine knows.
 */
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PROBE_ARGS = 6, /* arguments that are passed in registers */
	MARK_ARGS = 12, /* arguments of a mark */
};

enum measure_kind {
	VALUE_ARG, /* $argN, int_arg(1), uint_arg(1), long_arg(1), ulong_arg(1), pointer_arg(1) */
	VALUE_RETURN, /* $return, returnval(), or retval of a system call */
	VALUE_NAME,   /* $NAME, or NAME: an argument, or a field of a tracepoint */
};

struct measure_value {
	enum measure_kind kind;
	unsigned arg;   /* from 1 */
	char *name;     /* without "$", or NULL */
	uint8_t size;   /* in bytes, or 0 if the type is not given */
	bool is_signed; /* if it is given */
};

enum measure_compare {
	COMPARE_NONE, /* true */
	COMPARE_EQUAL,
	COMPARE_NOT_EQUAL,
	COMPARE_LESS,
	COMPARE_LESS_EQUAL,
	COMPARE_GREATER,
	COMPARE_GREATER_EQUAL,
};

/* A comparison with a constant, such as "$arg3 > 4096". */
struct measure_test {
	struct measure_value value;
	enum measure_compare compare;
	int64_t constant;
};

/* What the user asks for. The texts belong to the caller. */
struct measure {
	const char *value, *test; /* expressions, or NULL */
	const char *unit;         /* of the values, or NULL if it is not given */
	bool latency;             /* the time of each call, in ns */
	bool ranges;              /* rows are split by ranges of the value or time */
	bool knows_value, knows_test;
	struct measure_value value_parsed; /* if it is known */
	struct measure_test test_parsed;
};

/*
 * Returns false, with nothing to release, if only SystemTap knows such an expression. PARSED is to
 * be released otherwise.
 */
bool measure_value_parse(struct measure_value *parsed, const char *text);
bool measure_test_parse(struct measure_test *parsed, const char *text);
void measure_value_release(struct measure_value *value);

/* Parses M->value and M->test. */
void measure_parse(struct measure *m);
void measure_release(struct measure *m);

/* Returns whether M has a part that only SystemTap knows. */
bool measure_needs_stap(const struct measure *m);

/* Returns whether TEXT may stand in a script where an expression is expected. */
bool measure_is_expression(const char *text);

/*
 * Returns whether the expression TEXT has a value only when a function returns. TEXT need not be
 * one that is known here.
 */
bool measure_is_of_return(const char *text);

#endif
