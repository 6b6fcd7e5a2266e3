/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/engine.h"
#include "lib/util.h"
#include "process/task.h"

#include <bpf/bpf.h>

enum { FORGET_MS = 1000 }; /* from one look for spans of ended processes to the next */

void held_attach(struct held *h, const struct programs *programs)
{
	h->executed = programs_map(programs, "executed");
}

static bool is_command(const struct tool_run *run, uint32_t pid)
{
	return run->request->command && pid == run->request->pids[0];
}

bool held_is(const struct held *h, const struct tool_run *run, const struct span_key *key,
	const struct span *span)
{
	uint64_t executed;

	if (!is_command(run, key->tgid) && !task_lives(key->tgid, 0))
		return false;
	return bpf_map_lookup_elem(h->executed, &key->tgid, &executed) || span->since >= executed;
}

void held_forget(struct held *h, struct tool_run *run)
{
	int64_t now = monotonic_ns();

	if (!h->has_ended || now - h->looked_ns < FORGET_MS * 1000000LL)
		return;
	h->looked_ns = now;
	h->has_ended = false;
	struct drain_spans spans = drain_read_spans(run->drain);

	for (uint32_t i = 0; i < spans.nr; i++)
		if (!held_is(h, run, &spans.keys[i], &spans.values[i]))
			bpf_map_delete_elem(run->drain->spans, &spans.keys[i]);
	drain_spans_release(&spans);
}
