/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers and callees of a function, and sums of functions, compared with a search through each
 * stack. */
#include "rules_test.h"
#include "view/function_match.h"
#include "view/report/calls.h"

enum { LETTERS = 4, STACKS = 2000, DEPTH = 8 };

/* Stacks of functions a to d, each with its number as weight. */
struct stacks {
	char text[STACKS][DEPTH + 1];
	struct profile p;
};

static void stacks_init(struct stacks *s, uint64_t seed)
{
	profile_init(&s->p);
	for (int i = 0; i < STACKS; i++) {
		uint32_t frames[DEPTH];
		size_t n = 1 + seed % DEPTH;

		for (size_t k = 0; k < n; k++) {
			seed = hash_u64(seed + 1);
			s->text[i][k] = (char)('a' + seed % LETTERS);
			frames[k] = frame(&s->p, FRAME_USER, (char[]){s->text[i][k], 0}, "m");
		}
		s->text[i][n] = '\0';
		profile_add(&s->p, frames, n, (uint64_t)i);
	}
	profile_finish(&s->p);
}

static uint64_t weight_of(const struct report_entries *f, const char *name, const char *category)
{
	for (uint32_t i = 0; i < f->nr; i++)
		if (!strcmp(profile_name(f->p, f->list[i].frame, NULL), name) &&
			!strcmp(entry_category(f, &f->list[i]), category))
			return f->list[i].inclusive;
	return 0;
}

/* Compares with a search through each stack; calls of "b" count once in a stack. */
static void test_calls(void **state)
{
	struct stacks s;
	struct report_entries callers, callees;
	struct report_entry of, again;
	struct function_match fn;
	uint64_t self = 0, inclusive = 0, root = 0, calls[LETTERS] = {0}, called[LETTERS] = {0};

	(void)state;
	stacks_init(&s, 5);
	for (int i = 0; i < STACKS; i++) {
		const char *text = s.text[i];

		self += text[strlen(text) - 1] == 'b' ? (uint64_t)i : 0;
		inclusive += strchr(text, 'b') ? (uint64_t)i : 0;
		root += *text == 'b' ? (uint64_t)i : 0;
		for (int k = 0; k < LETTERS; k++) {
			calls[k] +=
				strstr(text, (char[]){(char)('a' + k), 'b', 0}) ? (uint64_t)i : 0;
			called[k] +=
				strstr(text, (char[]){'b', (char)('a' + k), 0}) ? (uint64_t)i : 0;
		}
	}
	assert_int_equal(function_match_init(&fn, "b", NULL), 0);
	assert_true(function_match_settle(&fn, &(struct profile *){&s.p}, 1, NULL));
	calls_init_callers(&callers, &of, &s.p, &fn, NULL);
	calls_init_callees(&callees, &again, &s.p, &fn, NULL);
	assert_int_equal(of.self, self);
	assert_int_equal(of.inclusive, inclusive);
	assert_int_equal(again.inclusive, inclusive);
	assert_int_equal(callers.nr, LETTERS + 1);
	assert_int_equal(callees.nr, LETTERS);
	assert_int_equal(weight_of(&callers, "", ""), root);
	for (int k = 0; k < LETTERS; k++) {
		assert_int_equal(weight_of(&callers, (char[]){(char)('a' + k), 0}, "m"), calls[k]);
		assert_int_equal(weight_of(&callees, (char[]){(char)('a' + k), 0}, "m"), called[k]);
	}
	entries_release(&callers);
	entries_release(&callees);
	function_match_release(&fn);
	profile_release(&s.p);
}

static void test_no_calls(void **state)
{
	struct profile p;
	struct report_entries calls;
	struct report_entry of;
	struct function_match fn;

	(void)state;
	profile_init(&p);
	profile_finish(&p);
	assert_int_equal(function_match_init(&fn, "*", NULL), 0);
	assert_false(function_match_settle(&fn, &(struct profile *){&p}, 1, NULL));
	calls_init_callers(&calls, &of, &p, &fn, NULL);
	assert_int_equal(calls.nr, 0);
	assert_int_equal(of.inclusive, 0);
	entries_release(&calls);
	calls_init_callees(&calls, &of, &p, &fn, NULL);
	assert_int_equal(calls.nr, 0);
	entries_release(&calls);
	function_match_release(&fn);
	profile_release(&p);
}

/* Rules that callees inherit split functions; the self weights still add up to the total. */
static void test_sums_with_inherit(void **state)
{
	struct rules *rules = rules_of("first function=a\nbelow inherit function=b\n");
	struct stacks s;
	struct report_entries f, categories;
	uint64_t below_d = 0, below = 0, self = 0, self_of_categories = 0;

	(void)state;
	stacks_init(&s, 11);
	for (int i = 0; i < STACKS; i++) {
		const char *b = strchr(s.text[i], 'b');

		below += b ? (uint64_t)i : 0;
		below_d += b && strchr(b, 'd') ? (uint64_t)i : 0;
	}
	entries_init(&f, &s.p, rules);
	entries_init_categories(&categories, &s.p, rules);
	assert_int_equal(f.nr, 6); /* a, b; c and d with and without b above them */
	assert_int_equal(weight_of(&f, "d", "below"), below_d);
	assert_int_equal(categories.nr, 3);
	for (uint32_t i = 0; i < f.nr; i++)
		self += f.list[i].self;
	for (uint32_t i = 0; i < categories.nr; i++) {
		self_of_categories += categories.list[i].self;
		if (!strcmp(entry_category(&categories, &categories.list[i]), "below"))
			assert_int_equal(categories.list[i].inclusive, below);
	}
	assert_int_equal(self, s.p.nodes[0].total);
	assert_int_equal(self_of_categories, s.p.nodes[0].total);
	entries_release(&f);
	entries_release(&categories);
	profile_release(&s.p);
	rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_no_calls),
		cmocka_unit_test(test_sums_with_inherit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
