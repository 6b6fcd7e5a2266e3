/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_spans.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "off_cpu.h"

void wait_spans_begin(struct tool_run *run)
{
	for (uint32_t i = 0; i < WAIT_NONE; i++)
		drain_name_state(run->drain, TOOL_STATE(i), RECORDING_STATE,
			(const char[]){WAIT_LETTERS[i], '\0'});
}

uint32_t wait_spans_labels(struct tool_run *run, uint32_t state)
{
	struct samples *s = run->drain->samples;
	char letter[] = {WAIT_LETTERS[state % WAIT_NONE], '\0'};

	return samples_label(s, samples_label(s, 0, RECORDING_STATE, letter), RECORDING_RAN,
		RECORDING_RAN_NEVER);
}

/* Adds a part of WAIT. IS_ALL tells that its thread has not run since the recording began. */
static void add_part(const struct tool_run *run, const struct span *wait, uint32_t state,
	uint64_t since, uint64_t end, bool is_all)
{
	struct row_key row = wait->row;

	if (!wait_counts(run->settings, state, end - since))
		return;
	row.state = is_all ? TOOL_VALUE(state) : TOOL_STATE(state);
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

		if (wait->since >= now_ns)
			continue;
		add_part(run, wait, wait_state(wait), wait->since, end,
			end == now_ns && wait->word[WAIT_STATE] & WAIT_EARLIER);
		if (end < now_ns)
			add_part(run, wait, WAIT_W, end, now_ns, false);
	}
	drain_spans_release(&spans);
}
