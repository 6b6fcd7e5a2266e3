/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf_tool.h"
#include "lib/util.h"
#include "drain.h"
#include "programs.h"

#include <string.h>

#define BPF_TOOL_ADDRESS(name) &name##_tool,
static const struct bpf_tool *const tools[] = {BPF_TOOL_LIST(BPF_TOOL_ADDRESS)};
#undef BPF_TOOL_ADDRESS

const struct bpf_tool *bpf_tool_find(const char *program)
{
	for (size_t i = 0; program && i < ARRAY_LEN(tools); i++)
		if (!strcmp(tools[i]->program, program))
			return tools[i];
	return NULL;
}

static void ended(struct facet *f, uint32_t pid)
{
	struct tool_run *run = (struct tool_run *)f;

	if (run->tool->ended)
		run->tool->ended(run, pid);
}

static void update(struct facet *f)
{
	struct tool_run *run = (struct tool_run *)f;

	if (run->tool->update)
		run->tool->update(run);
}

static void note(const struct facet *f, struct strbuf *notes)
{
	const struct tool_run *run = (const struct tool_run *)f;

	if (run->tool->note)
		run->tool->note(run, notes);
}

static uint32_t labels_of(void *tool, uint32_t value)
{
	struct tool_run *run = tool;

	return run->tool->labels(run, value);
}

void tool_run_begin(struct tool_run *run, const struct programs *programs, struct processes *ps,
	struct drain *drain)
{
	static const struct facet_ops ops = {
		.executed = ended, .ended = ended, .update = update, .note = note};

	*run = (struct tool_run){.tool = programs->tool,
		.request = programs->request,
		.drain = drain,
		.settings = &programs->settings};
	facet_init(&run->facet, &ops, NULL, ps);
	drain->labels_of = run->tool->labels ? labels_of : NULL;
	drain->tool = run;
	if (run->tool->begin)
		run->tool->begin(run);
}

int tool_run_attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	return run->tool->attach ? run->tool->attach(run, programs, err) : 0;
}

void tool_run_stop(struct tool_run *run)
{
	if (run->tool->stop)
		run->tool->stop(run);
}

void tool_run_stopped(struct tool_run *run)
{
	if (run->tool->stopped)
		run->tool->stopped(run);
}

void tool_run_add_open(struct tool_run *run, uint64_t now_ns)
{
	if (run->tool->add_open)
		run->tool->add_open(run, now_ns);
}

void tool_run_release(struct tool_run *run)
{
	if (run->tool && run->tool->release)
		run->tool->release(run);
	facet_release(&run->facet);
	*run = (struct tool_run){.facet.map = -1};
}
