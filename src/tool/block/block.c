/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block: chooses the programs that this kernel needs, and names disks; see block.bpf.c. */
#include "block.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "lib/error_name.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/block.object.h"
#include "bpf/block.plain.object.h"

static const char *const ops[BLOCK_OPS] = {"read", "write", "flush", "discard", "zero", "other"};

/* The errno of each status of the block layer; the statuses after these are only in new kernels. */
static const uint8_t errors[] = {
	0, EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO};

/* Data of a recording. */
struct block_run {
	int disks;        /* map of names */
	uint64_t nr_open; /* requests that had not been completed */
};

/* The programs at tracepoints that had the queue as first argument until Linux 5.10 or 5.11. */
static const struct point {
	const char *program, *tracepoint; /* without on_ or old_ */
} points[] = {
	{"insert", "block_rq_insert"},
	{"issue", "block_rq_issue"},
	{"requeue", "block_rq_requeue"},
	{"merge", "block_rq_merge"},
	{"ask", "block_getrq"},
};

static bool is_needed(const struct engine_request *request, const char *program)
{
	(void)request;
	for (size_t i = 0; i < ARRAY_LEN(points); i++) {
		const char *name = strchr(program, '_');

		if (!name || strcmp(name + 1, points[i].program))
			continue;
		bool is_old = features_tracepoint(points[i].tracepoint, 2);

		return !strncmp(program, "old_", 4)
			       ? is_old
			       : !is_old && features_tracepoint(points[i].tracepoint, 1);
	}
	return true;
}

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct block_run));
	run->drain->events[ROW_BYTES] = samples_event(
		run->drain->samples, &(struct sample_event){"bytes", "bytes", "monotonic", 0, 1});
}

static void release(struct tool_run *run)
{
	free(run->data);
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	struct block_run *r = run->data;

	(void)err;
	r->disks = programs_map(p, "disk_names");
	return 0;
}

static uint32_t label_error(struct samples *s, uint32_t set, uint32_t error)
{
	uint32_t status = error & (BLOCK_STATUS - 1);
	char other[ERROR_NAME_LEN];

	if (error & BLOCK_STATUS)
		error = status < ARRAY_LEN(errors) ? errors[status] : EIO;
	return error ? samples_label(s, set, "error", error_name(error, other)) : set;
}

static uint32_t label_disk(struct tool_run *run, uint32_t set, uint32_t number)
{
	struct block_run *r = run->data;
	struct disk_name disk;

	if (!number || bpf_map_lookup_elem(r->disks, &number, &disk))
		return set;
	disk.name[DISK_NAME - 1] = '\0';
	return samples_label(run->drain->samples, set, "disk", disk.name);
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	static const struct {
		uint32_t bit;
		const char *key;
	} flags[] = {{BLOCK_SYNC, "sync"}, {BLOCK_META, "meta"}, {BLOCK_AHEAD, "ahead"}};
	struct samples *s = run->drain->samples;
	uint32_t set = samples_label(s, 0, "op", ops[(value & BLOCK_OP) % BLOCK_OPS]);

	set = samples_label(s, set, "phase", value & BLOCK_DEVICE ? "device" : "queue");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (value & flags[i].bit)
			set = samples_label(s, set, flags[i].key, "yes");
	set = label_disk(run, set, value >> BLOCK_DISK_SHIFT & DISKS_MAX);
	return label_error(s, set, value >> BLOCK_ERROR_SHIFT);
}

/* The time of a request that goes on counts until now. */
static void add_open_request(struct tool_run *run, const struct span *request, uint64_t now_ns)
{
	uint64_t issued = request_issued(request, now_ns);
	uint32_t value = (uint32_t)(request->word[REQUEST_WHAT] >> 32);
	struct block_run *r = run->data;
	struct row_key row = request->row;

	if (request->since >= now_ns || !request_counts(run->settings, now_ns - request->since))
		return;
	r->nr_open++;
	row.state = TOOL_VALUE(value);
	drain_add(run->drain, &row, 1, issued - request->since);
	row.state = TOOL_VALUE(value | BLOCK_DEVICE);
	if (issued < now_ns)
		drain_add(run->drain, &row, 1, now_ns - issued);
}

static void add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);

	for (uint32_t i = 0; i < spans.nr; i++)
		if (spans.keys[i].part == PART_REQUEST)
			add_open_request(run, &spans.values[i], now_ns);
	drain_spans_release(&spans);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct block_run *r = run->data;

	if (r->nr_open)
		strbuf_addf(notes,
			"%" PRIu64 " requests had not been completed: their time counts until the "
			"end\n",
			r->nr_open);
}

const struct bpf_tool block_tool = {
	.program = "block",
	.object = &block_object,
	.plain_object = &block_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.add_open = add_open,
	.note = note,
	.release = release,
};
