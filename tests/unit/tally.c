/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/label_sets.h"
#include "engine/samples.h"
#include "engine/seal.h"
#include "engine/stap/tally.h"
#include "label/label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct processes ps;
static struct samples samples;
static struct tally tally;

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	samples_init(&samples);
	samples_event(&samples, &(struct sample_event){"on-cpu", "samples", "cpu", 1, 1});
	tally_init(&tally, &ps, &samples);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tally_release(&tally);
	samples_release(&samples);
	processes_release(&ps);
	return 0;
}

__attribute__((format(printf, 1, 2))) static void feed(const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	tally_line(&tally, line.buf, line.len);
	strbuf_release(&line);
}

static void to_recording(struct recording *rec)
{
	recording_init(rec);
	rec->lost[LOST_NO_BODY] = tally_add_rows(&tally);
	recording_seal(rec, &samples, &(struct seal_facts){.ps = &ps});
}

static void tally__user_stack_becomes_places_in_files(void **state)
{
	uint64_t pc = (uint64_t)(uintptr_t)&feed, ret = (uint64_t)(uintptr_t)&to_recording + 1;
	int pid = getpid();
	struct recording rec;

	(void)state;
	feed("ready");
	feed("task %d %d na\\040me\\n\\\\\\\"x", pid, pid);
	feed("stack 1002 %d 0 1 %" PRIx64 " %" PRIx64, pid, pc, ret);
	feed("row %d 1002 0 7 70", pid);
	feed("end");
	assert_true(tally.ready && tally.ended);
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.rows[0].count, 7);
	assert_int_equal(rec.rows[0].sum, 70);
	assert_string_equal(recording_get(&rec, rec.tasks[0].comm), "na me\n\\\"x");
	assert_true(rec.tasks[0].start > 0);
	assert_int_equal(rec.nr_frames, 2);
	const struct rec_frame *f = &rec.frames[rec.frame_refs[rec.stacks[0].first]];
	const struct rec_map *m = &rec.maps[f->map];

	assert_int_equal(f->place, AT_MAP);
	assert_false(f->call);
	assert_true(rec.frames[rec.frame_refs[rec.stacks[0].first + 1]].call);
	assert_int_equal(m->start + f->addr, pc);
	assert_true(strlen(recording_get(&rec, m->build_id)) >= 16);
	assert_true(strstr(recording_get(&rec, m->path), "tally") != NULL);
	/* the file has unwind rules, but the engine has not loaded them */
	assert_int_equal(rec.stacks[0].end, END_CUT);
	assert_true(strstr(recording_get(&rec, rec.stacks[0].cut_by), "tally") != NULL);
	recording_release(&rec);
}

static void tally__rows_of_slices_become_series(void **state)
{
	struct recording rec;

	(void)state;
	samples.slices.ns = 100000000;
	feed("task 5 5 kthread");
	feed("stack %x 5 0 1 ffffffff81000010", 1 << 12 | 1024 | 1);
	feed("row 5/7 0 %x 3 30", 1 << 12 | 1024 | 1);
	feed("row 5/2 0 %x 1 10", 1 << 12 | 1024 | 1);
	feed("row 5/x 0 %x 1 10", 1 << 12 | 1024 | 1);
	feed("row 5/ 0 %x 1 10", 1 << 12 | 1024 | 1);
	feed("row 5/4294967295 0 %x 1 10", 1 << 12 | 1024 | 1);
	feed("slices 9");
	feed("end");
	to_recording(&rec);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 3);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.rows[0].count, 4);
	assert_int_equal(rec.rows[0].sum, 40);
	assert_int_equal(rec.slices.ns, 100000000);
	assert_int_equal(rec.slices.nr, 9);
	struct series_reader r = series_read(&rec.series, rec.rows[0].series);

	assert_true(series_next(&r));
	assert_int_equal(r.item.slice, 2);
	assert_int_equal(r.item.sum, 10);
	assert_true(series_next(&r));
	assert_int_equal(r.item.slice, 7);
	assert_int_equal(r.item.count, 3);
	assert_false(series_next(&r));
	recording_release(&rec);
}

static void tally__time_is_spread_over_slices(void **state)
{
	struct recording rec;

	(void)state;
	samples.slices.ns = 100000000;
	feed("task 5 5 kthread");
	feed("stack %x 5 0 1 ffffffff81000010", 1 << 12 | 1024 | 1);
	feed("row 5/2/1 0 %x 0 7", 1 << 12 | 1024 | 1);
	feed("row 5/3/4 0 %x 0 40", 1 << 12 | 1024 | 1);
	feed("row 5/7 0 %x 1 3", 1 << 12 | 1024 | 1);
	feed("row 5/7/ 0 %x 1 3", 1 << 12 | 1024 | 1);
	feed("row 5/7/0 0 %x 1 3", 1 << 12 | 1024 | 1);
	feed("row 5/7/1/1 0 %x 1 3", 1 << 12 | 1024 | 1);
	feed("row 5/16777216/2 0 %x 1 3", 1 << 12 | 1024 | 1);
	feed("slices 9");
	feed("end");
	to_recording(&rec);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 4);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.rows[0].count, 1);
	assert_int_equal(rec.rows[0].sum, 50);
	const uint64_t sums[] = {0, 0, 7, 10, 10, 10, 10, 3};
	struct series_reader r = series_read(&rec.series, rec.rows[0].series);
	uint32_t next = 2;

	while (series_next(&r)) {
		assert_int_equal(r.item.slice, next);
		for (uint32_t i = 0; i <= r.item.more; i++)
			assert_int_equal(r.item.sum, sums[next++]);
		assert_int_equal(r.item.count, next == 8);
	}
	assert_int_equal(next, 8);
	recording_release(&rec);
}

static void tally__kernel_stack_with_doubled_leaf(void **state)
{
	struct recording rec;

	(void)state;
	feed("task 5 5 kthread");
	feed("stack %x 5 0 1 ffffffff81000010 ffffffff81000010 ffffffff81000020 ffffffff81000020",
		1 << 12 | 1024 | 3);
	feed("row 5 0 %x 1 1", 1 << 12 | 1024 | 3);
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.stacks[0].nr, 3);
	assert_int_equal(rec.stacks[0].end, END_ROOT);
	assert_int_equal(rec.frames[rec.frame_refs[0]].addr, 0xffffffff81000010);
	assert_int_equal(rec.frames[rec.frame_refs[1]].addr, 0xffffffff81000020);
	recording_release(&rec);
}

static void tally__a_lost_part_is_counted_and_a_second_print_mends_it(void **state)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	uint64_t id = 5 << 12 | 150;
	struct recording rec;

	(void)state;
	for (int i = 0; i < 100; i++)
		strbuf_addf(&first, " %x", 0x1000 + i);
	for (int i = 100; i < 150; i++)
		strbuf_addf(&second, " %x", 0x1000 + i);
	feed("row 9 %" PRIx64 " 0 3 3", id);
	feed("stack %" PRIx64 " 9 1 2%s", id, second.buf);
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 0);
	assert_int_equal(rec.lost[LOST_NO_BODY], 3);
	recording_release(&rec);
	feed("stack %" PRIx64 " 9 0 2%s", id, first.buf);
	feed("stack %" PRIx64 " 9 1 2%s", id, second.buf);
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.lost[LOST_NO_BODY], 0);
	assert_int_equal(rec.stacks[0].nr, 150);
	for (uint32_t i = 0; i < 150; i++)
		assert_int_equal(rec.frames[rec.frame_refs[i]].addr, 0x1000 + i);
	recording_release(&rec);
	strbuf_release(&first);
	strbuf_release(&second);
}

static void tally__rows_have_labels(void **state)
{
	struct recording rec;

	(void)state;
	feed("stack 1001 1 0 1 10");
	feed("row 1 1001 0 2 30 state=S");
	feed("row 1 1001 0 2 20 state=W");
	feed("row 1 1001 0 2 10");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 3);
	size_t len;

	assert_string_equal(recording_label(&rec, &rec.rows[0], RECORDING_STATE, &len), "S");
	assert_string_equal(recording_label(&rec, &rec.rows[1], RECORDING_STATE, &len), "W");
	assert_int_equal(rec.rows[2].labels, 0);
	recording_release(&rec);
}

static void assert_label(const struct samples *s, uint32_t label, const char *key,
	const char *value, uint32_t others)
{
	assert_string_equal(strpool_get(&s->strings, s->labels[label].key), key);
	assert_string_equal(strpool_get(&s->strings, s->labels[label].value), value);
	assert_int_equal(s->labels[label].others, others);
}

static void tally__labels_are_sets_of_pairs(void **state)
{
	(void)state;
	feed("stack 1001 1 0 1 10");
	feed("row 1 1001 0 1 3 uri=/a\\040b=\\u00e9 state=S");
	feed("row 1 1001 0 1 2 uri=");
	feed("row 1 1001 0 1 1 state");
	feed("row 1 1001 0 1 1 =S");
	feed("row 1 1001 0 1 1 state=S uri");
	assert_int_equal(tally.nr_rows, 2);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 3);
	assert_int_equal(tally_add_rows(&tally), 0);
	uint32_t both = samples.rows[1].key.labels;

	assert_label(&samples, both, "state", "S", samples.labels[both].others);
	assert_label(&samples, samples.labels[both].others, "uri", "/a b=\303\251", 0);
	assert_label(&samples, samples.rows[2].key.labels, "uri", "", 0);
}

/* The value of a label of row I; "": it has none. */
static const char *label_of(const struct samples *s, size_t i, const char *key)
{
	for (uint32_t l = s->rows[i].key.labels; l; l = s->labels[l].others)
		if (!strcmp(strpool_get(&s->strings, s->labels[l].key), key))
			return strpool_get(&s->strings, s->labels[l].value);
	return "";
}

static void tally__sets_of_a_source_of_labels(void **state)
{
	struct label_processes processes;
	struct label_sets sets;
	struct strbuf notes = STRBUF_INIT;
	char bytes[161] = "";

	(void)state;
	memset(bytes, 'x', 160);
	label_processes_init(&processes,
		&(struct chosen_sources){
			.list = {{&nginx_labels, label_default_keys(&nginx_labels)}}, .nr = 1},
		&ps);
	label_sets_init(&sets, &samples, &processes, 10);
	tally.sets = &sets;
	feed("labels 3f0 77 phase=ffff handler=0 status=c8 sub=1 conn=5 uri=4,/a\\040b "
	     "method=3,GET "
	     "host=a1,%s other=1",
		bytes);
	feed("labels 3f0 77 phase=ffff handler=0 status=c8 sub=1 conn=5 uri=2,/c");
	feed("stack 1001 77 0 1 10");
	feed("row 77 1001 0 1 1 #3f0 state=S");
	feed("row 77 1001 0 1 1 #2 ");
	feed("row 77 1001 0 3 3 #3f1");
	feed("row 77 1001 0 1 1 ");
	assert_int_equal(tally.nr_rows, 4);
	assert_int_equal(sets.by_id.nr, 1);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 0);
	feed("labels 3f0 77");
	feed("labels x 77 uri=1,a");
	feed("labels 3f1 77 uri");
	feed("row 77 1001 0 1 1 #x state=S");
	feed("row 77 1001 0 1 1 # state=S");
	assert_int_equal(samples.lost[LOST_UNREADABLE], 5);
	assert_int_equal(tally_add_rows(&tally), 0);
	assert_string_equal(label_of(&samples, 1, "uri"), "/a b");
	assert_string_equal(label_of(&samples, 1, "method"), "GET");
	assert_string_equal(label_of(&samples, 1, "status"), "200");
	assert_string_equal(label_of(&samples, 1, "sub"), "1");
	assert_string_equal(label_of(&samples, 1, "state"), "S");
	assert_string_equal(label_of(&samples, 1, "conn"), "");
	assert_int_equal(strlen(label_of(&samples, 1, "host")), 160 + strlen("…"));
	assert_string_equal(label_of(&samples, 2, "request"), "idle");
	assert_int_equal(samples.rows[3].key.labels, 0);
	assert_null(label_sets_limit(&sets, &notes));
	assert_non_null(strstr(notes.buf, "3 samples have no labels of nginx"));
	strbuf_release(&notes);
	label_sets_release(&sets);
	label_processes_release(&processes);
}

/* Two waits that began earlier; one of them ended before its stack was read. */
static void tally__waits_from_before_the_recording(void **state)
{
	static const char text[] = "[<0>] futex_do_wait+0x38/0x70\n"
				   "[<0>] nft_wait+0x10/0x20 [nf_tables]\n"
				   "[<ffffffff81000000>] 0xffffffff81000000\n";
	struct recording rec;

	(void)state;
	feed("waits 7");
	feed("waits 8");
	feed("ready 1000");
	assert_int_equal(tally.began_ns, 1000);
	for (size_t i = 0; i < 2; i++) {
		struct waiter *w = &tally.waiters.list[i];

		free(w->stack);
		*w = (struct waiter){w->tid, 500000, 600000, xstrdup(text)};
	}
	feed("row 8 1000 1400 1 100 state=S");
	feed("row 7 1000 1400 1 700 state=W");
	feed("row 7 1000 1400 1 601 state=S");
	feed("row 9 0 1400 1 5 state=S");
	feed("until 9000000");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 4);
	for (size_t i = 0; i < 2; i++) { /* of thread 7, the longest */
		const struct rec_row *row = &rec.rows[i];
		const struct rec_stack *user = &rec.stacks[row->stacks[0]];
		const struct rec_stack *kernel = &rec.stacks[row->stacks[1]];
		const struct rec_frame *f = &rec.frames[rec.frame_refs[kernel->first + 1]];

		assert_int_equal(user->end, END_CUT);
		assert_int_equal(user->nr, 0);
		assert_string_equal(recording_get(&rec, user->cut_by), "before the recording");
		assert_int_equal(kernel->end, END_ROOT);
		assert_int_equal(kernel->nr, 2);
		assert_string_equal(recording_get(&rec, rec.names[f->names].function), "nft_wait");
		assert_string_equal(recording_get(&rec, rec.names[f->names].module), "[nf_tables]");
	}
	assert_int_equal(rec.rows[2].stacks[1], NO_STACK);
	assert_int_equal(rec.stacks[rec.rows[3].stacks[0]].kind, STACK_KERNEL);
	assert_int_equal(rec.stacks[rec.rows[3].stacks[0]].end, END_CUT);
	recording_release(&rec);
}

/* The command's process waits for the recording to begin: that is no wait of the command. */
static void tally__the_command_does_not_wait_for_us(void **state)
{
	struct recording rec;

	(void)state;
	tally.command = 7;
	feed("waits 7");
	feed("waits 8");
	feed("ready 1000");
	feed("stack 1001 7 0 1 10");
	feed("row 7 1000 1400 1 700 state=S");
	feed("row 7 1000 1400 1 3 state=W");
	feed("row 7 0 1400 1 3 state=S");
	feed("row 8 1000 1400 1 100 state=S");
	feed("row 7 1001 0 1 20 state=S");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 2);
	assert_int_equal(rec.rows[0].sum, 100);
	assert_int_equal(rec.rows[1].sum, 20);
	recording_release(&rec);
}

/* A task without user memory: the kernel stack alone, else a note that says why. */
static void tally__no_user_stack(void **state)
{
	static const char *const notes[] = {"[no user stack: kernel thread]",
		"[no user stack: exiting]", "[no user stack: execve]"};
	struct recording rec;

	(void)state;
	feed("stack 1401 7 0 1 ffffffff81000000");
	feed("row 7 2000 0 4 4");
	feed("row 7 3000 0 3 3");
	feed("row 7 4000 0 2 2");
	feed("row 7 3000 1401 1 1");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 4);
	for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
		const struct rec_stack *s = &rec.stacks[rec.rows[i].stacks[0]];
		const struct rec_frame *f = &rec.frames[rec.frame_refs[s->first]];

		assert_int_equal(s->kind, STACK_USER);
		assert_int_equal(s->end, END_ROOT);
		assert_string_equal(recording_get(&rec, rec.names[f->names].function), notes[i]);
	}
	assert_int_equal(rec.stacks[rec.rows[3].stacks[0]].kind, STACK_KERNEL);
	assert_int_equal(rec.rows[3].stacks[1], NO_STACK);
	recording_release(&rec);
}

static const struct rec_name *name_of(const struct recording *rec, uint32_t stack, uint32_t frame)
{
	const struct rec_frame *f = &rec->frames[rec->frame_refs[rec->stacks[stack].first + frame]];

	return &rec->names[f->names];
}

/* The frame has this name; PLACE is "FILE:LINE". */
static void assert_perl(const struct recording *rec, uint32_t stack, uint32_t frame,
	const char *function, const char *place)
{
	const struct rec_name *n = name_of(rec, stack, frame);
	char *at = xasprintf("%s:%" PRIu32, recording_get(rec, n->file), n->line);

	assert_int_equal(
		rec->frames[rec->frame_refs[rec->stacks[stack].first + frame]].kind, FRAME_PERL);
	assert_string_equal(recording_get(rec, n->function), function);
	assert_string_equal(at, place);
	free(at);
}

static void tally__perl_stacks(void **state)
{
	struct recording rec;

	(void)state;
	feed("flametap-script on-cpu pk some 0 65536");
	feed("frame a1 perl 7 8100000000001000 0 12 \"main::f\" \"/tmp/a b.pl\"");
	feed("frame a2 perl 7 300000000000000 0 3 \"main\" \"-e\"");
	feed("frame a2 perl 7 300000000000000 0 9 \"again\" \"elsewhere\"");
	feed("vm 5800 perl 7 0 1 a1 a1 a2");
	feed("stack 1402 7 0 1 ffffffff81000010 ffffffff81000010 ffffffff81000020");
	feed("row 7 5800 1402 9 9");
	feed("row 7 5800 0 8 8");
	feed("vm 6800 perl 7 0 2 a1");
	feed("row 7 6800 0 7 7");
	feed("vm 3800 perl 7 0 3");
	feed("row 7 3800 0 6 6");
	feed("vm 4800 perl 8 0 4 a1 a2");
	feed("row 8 4800 0 5 5");
	feed("row 8 1000 0 4 4");
	feed("end");
	to_recording(&rec);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 0);
	assert_int_equal(rec.nr_rows, 6);
	uint32_t perl = rec.rows[0].stacks[0];

	assert_int_equal(rec.stacks[perl].kind, STACK_PERL);
	assert_int_equal(rec.stacks[perl].end, END_ROOT);
	assert_int_equal(rec.stacks[perl].nr, 3);
	assert_perl(&rec, perl, 0, "main::f", "/tmp/a b.pl:12");
	assert_perl(&rec, perl, 2, "main", "-e:3");
	assert_int_equal(rec.stacks[rec.rows[0].stacks[1]].kind, STACK_KERNEL);
	assert_int_equal(rec.rows[1].stacks[0], perl);
	assert_int_equal(rec.rows[1].stacks[1], NO_STACK);
	assert_int_equal(rec.stacks[rec.rows[2].stacks[0]].end, END_CUT);
	assert_string_equal(recording_get(&rec, rec.stacks[rec.rows[2].stacks[0]].cut_by), "depth");
	assert_string_equal(recording_get(&rec, name_of(&rec, rec.rows[3].stacks[0], 0)->function),
		"[perl: not running]");
	assert_int_equal(rec.stacks[rec.rows[4].stacks[0]].nr, 1);
	assert_int_equal(rec.stacks[rec.rows[4].stacks[0]].end, END_BROKEN);
	assert_string_equal(recording_get(&rec, name_of(&rec, rec.rows[4].stacks[0], 0)->function),
		"[perl: inconsistent]");
	assert_int_equal(rec.stacks[rec.rows[5].stacks[0]].kind, STACK_PERL);
	assert_int_equal(rec.stacks[rec.rows[5].stacks[0]].nr, 0);
	recording_release(&rec);
}

/* Functions of one name are told apart by their first lines; one in C is a frame of its file. */
static void tally__lua_stacks(void **state)
{
	struct recording rec;

	(void)state;
	feed("flametap-script on-cpu l some 0 65536");
	feed("frame a1 lua 7 8100000000001000 a 12 \"a:f\" \"a.lua\"");
	feed("frame a2 lua 7 8100000000002000 14 22 \"a:f\" \"a.lua\"");
	feed("frame a3 lua 7 100000000003000 1e 31 \"a:g\" \"a.lua\"");
	feed("frame a4 lua 7 4300000000004000 0 0 \"\" \"\"");
	feed("vm 5800 lua 7 0 1 a1 a2 a3 a4");
	feed("row 7 5800 0 9 9 vmstate=interp");
	feed("row 7 5800 0 8 8 vmstate=gc");
	feed("row 7 3800 0 7 7 ");
	feed("vm 3800 lua 7 0 3");
	feed("end");
	to_recording(&rec);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 0);
	assert_int_equal(rec.nr_rows, 3);
	uint32_t lua = rec.rows[0].stacks[0];

	assert_int_equal(rec.rows[1].stacks[0], lua);
	assert_int_equal(rec.stacks[lua].kind, STACK_LUA);
	assert_string_equal(recording_get(&rec, name_of(&rec, lua, 0)->function), "a:f:10");
	assert_string_equal(recording_get(&rec, name_of(&rec, lua, 1)->function), "a:f:20");
	assert_string_equal(recording_get(&rec, name_of(&rec, lua, 2)->function), "a:g");
	assert_int_equal(rec.frames[rec.frame_refs[rec.stacks[lua].first + 3]].kind, FRAME_USER);
	assert_string_equal(recording_get(&rec, name_of(&rec, rec.rows[2].stacks[0], 0)->function),
		"[lua: not running]");
	recording_release(&rec);
}

/* Names may contain any bytes; stap escapes them as octal or UTF-8 characters. */
static void tally__perl_names_are_hostile(void **state)
{
	struct recording rec;

	(void)state;
	feed("frame a1 perl 7 100000000001000 0 1 \"%s\" \"%s\"",
		"Gr\\u00FC\\303\\237e::\\U0001F600 \\\"x\\\" \\\\n", "a\\n\\\"b\\001");
	feed("vm 5800 perl 7 0 1 a1");
	feed("row 7 5800 0 1 1");
	to_recording(&rec);
	assert_int_equal(samples.lost[LOST_UNREADABLE], 0);
	assert_perl(&rec, rec.rows[0].stacks[0], 0,
		"Gr\303\274\303\237e::\360\237\230\200 \"x\" \\n", "a\n\"b\001:1");
	recording_release(&rec);
}

static void feed_part(uint64_t id, int part, int end, uint64_t first, int nr)
{
	struct strbuf frames = STRBUF_INIT;

	for (int i = 0; i < nr; i++)
		strbuf_addf(&frames, " %" PRIx64, first + (uint64_t)i);
	feed("vm %" PRIx64 " perl 7 %d %d%s", id, part, end, frames.buf);
	strbuf_release(&frames);
}

/* A stack with a missing line is lost unless the line is printed again. */
static void tally__a_lost_part_of_a_perl_stack(void **state)
{
	struct recording rec;

	(void)state;
	feed_part(0x5800, 1, 0, 100, 100);
	feed_part(0x5800, 2, 1, 200, 50);
	feed("row 7 5800 0 3 3");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 0);
	assert_int_equal(rec.lost[LOST_NO_BODY], 3);
	recording_release(&rec);
	feed_part(0x5800, 0, 0, 0, 100);
	feed_part(0x5800, 1, 0, 7, 100); /* complete: later lines do not change it */
	feed("frame f9 perl 7 100000000000000 0 1 \"last\" \"x\"");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 1);
	assert_int_equal(rec.stacks[rec.rows[0].stacks[0]].nr, 250);
	assert_perl(&rec, rec.rows[0].stacks[0], 249, "last", "x:1");
	/* a frame whose line was lost */
	assert_int_equal(
		rec.frames[rec.frame_refs[rec.stacks[rec.rows[0].stacks[0]].first]].nr_names, 0);
	recording_release(&rec);
}

/* With a user stack both are required; no file is perl's, so they cannot be spliced. */
static void tally__mixed_stacks(void **state)
{
	struct recording rec;

	(void)state;
	feed("flametap-script on-cpu pu some 0 65536");
	feed("frame a2 perl 7 8300000000000000 0 3 \"main\" \"-e\"");
	feed("stack 5802 7 0 1 10 20");
	feed("row 7 5802 0 3 3");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 0);
	assert_int_equal(rec.lost[LOST_NO_BODY], 3);
	recording_release(&rec);
	feed("vm 5802 perl 7 0 1 a2");
	feed("vm 5800 perl 7 0 1 a2");
	feed("row 7 5800 0 2 2");
	to_recording(&rec);
	assert_int_equal(rec.nr_rows, 2);
	assert_int_equal(rec.stacks[rec.rows[0].stacks[0]].kind, STACK_USER);
	assert_int_equal(rec.stacks[rec.rows[0].stacks[0]].nr, 3);
	assert_perl(&rec, rec.rows[0].stacks[0], 2, "main", "-e:3");
	assert_int_equal(rec.stacks[rec.rows[1].stacks[0]].kind, STACK_PERL);
	recording_release(&rec);
}

static void tally__bad_lines_are_counted(void **state)
{
	static const char *const lines[] = {
		"nonsense",
		"stack",
		"stack 1001 1 0 1",
		"stack 1001 1 1 1 10",
		"stack 1001 1 0 1 0",
		"stack 1001 1 0 1 xyz",
		"stack 1000 1 0 1 10",
		"task 1 x y",
		"row 1 2 3 4",
		"row 1 2 3 4 -5",
		"lost table-full",
		"lost weather 1",
		"ready again",
		"waits",
		"waits x",
		"until",
		"until -1",
		"vm 5800 perl 1 0",
		"vm 5000 perl 1 0 1 a1",
		"vm 5800 perl 1 32 1 a1",
		"vm 5800 perl 1 0 5 a1",
		"vm 5800 perl 1 0 0 a1",
		"vm 5800 perl 1 0 1 a1  a1",
		"vm 5800 basic 1 0 1 a1",
		"frame a1 basic 1 1 1 1 \"x\" \"y\"",
		"frame a1 perl 1 1 1 1 \"x\"",
		"frame a1 perl 1 1 1 1 \"x\" \"y",
		"frame a1 perl 1 1 1 1 \"x\" \"y\\\"",
		"frame a1 perl 1 1 1 1 \"x\" \"y\" z",
		"frame a1 perl 1 1 1 1 \"x\"\"y\"",
		"frame a1 perl 1 1 1 1 x \"y\"",
		"frame a1 perl 1 1 1 4294967295 \"x\" \"y\"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		feed("%s", lines[i]);
	feed("%s", "");
	assert_int_equal(samples.lost[LOST_UNREADABLE], ARRAY_LEN(lines));
	feed("lost table-full 12");
	assert_int_equal(samples.lost[LOST_TABLE_FULL], 12);
}

static void tally__heaviest_row_first(void **state)
{
	struct recording rec;

	(void)state;
	feed("stack 1001 1 0 1 10");
	for (int i = 1; i < 50; i++)
		feed("row %d 1001 0 %d %d", i, i * 7 % 50 + 1, i * 7 % 50 + 1);
	to_recording(&rec);
	for (size_t i = 1; i < rec.nr_rows; i++)
		assert_true(rec.rows[i - 1].sum >= rec.rows[i].sum);
	assert_int_equal(rec.nr_rows, 49);
	recording_release(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			tally__user_stack_becomes_places_in_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__rows_of_slices_become_series, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__time_is_spread_over_slices, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__kernel_stack_with_doubled_leaf, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__a_lost_part_is_counted_and_a_second_print_mends_it, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(tally__rows_have_labels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__labels_are_sets_of_pairs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__sets_of_a_source_of_labels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__waits_from_before_the_recording, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__the_command_does_not_wait_for_us, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__no_user_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__perl_stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__lua_stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__perl_names_are_hostile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			tally__a_lost_part_of_a_perl_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__mixed_stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__bad_lines_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tally__heaviest_row_first, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
