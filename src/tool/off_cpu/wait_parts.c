/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_parts.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "off_cpu.h"

void wait_parts_begin(struct tool_run *run)
{
	for (uint32_t i = 0; i < WAIT_NONE; i++)
		drain_name_state(
			run->drain, TOOL_STATE(i), "state", (const char[]){WAIT_LETTERS[i], '\0'});
}

static void add_part(const struct tool_run *run, const struct span *wait, uint64_t state,
	uint64_t since, uint64_t end)
{
	struct row_key row = wait->row;

	if (!wait_counts(run->settings, state, end - since))
		return;
	row.state = TOOL_STATE((uint32_t)state);
	drain_add_time(run->drain, &row, since, end);
}

void wait_parts_add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);

	for (uint32_t i = 0; i < spans.nr; i++) {
		const struct span *wait = &spans.values[i];
		uint64_t woken = wait->word[WAIT_WOKEN];
		uint64_t end = woken && woken < now_ns ? woken : now_ns;

		if (wait->since >= now_ns || wait->word[WAIT_STATE] == WAIT_NONE)
			continue;
		add_part(run, wait, wait->word[WAIT_STATE], wait->since, end);
		if (end < now_ns)
			add_part(run, wait, WAIT_W, end, now_ns);
	}
	drain_spans_release(&spans);
}
