/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one line of perf script(1); perfscript.c describes the forms. Results point into the line;
 * missing parts have length 0.
 */
#ifndef INPUT_PERFLINE_H
#define INPUT_PERFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_header {
	const char *comm, *event, *rest; /* rest is the text after the event, trimmed */
	size_t comm_len, event_len, rest_len;
	uint64_t pid, tid; /* 0 if unknown; a single number is the tid */
	bool has_task;     /* comm or tid is known */
	bool has_period;
	uint64_t period;
	bool is_record; /* event is PERF_RECORD_…, rest its text; not a sample */
};

/* Returns false if the line is not a header. */
bool perfline_header(struct perf_header *h, const char *line, size_t len);

struct perf_frame {
	uint64_t address;
	const char *name, *module; /* name has length 0 for [unknown], module for ([unknown]) */
	size_t name_len, module_len;
	bool inlined;
};

/* Parses TEXT, which is trimmed. Returns false if it is not a frame. */
bool perfline_frame(struct perf_frame *f, const char *text, size_t len);

/*
 * The parts of an event: "cycles" and "u" of "cycles:u", or "cpu_core/", "cycles" and "u" of
 * "cpu_core/cycles/u". The whole of "cpu/event=0x3c/u" is a name.
 */
struct perf_event {
	const char *name, *modifiers; /* modifiers has length 0 if there are none */
	size_t name_len, modifiers_len;
	bool has_pmu;
};

void perfline_event(struct perf_event *e, const char *event, size_t len);

/* Whether both events have the same name and modifiers. Their PMUs may differ. */
bool perfline_same_event(const struct perf_event *a, const struct perf_event *b);

#endif
