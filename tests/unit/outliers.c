/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of 251 slices of 20 ms, as sample-bt -t 5 makes them, whose functions are known. */
#include "lib/util.h"
#include "view/report/outliers_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SLICES = 251, FULL = 10 /* samples of a slice */ };

static void init(struct profile *p)
{
	profile_init(p);
	profile_set(&p->unit, "samples");
	p->times.slice_ns = 20000000;
	p->times.nr = SLICES;
}

/* Adds SAMPLES of the function NAME, which main calls, to each slice from FIRST to before END. */
static void run(struct profile *p, const char *name, uint32_t first, uint32_t end, uint64_t samples)
{
	struct series_pool pool;
	struct series_item item = {first + 1, end - first - 1, samples, samples};
	uint32_t stack[] = {profile_frame(p, FRAME_USER, "main", 4, "/bin/web", 8),
		profile_frame(p, FRAME_USER, name, strlen(name), "/bin/web", 8)};

	if (first == end)
		return;
	series_init(&pool);
	profile_add(p, stack, 2, samples * (end - first));
	profile_times_add(&p->times, profile_child(p, profile_child(p, 0, stack[0]), stack[1]),
		&pool, series_add(&pool, 0, &item));
	series_release(&pool);
}

/* Adds SAMPLES of the function STALL, and "work" for the rest of each of these slices. */
static void stall(struct profile *p, uint32_t first, uint32_t end, uint64_t samples)
{
	run(p, "stall", first, end, samples);
	run(p, "work", first, end, FULL - samples);
}

/* Returns the table of P, which is released. The caller frees it. */
static char *table_of(struct profile *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	profile_finish(p);
	assert_int_equal(outliers_report(p, GRID_CSV, 0, out), 0);
	fclose(out);
	profile_release(p);
	return text;
}

static void check(struct profile *p, const char *rows)
{
	char *want = xasprintf("from,to,weight,usual,function,module\n%s", rows);
	char *text = table_of(p);

	assert_string_equal(text, want);
	free(text);
	free(want);
}

/* The first and the last slice of a stall are only in part of it. */
static void a_stall__is_one_range(void **state)
{
	struct {
		uint32_t slices;
		const char *rows;
	} cases[] = {
		{13, "3.200,3.460,119,0,stall,/bin/web\n"},
		{26, "3.200,3.720,249,0,stall,/bin/web\n"},
		{38, "3.200,3.960,369,0,stall,/bin/web\n"},
		{50, "3.200,4.200,489,0,stall,/bin/web\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile p;
		uint32_t end = 160 + cases[i].slices;

		init(&p);
		run(&p, "work", 0, 160, FULL);
		stall(&p, 160, 161, FULL - 2);
		stall(&p, 161, end - 1, FULL);
		stall(&p, end - 1, end, 1);
		run(&p, "work", end, SLICES, FULL);
		check(&p, cases[i].rows);
	}
}

/* Returns a random number of samples from 0 to MOST, the same in each run. */
static uint64_t random_samples(uint32_t slice, uint64_t most)
{
	return hash_u64(slice + 1) % (most + 1);
}

/* A slice of a stall that chance leaves empty does not break it up, where others have few. */
static void a_stall__of_few_samples_is_one_range(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, 160, FULL);
	for (uint32_t i = 160; i < 190; i++)
		stall(&p, i, i + 1, i == 160 || i == 189 ? 4 : random_samples(i, 6));
	run(&p, "work", 190, SLICES, FULL);
	check(&p, "3.200,3.800,97,0,stall,/bin/web\n");
}

/* Nor does a slice in which nothing runs. */
static void a_stall__goes_on_without_a_processor(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, 160, FULL);
	stall(&p, 160, 170, FULL);
	stall(&p, 171, 186, FULL);
	run(&p, "work", 186, SLICES, FULL);
	check(&p, "3.200,3.720,250,0,stall,/bin/web\n");
}

/* Two stalls are two. */
static void stalls__are_not_joined(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, 100, FULL);
	stall(&p, 100, 120, FULL);
	run(&p, "work", 120, 122, FULL);
	stall(&p, 122, 140, FULL);
	run(&p, "work", 140, SLICES, FULL);
	check(&p, "2.000,2.400,200,0,stall,/bin/web\n2.440,2.800,180,0,stall,/bin/web\n");
}

/* What is sometimes more is found whole, too. */
static void more_than_usual__is_one_range(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, SLICES, FULL);
	run(&p, "extra", 0, 100, 10);
	run(&p, "extra", 100, 130, 60);
	run(&p, "extra", 130, SLICES, 10);
	check(&p, "2.000,2.600,2100,600,,\n2.000,2.600,2100,600,main,/bin/web\n"
		  "2.000,2.600,1800,300,extra,/bin/web\n");
}

/* A time without samples is found, too, although it is more than a tenth of the recording. */
static void a_pause__is_one_range(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, 100, FULL);
	run(&p, "work", 130, SLICES, FULL);
	check(&p, "2.000,2.600,0,300,,\n");
}

static void steady__is_usual(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	run(&p, "work", 0, SLICES, FULL);
	for (uint32_t i = 0; i < SLICES; i++)
		run(&p, "random", i, i + 1, random_samples(i, 12));
	check(&p, "");
}

/* What comes again and again is usual, also if it is a fifth of the time. */
static void periodic__is_usual(void **state)
{
	struct profile p;

	(void)state;
	init(&p);
	for (uint32_t i = 0; i + 10 < SLICES; i += 10) {
		run(&p, "work", i, i + 8, FULL);
		stall(&p, i + 8, i + 9, 4 + random_samples(i, 6));
		stall(&p, i + 9, i + 10, 4 + random_samples(i + 1, 6));
	}
	run(&p, "work", 250, SLICES, FULL);
	check(&p, "");
}

/* No phase of a program is unusual if it has only such phases. */
static void phases__are_usual(void **state)
{
	static const char *const names[] = {"load", "parse", "sort", "merge", "store"};
	struct profile p;

	(void)state;
	init(&p);
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		run(&p, names[i], i * 50, (i + 1) * 50 + (i == 4), FULL);
	check(&p, "");
}

/*
 * Wall time of a thread that sleeps most of each slice, but during a wait all of it, and
 * never while it computes: the waits are not joined over what it usually sleeps between them.
 */
static void waits__are_not_joined(void **state)
{
	const uint32_t at[] = {50, 100, 150, 200, SLICES};
	uint32_t from = 0;
	struct profile p;

	(void)state;
	init(&p);
	profile_set(&p.unit, "us");
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		run(&p, "serve", from, at[i], 6000);
		run(&p, "sleep", from, at[i], 14000);
		from = at[i] + 15;
		if (from < SLICES)
			run(&p, i % 2 ? "sleep" : "computes", at[i], from, 20000);
	}
	check(&p, "1.000,1.300,300000,0,computes,/bin/web\n"
		  "2.000,2.300,300000,210000,sleep,/bin/web\n"
		  "3.000,3.300,300000,0,computes,/bin/web\n"
		  "4.000,4.300,300000,210000,sleep,/bin/web\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stall__is_one_range),
		cmocka_unit_test(a_stall__of_few_samples_is_one_range),
		cmocka_unit_test(a_stall__goes_on_without_a_processor),
		cmocka_unit_test(stalls__are_not_joined),
		cmocka_unit_test(waits__are_not_joined),
		cmocka_unit_test(more_than_usual__is_one_range),
		cmocka_unit_test(a_pause__is_one_range),
		cmocka_unit_test(steady__is_usual),
		cmocka_unit_test(periodic__is_usual),
		cmocka_unit_test(phases__are_usual),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
