/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_spans.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "lib/util.h"
#include "off_cpu.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

void wait_spans_begin(struct tool_run *run)
{
	if (!run->data)
		run->data = xcalloc(1, sizeof(struct wait_spans));
	for (uint32_t i = 0; i < WAIT_NONE; i++)
		drain_name_state(run->drain, TOOL_STATE(i), RECORDING_STATE,
			(const char[]){WAIT_LETTERS[i], '\0'});
}

int wait_spans_attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	struct wait_spans *w = run->data;

	(void)err;
	w->preemptors = programs_map(programs, "preemptors");
	return 0;
}

/* Adds the name of preemptor NUMBER to the set LABELS. */
static uint32_t add_preemptor(struct tool_run *run, uint32_t labels, uint32_t number)
{
	const struct wait_spans *w = run->data;
	struct preemptor found;
	char comm[COMM_LEN + 1] = "";

	if (bpf_map_lookup_elem(w->preemptors, &number, &found))
		return labels;
	memcpy(comm, found.comm, COMM_LEN);
	return samples_label(run->drain->samples, labels, "preemptor", comm);
}

uint32_t wait_spans_labels(struct tool_run *run, uint32_t value)
{
	char letter[] = {WAIT_LETTERS[value % WAIT_NEVER_RAN % WAIT_NONE], '\0'};
	struct samples *s = run->drain->samples;
	uint32_t labels = samples_label(s, 0, RECORDING_STATE, letter);
	uint32_t preemptor = value >> WAIT_PREEMPTOR_SHIFT;

	if (value & WAIT_NEVER_RAN)
		labels = samples_label(s, labels, RECORDING_RAN, RECORDING_RAN_NEVER);
	return preemptor ? add_preemptor(run, labels, preemptor) : labels;
}

/* Adds a part of WAIT. IS_ALL tells that its thread has not run since the recording began. */
static void add_part(const struct tool_run *run, const struct span *wait, uint32_t state,
	uint64_t since, uint64_t end, bool is_all)
{
	struct row_key row = wait->row;

	if (!wait_counts(run->settings, state, end - since))
		return;
	row.state = wait_row_state(wait, state, is_all);
	row.range = wait_range(run->settings, end - since);
	drain_add_time(run->drain, &row, since, end);
}

void wait_spans_add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);

	for (uint32_t i = 0; i < spans.nr; i++) {
		const struct span *wait = &spans.values[i];
		uint64_t woken = wait->word[WAIT_WOKEN];
		uint64_t end = woken && woken < now_ns ? woken : now_ns;

		if (wait->since >= now_ns || wait_state(wait) == WAIT_NONE)
			continue;
		add_part(run, wait, wait_state(wait), wait->since, end,
			end == now_ns && wait->word[WAIT_STATE] & WAIT_EARLIER);
		if (end < now_ns)
			add_part(run, wait, WAIT_W, end, now_ns, false);
	}
	drain_spans_release(&spans);
}

void wait_spans_release(struct tool_run *run)
{
	free(run->data);
}
