/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys do to the table and the tree of bt-top. */
#include "lib/util.h"
#include "symbol/symbol_options.h"
#include "top/top.h"
#include "top/top_load.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static void add_stack(struct profile *p, const char *names, uint64_t weight)
{
	uint32_t frames[8];
	size_t n = strlen(names);

	for (size_t i = 0; i < n; i++)
		frames[i] = profile_frame(p, FRAME_USER, names + i, 1, NULL, 0);
	profile_add(p, frames, n, weight);
}

/* Makes a profile in which MORE is the weight of a stack that is light otherwise. */
static void make(struct profile *p, uint64_t more)
{
	profile_init(p);
	add_stack(p, "mab", 50);
	add_stack(p, "mac", 10);
	add_stack(p, "md", 30);
	add_stack(p, "mdxyz", 1 + more);
	profile_finish(p);
}

/* Returns the rows as "a 60, -b 50": an opened or closed node has - or +, the cursor is >. */
static char *text_of(const struct top *t)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct top_row *row = &t->rows[i];
		size_t len;

		strbuf_addf(&text, "%s%s%.*s%s%s%" PRIu64, i ? ", " : "", i == t->cursor ? ">" : "",
			(int)row->depth, "......",
			row->has_children ? row->is_open ? "-" : "+" : "",
			profile_name(t->profile, row->frame, &len),
			t->sort == SORT_SELF && t->view == TOP_FUNCTIONS ? row->self : row->total);
	}
	return strbuf_detach(&text);
}

enum { TAB = '\t' };

static const struct press {
	const char *what;
	uint32_t keys[12];
	const char *want;
} presses[] = {
	{"functions", {0}, ">b50, d30, c10, z1, m0, a0, x0, y0"},
	{"by total", {'s'}, ">m91, a60, b50, d31, c10, x1, y1, z1"},
	{"by name", {'s', 's'}, ">a60, b50, c10, d31, m91, x1, y1, z1"},
	{"search", {'/', 'Y'}, ">y0"},
	{"search, another letter", {'/', 'Y', TOP_BACKSPACE, 'd', TOP_ENTER}, ">d30"},
	{"search, given up", {'/', 'Y', TOP_ESCAPE}, ">b50, d30, c10, z1, m0, a0, x0, y0"},
	{"moved", {TOP_DOWN, TOP_DOWN}, "b50, d30, >c10, z1, m0, a0, x0, y0"},
	{"moved beyond the end", {TOP_END, TOP_DOWN, TOP_UP}, "b50, d30, c10, z1, m0, a0, >x0, y0"},
	{"the cursor stays with its function", {TOP_DOWN, '/', 'd', TOP_ENTER, TOP_ESCAPE},
		"b50, >d30, c10, z1, m0, a0, x0, y0"},
	{"tree", {'t'}, ">+m91"},
	{"tree by Tab", {TAB}, ">+m91"},
	{"opened", {'t', TOP_RIGHT}, ">-m91, .+a60, .+d31"},
	{"into an open node", {'t', TOP_RIGHT, TOP_RIGHT, TOP_RIGHT},
		"-m91, >.-a60, ..b50, ..c10, .+d31"},
	{"closed", {'t', TOP_RIGHT, TOP_LEFT}, ">+m91"},
	{"to the caller", {'t', TOP_RIGHT, TOP_DOWN, TOP_DOWN, TOP_LEFT}, ">-m91, .+a60, .+d31"},
	{"all that is heavy", {'t', '*'}, ">-m91, .-a60, ..b50, ..c10, .-d31, ..+x1"},
	{"tree by name", {'t', 's', TOP_RIGHT}, ">-m91, .+a60, .+d31"},
	{"a search opens what leads to it", {'t', '/', 'y', TOP_ENTER},
		">-m91, .-d31, ..-x1, ...+y1"},
	{"no labels", {'l'}, ">b50, d30, c10, z1, m0, a0, x0, y0"},
};

static void test_presses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(presses); i++) {
		struct profile p;
		struct top t;

		make(&p, 0);
		top_init(&t);
		top_resize(&t, 20);
		top_show(&t, &p);
		for (const uint32_t *key = presses[i].keys; *key; key++)
			if (top_press(&t, *key) == TOP_FOLD)
				top_show(&t, &p);
		char *text = text_of(&t);

		if (strcmp(text, presses[i].want))
			print_message("%s:\n", presses[i].what);
		assert_string_equal(text, presses[i].want);
		free(text);
		top_release(&t);
		profile_release(&p);
	}
}

/* What is open and chosen stays so in the next profile, in which the order is another. */
static void test_next_profile(void **state)
{
	struct profile p, next;
	struct top t;

	(void)state;
	make(&p, 0);
	make(&next, 100);
	top_init(&t);
	top_resize(&t, 20);
	top_show(&t, &p);
	top_press(&t, 't');
	top_show(&t, &p);
	top_press(&t, TOP_RIGHT);
	top_press(&t, TOP_DOWN);
	top_press(&t, TOP_RIGHT);
	top_show(&t, &next);
	char *text = text_of(&t);

	assert_string_equal(text, "-m191, .+d131, >.-a60, ..b50, ..c10");
	free(text);
	top_release(&t);
	profile_release(&p);
	profile_release(&next);
}

/* The cursor is always on the screen. */
static void test_scroll(void **state)
{
	struct profile p;
	struct top t;

	(void)state;
	make(&p, 0);
	top_init(&t);
	top_show(&t, &p);
	top_resize(&t, 3);
	top_press(&t, TOP_END);
	assert_int_equal(t.first, 5);
	top_press(&t, TOP_PAGE_UP);
	assert_int_equal(t.cursor, 5);
	top_resize(&t, 1);
	assert_int_equal(t.first, 5);
	top_press(&t, TOP_HOME);
	assert_int_equal(t.first, 0);
	top_release(&t);
	profile_release(&p);
}

/* What the caller is asked to do. */
static void test_wishes(void **state)
{
	static const struct {
		uint32_t key;
		enum top_wish wish;
	} wishes[] = {{'q', TOP_QUIT}, {'w', TOP_FOLD}, {'c', TOP_FOLD}, {'l', TOP_FOLD},
		{'l', TOP_FOLD}, {' ', TOP_FOLD}, {'o', TOP_DRAW}, {0xe9, TOP_DRAW},
		{'q', TOP_DRAW}, {TOP_ENTER, TOP_SAVE}, {'?', TOP_DRAW}, {'q', TOP_DRAW},
		{'q', TOP_QUIT}};
	struct recording_view view = {0};
	struct top t;

	(void)state;
	top_init(&t);
	top_add_label(&t, "uri");
	top_add_label(&t, "host");
	top_add_label(&t, "uri");
	for (size_t i = 0; i < ARRAY_LEN(wishes); i++)
		assert_int_equal(top_press(&t, wishes[i].key), wishes[i].wish);
	assert_int_equal(t.window, 60);
	assert_true(t.frozen);
	assert_string_equal(top_file(&t), "\xc3\xa9q");
	top_set_view(&t, &view);
	assert_string_equal(view.by, "host");
	top_release(&t);
}

/* Three slices of 10 s, of which the last one has just begun; a third row is of no known time. */
static const char recorded[] = "flametap-recording 2\n"
			       "meta title Off-CPU\\x20time\n"
			       "meta seconds 20.100\n"
			       "event 0 off-cpu us 0 monotonic\n"
			       "slices 10000000000 3\n"
			       "task 0 10 10 99 main\n"
			       "task 1 10 11 99 worker\n"
			       "frame 0 user call - 1136\n"
			       "name 0 outer 10 /bin/app - 0\n"
			       "frame 1 user call - 1236\n"
			       "name 1 inner 10 /bin/app - 0\n"
			       "stack 0 user root - 0\n"
			       "stack 1 user root - 1 0\n"
			       "row 0 0 1 - 3 60\n"
			       "series 1/10 1/20 1/30\n"
			       "row 0 1 0 - 1 7\n"
			       "series 2/7\n"
			       "row 0 1 1 - 1 500\n"
			       "end 18\n";

static void test_load(void **state)
{
	const struct recording_view view = {.event = -1};
	const struct symbol_options symbol = {.debuginfod = DEBUGINFOD_NEVER};
	const struct top_options options = {&view, &symbol, false};
	static const struct {
		unsigned window;
		enum top_view view;
		const char *want;
	} loads[] = {
		{10, TOP_FUNCTIONS, ">inner20, outer7"},
		{60, TOP_FUNCTIONS, ">inner30, outer7"},
		{0, TOP_FUNCTIONS, ">inner560, outer7"},
		{0, TOP_CALLERS, ">+inner560, outer7"},
		{10, TOP_TREE, ">+outer27"},
		{10, TOP_THREADS, ">+main/1020, +worker/117"},
		{10, TOP_PROCESSES, ">+main/1027"},
	};
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct strbuf err = STRBUF_INIT;
	struct top_load l;
	struct top t;

	(void)state;
	assert_int_equal(write(fd, recorded, strlen(recorded)), strlen(recorded));
	top_init(&t);
	top_load_init(&l, &options);
	assert_int_equal(top_load_show(&l, &t, &err), -1);
	top_load_take(&l, fd);
	for (size_t i = 0; i < ARRAY_LEN(loads); i++) {
		t.window = loads[i].window;
		t.view = loads[i].view;
		assert_int_equal(top_load_show(&l, &t, &err), 0);
		char *text = text_of(&t);

		assert_string_equal(text, loads[i].want);
		free(text);
	}
	assert_int_equal(l.nr_activity, 2);
	assert_int_equal(l.activity[1], 27);
	strbuf_adds(&t.typed, "x.unknown");
	top_load_save(&l, &t);
	assert_memory_equal(t.message.buf, "use a name that ends in", 23);
	top_load_release(&l);
	top_release(&t);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presses),
		cmocka_unit_test(test_next_profile),
		cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
