/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that the built-in engine makes while it runs. The tested process is this one. */
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/open_files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct engine *engine;

/* Takes a recording, which the caller releases. */
static struct recording take(void)
{
	struct strbuf notes = STRBUF_INIT, err = STRBUF_INIT;
	struct open_files files = {0};
	struct recording rec;

	recording_init(&rec);
	assert_int_equal(bpf_engine.take(engine, &rec, &files, &notes, &err), 0);
	open_files_release(&files);
	strbuf_release(&notes);
	strbuf_release(&err);
	return rec;
}

static void add_frame(const struct recording *rec, const struct rec_frame *f, struct strbuf *out)
{
	strbuf_addf(out, " %s+%" PRIx64,
		f->place == AT_MAP ? recording_get(rec, rec->maps[f->map].path) : "", f->addr);
}

/* Sets OUT to all of ROW but its sums. */
static void describe(const struct recording *rec, const struct rec_row *row, struct strbuf *out)
{
	const struct rec_task *task = &rec->tasks[row->task];

	strbuf_reset(out);
	strbuf_addf(out, "%" PRIu32 " %s", task->tid, recording_get(rec, task->comm));
	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *s = &rec->stacks[row->stacks[i]];

		strbuf_addf(out, "; %d %d %s", (int)s->kind, (int)s->end,
			recording_get(rec, s->cut_by));
		for (uint32_t k = 0; k < s->nr; k++)
			add_frame(rec, &rec->frames[rec->frame_refs[s->first + k]], out);
	}
}

static uint64_t count_of(const struct recording *rec, const char *row)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t count = 0;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		describe(rec, &rec->rows[i], &text);
		count += strcmp(text.buf, row) ? 0 : rec->rows[i].count;
	}
	strbuf_release(&text);
	return count;
}

static uint64_t total(const struct recording *rec)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rec->nr_rows; i++)
		sum += rec->rows[i].count;
	return sum;
}

static void assert_contains(const struct recording *later, const struct recording *earlier)
{
	struct strbuf row = STRBUF_INIT;

	for (size_t i = 0; i < earlier->nr_rows; i++) {
		describe(earlier, &earlier->rows[i], &row);
		assert_true(count_of(later, row.buf) >= earlier->rows[i].count);
	}
	strbuf_release(&row);
}

/* Takes recordings until one has more than COUNT samples. */
static struct recording take_more(uint64_t count)
{
	struct recording rec = take();

	while (total(&rec) <= count) {
		for (int64_t end = monotonic_ns() + 5000000; monotonic_ns() < end;)
			;
		assert_int_equal(bpf_engine.wait(engine, 0), ENGINE_READY);
		recording_release(&rec);
		rec = take();
	}
	return rec;
}

static void takes__later_ones_contain_earlier_ones(void **state)
{
	struct strbuf err = STRBUF_INIT;
	uint32_t self = (uint32_t)getpid();
	struct tool tool;

	(void)state;
	assert_int_equal(tool_find(&tool, "on-cpu", &err), 0);
	struct engine_request request = {
		.tool = &tool, .pids = &self, .nr_pids = 1, .user = true, .kernel = true};

	engine = bpf_engine.new(&request, &err);
	if (!engine || bpf_engine.start(engine, &err)) {
		printf("# skipped, no BPF programs here: %s\n", err.buf);
		skip();
	}
	struct recording first = take_more(0), second = take_more(total(&first));

	bpf_engine.stop(engine);
	struct recording last = take();

	assert_contains(&second, &first);
	assert_contains(&last, &second);
	assert_non_null(recording_meta(&first, "seconds"));
	recording_release(&first);
	recording_release(&second);
	recording_release(&last);
	bpf_engine.free(engine);
	tool_release(&tool);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes__later_ones_contain_earlier_ones),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
