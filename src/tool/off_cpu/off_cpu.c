/* SPDX-License-Identifier: GPL-2.0-or-later */
/* off-cpu: names the states of waits and adds the unfinished waits; see off_cpu.bpf.c. */
#include "off_cpu.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"

#include "bpf/off_cpu.skel.h"

static void begin(struct tool_run *run)
{
	for (uint32_t i = 0; i < WAIT_NONE; i++)
		drain_name_state(run->drain, TOOL_STATE(i), RECORDING_STATE,
			(const char[]){WAIT_LETTERS[i], '\0'});
}

/* Returns the labels of a wait that lasted for the whole recording. */
static uint32_t labels_asleep(struct tool_run *run, uint32_t state)
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
	drain_add_time(run->drain, &row, since, end);
}

static void add_open(struct tool_run *run, uint64_t now_ns)
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

const struct bpf_tool off_cpu_tool = {
	.program = "off_cpu",
	.object = off_cpu__elf_bytes,
	.begin = begin,
	.labels = labels_asleep,
	.add_open = add_open,
};
