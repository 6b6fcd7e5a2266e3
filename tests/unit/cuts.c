/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reasons why stacks are not whole: in recordings and profiles, and as messages. */
#include "input/stack_account.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct recording rec;
static struct profile p;
static struct strbuf lines;

static int begin(void **state)
{
	(void)state;
	recording_init(&rec);
	profile_init(&p);
	lines = (struct strbuf)STRBUF_INIT;
	recording_add_event(&rec, "on-cpu", "samples", "cpu", 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	recording_release(&rec);
	profile_release(&p);
	strbuf_release(&lines);
	return 0;
}

static uint32_t add_task(uint32_t pid, const char *comm)
{
	return recording_add_task(&rec,
		&(struct rec_task){.pid = pid, .tid = pid, .comm = recording_string(&rec, comm)});
}

static uint32_t add_frame(uint32_t pid, const char *path, const char *build_id)
{
	uint32_t map =
		recording_add_map(&rec, &(struct rec_map){.pid = pid,
						.start = 0x1000,
						.end = 0x2000,
						.path = recording_string(&rec, path),
						.build_id = recording_string(&rec, build_id)});

	return recording_add_frame(&rec, &(struct rec_frame){.place = AT_MAP, .map = map});
}

static void add_row(uint32_t task, enum stack_end how, const char *by, const uint32_t *frames,
	size_t nr, uint64_t sum)
{
	uint32_t stack =
		recording_add_stack(&rec, STACK_USER, how, recording_string(&rec, by), frames, nr);

	recording_add_row(&rec, &(struct rec_row){.task = task,
					.stacks = {stack, NO_STACK, NO_STACK, NO_STACK},
					.count = sum,
					.sum = sum});
}

static void add_one(uint32_t task, enum stack_end how, const char *by, uint32_t frame, uint64_t sum)
{
	add_row(task, how, by, &frame, 1, sum);
}

static uint64_t weight_of_cuts(const struct cuts *cuts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < cuts->nr; i++)
		sum += cuts->list[i].weight;
	return sum;
}

/* Checks the message for P; its cuts are all that its account counts. */
static void expect_said(const char *want)
{
	assert_int_equal(weight_of_cuts(&p.cuts), p.account.cut + p.account.broken);
	strbuf_reset(&lines);
	cuts_lines(&p.cuts, &p.account, &lines);
	assert_string_equal(lines.buf, want);
}

static void expect(const char *want)
{
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &p);
	expect_said(want);
}

/* ---- lines ---- */

static void cuts__heaviest_three_of_one_per_cent(void **state)
{
	uint32_t task = add_task(1, "app");

	(void)state;
	add_one(task, END_CUT, "/lib/b.so", add_frame(1, "/lib/b.so", "b"), 30);
	add_one(task, END_CUT, "/lib/a.so", add_frame(1, "/lib/a.so", "a"), 50);
	add_one(task, END_CUT, "/lib/d.so", add_frame(1, "/lib/d.so", "d"), 9);
	add_one(task, END_CUT, "/lib/b.so", add_frame(1, "/lib/b.so", "b"), 10);
	add_one(task, END_ROOT, NULL, add_frame(1, "/app", "e"), 901);
	expect("5.0 % cut in a.so: code without unwind rules, such as assembly\n"
	       "4.0 % cut in b.so: code without unwind rules, such as assembly\n");
	add_one(task, END_CUT, "/lib/d.so", add_frame(1, "/lib/d.so", "d"), 3);
	add_one(task, END_CUT, "/lib/c.so", add_frame(1, "/lib/c.so", "c"), 20);
	profile_release(&p);
	profile_init(&p);
	expect("4.9 % cut in a.so: code without unwind rules, such as assembly\n"
	       "3.9 % cut in b.so: code without unwind rules, such as assembly\n"
	       "2.0 % cut in c.so: code without unwind rules, such as assembly\n");
}

static void cuts__nothing_of_whole_stacks(void **state)
{
	(void)state;
	add_one(add_task(1, "app"), END_ROOT, NULL, add_frame(1, "/app", "e"), 100);
	expect("");
	assert_int_equal(p.cuts.nr, 0);
}

/* The message goes to the user's terminal. */
static void cuts__names_of_files_are_escaped(void **state)
{
	(void)state;
	add_one(add_task(1, "app"), END_CUT, "/lib/\033[2J\n.so",
		add_frame(1, "/lib/\033[2J\n.so", "a"), 1);
	expect("100.0 % cut in \\x1b[2J\\x0a.so: code without unwind rules, such as assembly\n");
}

static void cuts__each_cause(void **state)
{
	static const struct {
		enum stack_end end;
		const char *by, *want;
	} cases[] = {
		{END_CUT, "/lib/x.so",
			"100.0 % cut in x.so: code without unwind rules, such as assembly\n"},
		{END_CUT, NULL,
			"100.0 % cut in x.so: code without unwind rules, such as assembly\n"},
		{END_CUT, "/lib/x.so (no access)",
			"100.0 % cut in x.so: the file cannot be opened; record as its owner, or "
			"as root\n"},
		{END_CUT, "/lib/x.so (no answer)",
			"100.0 % cut in x.so: its file system does not answer\n"},
		{END_CUT, "/lib/x.so (not ELF)", "100.0 % cut in x.so: the file is not ELF\n"},
		{END_CUT, "/lib/x.so (damaged)",
			"100.0 % cut in x.so: its unwind rules cannot be read\n"},
		{END_CUT, "/lib/x.so (late)",
			"100.0 % cut in x.so: its unwind rules were not read in time; record "
			"longer\n"},
		{END_CUT, "depth",
			"100.0 % cut: the stack is deeper than 2,048 frames (of an interpreter "
			"1,024; with SystemTap 1,000) or 512 KiB; --skip-after FN shows all "
			"stacks from function FN on\n"},
		{END_CUT, "busy",
			"100.0 % cut: too many stacks had to be copied at once for unwinding; "
			"record a process that runs already (-p), or fewer events at a time\n"},
		{END_CUT, "before the recording",
			"100.0 % cut: the wait had begun before the recording\n"},
		{END_CUT, "return probe",
			"100.0 % cut: a return probe (uretprobe) has replaced the address of the "
			"caller\n"},
		{END_CUT, "coroutine",
			"100.0 % cut: stacks of coroutines do not tell what resumed them\n"},
		{END_BROKEN, "memory",
			"100.0 % broken in x.so: the stack's memory could not be read\n"},
		{END_BROKEN, "caller",
			"100.0 % broken in x.so: the caller's address is in no code\n"},
		{END_BROKEN, "frame pointers",
			"100.0 % broken in x.so: perf follows frame pointers, which this code does "
			"not keep; perf record --call-graph dwarf\n"},
		{END_BROKEN, NULL, "100.0 % broken in x.so: the caller was not found\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		add_one(add_task(1, "app"), cases[i].end, cases[i].by,
			add_frame(1, "/lib/x.so", "a"), 1);
		expect(cases[i].want);
		end(NULL);
		begin(NULL);
	}
}

/* ---- generated code ---- */

#define GENERATED ": neither unwind rules nor frame pointers"
#define JAVA "; start java with -XX:+PreserveFramePointer\n"

static void cuts__runtime_by_mapped_file(void **state)
{
	uint32_t java = add_task(1, "main"), other = add_task(2, "other");

	(void)state;
	add_one(java, END_ROOT, NULL, add_frame(1, "/jvm/server/libjvm.so", "a"), 35);
	add_one(java, END_CUT, "[anonymous]", add_frame(1, "", ""), 35);
	add_one(other, END_CUT, "[anonymous]", add_frame(2, "", ""), 20);
	add_one(other, END_CUT, "/memfd:x", add_frame(2, "/memfd:x", ""), 10);
	expect("35.0 % cut in generated code of Java" GENERATED JAVA
	       "30.0 % cut in generated code" GENERATED "\n");
}

/* A forked process has the frames of its parent's files, but memory of its own. */
static void cuts__runtime_of_a_forked_process(void **state)
{
	(void)state;
	add_task(1, "main");
	uint32_t child = add_task(2, "main"), file = add_frame(1, "/jvm/server/libjvm.so", "a");

	add_one(child, END_ROOT, NULL, file, 35);
	add_one(child, END_CUT, "[anonymous]", add_frame(2, "", ""), 65);
	expect("65.0 % cut in generated code of Java" GENERATED JAVA);
}

static void cuts__broken_in_generated_code(void **state)
{
	(void)state;
	add_one(add_task(1, "beam.smp"), END_BROKEN, "caller",
		add_frame(1, "/memfd:vmem (deleted)", ""), 1);
	expect("100.0 % broken in generated code of Erlang: the caller's address is in no code\n");
}

static void cuts__runtime_by_threads(void **state)
{
	add_task(1, "luajit");
	add_task(2, "luajit_tests");
	(void)state;
	add_one(0, END_CUT, "[anonymous]", add_frame(1, "", ""), 60);
	add_one(1, END_CUT, "[anonymous]", add_frame(2, "", ""), 40);
	expect("60.0 % cut in generated code of LuaJIT" GENERATED
	       "; luajit -joff interprets instead\n"
	       "40.0 % cut in generated code" GENERATED "\n");
}

/* A program in memory that has a build-id counts as a file. */
static void cuts__program_in_memory(void **state)
{
	(void)state;
	add_one(add_task(1, "app"), END_CUT, "/memfd:app", add_frame(1, "/memfd:app", "0123"), 1);
	expect("100.0 % cut in memfd:app: code without unwind rules, such as assembly\n");
}

static void cuts__with_systemtap(void **state)
{
	(void)state;
	recording_add_meta(&rec, "engine", "stap");
	add_one(add_task(1, "java"), END_CUT, "[anonymous]", add_frame(1, "", ""), 60);
	add_one(0, END_CUT, "/lib/late.so", add_frame(1, "/lib/late.so", "a"), 40);
	expect("60.0 % cut in generated code of Java: SystemTap had no unwind rules for it; try "
	       "--engine=bpf" JAVA "40.0 % cut in late.so: SystemTap had no unwind rules for it; "
	       "try --engine=bpf\n");
}

/* ---- stacks ---- */

/* The file of the outermost C frame is named. */
static void cuts__outermost_frame(void **state)
{
	uint32_t task = add_task(1, "app"), frames[3];

	(void)state;
	frames[0] = add_frame(1, "/lib/leaf.so", "a");
	frames[1] = add_frame(1, "/lib/outer.so", "b");
	frames[2] = recording_add_frame(
		&rec, &(struct rec_frame){.kind = FRAME_PERL, .place = AT_NAME});
	add_row(task, END_BROKEN, NULL, frames, 3, 60);
	frames[2] =
		recording_add_frame(&rec, &(struct rec_frame){.place = AT_ADDRESS, .addr = 0x1234});
	add_row(task, END_BROKEN, NULL, frames, 3, 40);
	expect("60.0 % broken in outer.so: the caller was not found\n"
	       "40.0 % broken: the caller was not found\n");
}

static uint32_t add_note(const char *text)
{
	uint32_t frame = recording_add_frame(
		&rec, &(struct rec_frame){.kind = FRAME_NOTE, .place = AT_NAME});

	recording_name_frame(
		&rec, frame, &(struct rec_name){.function = recording_string(&rec, text)}, 1);
	return frame;
}

static void cuts__notes(void **state)
{
	uint32_t task = add_task(1, "app"), frames[2];

	(void)state;
	frames[0] = add_note("[rare]");
	frames[1] = add_frame(1, "/lib/outer.so", "b");
	add_row(task, END_BROKEN, "memory", frames, 2, 50);
	add_one(task, END_BROKEN, NULL, add_note("[perl: inconsistent]"), 30);
	add_row(task, END_BROKEN, NULL, NULL, 0, 10);
	recording_add_row(&rec, &(struct rec_row){.task = task,
					.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
					.count = 10,
					.sum = 10});
	expect("50.0 % broken in outer.so: the stack's memory could not be read\n"
	       "30.0 % broken: the interpreter was changing its stack\n"
	       "20.0 % broken: the samples have no frames\n");
}

/* Only the worst of a row's stacks counts, and it counts once. */
static void cuts__one_cause_a_row(void **state)
{
	uint32_t frame = add_frame(1, "/lib/x.so", "a"), task = add_task(1, "app");
	struct rec_row row = {.task = task, .count = 7, .sum = 7};

	(void)state;
	row.stacks[0] = recording_add_stack(
		&rec, STACK_PERL, END_CUT, recording_string(&rec, "depth"), &frame, 1);
	row.stacks[1] = recording_add_stack(&rec, STACK_USER, END_BROKEN, 0, &frame, 1);
	row.stacks[2] = recording_add_stack(&rec, STACK_KERNEL, END_ROOT, 0, &frame, 1);
	row.stacks[3] = NO_STACK;
	recording_add_row(&rec, &row);
	expect("100.0 % broken in x.so: the caller was not found\n");
}

/* ---- profiles ---- */

/* After samples are left out, the tree still gives all causes except for those that only the
 * recording knew. */
static void cuts__counted_again(void **state)
{
	uint32_t task = add_task(1, "java");

	(void)state;
	add_one(task, END_CUT, "/lib/x.so", add_frame(1, "/lib/x.so", "a"), 50);
	add_one(task, END_CUT, "[anonymous]", add_frame(1, "", ""), 30);
	add_one(task, END_BROKEN, "memory", add_frame(1, "/lib/y.so", "b"), 15);
	add_one(task, END_CUT, "depth", add_frame(1, "/lib/z.so", "c"), 5);
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &p);
	profile_recount(&p);
	cuts_set_runtime(&p.cuts, RUNTIME_JAVA);
	expect_said("50.0 % cut in x.so: code without unwind rules, such as assembly\n"
		    "30.0 % cut in generated code of Java" GENERATED JAVA
		    "15.0 % broken in y.so: the caller was not found\n");
}

static void cuts__of_several_inputs(void **state)
{
	struct profile other;

	(void)state;
	add_one(add_task(1, "app"), END_CUT, "/lib/x.so", add_frame(1, "/lib/x.so", "a"), 6);
	profile_init(&other);
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &other);
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &p);
	cuts_add_all(&p.cuts, &other.cuts);
	assert_int_equal(p.cuts.nr, 1);
	assert_int_equal(p.cuts.list[0].weight, 12);
	profile_describe(&p, &other);
	assert_int_equal(weight_of_cuts(&p.cuts), 6);
	profile_release(&other);
}

/* ---- interpreters ---- */

static void expect_interpreters(const char *want)
{
	strbuf_reset(&lines);
	recording_add_interpreters(&rec, &(struct recording_view){.event = -1}, &lines);
	assert_string_equal(lines.len ? lines.buf : "", want);
}

static uint32_t add_compiled(uint32_t pid, const char *name)
{
	uint32_t map = recording_add_map(
		&rec, &(struct rec_map){.pid = pid, .start = 0x5000, .end = 0x6000});
	uint32_t frame =
		recording_add_frame(&rec, &(struct rec_frame){.place = AT_MAP, .map = map});
	struct rec_name names = {.function = recording_string(&rec, name)};

	recording_name_frame(&rec, frame, &names, 1);
	return frame;
}

static void cuts__interpreters_that_are_not_read(void **state)
{
	uint32_t a = add_task(1, "app"), b = add_task(2, "web"), c = add_task(3, "web");

	(void)state;
	add_one(a, END_ROOT, NULL, add_frame(1, "/usr/lib/libruby-3.1.so.3.1", "r"), 40);
	add_one(b, END_ROOT, NULL, add_frame(2, "/usr/bin/python3.11", "p"), 25);
	add_one(c, END_ROOT, NULL, add_frame(3, "/usr/lib/libpython3.12.so.1.0", "q"), 25);
	add_one(a, END_ROOT, NULL, add_frame(1, "/usr/lib/libphp8.2.so", "h"), 1);
	add_one(a, END_ROOT, NULL, add_frame(1, "/usr/bin/perl", "l"), 509);
	expect_interpreters("8.3 % are in Python, whose own functions are not shown (several "
			    "processes): record with --python or --mixed\n"
			    "6.7 % are in Ruby, whose own functions are not shown (process 1): "
			    "record with --ruby or --mixed\n"
			    "84.8 % are in Perl, whose own functions are not shown (process 1): "
			    "record with --perl or --mixed\n");
}

static void cuts__interpreters_whose_code_has_names(void **state)
{
	uint32_t a = add_task(1, "app");
	uint32_t frames[] = {
		add_frame(1, "/usr/bin/node", "n"), add_compiled(1, "JS:*run /app.js:1:1")};

	(void)state;
	add_one(a, END_ROOT, NULL, frames[0], 40);
	expect_interpreters("100.0 % are in node, whose own functions are not shown "
			    "(process 1): start node with --perf-basic-prof "
			    "--interpreted-frames-native-stack; or with --cpu-prof, whose "
			    ".cpuprofile bt-flame reads, with inlined functions\n");
	add_row(a, END_ROOT, NULL, frames, 2, 5);
	expect_interpreters("");
}

#define TEST(name) cmocka_unit_test_setup_teardown(cuts__##name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(heaviest_three_of_one_per_cent),
		TEST(nothing_of_whole_stacks),
		TEST(names_of_files_are_escaped),
		TEST(each_cause),
		TEST(runtime_by_mapped_file),
		TEST(runtime_of_a_forked_process),
		TEST(broken_in_generated_code),
		TEST(runtime_by_threads),
		TEST(program_in_memory),
		TEST(with_systemtap),
		TEST(outermost_frame),
		TEST(notes),
		TEST(one_cause_a_row),
		TEST(counted_again),
		TEST(of_several_inputs),
		TEST(interpreters_that_are_not_read),
		TEST(interpreters_whose_code_has_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
