/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall: shares the time that each thread has run among the stacks that ticks have hit, in
 * proportion to the ticks. The times of runs are exact, and so are the sums of threads; only the
 * shares of stacks are samples.
 */
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"
#include "tool/off_cpu/off_cpu.h"
#include "tool/off_cpu/wait_spans.h"

#include "bpf/wall.object.h"
#include "bpf/wall.plain.object.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is known of the runs of a thread. */
struct runs {
	uint64_t ns;          /* that are not given to a stack yet */
	uint64_t ticks, left; /* ticks in all, and of stacks that have got no time yet */
};

struct sharing {
	struct wait_spans spans; /* the beginning */
	struct samples *samples;
	uint32_t on, tick; /* sets with the label of runs, and of ticks */
	struct table by_thread;
	struct runs *list;
	size_t nr, alloc;
	uint64_t ns, ticks, unhit; /* in all; unhit is the time of threads without a tick */
};

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct sharing));
	wait_spans_begin(run);
	drain_name_state(run->drain, TOOL_STATE(WAIT_TICK), "state", "tick");
}

/* Returns the thread of a row. It is the same if the name of the thread has changed. */
static struct runs *runs_of(struct sharing *s, const struct sample_key *key)
{
	const struct rec_task *task = &s->samples->tasks[key->task];
	bool is_new;
	uint32_t *at = table_put(&s->by_thread, task->tid, task->start, &is_new);

	if (is_new) {
		ALLOC_GROW(s->list, s->nr, s->alloc);
		*at = (uint32_t)s->nr;
		s->list[s->nr++] = (struct runs){0};
	}
	return &s->list[*at];
}

static bool same_label(const struct sample_label *a, const struct sample_label *b)
{
	return a->key == b->key && a->value == b->value;
}

/* Returns whether SET, which may have labels of a source, too, has the label of ONE. */
static bool has_label(const struct sharing *s, uint32_t set, uint32_t one)
{
	const struct sample_label *labels = s->samples->labels;

	while (set && !same_label(&labels[set], &labels[one]))
		set = labels[set].others;
	return set;
}

/* Returns SET with the label of runs in place of the label of ticks. */
static uint32_t as_run(struct sharing *s, uint32_t set)
{
	struct sample_label label = s->samples->labels[set];
	const struct strpool *strings = &s->samples->strings;

	if (!set)
		return 0;
	bool is_tick = same_label(&label, &s->samples->labels[s->tick]);
	uint32_t rest = as_run(s, label.others);

	label = s->samples->labels[is_tick ? s->on : set];
	char *key = xstrdup(strpool_get(strings, label.key));
	char *value = xstrdup(strpool_get(strings, label.value));

	set = samples_label(s->samples, rest, key, value);
	free(key);
	free(value);
	return set;
}

static void add_up(struct sharing *s)
{
	for (size_t i = 1; i < s->samples->nr_rows; i++) {
		const struct sample_row *row = &s->samples->rows[i];

		if (has_label(s, row->key.labels, s->on))
			runs_of(s, &row->key)->ns += row->sum;
		else if (has_label(s, row->key.labels, s->tick))
			runs_of(s, &row->key)->ticks += row->count;
	}
	for (size_t i = 0; i < s->nr; i++) {
		s->list[i].left = s->list[i].ticks;
		s->ns += s->list[i].ns;
		s->ticks += s->list[i].ticks;
		s->unhit += s->list[i].ticks ? 0 : s->list[i].ns;
	}
}

/* Takes the time of NR ticks, so that nothing is left for the stacks after the last one. */
static uint64_t take_share(struct runs *runs, uint64_t nr)
{
	uint64_t ns = (uint64_t)((unsigned __int128)runs->ns * nr / runs->left);

	runs->left -= nr;
	runs->ns -= ns;
	return ns;
}

static void empty(struct sample_row *row)
{
	row->count = row->sum = 0;
	row->series = 0;
}

/* Empties the rows of runs whose threads were hit. */
static void take_runs(struct sharing *s)
{
	for (size_t i = 1; i < s->samples->nr_rows; i++) {
		struct sample_row *row = &s->samples->rows[i];

		if (has_label(s, row->key.labels, s->on) && runs_of(s, &row->key)->ticks)
			empty(row);
	}
}

/* Gives the time of NR ticks in SLICE, of the length at the end, to the row of KEY. */
static void give(struct sharing *s, const struct sample_key *key, uint32_t slice, uint64_t nr)
{
	uint64_t ns = take_share(runs_of(s, key), nr);
	uint32_t first = slice ? ((slice - 1) << s->samples->merged) + 1 : 0;

	samples_add_at(s->samples, key, &(struct series_item){first, 0, nr, ns});
}

/* Replaces the rows of ticks by rows with the time of each stack that was hit. */
static void give_to_stacks(struct sharing *s)
{
	size_t nr_rows = s->samples->nr_rows;

	for (size_t i = 1; i < nr_rows; i++) {
		struct sample_row row = s->samples->rows[i];
		struct series_item *list;
		size_t nr;

		if (!has_label(s, row.key.labels, s->tick) || samples_forgot(&row))
			continue;
		empty(&s->samples->rows[i]);
		row.key.labels = as_run(s, row.key.labels);
		list = series_list(&s->samples->series, row.series, &nr);
		for (size_t k = 0; k < nr; k++)
			give(s, &row.key, list[k].slice, list[k].count);
		if (!row.series)
			give(s, &row.key, 0, row.count);
		free(list);
	}
}

static void add_open(struct tool_run *run, uint64_t now_ns)
{
	struct sharing *s = run->data;

	wait_spans_add_open(run, now_ns);
	s->samples = run->drain->samples;
	s->on = run->drain->states[TOOL_STATE(WAIT_ON)];
	s->tick = run->drain->states[TOOL_STATE(WAIT_TICK)];
	table_init(&s->by_thread);
	add_up(s);
	take_runs(s);
	give_to_stacks(s);
	table_release(&s->by_thread);
	free(s->list);
	s->list = NULL;
}

/* Tells how exact the shares of stacks are. */
static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct sharing *s = run->data;

	if (!s->ns)
		return;
	strbuf_addf(notes, "%" PRIu64 " ticks share ", s->ticks);
	amount_add_scaled(notes, (double)(s->ns - s->unhit), "ns");
	strbuf_adds(notes, " on a processor");
	if (s->unhit) {
		strbuf_adds(notes, "; no tick has hit the other threads, which ran for ");
		amount_add_scaled(notes, (double)s->unhit, "ns");
	}
	strbuf_addch(notes, '\n');
}

const struct bpf_tool wall_tool = {
	.program = "wall",
	.object = &wall_object,
	.plain_object = &wall_plain_object,
	.begin = begin,
	.attach = wait_spans_attach,
	.labels = wait_spans_labels,
	.add_open = add_open,
	.note = note,
	.release = wait_spans_release,
};
