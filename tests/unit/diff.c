/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/diff/diff.h"
#include "view/diff/diff_functions.h"
#include "view/diff/diff_modules.h"
#include "view/diff/diff_limit.h"
#include "view/diff/diff_report.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void add(struct profile *p, const char *stack, uint64_t weight)
{
	uint32_t frames[16];
	size_t n = 0;

	for (const char *at = stack;; at++) {
		size_t len = strcspn(at, ";");

		frames[n++] = profile_frame(p, FRAME_USER, at, len, "lib.so", 6);
		at += len;
		if (!*at)
			break;
	}
	profile_add(p, frames, n, weight);
}

struct stack {
	const char *frames;
	uint64_t weight;
};

/* STACKS end with a NULL. */
static void make(struct profile *p, const char *unit, const struct stack *stacks)
{
	profile_init(p);
	profile_set(&p->unit, unit);
	for (; stacks->frames; stacks++)
		add(p, stacks->frames, stacks->weight);
	profile_finish(p);
}

static const struct stack old[] = {
	{"main;a;x", 100}, {"main;b", 51}, {"main;gone", 20}, {"main;a", 7}, {NULL, 0}};
static const struct stack new[] = {
	{"main;new", 30}, {"main;a;x", 150}, {"main;b", 52}, {"main;a;x;a", 5}, {NULL, 0}};

struct fixture {
	struct profile before, after;
	struct diff diff;
	struct diff_functions functions;
};

static void set_up(struct fixture *f, const char *unit, const struct stack *before,
	const struct stack *after, bool normalized)
{
	make(&f->before, unit, before);
	make(&f->after, unit, after);
	diff_init(&f->diff, &f->before, &f->after, normalized);
	diff_functions_init(&f->functions, &f->before, &f->after, normalized, NULL);
}

static void tear_down(struct fixture *f)
{
	diff_functions_release(&f->functions);
	diff_release(&f->diff);
	profile_release(&f->before);
	profile_release(&f->after);
}

static uint32_t child(const struct profile *p, uint32_t node, const char *name, size_t len)
{
	for (uint32_t c = p->nodes[node].child; c; c = p->nodes[c].next) {
		size_t n;
		const char *s = profile_name(p, p->nodes[c].frame, &n);

		if (n == len && !memcmp(s, name, len))
			return c;
	}
	fail_msg("no node %.*s", (int)len, name);
	return 0;
}

static uint32_t node_of(const struct profile *p, const char *stack)
{
	uint32_t node = 0;

	for (const char *at = stack;; at++) {
		size_t len = strcspn(at, ";");

		node = child(p, node, at, len);
		at += len;
		if (!*at)
			return node;
	}
}

static void check_node(const struct diff *d, const char *stack, uint64_t before, uint64_t after)
{
	uint32_t node = node_of(&d->tree, stack);

	assert_int_equal(d->inclusive[node].before, before);
	assert_int_equal(d->inclusive[node].after, after);
}

/* Every node's total is its own weight plus its children's totals. */
static void check_sums(const struct diff *d)
{
	const struct profile_node *nodes = d->tree.nodes;

	for (uint32_t i = 0; i < d->tree.nr_nodes; i++) {
		struct diff_pair sum = d->self[i];
		uint64_t picture = nodes[i].self;

		for (uint32_t c = nodes[i].child; c; c = nodes[c].next) {
			sum.before += d->inclusive[c].before;
			sum.after += d->inclusive[c].after;
			picture += nodes[c].total;
		}
		assert_int_equal(sum.before, d->inclusive[i].before);
		assert_int_equal(sum.after, d->inclusive[i].after);
		assert_int_equal(picture, nodes[i].total);
	}
	assert_int_equal(d->inclusive[0].before, d->scale.total.before);
	assert_int_equal(d->inclusive[0].after, d->scale.total.after);
}

static void test_sums(void **unused)
{
	struct fixture f;

	(void)unused;
	for (int normalized = 0; normalized < 2; normalized++) {
		set_up(&f, "us", old, new, normalized);
		check_sums(&f.diff);
		check_node(&f.diff, "main", 178, 237);
		check_node(&f.diff, "main;a", 107, 155);
		check_node(&f.diff, "main;a;x", 100, 155);
		check_node(&f.diff, "main;a;x;a", 0, 5);
		check_node(&f.diff, "main;b", 51, 52);
		check_node(&f.diff, "main;gone", 20, 0);
		check_node(&f.diff, "main;new", 0, 30);
		assert_int_equal(f.diff.tree.nr_nodes, 8);
		tear_down(&f);
	}
}

static void test_widths(void **unused)
{
	static const struct stack two[] = {{"a", 1}, {"b", 2}, {NULL, 0}};
	static const struct stack seven[] = {{"a", 3}, {"b", 1}, {"c", 3}, {NULL, 0}};
	const uint64_t one = UINT64_C(1) << 62;
	struct fixture f;

	(void)unused;
	set_up(&f, "us", two, seven, false);
	assert_int_equal(f.diff.tree.nodes[node_of(&f.diff.tree, "a")].total, 4);
	assert_int_equal(f.diff.tree.nodes[0].total, 10);
	tear_down(&f);

	set_up(&f, "us", two, seven, true);
	const struct profile_node *nodes = f.diff.tree.nodes;
	uint64_t a = nodes[node_of(&f.diff.tree, "a")].total;

	assert_int_equal(nodes[0].total, 2 * one);
	assert_true(a >= one / 3 + one / 7 * 3 - 4 && a <= one / 3 + one / 7 * 3 + 4);
	check_sums(&f.diff);
	tear_down(&f);
}

static void test_steps(void **unused)
{
	static const struct {
		bool normalized, samples;
		struct diff_pair total, weights;
		int step;
	} cases[] = {
		{false, false, {0, 0}, {0, 0}, 4},
		{false, false, {9, 9}, {3, 3}, 4},
		{false, false, {9, 9}, {1, 0}, 0},
		{false, false, {9, 9}, {0, 1}, 8},
		{false, false, {99, 99}, {4, 5}, 5},
		{false, false, {99, 99}, {5, 4}, 3},
		{false, false, {99, 99}, {40, 51}, 6},
		{false, false, {99, 99}, {4, 8}, 6},
		{false, false, {99, 99}, {8, 4}, 2},
		{false, false, {99, 99}, {4, 9}, 7},
		{false, false, {99, 99}, {9, 4}, 1},
		{false, true, {99, 99}, {0, 3}, 4}, /* 9 < 4 * 3 */
		{false, true, {99, 99}, {0, 4}, 8}, /* 16 = 4 * 4 */
		{false, true, {99, 99}, {3, 0}, 4},
		{false, true, {99, 99}, {5, 0}, 0},
		{false, true, {999, 999}, {100, 128}, 4},
		{false, true, {999, 999}, {100, 135}, 6},
		{true, false, {100, 200}, {7, 14}, 4},
		{true, false, {3, 9}, {1, 3}, 4},
		{true, false, {100, 200}, {7, 7}, 2},
		{true, false, {100, 200}, {7, 15}, 5},
		{true, true, {1000, 2000}, {100, 210}, 4},
		{true, true, {1000, 2000}, {100, 400}, 6},
		{true, true, {1000, 2000}, {1000, 2000}, 4},
		{true, false, {0, 10}, {0, 5}, 8},
		{true, false, {10, 0}, {5, 0}, 0},
		{false, false, {UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}, 4},
		{false, false, {UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX / 2}, 2},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct diff_scale scale = {cases[i].total, cases[i].normalized, cases[i].samples};

		if (diff_step(&scale, cases[i].weights) != cases[i].step)
			fail_msg("case %zu: step %d", i, diff_step(&scale, cases[i].weights));
	}
}

static void test_large_totals(void **unused)
{
	static const struct stack before[] = {
		{"a", INT64_MAX}, {"b", INT64_MAX - 1}, {"c", 1}, {NULL, 0}};
	static const struct stack after[] = {
		{"a", INT64_MAX}, {"b", INT64_MAX}, {"d", 1}, {NULL, 0}};
	struct fixture f;

	(void)unused;
	set_up(&f, "bytes", before, after, false);
	const struct profile_node *nodes = f.diff.tree.nodes;

	check_sums(&f.diff);
	check_node(&f.diff, "b", INT64_MAX - 1, INT64_MAX);
	assert_int_equal(nodes[0].total, UINT64_MAX - 1); /* half of the sum */
	assert_int_equal(nodes[node_of(&f.diff.tree, "a")].total, INT64_MAX);
	tear_down(&f);

	set_up(&f, "bytes", before, after, true);
	check_sums(&f.diff);
	assert_int_equal(f.diff.tree.nodes[0].total, UINT64_C(1) << 63);
	tear_down(&f);
}

static const struct diff_function *function(const struct diff_functions *f, const char *name)
{
	for (uint32_t i = 0; i < f->nr; i++)
		if (!strcmp(strpool_get(&f->names, f->list[i].name), name))
			return &f->list[i];
	fail_msg("no function %s", name);
	return NULL;
}

static void test_functions(void **unused)
{
	struct fixture f;

	(void)unused;
	set_up(&f, "us", old, new, false);
	const struct diff_function *a = function(&f.functions, "a");

	assert_int_equal(f.functions.nr, 6);
	assert_int_equal(a->self.before, 7);
	assert_int_equal(a->self.after, 5);
	assert_int_equal(a->inclusive.before, 107);
	assert_int_equal(a->inclusive.after, 155);
	assert_string_equal(diff_function_status(&f.functions, a), "changed");
	assert_string_equal(
		diff_function_status(&f.functions, function(&f.functions, "gone")), "removed");
	assert_string_equal(
		diff_function_status(&f.functions, function(&f.functions, "new")), "new");
	assert_string_equal(strpool_get(&f.functions.names, f.functions.list[0].name), "x");
	assert_string_equal(strpool_get(&f.functions.names, f.functions.list[5].name), "main");
	tear_down(&f);
}

/* Returns how many functions are above LIMIT, and sets *MOST to the first one. */
static uint32_t count_above(
	const struct diff_functions *f, uint64_t hundredths, const struct diff_function **most)
{
	struct diff_limit limit;

	diff_limit_init(&limit, f, NULL, NULL, (struct diff_limits){hundredths, DIFF_NO_LIMIT});
	uint32_t nr = limit.nr;

	*most = nr ? limit.above[0].fn : NULL;
	diff_limit_release(&limit);
	return nr;
}

static void test_same(void **unused)
{
	struct fixture f;

	(void)unused;
	for (int normalized = 0; normalized < 2; normalized++) {
		const struct diff_function *most;

		set_up(&f, "us", old, old, normalized);
		for (uint32_t i = 0; i < f.diff.tree.nr_nodes; i++)
			assert_int_equal(diff_step(&f.diff.scale, f.diff.inclusive[i]), DIFF_SAME);
		for (uint32_t i = 0; i < f.functions.nr; i++)
			assert_string_equal(
				diff_function_status(&f.functions, &f.functions.list[i]), "same");
		assert_int_equal(count_above(&f.functions, 0, &most), 0);
		assert_false(diff_is_above(&f.functions.scale, f.functions.scale.total, 0));
		tear_down(&f);
	}
}

static void test_above(void **unused)
{
	static const struct stack before[] = {{"a", 500}, {"b", 500}, {NULL, 0}};
	static const struct stack after[] = {{"a", 700}, {"b", 500}, {"c;d", 100}, {NULL, 0}};
	const struct diff_function *most = NULL;
	struct fixture f;

	(void)unused;
	set_up(&f, "us", before, after, false);
	assert_int_equal(count_above(&f.functions, 770, &most), 0);
	assert_null(most);
	assert_int_equal(count_above(&f.functions, 700, &most), 2);
	assert_string_equal(strpool_get(&f.functions.names, most->name), "d");
	assert_int_equal(count_above(&f.functions, 300, &most), 3);
	assert_true(diff_is_above(&f.functions.scale, f.functions.scale.total, 2999));
	assert_false(diff_is_above(&f.functions.scale, f.functions.scale.total, 3000));
	tear_down(&f);

	/* the same in samples: a rose by chance, c did not */
	set_up(&f, "samples", before, after, true);
	assert_int_equal(count_above(&f.functions, 300, &most), 2);
	assert_int_equal(count_above(&f.functions, 0, &most), 2);
	tear_down(&f);
}

static void test_limits(void **unused)
{
	static const struct {
		bool normalized;
		struct diff_pair total, weights;
		uint64_t limit;
		bool above;
	} cases[] = {
		{true, {1000000, 1000000}, {500000, 550000}, 500, false},
		{true, {1000000, 1000000}, {500000, 550001}, 500, true},
		{true, {1000000, 1000000}, {500000, 550000}, 499, true},
		{true, {1000000, 1000000}, {550000, 500000}, 0, false},
		{true, {3, 7}, {1, 3}, 952, true}, /* 9.5238… */
		{true, {3, 7}, {1, 3}, 953, false},
		{false, {1000000, 1070000}, {1000000, 1070000}, 700, false},
		{false, {1000000, 1070000}, {1000000, 1070001}, 700, true},
		{false, {1, UINT64_MAX}, {1, UINT64_MAX}, UINT32_MAX * UINT64_C(100), true},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct diff_scale scale = {cases[i].total, cases[i].normalized, false};

		if (diff_is_above(&scale, cases[i].weights, cases[i].limit) != cases[i].above)
			fail_msg("case %zu", i);
	}
}

/* Returns how many functions are above a limit of growth, of which the first one must be NAME. */
static uint32_t count_grown(const struct fixture *f, uint64_t growth, const char *name)
{
	struct diff_limit limit;

	diff_limit_init(
		&limit, &f->functions, NULL, NULL, (struct diff_limits){DIFF_NO_LIMIT, growth});
	uint32_t nr = limit.nr;

	assert_false(limit.total);
	if (nr)
		assert_string_equal(
			strpool_get(&f->functions.names, limit.above[0].fn->name), name);
	diff_limit_release(&limit);
	return nr;
}

static void test_growth(void **unused)
{
	static const struct stack before[] = {
		{"a", 5000}, {"b", 4780}, {"c", 200}, {"d", 20}, {NULL, 0}};
	static const struct stack after[] = {
		{"a", 10000}, {"b", 9000}, {"c", 800}, {"d", 180}, {"e", 20}, {NULL, 0}};
	static const struct stack few_before[] = {{"a", 500}, {"b", 490}, {"c", 10}, {NULL, 0}};
	static const struct stack few_after[] = {{"a", 500}, {"b", 478}, {"c", 22}, {NULL, 0}};
	static const struct stack new_after[] = {{"a", 500}, {"b", 485}, {"e", 15}, {NULL, 0}};
	struct fixture f;

	(void)unused;
	for (int in_samples = 0; in_samples < 2; in_samples++) { /* d and e are below 1 % */
		set_up(&f, in_samples ? "samples" : "us", before, after, false);
		assert_int_equal(count_grown(&f, 9999, "c"), 1);
		assert_int_equal(count_grown(&f, 10000, "c"), 0);
		tear_down(&f);
	}

	/* 10 and 22 samples differ by 2.1 standard deviations, but six shares are compared */
	set_up(&f, "us", few_before, few_after, true);
	assert_int_equal(count_grown(&f, 5000, "c"), 1);
	tear_down(&f);
	set_up(&f, "samples", few_before, few_after, true);
	assert_int_equal(count_grown(&f, 5000, "c"), 0);
	tear_down(&f);

	/* a new function is above each limit */
	set_up(&f, "samples", few_before, new_after, true);
	assert_int_equal(count_grown(&f, UINT32_MAX, "e"), 1);
	tear_down(&f);
}

static void test_empty_sides(void **unused)
{
	static const struct stack none[] = {{NULL, 0}};
	const struct stack *const sides[][2] = {{none, old}, {old, none}, {none, none}};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_LEN(sides); i++) {
		const struct diff_function *most;
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		set_up(&f, "us", sides[i / 2][0], sides[i / 2][1], i % 2);
		check_sums(&f.diff);
		assert_int_equal(diff_report_csv(&f.functions, out, NULL), 0);
		assert_int_equal(diff_report_top(&f.functions, 2, false, out, NULL), 0);
		assert_int_equal(diff_report_json(&f.functions, NULL, out, NULL), 0);
		assert_int_equal(count_above(&f.functions, 100, &most), 0);
		fclose(out);
		free(text);
		tear_down(&f);
	}
}

static void expect_limit(const struct diff_functions *f, uint64_t hundredths, const char *lines,
	const char *json, const char *junit)
{
	struct strbuf text = STRBUF_INIT;
	struct diff_limit limit;
	char *xml;
	size_t size;
	FILE *out = open_memstream(&xml, &size);

	diff_limit_init(&limit, f, NULL, NULL, (struct diff_limits){hundredths, DIFF_NO_LIMIT});
	diff_limit_lines(&limit, &text);
	assert_string_equal(text.buf, lines);
	strbuf_reset(&text);
	diff_limit_json(&limit, &text);
	assert_non_null(strstr(text.buf, json));
	assert_int_equal(diff_limit_junit(&limit, out, NULL), 0);
	fclose(out);
	assert_non_null(strstr(xml, junit));
	free(xml);
	strbuf_release(&text);
	diff_limit_release(&limit);
}

static void test_limit_is_told(void **unused)
{
	static const struct stack before[] = {{"a", 500000}, {"b", 500000}, {NULL, 0}};
	static const struct stack after[] = {{"a", 700000}, {"<&\"\1>", 700000}, {NULL, 0}};
	static const struct stack none[] = {{NULL, 0}};
	struct fixture f;

	(void)unused;
	set_up(&f, "us", before, after, false);
	expect_limit(&f.functions, 500,
		"the share of '<&\"\\x01> [lib.so]' rose from 0.00 % (0 us) to 50.00 % (700.0 ms), "
		"by "
		"50.00 "
		"percentage points\n"
		"above the limit of 5.00 %: 1 function and the total, which rose from 1.000 s to "
		"1.400 s, by 40.00 %\n",
		"\"failed\": true,\n  \"total_failed\": true,",
		"tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">\n"
		" <testcase classname=\"bt-diff\" name=\"&lt;&amp;&quot;\\x01&gt; [lib.so]\">");
	expect_limit(&f.functions, 5000,
		"above the limit of 50.00 %: no function; the total rose from 1.000 s to 1.400 s, "
		"by 40.00 %\n",
		"\"failed\": false,\n  \"total_failed\": false,\n  \"functions\": []\n",
		"tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n"
		" <testcase classname=\"bt-diff\" name=\"nothing is above the limit\"/>\n");
	tear_down(&f);

	set_up(&f, "us", before, before, false);
	expect_limit(&f.functions, 0,
		"above the limit of 0.00 %: no function; the total stayed at 1.000 s\n",
		"\"failed\": false", "failures=\"0\"");
	tear_down(&f);

	set_up(&f, "samples", none, after, false);
	expect_limit(&f.functions, 0, "nothing is above the limit: there are no samples before\n",
		"\"failed\": false", "failures=\"0\"");
	tear_down(&f);
}

/* Returns the line of a function in the CSV; the caller frees it. */
static char *csv_line(const struct diff_functions *f, const char *name)
{
	char *text, *line, *end;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(diff_report_csv(f, out, NULL), 0);
	fclose(out);
	char *key = xasprintf("\n%s,", name);

	line = strstr(text, key);
	assert_non_null(line);
	end = strchr(++line, '\n');
	line = xstrndup(line, (size_t)(end - line));
	free(key);
	free(text);
	return line;
}

static void check_csv(const struct stack *before, const struct stack *after, bool normalized,
	const char *name, const char *want)
{
	struct fixture f;

	set_up(&f, "us", before, after, normalized);
	char *line = csv_line(&f.functions, name);

	assert_string_equal(line, want);
	free(line);
	tear_down(&f);
}

static void test_percentages(void **unused)
{
	static const struct stack third[] = {{"a", 1}, {"b", 2}, {NULL, 0}};
	static const struct stack seventh[] = {{"a", 1}, {"b", 6}, {NULL, 0}};
	static const struct stack fine[] = {{"a", 1}, {"b", 19999}, {NULL, 0}};
	static const struct stack none[] = {{"b", 20000}, {NULL, 0}};
	static const struct stack huge[] = {
		{"a", UINT64_MAX / 4}, {"b", UINT64_MAX / 4 * 3}, {NULL, 0}};
	static const struct stack half[] = {
		{"a", UINT64_MAX / 2}, {"b", UINT64_MAX / 2}, {NULL, 0}};

	(void)unused;
	check_csv(third, seventh, true, "a", "a,lib.so,lib.so,1,1,0,-19.05,1,1,0,-19.05,changed");
	check_csv(third, seventh, false, "b", "b,lib.so,lib.so,2,6,4,133.33,2,6,4,133.33,changed");
	check_csv(none, fine, true, "a", "a,lib.so,lib.so,0,1,1,0.01,0,1,1,0.01,new");
	check_csv(fine, none, true, "a", "a,lib.so,lib.so,1,0,-1,-0.01,1,0,-1,-0.01,removed");
	check_csv(huge, half, true, "a",
		"a,lib.so,lib.so,4611686018427387903,9223372036854775807,4611686018427387904,25.00,"
		"4611686018427387903,9223372036854775807,4611686018427387904,25.00,changed");
}

/* ---- modules */

struct placed {
	const char *module, *name;
};

/* Makes each of PLACED a stack of its own. */
static void make_placed(struct profile *p, const struct placed *placed)
{
	profile_init(p);
	for (; placed->module; placed++) {
		uint32_t frame = profile_frame(p, FRAME_USER, placed->name, strlen(placed->name),
			placed->module, strlen(placed->module));

		profile_add(p, &frame, 1, 3);
	}
	p->account = (struct account){.known = true, .kept = 3};
	profile_set(&p->title, "title");
	profile_finish(p);
}

/* Returns "MODULE NAME" of all of P's nodes, in the tree's order; the caller frees it. */
static char *all_of(const struct profile *p)
{
	struct strbuf out = STRBUF_INIT;

	for (uint32_t c = p->nodes[0].child; c; c = p->nodes[c].next)
		strbuf_addf(&out, "%s %s %" PRIu64 "\n", profile_module(p, p->nodes[c].frame),
			profile_name(p, p->nodes[c].frame, NULL), p->nodes[c].total);
	return strbuf_detach(&out);
}

static void check_modules(const struct placed *before, const struct placed *after, const char *want,
	const char *want_notes)
{
	struct profile a, b;
	struct strbuf notes = STRBUF_INIT;

	make_placed(&a, before);
	make_placed(&b, after);
	diff_match_modules(&a, &b, &notes);
	char *got = all_of(&a);

	assert_string_equal(got, want);
	assert_string_equal(notes.buf, want_notes);
	assert_string_equal(a.title, "title");
	assert_int_equal(a.account.kept, 3);
	free(got);
	strbuf_release(&notes);
	profile_release(&a);
	profile_release(&b);
}

static void test_modules(void **unused)
{
	static const struct placed old_place[] = {
		{"/v1/app", "run"}, {"/v1/app", "[app]"}, {"/lib/c.so", "puts"}, {NULL, NULL}};
	static const struct placed new_place[] = {
		{"/v2/app", "go"}, {"/lib/c.so", "puts"}, {"/lib/new.so", "puts"}, {NULL, NULL}};
	static const struct placed old_version[] = {{"/app-1", "run"}, {"/app-1", "walk"},
		{"/app-1", "[app-1]"}, {"/x.so", "only"}, {NULL, NULL}};
	static const struct placed new_version[] = {{"/app-2", "run"}, {"/app-2", "walk"},
		{"/app-2", "fly"}, {"/y.so", "run"}, {"/y.so", "a"}, {"/y.so", "b"}, {NULL, NULL}};
	static const struct placed others[] = {
		{"/z.so", "run"}, {"/z.so", "b"}, {"/z.so", "c"}, {NULL, NULL}};
	static const struct placed strangers[] = {
		{"/w.so", "run"}, {"/w.so", "d"}, {"/w.so", "e"}, {NULL, NULL}};

	(void)unused;
	check_modules(
		old_place, new_place, "/v2/app [app] 3\n/lib/c.so puts 3\n/v2/app run 3\n", "");
	check_modules(old_version, new_version,
		"/app-2 [app-2] 3\n/x.so only 3\n/app-2 run 3\n/app-2 walk 3\n",
		"'/app-1' before is matched with '/app-2' after\n");
	check_modules(others, strangers, "/z.so b 3\n/z.so c 3\n/z.so run 3\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_large_totals),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_above),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_limit_is_told),
		cmocka_unit_test(test_empty_sides),
		cmocka_unit_test(test_percentages),
		cmocka_unit_test(test_modules),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
