/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of the time of a recording, as users give it. */
#ifndef MODEL_TIME_RANGE_H
#define MODEL_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct time_point {
	enum {
		TIME_OPEN,   /* not given */
		TIME_BEGIN,  /* after the begin of the recording */
		TIME_END,    /* before its end */
		TIME_OF_DAY, /* after midnight, local time, the first time after the begin */
		TIME_DATE,   /* since 1970 */
	} kind;
	uint64_t ns;
};

struct time_range {
	struct time_point from, to;
};

/* How to write a point, for messages. */
#define TIME_POINT_USE                                                                             \
	"a time after the begin, such as 2s or 500ms, before the end, such as -1s, or of the "     \
	"day, "                                                                                    \
	"such as 14:03:05 or 2026-11-28T14:03:05"

/* Parses the LEN bytes at TEXT. Returns false if they are not a point of time. */
bool time_point_parse(const char *text, size_t len, struct time_point *point);

/* Parses FROM-TO, each of which may be empty: "2s-3s", "-3s", "2s-". */
bool time_range_parse(const char *text, struct time_range *range);

static inline bool time_range_is_open(const struct time_range *range)
{
	return !range->from.kind && !range->to.kind;
}

/*
 * Sets *FROM and *TO, in ns from the begin, to the part that RANGE selects of a recording that
 * began at STARTED (ns since 1970, or 0 if unknown) and took DURATION ns. Returns -1 with a message
 * without newline if that is no part of it.
 */
int time_range_resolve(const struct time_range *range, uint64_t started, uint64_t duration,
	uint64_t *from, uint64_t *to, struct strbuf *err);

#endif
