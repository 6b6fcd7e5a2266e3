/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of perf script(1), taken apart: see perfscript.c for the forms. What is not there has
 * length 0; all are parts of the line.
 */
#ifndef INPUT_PERFLINE_H
#define INPUT_PERFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_header {
	const char *comm, *event, *rest; /* rest: what is behind the event, without blanks */
	size_t comm_len, event_len, rest_len;
	uint64_t pid, tid; /* 0: not known; the only number there is is the tid */
	bool has_task;     /* a comm or a tid */
	bool has_period;
	uint64_t period;
	bool is_record; /* no sample: event is PERF_RECORD_…, rest what it says */
};

/* False: it is no header. */
bool perfline_header(struct perf_header *h, const char *line, size_t len);

struct perf_frame {
	uint64_t address;
	const char *name, *module; /* name has length 0 for [unknown], module for ([unknown]) */
	size_t name_len, module_len;
	bool inlined;
};

/* TEXT has no blanks at its ends; false: it is no frame. */
bool perfline_frame(struct perf_frame *f, const char *text, size_t len);

/* As its samples print it, without modifiers: the length of "cycles" in "cycles:u". */
size_t perfline_event_base(const char *event, size_t len);

#endif
