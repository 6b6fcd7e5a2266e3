/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/stack_account.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char hostile[] = "a b\\x41;\t\n\x7f\xff";

static void make(struct recording *rec)
{
	recording_init(rec);
	recording_add_meta(rec, "title", "a title");
	rec->kernel_release = recording_string(rec, "7.2.0-test");
	rec->kernel_text = 0xffffffff81000000;
	recording_add_module(rec, &(struct rec_module){.name = recording_string(rec, "nf_tables"),
					  .build_id = recording_string(rec, "0123"),
					  .text = 0xffffffffc0001000});
	uint32_t event = recording_add_event(rec, "on-cpu", "samples", "cpu", 1000000);
	uint32_t task = recording_add_task(rec,
		&(struct rec_task){
			.pid = 10, .tid = 11, .start = 99, .comm = recording_string(rec, hostile)});
	const struct label labels[] = {
		{recording_string(rec, "state"), recording_string(rec, "S")},
		{recording_string(rec, hostile), recording_string(rec, hostile)},
	};
	uint32_t map = recording_add_map(
		rec, &(struct rec_map){.pid = 10,
			     .start = 0x1000,
			     .end = 0x3000,
			     .offset = 0x1000,
			     .build_id = recording_string(rec, "abcdef"),
			     .path = recording_string(rec, "/opt/a b/lib;x.so (deleted)"),
			     .has_link = true,
			     .link = 0x401000});
	uint32_t frames[3] = {
		recording_add_frame(
			rec, &(struct rec_frame){.place = AT_MAP, .map = map, .addr = 0x10}),
		recording_add_frame(rec,
			&(struct rec_frame){
				.place = AT_MAP, .map = map, .addr = 0x2000, .call = true}),
		recording_add_frame(rec, &(struct rec_frame){.kind = FRAME_KERNEL,
						 .place = AT_ADDRESS,
						 .addr = 0xffffffff81000000}),
	};
	struct rec_name names[2] = {
		{.function = recording_string(rec, "inner"), .offset = 1},
		{.function = recording_string(rec, "outer"), .line = 7},
	};

	recording_name_frame(rec, frames[0], names, 2);
	uint32_t user = recording_add_stack(
		rec, STACK_USER, END_CUT, recording_string(rec, "/opt/late.so"), frames, 2);
	uint32_t kernel = recording_add_stack(rec, STACK_KERNEL, END_ROOT, 0, frames + 2, 1);

	rec->slices = (struct rec_slices){20000000, 9, 0};
	uint32_t series = series_add(&rec->series, 0, &(struct series_item){2, 0, 1, 15});

	series_add(&rec->series, series, &(struct series_item){5, 2, 0, 4});
	series_add(&rec->series, series, &(struct series_item){9, 0, 2, 3});
	recording_add_row(rec, &(struct rec_row){.event = event,
				       .task = task,
				       .stacks = {user, kernel, NO_STACK, NO_STACK},
				       .labels = recording_labels(rec, labels, ARRAY_LEN(labels)),
				       .series = series,
				       .count = 3,
				       .sum = 30});
	recording_add_row(rec, &(struct rec_row){.event = event,
				       .task = task,
				       .stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
				       .count = 1,
				       .sum = 5});
	rec->lost[LOST_TABLE_FULL] = 4;
}

static char *text_of(const struct recording *rec)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(recording_write(rec, out, NULL), 0);
	fclose(out);
	return text;
}

static int read_text(struct recording *rec, const char *text, size_t len, struct strbuf *err)
{
	FILE *f = tmpfile();
	struct lines lines;

	assert_int_equal(fwrite(text, 1, len, f), len);
	fflush(f);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	lines_init(&lines, fileno(f));
	recording_init(rec);
	int ret = recording_read(rec, &lines, err);

	lines_release(&lines);
	fclose(f);
	return ret;
}

static void recording__round_trip(void **state)
{
	struct recording a, b;
	struct strbuf err = STRBUF_INIT;

	(void)state;
	make(&a);
	char *text = text_of(&a);

	assert_int_equal(read_text(&b, text, strlen(text), &err), 0);
	assert_true(b.complete);
	assert_int_equal(b.unknown, 0);
	assert_string_equal(recording_get(&b, b.tasks[0].comm), hostile);
	assert_int_equal(b.kernel_text, 0xffffffff81000000);
	assert_int_equal(b.nr_modules, 1);
	assert_string_equal(recording_get(&b, b.modules[0].name), "nf_tables");
	assert_int_equal(b.modules[0].text, 0xffffffffc0001000);
	assert_true(b.maps[0].has_link);
	assert_int_equal(b.maps[0].link, 0x401000);
	size_t len;

	assert_string_equal(recording_label(&b, &b.rows[0], hostile, &len), hostile);
	assert_string_equal(recording_label(&b, &b.rows[0], RECORDING_STATE, &len), "S");
	assert_int_equal(b.slices.ns, 20000000);
	assert_int_equal(b.slices.nr, 9);
	assert_non_null(strstr(text, "\nseries 2*1/15 3*0/4+2 2*2/3\n"));
	assert_int_equal(b.rows[1].labels, 0);
	assert_int_equal(b.rows[1].series, 0);
	char *again = text_of(&b);

	assert_string_equal(text, again);
	free(text);
	free(again);
	recording_release(&a);
	recording_release(&b);
}

static void recording__every_cut_is_seen(void **state)
{
	struct recording a, b;
	struct strbuf err = STRBUF_INIT;

	(void)state;
	make(&a);
	char *text = text_of(&a);
	size_t len = strlen(text);

	for (size_t cut = 0; cut < len; cut++) {
		if (!read_text(&b, text, cut, &err))
			assert_false(b.complete);
		recording_release(&b);
	}
	for (char *nl = strchr(text, '\n'); nl && nl[1]; nl = strchr(nl + 1, '\n')) {
		char *next = strchr(nl + 1, '\n'); /* without one line in the middle */
		char *less = xasprintf("%.*s%s", (int)(nl - text), text, next);

		assert_int_not_equal(!read_text(&b, less, strlen(less), &err) && b.complete, 1);
		recording_release(&b);
		free(less);
	}
	strbuf_release(&err);
	free(text);
	recording_release(&a);
}

static void recording__later_records_and_fields(void **state)
{
	struct recording rec;
	static const char text[] =
		RECORDING_MAGIC " 1\nweather 1 2 3\nkernel 7.2 - - later field\nend 3 more\n";

	(void)state;
	assert_int_equal(read_text(&rec, text, strlen(text), NULL), 0);
	assert_true(rec.complete);
	assert_int_equal(rec.unknown, 1);
	recording_release(&rec);
}

/* Fields that an older recorder did not have, or whose values were not known. */
static void recording__addresses_may_be_missing(void **state)
{
	static const char text[] = RECORDING_MAGIC " 1\n"
						   "kernel 7.2 -\n"
						   "map 0 1 1 1000 2000 0 - /x\n"
						   "map 1 1 1 1000 2000 0 - /x -\n"
						   "map 2 1 1 1000 2000 0 - /x 0\n"
						   "map 3 1 1 1000 2000 0 - /x 5000 more\n"
						   "end 6\n";
	struct recording rec;

	(void)state;
	assert_int_equal(read_text(&rec, text, strlen(text), NULL), 0);
	assert_true(rec.complete);
	assert_int_equal(rec.kernel_text, 0);
	assert_false(rec.maps[0].has_link);
	assert_false(rec.maps[1].has_link);
	assert_true(rec.maps[2].has_link);
	assert_true(rec.maps[3].has_link);
	assert_int_equal(rec.maps[3].link, 0x5000);
	recording_release(&rec);
}

#define LABELLED                                                                                   \
	RECORDING_MAGIC                                                                            \
	" 2\nevent 0 x us 0 cpu\ntask 0 1 1 0 x\nlabel 0 a 1\nlabel 1 a 2\nlabel 2 b 1\n"

static void recording__reads_labels_of_both_versions(void **state)
{
	static const char *const texts[] = {
		LABELLED "label 3 state S\nrow 0 0 - 2,3 1 1 - later\n",
		RECORDING_MAGIC " 1\nevent 0 x us 0 cpu\ntask 0 1 1 0 x\nrow 0 0 - S 1 1 later\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct recording rec;
		struct strbuf err = STRBUF_INIT;
		size_t len;

		assert_int_equal(read_text(&rec, texts[i], strlen(texts[i]), &err), 0);
		assert_string_equal(recording_label(&rec, &rec.rows[0], "state", &len), "S");
		assert_string_equal(recording_label(&rec, &rec.rows[0], "b", &len), i ? "" : "1");
		recording_release(&rec);
	}
}

#define SLICED LABELLED "slices 10 5\nrow 0 0 - 0 1 1\n"

static void recording__refuses(void **state)
{
	static const char *const texts[] = {
		"",
		"something\n",
		RECORDING_MAGIC " 3\n",
		RECORDING_MAGIC " 2\nlabel 1 state S\n",
		RECORDING_MAGIC " 2\nlabel 0 state -\n",
		RECORDING_MAGIC " 2\nlabel 0 - S\n",
		RECORDING_MAGIC " 2\nlabel 0 state\n",
		RECORDING_MAGIC " 2\nlabel 0 state S\nlabel 1 state S\n",
		LABELLED "row 0 0 - 4 1 1\n",
		LABELLED "row 0 0 - 0,1 1 1\n",
		LABELLED "row 0 0 - S 1 1\n",
		LABELLED "row 0 0 - 0 1 1\nseries 1\n",
		LABELLED "slices 10 5\nseries 1\n",
		LABELLED "slices 0 5\n",
		LABELLED "slices 10\n",
		LABELLED "slices 10 5\nslices 10 5\n",
		SLICED "series\n",
		SLICED "series 0\n",
		SLICED "series 6\n",
		SLICED "series 5 1\n",
		SLICED "series 1+5\n",
		SLICED "series 1 x\n",
		SLICED "series 1*\n",
		SLICED "series 1/2*1\n",
		SLICED "series 1 18446744073709551615\n",
		SLICED "series 1*2/3\nend 9\n",
		LABELLED "row 0 0 -\n",
		RECORDING_MAGIC " 1\nend 7\n",
		RECORDING_MAGIC " 1\nend 1\nend 2\n",
		RECORDING_MAGIC " 1\nframe 0 user pc 0 10\n",
		RECORDING_MAGIC " 1\nframe 1 user name\n",
		RECORDING_MAGIC " 1\nstack 0 user root - 0\n",
		RECORDING_MAGIC " 1\nrow 0 0 - - 1 1\n",
		RECORDING_MAGIC " 1\nlost table-full -1\n",
		RECORDING_MAGIC " 1\nmap 0 1 0 2000 1000 0 - /x\n",
		RECORDING_MAGIC " 1\nmap 0 1 0 1000 2000 0 - /x 401000h\n",
		RECORDING_MAGIC " 1\nmap 0 1 0 1000 2000 0 - /x fffffffffffff001\n",
		RECORDING_MAGIC " 1\nkernel 7.2 - _stext\n",
		RECORDING_MAGIC " 1\nmodule nf_tables 0123 -\n",
		RECORDING_MAGIC " 1\nname 0 f 0 - - 0\n",
		RECORDING_MAGIC " 1\ntask 0 1 99999999999 0 x\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct recording rec;
		struct strbuf err = STRBUF_INIT;

		assert_int_equal(read_text(&rec, texts[i], strlen(texts[i]), &err), -1);
		assert_true(err.len > 0);
		strbuf_release(&err);
		recording_release(&rec);
	}
}

static void recording__becomes_a_profile(void **state)
{
	struct recording rec;
	struct profile p;
	static const char *const want[] = {
		"[truncated: late.so]", "[lib;x.so (deleted)]", "outer", "inner", "[unknown]"};

	(void)state;
	make(&rec);
	profile_init(&p);
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &p);
	profile_finish(&p);
	assert_int_equal(p.nodes[0].total, 35);
	assert_int_equal(p.account.kept, 35);
	assert_int_equal(p.account.cut, 30);
	assert_int_equal(p.account.broken, 5);
	assert_int_equal(p.account.named, 30);
	assert_int_equal(p.account.unnamed, 60);
	assert_int_equal(account_lost(&p.account), 4);
	uint32_t node = p.nodes[p.nodes[0].child].next; /* "[no stack]" comes first */

	for (size_t i = 0; i < ARRAY_LEN(want); i++, node = p.nodes[node].child) {
		assert_int_equal(p.nodes[node].total, 30);
		assert_string_equal(profile_name(&p, p.nodes[node].frame, NULL), want[i]);
	}
	profile_release(&p);
	recording_release(&rec);
}

/* Weights of two events have two units: one event is viewed, and the account is for that one. */
static void recording__one_event_is_viewed(void **state)
{
	struct recording rec;
	uint32_t frame;

	(void)state;
	make(&rec);
	uint32_t other = recording_add_event(&rec, "off-cpu", "us", "monotonic", 0);

	frame = recording_add_frame(&rec, &(struct rec_frame){.place = AT_ADDRESS, .addr = 1});
	uint32_t stack = recording_add_stack(&rec, STACK_USER, END_ROOT, 0, &frame, 1);

	recording_add_row(&rec, &(struct rec_row){.event = other,
					.stacks = {stack, NO_STACK, NO_STACK, NO_STACK},
					.count = 1,
					.sum = 1000000});
	static const struct {
		int viewed;
		uint32_t event;
		uint64_t kept, whole, cut, unnamed;
		const char *unit;
	} wants[] = {
		{-1, 0, 35, 0, 30, 60, "samples"}, {0, 0, 35, 0, 30, 60, "samples"},
		{1, 1, 1000000, 1000000, 0, 1000000, "us"},
		{2, 2, 0, 0, 0, 0, "samples"}, /* there is no such event */
	};

	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		struct recording_view view = {.event = wants[i].viewed};
		struct profile p;

		assert_int_equal(recording_viewed_event(&rec, &view), wants[i].event);
		profile_init(&p);
		recording_to_profile(&rec, &view, &p);
		profile_finish(&p);
		assert_int_equal(p.nodes[0].total, wants[i].kept);
		assert_string_equal(p.unit, wants[i].unit);
		assert_int_equal(p.account.kept, wants[i].kept);
		assert_int_equal(p.account.whole, wants[i].whole);
		assert_int_equal(p.account.cut, wants[i].cut);
		assert_int_equal(p.account.unnamed, wants[i].unnamed);
		assert_int_equal(account_lost(&p.account), 4);
		profile_release(&p);
	}
	recording_release(&rec);
	recording_init(&rec);
	assert_int_equal(recording_viewed_event(&rec, &(struct recording_view){.event = -1}), 0);
	recording_add_row(&rec, &(struct rec_row){.event = 7});
	assert_int_equal(recording_viewed_event(&rec, &(struct recording_view){.event = -1}), 7);
	recording_release(&rec);
}

/* Rows that show no frame have a frame that says so, below the task's. */
static void recording__no_stack_has_a_frame(void **state)
{
	(void)state;
	for (int comm = 0; comm < 2; comm++) {
		struct recording rec;
		struct profile p;

		recording_init(&rec);
		recording_add_event(&rec, "on-cpu", "samples", "cpu", 0);
		recording_add_task(&rec, &(struct rec_task){.comm = recording_string(&rec, "app")});
		uint32_t empty = recording_add_stack(&rec, STACK_USER, END_ROOT, 0, NULL, 0);
		uint32_t lost = recording_add_stack(&rec, STACK_USER, END_BROKEN, 0, NULL, 0);
		uint32_t firsts[] = {NO_STACK, empty, lost};

		for (size_t i = 0; i < ARRAY_LEN(firsts); i++)
			recording_add_row(&rec, &(struct rec_row){.stacks = {firsts[i], NO_STACK,
									  NO_STACK, NO_STACK},
							.count = 1,
							.sum = 10 + i});
		profile_init(&p);
		recording_to_profile(&rec, &(struct recording_view){.comm = comm, .event = -1}, &p);
		profile_finish(&p);

		uint32_t node = p.nodes[0].child;

		assert_int_equal(p.nodes[0].self, 0);
		if (comm) {
			assert_string_equal(profile_name(&p, p.nodes[node].frame, NULL), "app");
			assert_int_equal(p.nodes[node].self, 0);
			node = p.nodes[node].child;
		}
		assert_string_equal(profile_name(&p, p.nodes[node].frame, NULL), "[broken]");
		assert_int_equal(p.nodes[node].self, 12);
		node = p.nodes[node].next;
		assert_string_equal(profile_name(&p, p.nodes[node].frame, NULL), "[no stack]");
		assert_int_equal(p.frames[p.nodes[node].frame].kind, FRAME_NOTE);
		assert_int_equal(p.nodes[node].self, 21);
		assert_int_equal(p.nodes[node].next, 0);
		profile_release(&p);
		recording_release(&rec);
	}
}

/* A stack with a note where it broke does not get another note that it is broken. */
static void recording__one_note_tells_where_a_stack_broke(void **state)
{
	struct recording rec;
	struct profile p;
	struct strbuf end = STRBUF_INIT;

	(void)state;
	recording_init(&rec);
	recording_add_event(&rec, "on-cpu", "samples", "cpu", 0);
	recording_add_task(&rec, &(struct rec_task){0});
	uint32_t sub = recording_add_frame(
		&rec, &(struct rec_frame){.kind = FRAME_PERL, .place = AT_NAME});
	uint32_t note = recording_add_frame(
		&rec, &(struct rec_frame){.kind = FRAME_NOTE, .place = AT_NAME});

	recording_name_frame(&rec, note,
		&(struct rec_name){.function = recording_string(&rec, "[perl: inconsistent]")}, 1);
	for (int i = 0; i < 3; i++) {
		uint32_t stack = recording_add_stack(&rec, STACK_PERL, i < 2 ? END_BROKEN : END_CUT,
			recording_string(&rec, "depth"), i == 1 ? &note : &sub, 1);

		recording_add_row(
			&rec, &(struct rec_row){.stacks = {stack, NO_STACK, NO_STACK, NO_STACK},
				      .count = 1,
				      .sum = 1});
		strbuf_reset(&end);
		recording_add_end(&rec, &rec.stacks[stack], &end);
		assert_string_equal(end.len ? end.buf : "", i == 0   ? "[broken]"
							    : i == 1 ? ""
								     : "[truncated: depth]");
	}
	profile_init(&p);
	recording_to_profile(&rec, &(struct recording_view){.event = -1}, &p);
	assert_int_equal(p.account.broken, 2);
	assert_int_equal(p.account.cut, 1);
	assert_int_equal(p.account.unnamed, 2); /* notes neither have names nor lack them */
	assert_int_equal(p.account.named, 0);
	profile_finish(&p);

	struct account known = p.account;

	profile_recount(&p); /* the tree gives the same account */
	assert_memory_equal(&known, &p.account, sizeof(known));
	profile_release(&p);
	recording_release(&rec);
	strbuf_release(&end);
}

/* LABELS has keys and values in turn, and a NULL at the end. */
static uint32_t add_labels(struct recording *rec, const char *const *labels)
{
	struct label list[LABEL_SET_MAX];
	size_t nr = 0;

	for (; *labels; labels += 2)
		list[nr++] = (struct label){
			recording_string(rec, labels[0]), recording_string(rec, labels[1])};
	return recording_labels(rec, list, nr);
}

static void add_labelled(struct recording *rec, uint32_t labels, uint64_t sum)
{
	recording_add_row(rec, &(struct rec_row){.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
				       .labels = labels,
				       .count = 1,
				       .sum = sum});
}

static void add_state(struct recording *rec, const char *state, uint64_t sum)
{
	add_labelled(rec, recording_state_label(rec, state), sum);
}

static void begin_labelled(struct recording *rec)
{
	recording_init(rec);
	recording_add_event(rec, "off-cpu", "us", "monotonic", 0);
	recording_add_task(rec, &(struct rec_task){0});
}

/*
 * Checks what is below [no stack] when rows of these states are shown; EXPECTED is "" for nothing.
 */
static void assert_leaves(const struct recording *rec, const char *states, const char *expected)
{
	struct strbuf leaves = STRBUF_INIT;
	struct label_filter filter = {0};
	struct profile p;

	profile_init(&p);
	if (states)
		label_filter_add_values(&filter, RECORDING_STATE, states);
	recording_to_profile(
		rec, &(struct recording_view){.event = -1, .labels = states ? &filter : NULL}, &p);
	profile_finish(&p);
	uint32_t node = p.nodes[p.nodes[0].child].child;

	for (; node; node = p.nodes[node].next) {
		assert_int_equal(p.frames[p.nodes[node].frame].kind, FRAME_NOTE);
		strbuf_addf(&leaves, "%s %u ", profile_name(&p, p.nodes[node].frame, NULL),
			(unsigned)p.nodes[node].self);
	}
	assert_string_equal(leaves.len ? leaves.buf : "", expected);
	assert_int_equal(p.account.kept, p.nodes[0].total);
	strbuf_release(&leaves);
	label_filter_release(&filter);
	profile_release(&p);
}

static void label_filter__values_and_patterns(void **state)
{
	static const struct {
		const char *arg, *value;
		bool matches;
	} list[] = {
		{"uri=/a", "/a", true},
		{"uri=/a", "/ab", false},
		{"uri=/a*", "/ab", true},
		{"uri=/a*", "/b", false},
		{"uri=/b,/a*", "/ab", true},
		{"uri=*[", "/x*[", false},
		{"uri=*[", "*[", true}, /* not a pattern */
		{"host=*", "/a", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		struct label_filter filter = {0};
		struct recording rec;

		recording_init(&rec);
		assert_int_equal(label_filter_add(&filter, list[i].arg), 0);
		struct label label = {
			recording_string(&rec, "uri"), recording_string(&rec, list[i].value)};
		uint32_t set = recording_labels(&rec, &label, 1);

		assert_int_equal(label_filter_matches(&filter, &rec.labels, &rec.strings, set),
			list[i].matches);
		label_filter_release(&filter);
		recording_release(&rec);
	}
}

static void recording__different_states_are_leaves(void **state)
{
	struct recording rec;

	(void)state;
	begin_labelled(&rec);
	add_state(&rec, "S", 5);
	add_state(&rec, "S", 6);
	assert_leaves(&rec, NULL, "");
	add_state(&rec, "R", 7);
	add_state(&rec, "odd", 8);
	add_state(&rec, NULL, 9);
	assert_leaves(&rec, NULL, "[preempted] 7 [sleeping] 11 [tag: odd] 8 ");
	assert_leaves(&rec, "R", "");
	assert_leaves(&rec, "odd,R", "[preempted] 7 [tag: odd] 8 ");
	assert_leaves(&rec, "Rx", "");
	assert_leaves(&rec, "", "");
	recording_release(&rec);
}

static void recording__equal_sets_of_labels_have_one_number(void **state)
{
	static const char *const sets[][7] = {
		{"state", "S", "uri", "/cart", NULL},
		{"uri", "/cart", "state", "S", NULL},
		{"uri", "/cart", "state", "S", "uri", "/", NULL},
		{"uri", "/cart", "state", "S", "none", "", NULL},
	};
	struct recording rec;
	uint32_t first;
	size_t len;

	(void)state;
	begin_labelled(&rec);
	first = add_labels(&rec, sets[0]);
	assert_int_not_equal(first, 0);
	for (size_t i = 1; i < ARRAY_LEN(sets); i++)
		assert_int_equal(add_labels(&rec, sets[i]), first);
	assert_int_not_equal(recording_state_label(&rec, "S"), first);
	assert_int_equal(recording_state_label(&rec, ""), 0);
	add_labelled(&rec, first, 1);
	assert_string_equal(recording_label(&rec, &rec.rows[0], "uri", &len), "/cart");
	assert_int_equal(len, 5);
	assert_string_equal(recording_label(&rec, &rec.rows[0], "ur", &len), "");
	assert_int_equal(len, 0);
	recording_release(&rec);
}

static bool shows(const struct recording *rec, const char *a, const char *b)
{
	struct label_filter filter = {0};
	struct recording_view view = {.event = -1, .labels = &filter};

	assert_int_equal(label_filter_add(&filter, a), 0);
	if (b)
		assert_int_equal(label_filter_add(&filter, b), 0);
	bool shown = recording_shows(rec, &view, &rec->rows[0]);

	label_filter_release(&filter);
	return shown;
}

static void recording__rows_match_all_keys(void **state)
{
	static const char *const labels[] = {"state", "S", "uri", "/a,b=\\", NULL};
	struct label_filter filter = {0};
	struct recording rec;

	(void)state;
	begin_labelled(&rec);
	add_labelled(&rec, add_labels(&rec, labels), 1);
	assert_true(shows(&rec, "state=D,S", NULL));
	assert_true(shows(&rec, "state=S", "uri=/a\\x2cb=\\"));
	assert_true(shows(&rec, "state=D", "state=S"));
	assert_true(shows(&rec, "state=S", "method="));
	assert_false(shows(&rec, "state=S", "uri=/a"));
	assert_false(shows(&rec, "state=D", "uri=/a\\x2cb=\\"));
	assert_false(shows(&rec, "state=", NULL));
	assert_false(shows(&rec, "method=GET", NULL));
	assert_int_equal(label_filter_add(&filter, "S"), -1);
	assert_int_equal(label_filter_add(&filter, "=S"), -1);
	label_filter_release(&filter);
	recording_release(&rec);
}

static void recording__missing_labels_are_told(void **state)
{
	static const char *const labels[] = {"state", "S", "u\ni", "/", NULL};
	struct recording_view view = {.event = -1, .by = "uri"};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;

	(void)state;
	begin_labelled(&rec);
	assert_true(recording_has_selected(&rec, &view, &notes));
	add_state(&rec, NULL, 1);
	assert_false(recording_has_selected(&rec, &view, &notes));
	assert_string_equal(notes.buf, "no row has the label 'uri'; it has no labels\n");
	strbuf_reset(&notes);
	add_labelled(&rec, add_labels(&rec, labels), 1);
	assert_false(recording_has_selected(&rec, &view, &notes));
	assert_string_equal(notes.buf,
		"no row has the label 'uri'; its labels are state, u\\x0ai; did you mean "
		"'u\\x0ai'?\n");
	view.by = "state";
	assert_true(recording_has_selected(&rec, &view, &notes));
	strbuf_release(&notes);
	recording_release(&rec);
}

/* Makes a frame of many inlined calls, many times in a stack: two rows, the second one of another
 * task. */
static void make_huge(struct recording *rec)
{
	enum { NAMES = 4000, DEPTH = 1000 };
	struct rec_name *names = xcalloc(NAMES, sizeof(*names));
	uint32_t frames[DEPTH];

	recording_init(rec);
	uint32_t event = recording_add_event(rec, "on-cpu", "samples", "cpu", 1000000);

	for (uint32_t i = 0; i < NAMES; i++)
		names[i].function = recording_string(rec, i % 2 ? "even" : "odd");
	uint32_t frame = recording_add_frame(
		rec, &(struct rec_frame){.kind = FRAME_USER, .place = AT_ADDRESS, .addr = 1});

	recording_name_frame(rec, frame, names, NAMES);
	for (size_t i = 0; i < DEPTH; i++)
		frames[i] = frame;
	uint32_t stack = recording_add_stack(rec, STACK_USER, END_ROOT, 0, frames, DEPTH);

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t task = recording_add_task(rec,
			&(struct rec_task){
				.pid = i + 1, .tid = i + 1, .comm = recording_string(rec, "app")});

		recording_add_row(rec, &(struct rec_row){.event = event,
					       .task = task,
					       .stacks = {stack, NO_STACK, NO_STACK, NO_STACK},
					       .count = 1,
					       .sum = 7});
	}
	free(names);
}

static void recording__cannot_become_a_huge_tree(void **state)
{
	enum { MOST = 2 << 20 };
	struct recording rec;
	struct profile p;
	uint64_t noted = 0;

	(void)state;
	make_huge(&rec);
	profile_init(&p);
	recording_to_profile(&rec, &(struct recording_view){.event = -1, .threads = true}, &p);
	profile_finish(&p);
	assert_true(p.nr_nodes < MOST);
	for (uint32_t i = 1; i < p.nr_nodes; i++) {
		size_t len;
		const char *name = profile_name(&p, p.nodes[i].frame, &len);

		if (!strcmp(name, "[truncated: too many frames]"))
			noted += p.nodes[i].self;
	}
	assert_int_equal(noted, 14);
	assert_int_equal(p.nodes[0].total, 14);
	profile_release(&p);
	recording_release(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recording__round_trip),
		cmocka_unit_test(recording__every_cut_is_seen),
		cmocka_unit_test(recording__later_records_and_fields),
		cmocka_unit_test(recording__addresses_may_be_missing),
		cmocka_unit_test(recording__reads_labels_of_both_versions),
		cmocka_unit_test(recording__refuses),
		cmocka_unit_test(recording__becomes_a_profile),
		cmocka_unit_test(recording__one_event_is_viewed),
		cmocka_unit_test(recording__no_stack_has_a_frame),
		cmocka_unit_test(recording__one_note_tells_where_a_stack_broke),
		cmocka_unit_test(label_filter__values_and_patterns),
		cmocka_unit_test(recording__different_states_are_leaves),
		cmocka_unit_test(recording__equal_sets_of_labels_have_one_number),
		cmocka_unit_test(recording__rows_match_all_keys),
		cmocka_unit_test(recording__missing_labels_are_told),
		cmocka_unit_test(recording__cannot_become_a_huge_tree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
