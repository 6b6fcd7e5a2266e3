/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/perfline.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "text_test.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void check_text(const char *got, size_t len, const char *want)
{
	char *copy = xstrndup(len ? got : "", len);

	assert_string_equal(copy, want);
	free(copy);
}

/* COMM, pid, tid, has_period, period, event, rest */
static void test_headers(void **state)
{
	static const struct {
		const char *line, *comm;
		uint64_t pid, tid;
		int64_t period; /* or -1 if there is none */
		const char *event, *rest;
	} headers[] = {
		{"java 25607 4794564.109216: 1 cycles:", "java", 0, 25607, 1, "cycles", ""},
		{"java 12688 [002] 6544038.708352: 235 cpu-clock:", "java", 0, 12688, 235,
			"cpu-clock", ""},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:u: ",
			"V8 WorkerThread", 24636, 25607, 100, "cycles:u", ""},
		{"swapper     0 [001]  1333.768770: cpu-clock: ", "swapper", 0, 0, -1, "cpu-clock",
			""},
		{":-1    -1/-1    [001] K 1.535589:  1 page-faults: ", ":-1", 0, 0, 1,
			"page-faults", ""},
		{"a 7 [3] b 12 1.5:  1 x: ", "a", 0, 7, -1, "", "b 12 1.5:  1 x:"},
		{"worker 7 12 8152.100001: 5 x: ", "worker 7", 0, 12, 5, "x", ""},
		{"my prog (x) 27341 ", "my prog (x)", 0, 27341, -1, "", ""},
		{"func_ab 15294 cpu-clock: ", "func_ab", 0, 15294, -1, "cpu-clock", ""},
		{"    cc1   509 [000]  1.5:  1 page-faults:   1718610 [unknown] (/cc1)", "cc1", 0,
			509, 1, "page-faults", "1718610 [unknown] (/cc1)"},
		{"perl 556 [001] 1.5: sys:open: dfd: 0xffffff9c", "perl", 0, 556, -1, "sys:open",
			"dfd: 0xffffff9c"},
		{"perl 556 1.5: cpu/event=0x3c,umask=0x0/ku: ", "perl", 0, 556, -1,
			"cpu/event=0x3c,umask=0x0/ku", ""},
		{"perl 27341 1239.74: 10101010 ", "perl", 0, 27341, 10101010, "", ""},
		{"27341 1239.74: 7 x: ", "", 0, 27341, 7, "x", ""},
		{"[000] 1239.74: 7 x: ", "", 0, 0, 7, "x", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
		struct perf_header h;

		assert_true(perfline_header(&h, headers[i].line, strlen(headers[i].line)));
		check_text(h.comm, h.comm_len, headers[i].comm);
		check_text(h.event, h.event_len, headers[i].event);
		check_text(h.rest, h.rest_len, headers[i].rest);
		assert_int_equal(h.pid, headers[i].pid);
		assert_int_equal(h.tid, headers[i].tid);
		assert_int_equal(h.has_period, headers[i].period >= 0);
		if (h.has_period)
			assert_int_equal(h.period, headers[i].period);
	}
}

static void test_no_headers(void **state)
{
	static const char *const lines[] = {"", "perl", "  what is this?", "perl x 1.5",
		"perl 12x [000] 1.5:", "perl 1/2/3 1.5:", "Warning:"};
	struct perf_header h;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		assert_false(perfline_header(&h, lines[i], strlen(lines[i])));
}

static void test_frames(void **state)
{
	static const struct {
		const char *line, *name, *module;
		bool inlined;
	} frames[] = {
		{"7f12 f+0x12 (/lib/a.so)", "f", "/lib/a.so", false},
		{"7f12 f (/lib/a.so)", "f", "/lib/a.so", false},
		{"7f12 f+0x12", "f", "", false},
		{"7f12 [unknown] ([unknown])", "", "", false},
		{"7f12 [unknown] (/lib/a b.so (deleted))", "", "/lib/a b.so (deleted)", false},
		{"7f12  (/lib/a.so)", "", "/lib/a.so", false},
		{"7f12", "", "", false},
		{"7f12 f(int) const+0x1 (/lib/a) (b.so)", "f(int) const", "/lib/a) (b.so", false},
		{"7f12 f(int) const (/lib/(a).so)", "f(int) const", "/lib/(a).so", false},
		{"7f12 f(int)", "f(int)", "", false},
		{"7f12 operator+(A, A) (/a)", "operator+(A, A)", "/a", false},
		{"7f12 net/http.(*conn).serve+0x31 (/a)", "net/http.(*conn).serve", "/a", false},
		{"7f12 f+0x12 (inlined)", "f", "", true},
		{"7f12 f+0x12 (/lib/a.so+0x7f12)", "f", "/lib/a.so", false},
		{"7f12 f+0x12+0x13 (/a)", "f+0x12", "/a", false},
		{"7f12 RegExp:[&<>\"] (x) y (/tmp/perf-1.map)", "RegExp:[&<>\"] (x) y",
			"/tmp/perf-1.map", false},
	};
	static const char *const others[] = {
		"0x7f12 f", "perl 12", "7f12f0000000000000 f", "7f12: f"};
	struct perf_frame f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
		assert_true(perfline_frame(&f, frames[i].line, strlen(frames[i].line)));
		assert_int_equal(f.address, 0x7f12);
		check_text(f.name, f.name_len, frames[i].name);
		check_text(f.module, f.module_len, frames[i].module);
		assert_int_equal(f.inlined, frames[i].inlined);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(perfline_frame(&f, others[i], strlen(others[i])));
}

static void test_events(void **state)
{
	static const struct {
		const char *event, *name, *modifiers;
	} events[] = {
		{"cycles:uP", "cycles", "uP"},
		{"cycles", "cycles", ""},
		{"sched:sched_switch", "sched:sched_switch", ""},
		{":u", ":u", ""},
		{"", "", ""},
		{"cpu_core/cycles/", "cycles", ""},
		{"cpu_atom/cycles/P", "cycles", "P"},
		{"cpu_atom/cycles/:u", "cycles", "u"},
		{"cpu/event=0x3c,umask=0x0/ku", "cpu/event=0x3c,umask=0x0/ku", ""},
		{"cpu/a,b/", "cpu/a,b/", ""},
		{"intel_pt//", "intel_pt//", ""},
		{"a/b", "a/b", ""},
		{"a/b/c", "a/b/c", ""},
		{"a/", "a/", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct perf_event e;

		perfline_event(&e, events[i].event, strlen(events[i].event));
		check_text(e.name, e.name_len, events[i].name);
		check_text(e.modifiers, e.modifiers_len, events[i].modifiers);
	}
}

/* Every prefix of a line is parsed without reading behind it. */
static void test_every_prefix(void **state)
{
	static const char *const lines[] = {
		"a b 24636/25607 [000] U 94564.109216: 100 cycles:u:  7f12 f(int) const+0x1 (/a "
		"(b))",
		"7f12 f+0x12 (/lib/a.so+0x7f12) (inlined)",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (size_t n = 1; n <= strlen(lines[i]); n++) {
			char *copy = xmalloc(n);
			struct perf_header h;
			struct perf_frame f;

			memcpy(copy, lines[i], n);
			perfline_header(&h, copy, n);
			perfline_frame(&f, copy, n);
			perfscript_format.is_line(copy, n);
			free(copy);
		}
}

/*
 * Text that fields print between the event and the frames, after the frames, and after the sample.
 */
static const struct {
	const char *before, *behind, *after;
} fields[] = {
	{"", "", ""},
	{"    7fcdb2062000 [unknown] (//anon)", "", ""},
	{"            11c7", "", ""},
	{"      1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A", "", ""},
	{"              12               7              10", "", ""},
	{" 11c7 x (/a)      1e05080021 |OP LOAD|LVL L1|BLK  N/A               0 /user.slice/a b",
		"", ""},
	{"  tr strt jmp           ", "", ""},
	{"  psb offs: 0x40                  ", "", ""},
	{"", " ABI:2    AX:0x3e0    BX:0x7fff16ae6a98  ABI:2    AX:0x1 ", ""},
	{"", " 0x11f0/0x1150/P/-/-/0/CALL/-  0x11f0/0x1150/MN/X/A/12/COND/- ", ""},
	{"", " 0x11f0(/usr/bin/a)/0x1150(/usr/bin/a)/P/-/-/0  ", ""},
	{"", "main+0x20 (/usr/bin/a)/touch+0x0 (/usr/bin/a)/-/-/-/3/CALL/- ", ""},
	{"",
		"\n      BPF output: 0000: 01 02 10 32  ...2\n                  0008: 2a 00        "
		"*.\n      BPF string: \"abc\"\n",
		""},
	{"", " ilen: 4 insn: 48 83 ec 08", ""},
	{"", " insn: 48 83 ec 08\t\tsubq $8, %rsp", ""},
	{"",
		"\n\tmain+19:\ta.c:12\n\t00000000000011c2\tinsn: e8 89 ff ff ff\t# PRED 4 cycles "
		"[4]\n\ttouch:\n\t0000000000001150\tpushq %rbp\tilen: 1\n\t... not reaching "
		"sample ...\n\tmismatch of LBR data and executable\n",
		""},
	{"", "       1f3c4d010 4K 2M", ""},
	{"", "               0 N/A", ""},
	{"", " 1G", ""},
	{"", " \t IPC: 0.50 (4/8) ", ""},
	{"", " =>             11c7 main+0x13 (/usr/bin/a)", ""},
	{"", "", "|12       for (int i = 0; i < 10; i++) x += 1 "},
	{"", "", "a 1/1 [000] 1.5: \tmetric:       0.50  insn per cycle "},
};

static void read_fields(size_t i, bool flat, struct profile *p)
{
	static const char *const frames[] = {
		"\n\t            1153 touch+0xa (/usr/bin/a)\n\t            11c7 main+0x13 "
		"(/usr/bin/a)\n",
		"             1153 touch+0xa (/usr/bin/a)",
	};
	const struct text_options options = {0};
	struct strbuf text = STRBUF_INIT, notes = STRBUF_INIT;

	for (int n = 0; n < 2; n++)
		strbuf_addf(&text, "VM:   12 VCPU:001 a 1/1 [000] 1.5: 500 x: %s%s%s\n%s\n",
			fields[i].before, frames[flat], fields[i].behind, fields[i].after);
	assert_int_equal(text_read(&perfscript_format, &options, text.buf, text.len, p, &notes), 0);
	assert_string_equal(notes.buf, "");
	strbuf_release(&text);
	strbuf_release(&notes);
}

static void test_fields(void **state)
{
	static const char *const names[][4] = {{"", "a", "main", "touch"}, {"", "a", "touch"}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(fields); i++) {
		size_t flat = i % 2;
		struct profile p;

		profile_init(&p);
		read_fields(i / 2, flat, &p);
		assert_int_equal(p.nr_nodes, 4 - flat);
		for (uint32_t n = 1; n < 4 - flat; n++)
			assert_string_equal(
				profile_name(&p, p.nodes[n].frame, NULL), names[flat][n]);
		assert_int_equal(p.account.kept, 1000);
		profile_release(&p);
	}
}

/* Memory must not grow with the number of samples, only with the number of different stacks. */
static void test_many(void **state)
{
	static const char sample[] =
		"a 1 1.5: 3 cycles: \n\t 7f12 f+0x1 (/a)\n\t 7f13 main (/a)\n\n";
	const struct text_options options = {0};
	struct strbuf text = STRBUF_INIT, notes = STRBUF_INIT;
	struct profile p;
	struct lines lines;

	(void)state;
	for (int i = 0; i < 10000; i++)
		strbuf_add(&text, sample, sizeof(sample) - 1);
	FILE *file = text_file(text.buf, text.len);

	assert_non_null(file);
	profile_init(&p);
	lines_init(&lines, fileno(file));
	struct text_input in = {.lines = &lines, .options = &options, .p = &p, .notes = &notes};

	assert_int_equal(perfscript_format.read(&in), 0);
	assert_int_equal(p.nr_nodes, 4);
	assert_int_equal(p.account.kept, 30000);
	assert_string_equal(p.unit, "cycles");
	assert_false(in.several);
	lines_release(&lines);
	profile_release(&p);
	strbuf_release(&text);
	strbuf_release(&notes);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_no_headers),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
