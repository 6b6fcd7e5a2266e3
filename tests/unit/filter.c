/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/filter.h"
#include "view/view.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NAMES = 6, DEEP = 8 };

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = hash_u64(state + 0x9e3779b97f4a7c15ULL);
	return (uint32_t)(state >> 32) % below;
}

/* One stack of letters, root first. */
struct stack {
	char names[DEEP + 1];
	uint64_t weight;
};

static void add_stack(struct profile *p, const struct stack *s)
{
	uint32_t frames[DEEP];
	size_t n = strlen(s->names);

	for (size_t i = 0; i < n; i++)
		frames[i] = profile_frame(p, FRAME_USER, s->names + i, 1, NULL, 0);
	profile_add(p, frames, n, s->weight);
}

static char *fold(struct profile *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	profile_finish(p);
	assert_int_equal(view_folded(p, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Computes the expected result for one stack. Returns false if nothing of it is left. */
static bool by_hand(struct stack *s, char only, char exclude, char skip_after, bool reverse)
{
	const char *last = strrchr(s->names, skip_after);
	size_t n;

	if (only && !strchr(s->names, only))
		return false;
	if (exclude && strchr(s->names, exclude))
		return false;
	if (skip_after && last)
		memmove(s->names, last, strlen(last) + 1);
	n = strlen(s->names);
	for (size_t i = 0; reverse && i < n / 2; i++) {
		char c = s->names[i];

		s->names[i] = s->names[n - 1 - i];
		s->names[n - 1 - i] = c;
	}
	return true;
}

static void add_to(struct function_match_list *list, char name)
{
	if (name)
		assert_int_equal(function_match_add(list, (char[]){name, '\0'}, NULL), 0);
}

static void check(char only, char exclude, char skip_after, bool reverse)
{
	struct filter filter = {.reverse = reverse};
	struct strbuf notes = STRBUF_INIT;
	struct profile p, want;
	uint64_t all = 0, left = 0;
	char *got, *wanted;

	profile_init(&p);
	profile_init(&want);
	for (int i = 0; i < 60; i++) {
		struct stack s = {.weight = 1 + rnd(9)};

		for (uint32_t n = 1 + rnd(DEEP), k = 0; k < n; k++)
			s.names[k] = (char)('a' + rnd(NAMES));
		add_stack(&p, &s);
		all += s.weight;
		if (!by_hand(&s, only, exclude, skip_after, reverse))
			continue;
		add_stack(&want, &s);
		left += s.weight;
	}
	p.account.kept = all;
	add_to(&filter.only, only);
	add_to(&filter.exclude, exclude);
	add_to(&filter.skip_after, skip_after);
	assert_int_equal(filter_apply(&filter, &p, &notes), 0);
	filter_release(&filter);
	got = fold(&p);
	wanted = fold(&want);
	assert_string_equal(got, wanted);
	assert_int_equal(p.account.kept, left);
	assert_int_equal(p.account.left_out, all - left);
	assert_int_equal(notes.len != 0, all != left);
	free(got);
	free(wanted);
	strbuf_release(&notes);
	profile_release(&p);
	profile_release(&want);
}

static void test_as_by_hand(void **unused)
{
	(void)unused;
	for (uint64_t seed = 1; seed < 200; seed++) {
		state = seed;
		check(seed & 1 ? 'a' : '\0', seed & 8 ? 'c' : '\0', seed & 2 ? 'b' : '\0',
			seed & 4);
	}
}

/* The facts about the whole profile are kept for each part of it. */
static void test_describes(void **unused)
{
	static const uint32_t none[1];
	struct timing timing = {.started = 1, .duration = 2, .period = 3, .cpus = 4};

	(void)unused;
	for (int i = 0; i < 3; i++) {
		struct filter filter = {.reverse = i == 2};
		struct strbuf notes = STRBUF_INIT;
		struct profile p;

		profile_init(&p);
		profile_set(&p.title, "title");
		profile_set(&p.unit, "us");
		p.timing = timing;
		profile_add(&p, none, 0, 1);
		if (i == 0)
			assert_int_equal(function_match_add(&filter.only, "a", NULL), 0);
		if (i == 1)
			assert_int_equal(function_match_add(&filter.skip_after, "a", NULL), 0);
		assert_int_equal(filter_apply(&filter, &p, &notes), 0);
		assert_memory_equal(&p.timing, &timing, sizeof(timing));
		assert_string_equal(p.title, "title");
		assert_string_equal(p.unit, "us");
		filter_release(&filter);
		strbuf_release(&notes);
		profile_release(&p);
	}
}

/* Reversed, it would be as large as the square of its depth. */
static void test_too_deep_to_reverse(void **unused)
{
	struct filter filter = {.reverse = true};
	struct strbuf notes = STRBUF_INIT;
	struct profile p;
	uint32_t frame, node = 0;

	(void)unused;
	profile_init(&p);
	frame = profile_frame(&p, FRAME_USER, "f", 1, NULL, 0);
	for (int i = 0; i < 12000; i++) {
		node = profile_child(&p, node, frame);
		p.nodes[node].self = 1;
	}
	assert_int_equal(filter_apply(&filter, &p, &notes), -1);
	assert_non_null(strstr(notes.buf, "72006000 frames"));
	strbuf_release(&notes);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_by_hand),
		cmocka_unit_test(test_describes),
		cmocka_unit_test(test_too_deep_to_reverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
