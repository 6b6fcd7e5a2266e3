/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which mappings of a process are searched for the code of its runtime. */
#include "runtime/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAPS = 200 };

static struct object objects[2];
static struct mapping maps[MAPS];
static uint32_t numbers[MAPS];
static struct processes ps = {.objects = objects, .nr_objects = 2, .maps = maps, .nr_maps = MAPS};
static struct process p = {.maps = numbers, .nr_maps = MAPS};

/* Mapping I is memory if IS_MEMORY(I), else of a file. */
static void make_maps(bool (*is_memory)(size_t i))
{
	objects[0].path = (char *)"";
	objects[1].path = (char *)"/usr/bin/guile";
	for (size_t i = 0; i < MAPS; i++) {
		maps[i] = (struct mapping){.object = !is_memory(i)};
		numbers[i] = (uint32_t)i;
	}
}

static size_t count_areas(void)
{
	struct jit_areas areas = {.ps = &ps, .p = &p};
	size_t nr = 0;

	for (const struct mapping *m; (m = jit_areas_next(&areas)); nr++)
		assert_int_equal(m->object, 0);
	return nr;
}

static bool is_every_tenth(size_t i)
{
	return i % 10 == 9;
}

static bool is_any(size_t i)
{
	return i < MAPS;
}

static bool is_none(size_t i)
{
	return i >= MAPS;
}

static void files_are_not_searched(void **state)
{
	(void)state;
	make_maps(is_every_tenth);
	assert_int_equal(count_areas(), MAPS / 10);
	make_maps(is_none);
	assert_int_equal(count_areas(), 0);
}

static void many_are_not_all_searched(void **state)
{
	(void)state;
	make_maps(is_any);
	assert_int_equal(count_areas(), 64);
}

/* Nothing of the process is read without an area: this one does not exist. */
static void nothing_without_an_area(void **state)
{
	struct jit_layout layout;

	(void)state;
	make_maps(is_none);
	assert_int_equal(jit_find(&ps, &p, &layout), FACET_NONE);
	assert_int_equal(layout.runtime, RUNTIME_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_not_searched),
		cmocka_unit_test(many_are_not_all_searched),
		cmocka_unit_test(nothing_without_an_area),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
