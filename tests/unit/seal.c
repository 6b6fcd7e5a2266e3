/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw samples as the engines make them, and the recording that is made from them. */
#include "engine/seal.h"
#include "engine/engine.h"
#include "engine/samples.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/names/kallsyms.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { START = 0x1000, END = 0x5000 };

static struct object objects[] = {{.path = (char[]){"/lib/odd.so"}, .build_id = (char[]){"ab"}}};
static struct mapping maps[] = {{.start = START, .end = END, .generation = 1, .pid = 4}};
static struct processes ps = {.objects = objects, .nr_objects = 1, .maps = maps, .nr_maps = 1};

static struct samples samples;
static struct recording rec;

static int set_up(void **state)
{
	(void)state;
	samples_init(&samples);
	recording_init(&rec);
	samples_event(&samples, &(struct sample_event){"on-cpu", "samples", "cpu", 1000, 1});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	samples_release(&samples);
	recording_release(&rec);
	return 0;
}

static void seal(const struct kallsyms *ks)
{
	recording_seal(&rec, &samples, &(struct seal_facts){.ps = &ps, .ks = ks});
}

static uint32_t user_stack(uint64_t address, unsigned end)
{
	const uint64_t frames[] = {samples_user_frame(maps, address, false),
		samples_user_frame(maps, address + 16, true)};

	return samples_stack(&samples, frames, 2, STACK_USER, end);
}

static void add(uint32_t user, uint32_t kernel, uint64_t count)
{
	const struct sample_key key = {
		.task = samples_task(&samples, 4, 5, 0, "a"), .user = user, .kernel = kernel};

	samples_add(&samples, &key, count, count);
}

static const struct rec_stack *stack_at(size_t row, int which)
{
	assert_true(rec.rows[row].stacks[which] != NO_STACK);
	return &rec.stacks[rec.rows[row].stacks[which]];
}

static void seal__ends_of_walks(void **state)
{
	static const struct {
		unsigned end;
		enum stack_end want;
		const char *cut_by;
	} cases[] = {
		{WALK_ROOT, END_ROOT, ""},
		{WALK_DEEP, END_CUT, "depth"},
		{WALK_BUSY, END_CUT, "busy"},
		{WALK_PROBED, END_CUT, "return probe"},
		{WALK_COROUTINE, END_CUT, "coroutine"},
		{WALK_PENDING, END_CUT, "/lib/odd.so"},
		{WALK_NO_RULE, END_CUT, "/lib/odd.so"},
		{WALK_NO_MAP, END_BROKEN, "caller"},
		{WALK_NO_READ, END_BROKEN, "memory"},
		{WALK_LOST, END_BROKEN, ""},
		{SAMPLE_UNKNOWN, END_CUT, "/lib/odd.so"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		add(user_stack(START, cases[i].end), 0, 100 - i);
	seal(NULL);
	assert_int_equal(rec.nr_rows, ARRAY_LEN(cases));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(rec.rows[i].count, 100 - i);
		assert_int_equal(stack_at(i, 0)->end, cases[i].want);
		assert_string_equal(recording_get(&rec, stack_at(i, 0)->cut_by), cases[i].cut_by);
	}
	assert_int_equal(rec.nr_frames, 2);
	assert_int_equal(rec.frames[0].addr, 0);
	assert_int_equal(rec.frames[1].addr, 16);
	assert_true(rec.frames[1].call && !rec.frames[0].call);
}

/* A stack that stopped outside all mappings has not reached the root. */
static void seal__addresses_in_no_mapping(void **state)
{
	const uint64_t frame = samples_user_frame(NULL, 0x7fff12345678, false);

	(void)state;
	add(samples_stack(&samples, &frame, 1, STACK_USER, SAMPLE_UNKNOWN), 0, 1);
	seal(NULL);
	assert_int_equal(stack_at(0, 0)->end, END_BROKEN);
	assert_int_equal(rec.frames[0].place, AT_ADDRESS);
	assert_int_equal(rec.frames[0].addr, 0x7fff12345678);
}

static void seal__pending_stacks_are_merged_with_what_they_become(void **state)
{
	uint32_t stack = user_stack(START, WALK_ROOT), pending = samples_pending(&samples);
	uint32_t never = samples_pending(&samples);

	(void)state;
	add(stack, 0, 3);
	add(pending, 0, 4);
	add(never, 0, 5);
	samples_set_pending(&samples, pending, stack);
	seal(NULL);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.nr_stacks, 1);
	assert_int_equal(rec.rows[0].count, 7);
	assert_int_equal(rec.rows[0].sum, 7);
	assert_int_equal(rec.lost[LOST_NO_BODY], 5);
}

static void seal__rare_stacks_begin_with_a_note(void **state)
{
	const uint64_t user[] = {SAMPLE_RARE, samples_user_frame(maps, START, true)};
	const uint64_t kernel[] = {SAMPLE_RARE, 0xffffffff81000123};

	(void)state;
	add(samples_stack(&samples, user, 2, STACK_USER, WALK_ROOT), 0, 2);
	add(0, samples_stack(&samples, kernel, 2, STACK_KERNEL, 0), 1);
	seal(NULL);
	assert_int_equal(rec.nr_frames, 3);
	for (size_t i = 0; i < 2; i++) {
		const struct rec_frame *f = &rec.frames[rec.frame_refs[stack_at(i, 0)->first]];

		assert_int_equal(stack_at(i, 0)->nr, 2);
		assert_int_equal(stack_at(i, 0)->end, END_ROOT);
		assert_int_equal(f->kind, FRAME_NOTE);
		assert_string_equal(recording_get(&rec, rec.names[f->names].function), "[rare]");
	}
}

static void seal__what_began_before(void **state)
{
	uint32_t user = samples_stack(&samples, NULL, 0, STACK_USER, SAMPLE_EARLIER);
	const uint64_t name = samples_name(
		&samples, &(struct sample_name){.what = 0x38,
				  .function = strpool_adds(&samples.strings, "nft_wait"),
				  .file = strpool_adds(&samples.strings, "[nf_tables]")});
	uint32_t kernel = samples_stack(&samples, &name, 1, STACK_KERNEL, SAMPLE_NAMED);

	(void)state;
	add(user, kernel, 1);
	seal(NULL);
	assert_int_equal(stack_at(0, 0)->nr, 0);
	assert_int_equal(stack_at(0, 0)->end, END_CUT);
	assert_string_equal(recording_get(&rec, stack_at(0, 0)->cut_by), "before the recording");
	assert_int_equal(stack_at(0, 1)->kind, STACK_KERNEL);
	const struct rec_name *n = &rec.names[rec.frames[rec.frame_refs[0]].names];

	assert_string_equal(recording_get(&rec, n->function), "nft_wait");
	assert_string_equal(recording_get(&rec, n->module), "[nf_tables]");
	assert_int_equal(n->offset, 0x38);
}

/* A task without user memory has no user stack: the stack counts as whole, with a note. */
static void seal__tasks_without_user_stack(void **state)
{
	static const struct {
		unsigned end;
		const char *note;
	} cases[] = {
		{SAMPLE_KERNEL_THREAD, "[no user stack: kernel thread]"},
		{SAMPLE_EXITING, "[no user stack: exiting]"},
		{SAMPLE_EXECVE, "[no user stack: execve]"},
	};
	const struct recording_view view = {.event = -1};
	struct account account;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		add(samples_stack(&samples, NULL, 0, STACK_USER, cases[i].end), 0, 100 - i);
	seal(NULL);
	assert_int_equal(rec.nr_rows, ARRAY_LEN(cases));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct rec_stack *s = stack_at(i, 0);
		const struct rec_frame *f = &rec.frames[rec.frame_refs[s->first]];

		assert_int_equal(s->kind, STACK_USER);
		assert_int_equal(s->end, END_ROOT);
		assert_int_equal(s->nr, 1);
		assert_int_equal(f->kind, FRAME_NOTE);
		assert_int_equal(f->place, AT_NAME);
		assert_string_equal(
			recording_get(&rec, rec.names[f->names].function), cases[i].note);
	}
	recording_account(&rec, &view, &account);
	assert_int_equal(account.whole, 297);
	assert_int_equal(account.kept, 297);
	assert_int_equal(account.named + account.unnamed, 0);
}

/* Returns slice NUMBER, from 0, of a row's series. */
static struct series_item item_of(const struct rec_row *row, size_t number)
{
	size_t nr;
	struct series_item *list = series_list(&rec.series, row->series, &nr);

	assert_true(number < nr);
	struct series_item item = list[number];

	free(list);
	return item;
}

static void seal__events_labels_and_slices(void **state)
{
	uint32_t waits = samples_event(
		&samples, &(struct sample_event){"off-cpu", "us", "monotonic", 0, 1000});
	uint32_t sleeps = samples_label(&samples, 0, "state", "S");
	struct sample_key key = {.event = waits,
		.task = samples_task(&samples, 4, 5, 7, "a"),
		.labels = samples_label(&samples, sleeps, "uri", "/cart")};
	size_t len;

	(void)state;
	samples.slices.ns = 10000000;
	samples_add_at(&samples, &key, &(struct series_item){4, 0, 1, 1600});
	samples_add_at(&samples, &key, &(struct series_item){3, 0, 2, 1999999});
	samples_add_at(&samples, &key, &(struct series_item){5, 0, 0, 401});
	key.event = 0;
	samples_add_at(&samples, &key, &(struct series_item){9, 0, 1, 1});
	seal(NULL);
	assert_int_equal(rec.nr_rows, 2);
	assert_int_equal(rec.slices.ns, 10000000);
	assert_int_equal(rec.slices.nr, 9);
	assert_int_equal(item_of(&rec.rows[0], 0).slice, 9);
	/* each slice is rounded so that their sum is the row's: 1999, 2001, and nothing is left */
	assert_int_equal(rec.rows[1].sum, 2002);
	assert_int_equal(rec.rows[1].count, 3);
	assert_int_equal(item_of(&rec.rows[1], 0).slice, 3);
	assert_int_equal(item_of(&rec.rows[1], 0).sum, 1999);
	assert_int_equal(item_of(&rec.rows[1], 1).sum, 2);
	assert_int_equal(item_of(&rec.rows[1], 1).count, 1);
	assert_int_equal(item_of(&rec.rows[1], 2).sum, 1);
	/* the rows of the first event come first */
	assert_string_equal(recording_get(&rec, rec.events[rec.rows[0].event].unit), "samples");
	assert_string_equal(recording_get(&rec, rec.events[rec.rows[1].event].unit), "us");
	assert_string_equal(recording_label(&rec, &rec.rows[1], "uri", &len), "/cart");
	assert_string_equal(recording_label(&rec, &rec.rows[1], "state", &len), "S");
	assert_int_equal(rec.tasks[0].start, 7);
	assert_int_equal(rec.nr_tasks, 1);
}

/* Returns names for kernel addresses; the caller frees them. */
static struct kallsyms *make_kallsyms(void)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 T work\n"
				   "ffffffff81800000 T asm_sysvec_timer\n"
				   "ffffffff81900000 T bpf_prog_load\n"
				   "ffffffff82000000 t bpf_prog_0_probe\t[bpf]\n"
				   "ffffffff83000000 T _etext\n";
	char path[] = "/tmp/flametap-kallsyms.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	struct kallsyms *ks = kallsyms_read(path, NULL);

	unlink(path);
	assert_non_null(ks);
	return ks;
}

/* There are so many that the arrays of stacks and rows move while they are trimmed. */
static void seal__kernel_stacks_begin_where_the_probe_was_called(void **state)
{
	enum { NR = 1100 };
	struct kallsyms *ks = make_kallsyms();

	(void)state;
	for (uint64_t i = 0; i < NR; i++) {
		const uint64_t frames[] = {
			0xffffffff82000010, 0xffffffff81000100 + i, 0xffffffff81000050};

		add(0, samples_stack(&samples, frames, 3, STACK_KERNEL, WALK_ROOT), 1);
		if (i < NR / 2)
			add(0, samples_stack(&samples, frames + 1, 2, STACK_KERNEL, WALK_ROOT), 2);
	}
	seal(ks);
	assert_int_equal(rec.nr_rows, NR);
	for (size_t i = 0; i < NR; i++) {
		assert_int_equal(rec.rows[i].count, i < NR / 2 ? 3 : 1);
		assert_int_equal(stack_at(i, 0)->nr, 2);
	}
	for (size_t i = 0; i < rec.nr_frames; i++)
		assert_true(rec.frames[i].addr < 0xffffffff82000000);
	kallsyms_free(ks);
}

/*
 * The kernel's own functions for BPF are no probes; and a probe that was interrupted is not what
 * has called the tracepoint.
 */
static void seal__other_frames_stay(void **state)
{
	const uint64_t loading[] = {0xffffffff81000100, 0xffffffff81900010, 0xffffffff81000050};
	const uint64_t interrupted[] = {
		0xffffffff81000200, 0xffffffff81800010, 0xffffffff82000010, 0xffffffff81000050};
	struct kallsyms *ks = make_kallsyms();

	(void)state;
	add(0, samples_stack(&samples, loading, 3, STACK_KERNEL, WALK_ROOT), 2);
	add(0, samples_stack(&samples, interrupted, 4, STACK_KERNEL, WALK_ROOT), 1);
	seal(ks);
	assert_int_equal(stack_at(0, 0)->nr, 3);
	assert_int_equal(stack_at(1, 0)->nr, 4);
	kallsyms_free(ks);
}

/* Returns REC as text. The caller frees it. */
static char *text_of(const struct recording *r)
{
	struct strbuf err = STRBUF_INIT;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(recording_write(r, out, &err), 0);
	fclose(out);
	return text;
}

/* Replaces the recording by a new one, which must be WANT. */
static void seal_again(const struct kallsyms *ks, const char *want)
{
	recording_release(&rec);
	recording_init(&rec);
	seal(ks);
	char *text = text_of(&rec);

	assert_string_equal(text, want);
	free(text);
}

/* Samples are as useful after they were sealed as before. */
static void seal__can_be_repeated(void **state)
{
	static const uint64_t probed[] = {0xffffffff82000010, 0xffffffff81000100};
	struct kallsyms *ks = make_kallsyms();
	uint32_t user = user_stack(START, WALK_NO_RULE), pending = samples_pending(&samples);

	(void)state;
	add(user, samples_stack(&samples, probed, 2, STACK_KERNEL, WALK_ROOT), 3);
	add(user, samples_stack(&samples, probed + 1, 1, STACK_KERNEL, WALK_ROOT), 4);
	add(pending, 0, 5);
	seal(ks);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.rows[0].sum, 7);
	assert_int_equal(rec.lost[LOST_NO_BODY], 5);
	char *first = text_of(&rec);

	seal_again(ks, first);
	samples_set_pending(&samples, pending, user);
	add(user, 0, 1);
	add(user_stack(START + 32, WALK_ROOT), 0, 2);
	recording_release(&rec);
	recording_init(&rec);
	seal(ks);
	assert_int_equal(rec.nr_rows, 3);
	assert_int_equal(rec.rows[0].sum, 7);
	assert_int_equal(rec.rows[1].sum, 6);
	assert_int_equal(rec.rows[2].sum, 2);
	assert_int_equal(rec.lost[LOST_NO_BODY], 0);
	char *second = text_of(&rec);

	seal_again(ks, second);
	free(first);
	free(second);
	kallsyms_free(ks);
}

/* What the header of a tool adds: frames for labels, and events that count the rows. */
static void seal__of_a_tool(void **state)
{
	struct tool tool = {.clock = (char[]){"monotonic"},
		.leaf = (char[]){"syscall path"},
		.counts = {{(char[]){"calls"}, NULL}, {(char[]){"errors"}, (char[]){"error"}}},
		.nr_counts = 2};
	struct engine_request request = {.tool = &tool, .kernel = true};
	uint32_t call = samples_label(&samples, 0, "syscall", "open");
	struct sample_key key = {.task = samples_task(&samples, 4, 5, 0, "a"),
		.user = user_stack(START, WALK_ROOT),
		.labels = samples_label(&samples, call, "path", "/a")};

	(void)state;
	samples_add(&samples, &key, 2, 500);
	key.labels = samples_label(&samples, call, "error", "ENOENT");
	samples_add(&samples, &key, 3, 400);
	recording_seal(&rec, &samples, &(struct seal_facts){.ps = &ps, .request = &request});
	assert_int_equal(rec.nr_events, 3);
	assert_string_equal(recording_get(&rec, rec.events[1].name), "calls");
	assert_string_equal(recording_get(&rec, rec.events[2].unit), "errors");

	static const struct {
		uint32_t event;
		uint64_t sum;
		uint32_t depth;
	} rows[] = {{0, 500, 2}, {0, 400, 1}, {1, 3, 1}, {1, 2, 2}, {2, 3, 1}};

	assert_int_equal(rec.nr_rows, ARRAY_LEN(rows));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(rec.rows[i].event, rows[i].event);
		assert_int_equal(rec.rows[i].sum, rows[i].sum);
		assert_int_equal(stack_at(i, 1)->kind, STACK_KERNEL);
		assert_int_equal(stack_at(i, 1)->nr, rows[i].depth);
	}
	assert_int_equal(rec.rows[0].stacks[1], rec.rows[3].stacks[1]);
}

/* ---- wakers ---- */

/* Returns the frames of the last stack of row ROW, from the leaf on, as "b a;COMM;[NOTE]". */
static char *waker_of(size_t row)
{
	struct strbuf text = STRBUF_INIT;
	int last = 0;

	while (last + 1 < ROW_STACKS && rec.rows[row].stacks[last + 1] != NO_STACK)
		last++;
	const struct rec_stack *stack = stack_at(row, last);

	assert_int_equal(stack->kind, STACK_WAKER);
	assert_int_equal(stack->end, END_ROOT);
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct rec_frame *f = &rec.frames[rec.frame_refs[stack->first + i]];

		if (f->nr_names && f->kind != FRAME_KERNEL)
			strbuf_addf(
				&text, ";%s", recording_get(&rec, rec.names[f->names].function));
		else
			strbuf_addf(&text, " %" PRIx64, f->addr & 0xffff);
	}
	return text.buf;
}

static void expect_waker(size_t row, const char *want)
{
	char *is = waker_of(row);

	assert_string_equal(is, want);
	free(is);
}

static uint32_t kernel_stack(uint64_t leaf, uint64_t caller)
{
	const uint64_t frames[] = {leaf, caller};

	return samples_stack(&samples, frames, 2, STACK_KERNEL, WALK_ROOT);
}

static void add_woken(uint32_t waker, uint64_t count)
{
	struct sample_key key = {.task = samples_task(&samples, 4, 5, 0, "a"),
		.user = user_stack(START + 0x100, WALK_ROOT),
		.waker = waker};

	samples_add(&samples, &key, count, count);
}

/*
 * The frames of a waker begin with its name, then come its functions from the root on; of several,
 * the first one comes first.
 */
static void seal__wakers(void **state)
{
	struct kallsyms *ks = make_kallsyms();
	uint32_t pending = samples_pending(&samples);
	uint32_t near = samples_waker(&samples, user_stack(START, WALK_ROOT),
		kernel_stack(0xffffffff81000020, 0xffffffff81000010), 0, "near");
	uint32_t far = samples_waker(&samples, user_stack(START + 0x40, WALK_DEEP), 0, 0, "far");
	uint32_t late = samples_waker(&samples, pending, 0, 0, "late");

	(void)state;
	add_woken(near, 9);
	add_woken(samples_wakers(&samples, (uint32_t[]){near, far, 0}, 3), 8);
	add_woken(late, 7);
	add_woken(0, 6);
	seal(ks);
	expect_waker(0, ";near 10 0 10 20");
	expect_waker(1, ";far;[truncated: depth] 50 40;near 10 0 10 20");
	expect_waker(2, ";late");
	assert_int_equal(stack_at(3, 0)->kind, STACK_USER);
	assert_int_equal(rec.rows[3].stacks[1], NO_STACK);
	samples_set_pending(&samples, pending, user_stack(START + 0x20, WALK_ROOT));
	recording_release(&rec);
	recording_init(&rec);
	seal(ks);
	expect_waker(2, ";late 30 20");
	kallsyms_free(ks);
}

/* Whatever an interrupt has hit, it is the same one, and has no waker of its own. */
static void seal__interrupts_that_wake(void **state)
{
	enum { TIMER = 0x010, WORK = 0x020 };
	const uint64_t kernel = 0xffffffff81000000, entry = 0xffffffff81800010;
	const uint64_t frames[] = {kernel + TIMER, entry, kernel + WORK};
	struct kallsyms *ks = make_kallsyms();
	uint32_t other = samples_waker(&samples, user_stack(START, WALK_ROOT), 0, 0, "other");
	uint32_t in_user = samples_waker(&samples, user_stack(START, WALK_ROOT),
		samples_stack(&samples, frames, 2, STACK_KERNEL, WALK_ROOT), 0, "bystander");
	uint32_t in_kernel = samples_waker(&samples, 0,
		samples_stack(&samples, frames, 3, STACK_KERNEL, WALK_ROOT), 0, "another");

	(void)state;
	add_woken(in_user, 9);
	add_woken(in_kernel, 8);
	add_woken(samples_wakers(&samples, (uint32_t[]){in_kernel, other}, 2), 7);
	add_woken(samples_wakers(&samples, (uint32_t[]){other, in_user, other}, 3), 6);
	add_woken(samples_wakers(&samples, (uint32_t[]){other, in_kernel}, 2), 5);
	seal(ks);
	assert_int_equal(rec.nr_rows, 2);
	assert_int_equal(rec.rows[0].count, 9 + 8 + 7);
	assert_int_equal(rec.rows[1].count, 6 + 5);
	expect_waker(0, ";[interrupt] 10 10");
	expect_waker(1, ";[interrupt] 10 10;other 10 0");

	struct tool tool = {.clock = (char[]){"monotonic"}};
	struct engine_request request = {.tool = &tool, .user = true};

	recording_release(&rec);
	recording_init(&rec);
	recording_seal(
		&rec, &samples, &(struct seal_facts){.ps = &ps, .ks = ks, .request = &request});
	expect_waker(0, ";[interrupt]");
	expect_waker(1, ";[interrupt];other 10 0");
	kallsyms_free(ks);
}

#define TEST(name) cmocka_unit_test_setup_teardown(seal__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ends_of_walks),
		TEST(addresses_in_no_mapping),
		TEST(pending_stacks_are_merged_with_what_they_become),
		TEST(rare_stacks_begin_with_a_note),
		TEST(what_began_before),
		TEST(tasks_without_user_stack),
		TEST(kernel_stacks_begin_where_the_probe_was_called),
		TEST(other_frames_stay),
		TEST(events_labels_and_slices),
		TEST(can_be_repeated),
		TEST(of_a_tool),
		TEST(wakers),
		TEST(interrupts_that_wake),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
