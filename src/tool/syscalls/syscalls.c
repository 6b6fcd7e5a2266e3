/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls: names the calls and their errors, and adds the calls that have not returned; see
 * syscalls.bpf.c.
 */
#include "syscalls.h"
#include "arch/x86_64/syscall_names.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "lib/error_name.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/syscalls.object.h"
#include "bpf/syscalls.plain.object.h"

enum { NAME_LEN = 32 };

/* Data of a recording. */
struct syscalls_run {
	uint64_t nr_unfinished; /* calls whose threads have ended */
};

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct syscalls_run));
}

static void release(struct tool_run *run)
{
	free(run->data);
}

static const char *name_of_call(uint32_t value, char other[NAME_LEN])
{
	uint32_t number = value & CALL_NUMBER;
	const char *name = syscall_name(number, value & CALL_COMPAT);

	if (name)
		return name;
	snprintf(other, NAME_LEN, number < CALL_NUMBER ? "syscall_%" PRIu32 : "syscall", number);
	return other;
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	uint32_t error = value >> CALL_ERROR_SHIFT;
	char other[NAME_LEN], number[ERROR_NAME_LEN];
	uint32_t set = samples_label(run->drain->samples, 0, "syscall", name_of_call(value, other));

	return error ? samples_label(run->drain->samples, set, "error", error_name(error, number))
		     : set;
}

/* The time of a call that goes on counts until now. */
static void add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);
	struct syscalls_run *r = run->data;

	for (uint32_t i = 0; i < spans.nr; i++) {
		const struct span *call = &spans.values[i];
		struct row_key row = call->row;

		if (!task_lives(row.tid, row.start / task_tick_ns())) {
			r->nr_unfinished++;
			continue;
		}
		row.state = TOOL_VALUE((uint32_t)call->word[SPAN_CALL]);
		if (call->since < now_ns && call_counts(run->settings, now_ns - call->since))
			drain_add_time(run->drain, &row, call->since, now_ns);
	}
	drain_spans_release(&spans);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct syscalls_run *r = run->data;

	if (r->nr_unfinished)
		strbuf_addf(notes,
			"%" PRIu64 " calls are not included: their threads ended in them\n",
			r->nr_unfinished);
}

const struct bpf_tool syscalls_tool = {
	.program = "syscalls",
	.object = &syscalls_object,
	.plain_object = &syscalls_plain_object,
	.begin = begin,
	.labels = labels,
	.add_open = add_open,
	.note = note,
	.release = release,
};
