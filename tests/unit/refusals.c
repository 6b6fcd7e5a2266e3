/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/refusals.h"
#include "fleet/spool.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { WINDOWS = 8, PASSES = 100 };

/* A spool of windows that are called 0.rec.zst, 1.rec.zst … */
struct spool_of {
	char folder[32];
	struct spool_list files;
	struct refusals refusals;
};

static int make_spool(void **state)
{
	struct spool_of *s = xcalloc(1, sizeof(*s));

	strcpy(s->folder, "/tmp/refusals.XXXXXX");
	if (!mkdtemp(s->folder))
		return -1;
	for (int i = 0; i < WINDOWS; i++) {
		char *path = xasprintf("%s/0-on-cpu-%d.rec.zst", s->folder, i);

		fclose(fopen(path, "w"));
		free(path);
	}
	refusals_init(&s->refusals);
	*state = s;
	return spool_read(s->folder, &s->files, NULL);
}

static int delete_spool(void **state)
{
	struct spool_of *s = *state;
	struct spool_list left;

	spool_list_release(&s->files);
	spool_read(s->folder, &left, NULL);
	for (size_t i = 0; i < left.nr; i++)
		unlink(left.list[i].path);
	spool_list_release(&left);
	refusals_release(&s->refusals);
	rmdir(s->folder);
	free(s);
	return 0;
}

/* Fails at the window in a new pass. Returns whether it is still in the spool. */
static bool fail_at(struct spool_of *s, const struct spool_file *file, bool is_error)
{
	const struct strbuf why = {.buf = (char[]){"HTTP 500: it failed\n"}, .len = 20};

	refusals_begin_pass(&s->refusals);
	refusals_add(&s->refusals, file, is_error, &why);
	return refusals_has(&s->refusals, file);
}

static bool exists(const struct spool_file *file, const char *ending)
{
	char *path = xasprintf("%s%s", file->path, ending);
	bool found = !access(path, F_OK);

	free(path);
	return found;
}

/* An outage hits every window: none is set aside, however long it is. */
static void refusals_add__keeps_all_in_an_outage(void **state)
{
	struct spool_of *s = *state;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < s->files.nr; i++)
			assert_true(fail_at(s, &s->files.list[i], pass % 3 > 0));
	/* nor is it at its end: what failed before tells nothing */
	s->refusals.nr_taken++;
	for (size_t i = 0; i < s->files.nr; i++)
		assert_true(fail_at(s, &s->files.list[i], false));
}

/* Checks after how many trials a window is set aside, as others are taken between them. */
static void check_aside(struct spool_of *s, const struct spool_file *file, bool is_error, int nr)
{
	for (int i = 1; i < nr; i++) {
		assert_true(fail_at(s, file, is_error));
		assert_true(fail_at(s, file, is_error)); /* does not count */
		s->refusals.nr_taken++;
	}
	assert_true(exists(file, ""));
	assert_false(fail_at(s, file, is_error));
	assert_true(exists(file, ".refused") && !exists(file, ""));
}

static void refusals_add__sets_aside(void **state)
{
	struct spool_of *s = *state;

	check_aside(s, &s->files.list[0], false, 5);
	check_aside(s, &s->files.list[1], true, 12);
	/* the last answer decides, and what is taken in the end is forgotten */
	for (int i = 0; i < 8; i++, s->refusals.nr_taken++)
		assert_true(fail_at(s, &s->files.list[2], true));
	refusals_forget(&s->refusals, &s->files.list[2]);
	assert_false(refusals_has(&s->refusals, &s->files.list[2]));
	for (int i = 0; i < 8; i++, s->refusals.nr_taken++)
		assert_true(fail_at(s, &s->files.list[3], true));
	assert_false(fail_at(s, &s->files.list[3], false));
}

/* However many windows always fail, each other one is among the first ones some time. */
static void refusals_sort__gives_each_its_turn(void **state)
{
	enum { EACH = 3 }; /* trials in a pass */
	struct spool_of *s = *state;
	unsigned trials[WINDOWS] = {0};

	for (int pass = 0; pass < WINDOWS; pass++) {
		refusals_sort(&s->refusals, &s->files);
		for (size_t i = 0; i < EACH; i++) {
			trials[s->files.list[i].nr_events]++;
			fail_at(s, &s->files.list[i], true);
		}
	}
	for (int i = 0; i < WINDOWS; i++)
		assert_int_equal(trials[i], EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			refusals_add__keeps_all_in_an_outage, make_spool, delete_spool),
		cmocka_unit_test_setup_teardown(refusals_add__sets_aside, make_spool, delete_spool),
		cmocka_unit_test_setup_teardown(
			refusals_sort__gives_each_its_turn, make_spool, delete_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
