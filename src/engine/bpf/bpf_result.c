/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the recording of the data so far, and at the end of all data. */
#include "bpf_engine.h"
#include "engine/condense.h"
#include "engine/seal.h"
#include "kernel_names.h"
#include "lib/limits/memory.h"
#include "lib/util.h"
#include "symbol/names/kallsyms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FINISH_S = 20 }; /* time for tables that are still being built */

/*
 * Takes the remaining data when the programs have stopped: records in the ring buffers, tables
 * being built, both halves of the sums, and what has not ended.
 */
static void take_rest(struct bpf *b)
{
	int64_t end = monotonic_ns() + FINISH_S * 1000000000LL;

	while (b->copies.nr && loader_nr_pending(&b->loader) && monotonic_ns() < end) {
		bpf_wait_for_input(b, 100);
		bpf_take_round(b);
	}
	stack_copies_unwind(&b->copies, true);
	bpf_drain(b);
	bpf_drain(b);
	drain_delayed(&b->drain, programs_map(&b->programs, "delayed"), b->ended);
	tool_run_add_open(&b->tool, b->ended);
}

/*
 * Prints for how many processors the idle task is known. Without it, the time that a processor
 * sleeps counts as missed.
 */
static void say_processors(const struct bpf *b)
{
	size_t nr = 0, nr_known = 0;

	for (size_t i = 0; i < b->nr_cpus; i++) {
		const struct counters *c = &b->counters[i * LANES + LANE_EVENT];

		nr += c->ticks > 0;
		nr_known += c->ticks && c->idle_task;
	}
	if (nr)
		fprintf(stderr, "%zu processors had ticks; of %zu the idle task is known\n", nr,
			nr_known);
}

static void say_figures(const struct bpf *b, const struct counters *c)
{
	fprintf(stderr,
		"%" PRIu64 " ticks, %" PRIu64 " on the target, %" PRIu64
		" stacks unwound in user space; %" PRIu64
		" stacks found no room for a copy, %" PRIu64
		" of them count at the next stacks of their thread\n",
		c->ticks, c->hits, b->copies.nr_copies, c->copies_lost, c->delayed);
	fprintf(stderr,
		"unwind tables: %u files, %" PRIu64 " rows, %" PRIu64 " KiB; %" PRIu64
		" KiB of at most %d MiB shared with the kernel; %u without room\n",
		b->loader.nr - 1 - (uint32_t)b->loader.nr_unused, b->loader.rows,
		b->loader.blocks * (UNWIND_BLOCK / 1024), pool_bytes(&b->pool) >> 10,
		(int)(memory_share(POOL_MAX, POOL_PART) >> 20), b->loader.nr_unplaced);
	fprintf(stderr,
		"kept at the end: %zu processes, %zu mappings and %zu files; %zu tasks, %zu stacks "
		"and %zu rows with samples\n",
		b->processes.nr - b->processes.nr_unused,
		b->processes.nr_maps - b->processes.nr_free,
		b->processes.nr_objects - b->processes.nr_unused_objects, b->samples.nr_tasks,
		b->samples.nr_stacks, b->samples.nr_rows);
	fprintf(stderr,
		"sums: room for %u stacks' nodes and %u rows, twice; drained %" PRIu64 " times\n",
		b->drain.maps[0].nodes.size, b->drain.maps[0].rows.size, b->nr_drains);
}

/*
 * Tells what there is to say of the recorder, and releases everything that only recording needs, as
 * the result needs the memory.
 */
static void end_recorder(struct bpf *b, const struct counters *c, struct strbuf *notes)
{
	if (b->loader.nr_builders && loader_is_hopeless(&b->loader))
		strbuf_adds(notes, "stacks are cut: the process that builds unwind tables cannot "
				   "be confined, as prctl or setresuid is refused here; allow "
				   "these in the container's seccomp profile\n");
	if (b->request->verbose)
		say_figures(b, c);
	if (b->request->verbose && !b->request->idle)
		say_processors(b);
	ring_records_release(&b->ring);
	loader_release(&b->loader);
	pool_release(&b->pool);
	programs_release(&b->programs);
	b->programs = (struct programs){.log = STRBUF_INIT};
}

/* Counts the slices of time up to END, as the last ones may have no samples. */
static void count_slices(struct bpf *b, uint64_t end)
{
	uint32_t nr = slice_at(b->drain.slices, end - 1);
	struct rec_slices *slices = &b->samples.slices;

	if (nr && samples_slice(&b->samples, nr) > slices->nr)
		slices->nr = samples_slice(&b->samples, nr);
	if (b->request->slices_last && slices->nr > b->request->slices_last)
		samples_forget(&b->samples, slices->nr - b->request->slices_last);
}

/*
 * Adds the metadata. The time of the recording begins with the first tick, which with -a the
 * session notices only after many mappings were read.
 */
static void add_meta(const struct bpf *b, uint64_t end, struct recording *rec)
{
	uint64_t forgotten = b->samples.forgotten * b->samples.slices.ns;
	uint64_t since = b->since ? b->since : b->began;
	char *seconds = xasprintf("%.3f", (double)(end - since - forgotten) / 1e9);

	recording_add_meta(rec, "title", b->request->tool->title);
	recording_add_meta(rec, "engine", "bpf");
	recording_add_meta(rec, "seconds", seconds);
	free(seconds);
}

/* Adds what was lost since the last window. The numbers that it is known by never get smaller. */
static void add_lost(struct bpf *b, const struct counters *c, struct recording *rec)
{
	uint64_t lost[LOST_REASONS] = {
		[LOST_TABLE_FULL] = c->rows_full + c->nodes_full + c->spans_full,
		[LOST_SKIPPED] =
			(c->missed > 0 ? (uint64_t)c->missed : 0) + c->spans_lost + b->missed,
	};

	for (int i = 0; i < LOST_REASONS; i++) {
		if (lost[i] <= b->lost[i])
			continue;
		add_capped(&rec->lost[i], lost[i] - b->lost[i]);
		b->lost[i] = lost[i];
	}
}

/* Adds to NOTES what is missing in the recording, and why. */
static void add_notes(struct bpf *b, const struct counters *c, struct strbuf *notes)
{
	if (b->no_kallsyms.len)
		strbuf_addf(notes, "kernel frames have no names: %s\n", b->no_kallsyms.buf);
	if (c->delayed * 100 > c->hits)
		strbuf_addf(notes,
			"%" PRIu64 " of %" PRIu64 " samples were taken before their unwind tables "
			"were ready, and count for the next stacks of their threads\n",
			c->delayed, c->hits);
	if (b->no_scan.len)
		strbuf_addf(
			notes, "%s: what began before the recording is missing\n", b->no_scan.buf);
	bpf_note_cpus(b, notes);
	bpf_note_labels(b, c, notes);
	processes_note_left_out(&b->processes, notes);
	condense_note(&b->samples, notes);
	facets_note(&b->facets, notes);
}

/*
 * Gets the names of the kernel's functions if there are kernel stacks. To be called while the BPF
 * programs, which are among these, are still loaded.
 */
static void name_kernel(struct bpf *b)
{
	size_t nr;
	uint64_t *list = samples_kernel_addresses(&b->samples, &nr);
	struct kallsyms *asked = list ? kernel_names_ask(list, nr) : NULL;

	if (asked) {
		kallsyms_free(b->kallsyms);
		b->kallsyms = asked;
	} else if (list && !b->kallsyms && !b->no_kallsyms.len) {
		b->kallsyms = kallsyms_new(&b->no_kallsyms);
	}
	free(list);
}

static void seal(struct bpf *b, struct recording *rec, struct strbuf *notes)
{
	uint32_t *labels = label_sets_limit(&b->label_sets, notes);

	if (b->ended) {
		seal_jit_names(&b->samples, &b->processes, &b->facets, notes);
		condense_last(&b->samples, &b->processes);
	}
	recording_seal(rec, &b->samples,
		&(struct seal_facts){
			&b->processes, &b->memberships, b->kallsyms, labels, b->request});
	free(labels);
}

int bpf_take(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct bpf *b = (struct bpf *)engine;

	bpf_take_round(b);
	if (b->ended)
		take_rest(b);
	else
		bpf_drain(b);
	bpf_end_condensing(b);
	name_kernel(b);
	struct counters counters = bpf_counters(b);

	if (b->ended)
		end_recorder(b, &counters, notes);
	uint64_t end = b->ended ? b->ended : (uint64_t)monotonic_ns();

	count_slices(b, end);
	add_meta(b, end, rec);
	add_lost(b, &counters, rec);
	seal(b, rec, notes);
	add_notes(b, &counters, notes);
	if (b->ended) {
		processes_move_files(&b->processes, files);
		pace_stop(&b->pace);
	}
	if (b->no_memory)
		fail(err,
			"the memory limit of %" PRIu64
			" MiB was reached: the recording ends early; "
			"what was recorded is kept\n",
			memory_limit() >> 20);
	if (!b->drain.error)
		return b->no_memory;
	fail(err, "cannot read all sums from the kernel: %s; what was read is kept\n",
		strerror(b->drain.error));
	return 1;
}

/* ---- windows ---- */

static bool is_pending(const struct samples *s, uint32_t stack)
{
	return stack && !samples_actual(s, stack);
}

static bool has_pending(const struct samples *s, const struct sample_key *key)
{
	return is_pending(s, key->user) || is_pending(s, key->kernel) || is_pending(s, key->vm) ||
	       is_pending(s, key->waker);
}

/*
 * Returns the rows whose stacks are still being unwound, after row 0, and empties them in the
 * samples. The caller frees them. A row is put off only once, as its stack may never come.
 */
static struct sample_row *put_off_rows(struct bpf *b, size_t *nr)
{
	struct samples *s = &b->samples;
	struct sample_row *later = xcalloc(s->nr_rows, sizeof(*later));

	*nr = 1;
	for (size_t i = 1 + b->nr_put_off; i < s->nr_rows; i++) {
		struct sample_row *row = &s->rows[i];

		if (!has_pending(s, &row->key))
			continue;
		row->series = 0;
		later[(*nr)++] = *row;
		row->count = row->sum = 0;
	}
	b->nr_put_off = *nr - 1;
	return later;
}

/* Leaves only NR rows in the samples, LATER, and what these and the kernel's stacks refer to. */
static void begin_window(struct bpf *b, const struct sample_row *later, size_t nr, uint64_t now)
{
	struct samples *s = &b->samples;

	memcpy(s->rows, later, nr * sizeof(*later));
	s->nr_rows = nr;
	s->rare_depth = 0;
	memset(s->lost, 0, sizeof(s->lost));
	bpf_begin_condensing(b);
	bpf_end_condensing(b);
	b->since = now;
	b->window_ended = true;
}

int bpf_window(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct bpf *b = (struct bpf *)engine;
	uint64_t now = (uint64_t)monotonic_ns();
	size_t nr;

	bpf_take_round(b);
	bpf_drain(b);
	bpf_end_condensing(b);
	name_kernel(b);
	struct counters counters = bpf_counters(b);
	struct sample_row *later = put_off_rows(b, &nr);

	add_meta(b, now, rec);
	add_lost(b, &counters, rec);
	seal(b, rec, notes);
	begin_window(b, later, nr, now);
	free(later);
	processes_lend_files(&b->processes, files);
	if (!b->drain.error)
		return 0;
	int error = b->drain.error;

	b->drain.error = 0;
	fail(err, "cannot read all sums from the kernel: %s; what was read is kept\n",
		strerror(error));
	return 1;
}
