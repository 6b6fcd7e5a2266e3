/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alloc and leaks: find and probe the functions that allocate memory; see alloc.bpf.c. At the end
 * leaks adds the blocks that were not freed.
 */
#include "alloc.h"
#include "alloc_attach.h"
#include "alloc_sampling.h"
#include "held.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"
#include "process/process.h"
#include "tool/pools/ages.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/alloc.object.h"
#include "bpf/alloc.plain.object.h"

/* Data of a recording. */
struct alloc_run {
	struct alloc_attach attach;
	struct held held;
	int counts; /* map */
	struct alloc_counts sum;
	uint64_t every; /* bytes from sample to sample */
	bool keeps_blocks;
	double held_error;    /* square of the error of the blocks' bytes */
	uint64_t nr_held;     /* blocks that were taken as samples */
	struct strbuf failed; /* why a file could not be probed during the recording */
};

static bool is_of_leaks(const char *program)
{
	return !strcmp(program, "on_freed");
}

static bool is_needed(const struct engine_request *request, const char *program)
{
	return tool_value(request->tool, &request->values, "blocks") || !is_of_leaks(program);
}

/* Sets the size of the map of blocks, which alloc does not need. */
static void prepare(const struct programs *p)
{
	const struct engine_request *r = p->request;
	uint64_t nr = tool_value(r->tool, &r->values, "blocks");
	struct bpf_map *blocks = bpf_object__find_map_by_name(p->object, "spans");

	bpf_map__set_max_entries(blocks, nr ? (uint32_t)nr : 1);
	alloc_attach_prepare(p);
}

static void begin(struct tool_run *run)
{
	struct alloc_run *a = xcalloc(1, sizeof(*a));

	a->failed = (struct strbuf)STRBUF_INIT;
	a->every = run->settings->option[ALLOC_OPTION_EVERY];
	a->keeps_blocks = run->settings->option[LEAKS_OPTION_BLOCKS];
	run->data = a;
	if (a->keeps_blocks)
		ages_name(run->drain);
}

/* Draws the first sample of each processor. */
static int draw_first(const struct alloc_run *a, struct strbuf *err)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	struct alloc_counts *list = xcalloc(cpus, sizeof(*list));
	uint32_t zero = 0;

	for (size_t i = 0; i < cpus; i++)
		list[i].left = sample_distance(a->every, (uint32_t)hash_pair(i, 0)) + 1;
	int error = bpf_map_update_elem(a->counts, &zero, list, BPF_ANY) ? errno : 0;

	free(list);
	if (!error)
		return 0;
	strbuf_adds(err, "cannot begin to count allocations");
	return refusal_add(err, error);
}

/* Returns -1 with ERR if there is nothing to probe in targets that are all known. */
static int check_places(const struct tool_run *run, struct strbuf *err)
{
	const struct engine_request *r = run->request;
	const struct alloc_run *a = run->data;

	if (r->all || r->selection.kind)
		return 0;
	if (a->attach.own.alloc && !alloc_attach_has(&a->attach, ALLOC_OWN))
		return fail(err,
			"cannot probe %s: no file of the target has a function of this name",
			a->attach.own.alloc);
	if (a->attach.nr_places || r->command)
		return 0;
	return fail(err,
		"no function that allocates memory was found in the target: its program "
		"and libraries have no symbol malloc; --alloc FUNCTION probes another one");
}

static int attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	const struct engine_request *r = run->request;
	struct alloc_run *a = run->data;

	a->counts = programs_map(programs, "alloc_counts");
	held_attach(&a->held, programs);
	alloc_attach_init(&a->attach, programs, run->facet.ps, a->keeps_blocks);
	if (draw_first(a, err))
		return -1;
	if (r->command) /* a child of this process, whose C library is likely to be its own, too */
		processes_get(run->facet.ps, r->pids[0]);
	if ((r->command && alloc_attach_command(&a->attach, r->command, r->preload, err)) ||
		alloc_attach_update(&a->attach, err))
		return -1;
	return check_places(run, err);
}

static void ended(struct tool_run *run, uint32_t pid)
{
	struct alloc_run *a = run->data;

	(void)pid;
	a->held.has_ended = true;
}

static void update(struct tool_run *run)
{
	struct alloc_run *a = run->data;

	if (alloc_attach_update(&a->attach, &a->failed) && a->failed.len)
		strbuf_addch(&a->failed, '\n');
	if (a->keeps_blocks)
		held_forget(&a->held, run);
}

/* ---- the end ---- */

/* Reads the counts of all processors. */
static void stopped(struct tool_run *run)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	struct alloc_counts *list = xcalloc(cpus, sizeof(*list));
	struct alloc_run *a = run->data;
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(a->counts, &zero, list))
		memset(list, 0, cpus * sizeof(*list));
	for (size_t i = 0; i < cpus; i++) {
		a->sum.calls += list[i].calls;
		a->sum.bytes += list[i].bytes;
		a->sum.taken += list[i].taken;
		a->sum.bytes_error += list[i].bytes_error;
		a->sum.unread += list[i].unread;
		a->sum.calls_full += list[i].calls_full;
	}
	free(list);
}

static void add_block(struct tool_run *run, const struct span *block, uint64_t age_ns)
{
	uint64_t bytes = block->word[BLOCK_BYTES], size = block->word[BLOCK_SIZE];
	struct alloc_run *a = run->data;
	struct row_key row = block->row;

	row.state = ages_state(age_ns);
	drain_add(run->drain, &row, block->word[BLOCK_CALLS], bytes);
	a->nr_held++;
	if (bytes > size)
		a->held_error += (double)bytes * (double)(bytes - size);
}

static void add_open(struct tool_run *run, uint64_t now_ns)
{
	uint64_t min_age_ns = run->settings->option[LEAKS_OPTION_MIN_AGE] * 1000000000;
	const struct alloc_run *a = run->data;
	struct drain_spans blocks = {0};

	if (a->keeps_blocks)
		blocks = drain_read_spans(run->drain);
	for (uint32_t i = 0; i < blocks.nr; i++) {
		const struct span *block = &blocks.values[i];
		uint64_t age_ns = ages_of(block, now_ns);

		if (blocks.keys[i].part == BLOCK_HELD && age_ns >= min_age_ns &&
			held_is(&a->held, run, &blocks.keys[i], block))
			add_block(run, block, age_ns);
	}
	drain_spans_release(&blocks);
}

/* The probability that no sample is taken of so many times EVERY bytes is exp(-3), 5 %. */
enum { UNSEEN = 3 };

/* Says how many samples there are, and how far from the truth their sum may be. */
static void note_samples(const struct tool_run *run, struct strbuf *notes)
{
	const struct alloc_run *a = run->data;
	double unit = (double)a->every / (1 << SAMPLE_ERROR_BITS);
	double error =
		a->keeps_blocks ? sqrt(a->held_error) : sqrt((double)a->sum.bytes_error) * unit;

	if (a->every <= 1 || !(a->sum.calls + a->sum.taken))
		return;
	if (a->sum.calls) /* they are not known if marks tell of the samples */
		strbuf_addf(notes, "%" PRIu64 " of %" PRIu64 " calls were taken as samples",
			a->sum.taken, a->sum.calls);
	else
		strbuf_addf(notes, "%" PRIu64 " calls were taken as samples", a->sum.taken);
	if (a->keeps_blocks)
		strbuf_addf(notes, ", of which %" PRIu64 " block%s left", a->nr_held,
			a->nr_held == 1 ? " is" : "s are");
	if (a->keeps_blocks && !a->nr_held) {
		strbuf_adds(notes, ": less than ");
		amount_add(notes, UNSEEN * (uint64_t)a->every, "bytes");
		strbuf_adds(notes, " are held, with a probability of 95 %");
	} else {
		strbuf_adds(notes, ": the sum of bytes has a standard error of ");
		amount_add_scaled(notes, error, "bytes");
	}
	strbuf_adds(notes, "; --interval 1 takes all\n");
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct alloc_run *a = run->data;

	note_samples(run, notes);
	if (a->sum.calls_full)
		strbuf_addf(notes,
			"%" PRIu64
			" calls could not be followed until they returned, as more than %d "
			"threads were in such calls: allocations inside them are counted, too\n",
			a->sum.calls_full, ALLOC_CALLS_MAX);
	if (a->sum.unread)
		strbuf_addf(notes,
			"%" PRIu64 " marks are not recorded: they have an argument in memory that "
			"could not be read\n",
			a->sum.unread);
	strbuf_add(notes, a->failed.buf, a->failed.len);
}

static void release(struct tool_run *run)
{
	struct alloc_run *a = run->data;

	alloc_attach_release(&a->attach);
	strbuf_release(&a->failed);
	free(a);
}

const struct bpf_tool alloc_tool = {
	.program = "alloc",
	.object = &alloc_object,
	.plain_object = &alloc_plain_object,
	.is_needed = is_needed,
	.prepare = prepare,
	.begin = begin,
	.attach = attach,
	.update = update,
	.stopped = stopped,
	.note = note,
	.release = release,
};

const struct bpf_tool leaks_tool = {
	.program = "leaks",
	.object = &alloc_object,
	.plain_object = &alloc_plain_object,
	.is_needed = is_needed,
	.prepare = prepare,
	.begin = begin,
	.attach = attach,
	.ended = ended,
	.update = update,
	.stopped = stopped,
	.add_open = add_open,
	.note = note,
	.release = release,
};
