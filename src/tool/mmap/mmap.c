/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmap: names what was mapped, and adds what is still mapped at the end; see mmap.bpf.c. */
#include "mmap.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/file_labels.h"
#include "engine/bpf/programs.h"
#include "lib/util.h"
#include "ranges_left.h"
#include "tool/alloc/held.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "bpf/mmap.object.h"
#include "bpf/mmap.plain.object.h"

static const char *const calls[MMAP_CALLS] = {
	[MMAP_MAP] = "mmap", [MMAP_REMAP] = "mremap", [MMAP_BRK] = "brk"};

/* Data of a recording. */
struct mmap_run {
	struct held held;
	int names; /* map of files */
};

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct mmap_run));
	run->drain->events[ROW_BYTES] = samples_event(
		run->drain->samples, &(struct sample_event){"held", "bytes", "monotonic", 0, 1});
}

static void release(struct tool_run *run)
{
	free(run->data);
}

static int attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	struct mmap_run *r = run->data;

	(void)err;
	r->names = programs_map(programs, "file_names");
	held_attach(&r->held, programs);
	return 0;
}

static void ended(struct tool_run *run, uint32_t pid)
{
	struct mmap_run *r = run->data;

	(void)pid;
	r->held.has_ended = true;
}

static void update(struct tool_run *run)
{
	struct mmap_run *r = run->data;

	held_forget(&r->held, run);
}

static uint32_t label_access(struct samples *s, uint32_t set, uint32_t access)
{
	const char text[] = {access & PROT_READ ? 'r' : '-', access & PROT_WRITE ? 'w' : '-',
		access & PROT_EXEC ? 'x' : '-', '\0'};

	return samples_label(s, set, "access", text);
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	const struct mmap_run *r = run->data;
	struct samples *s = run->drain->samples;
	uint32_t call = value & RANGE_CALL;
	uint32_t set = samples_label(s, 0, "syscall", calls[call % MMAP_CALLS]);

	if (call == MMAP_BRK)
		return samples_label(s, set, "mapping", "[heap]");
	if (call != MMAP_MAP)
		return set;
	set = label_access(s, set, value >> RANGE_ACCESS_SHIFT & RANGE_ACCESS);
	if (value & RANGE_ANONYMOUS)
		return samples_label(s, set, "mapping", "[anonymous]");
	return file_labels_add(s, set, "mapping", r->names, value >> RANGE_FILE_SHIFT);
}

/* Adds what is left of the ranges of processes that have not ended. */
static void add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);
	const struct mmap_run *r = run->data;
	uint64_t *left = xcalloc(spans.nr + 1, sizeof(*left));

	(void)now_ns;
	ranges_left(&spans, left);
	for (uint32_t i = 0; i < spans.nr; i++) {
		struct row_key row = spans.values[i].row;

		row.event = ROW_BYTES;
		if (left[i] && held_is(&r->held, run, &spans.keys[i], &spans.values[i]))
			drain_add(run->drain, &row, 1, left[i]);
	}
	free(left);
	drain_spans_release(&spans);
}

const struct bpf_tool mmap_tool = {
	.program = "mmap",
	.object = &mmap_object,
	.plain_object = &mmap_plain_object,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.ended = ended,
	.update = update,
	.add_open = add_open,
	.release = release,
};
