/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cycle of nginx with a list of zones of shared memory, and their slab allocators. */
#include "nginx/nginx_zones.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { LIST = 0x30, ARRAYS = 0x39, ZONE_WORDS = 10, SLAB_WORDS = 512, PAGES = 100, FREE = 6 };

static struct {
	uint64_t cycle_pointer, cycle[0x300 / 8], zone[ZONE_WORDS], slab[SLAB_WORDS];
	uint64_t part[3]; /* zones, their number, next part */
	char name[8];
} made;

static bool read_own(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	if (address - (uint64_t)(uintptr_t)&made > sizeof(made) - len)
		return false;
	memcpy(to, (const void *)(uintptr_t)address, len);
	return true;
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

/* Makes PAGE the first of a run of NR free pages, between the links BEFORE and AFTER. */
static void put_run(size_t page, uint64_t nr, const uint64_t *before, const uint64_t *after)
{
	uint64_t *p = &made.slab[PAGES + 3 * page];

	p[0] = nr;
	p[1] = address(after);
	p[2] = address(before);
}

/* Makes one zone of 20 pages, with free runs of three and two pages. */
static int make(void **state)
{
	uint64_t *slab = made.slab, *first = &slab[PAGES + 3 * 4], *second = &slab[PAGES + 3 * 9];

	(void)state;
	memset(&made, 0, sizeof(made));
	strcpy(made.name, "cache");
	made.cycle_pointer = address(made.cycle);
	made.cycle[ARRAYS] = 1;
	made.cycle[ARRAYS + 1] = 2;
	made.cycle[LIST + 1] = address(made.zone);
	made.cycle[LIST + 2] = 1;
	made.cycle[LIST + 4] = sizeof(made.zone);
	made.cycle[LIST + 5] = 1;
	made.zone[1] = address(slab);
	made.zone[2] = sizeof(made.slab);
	made.zone[3] = strlen(made.name);
	made.zone[4] = address(made.name);
	slab[2] = 8;
	slab[3] = 3;
	slab[4] = address(&slab[PAGES]);
	slab[5] = address(&slab[PAGES + 3 * 20]);
	slab[FREE + 1] = address(first);
	slab[9] = address(&slab[300]);
	slab[10] = 5;
	slab[24] = address(slab);
	put_run(4, 3, &slab[FREE], second);
	put_run(9, 2, first, &slab[FREE]);
	return 0;
}

static void read_zones(struct nginx_zones *z)
{
	const struct nginx_worker w = {.target = {.memory = {.read = read_own}},
		.layout = {
			.cycle = address(&made.cycle_pointer), .connections = 1, .read_events = 2}};
	const struct nginx_modules modules = {0};

	nginx_zones_read(&w, &modules, z);
}

/* Returns whether the one zone has a slab allocator that can be read. */
static bool has_slab(void)
{
	struct nginx_zones z;
	bool has;

	read_zones(&z);
	assert_true(z.is_known);
	assert_int_equal(z.nr, 1);
	has = z.list[0].has_slab;
	nginx_zones_release(&z);
	return has;
}

static void zones__free_pages(void **state)
{
	struct nginx_zones z;

	(void)state;
	read_zones(&z);
	assert_true(z.is_known);
	assert_int_equal(z.nr, 1);
	assert_string_equal(z.list[0].name, "cache");
	assert_true(z.list[0].has_slab);
	assert_int_equal(z.list[0].pages, 20);
	assert_int_equal(z.list[0].free_pages, 5);
	assert_int_equal(z.list[0].largest_free, 3);
	nginx_zones_release(&z);
}

static void zones__no_more_free_pages_than_pages(void **state)
{
	(void)state;
	made.slab[PAGES + 3 * 4] = 1ULL << 63;
	made.slab[PAGES + 3 * 9] = (1ULL << 63) + 5;
	assert_false(has_slab());
	make(NULL);
	made.slab[10] = made.slab[PAGES + 3 * 4] = 30;
	put_run(4, 30, &made.slab[FREE], &made.slab[FREE]);
	assert_false(has_slab());
}

/* The claimed number of pages does not matter. */
static void zones__free_pages_are_no_circle(void **state)
{
	const uint64_t *first = &made.slab[PAGES + 3 * 4], *second = &made.slab[PAGES + 3 * 9];

	(void)state;
	made.zone[2] = 1ULL << 60;
	made.slab[5] = address(made.slab) + (1ULL << 59);
	assert_true(has_slab());
	put_run(9, 2, first, first);
	assert_false(has_slab());
	put_run(9, 2, first, second);
	assert_false(has_slab());
}

static void zones__of_all_parts(void **state)
{
	struct nginx_zones z;

	(void)state;
	made.cycle[LIST + 3] = address(made.part);
	made.part[0] = address(made.zone);
	made.part[1] = 1;
	read_zones(&z);
	assert_true(z.is_known);
	assert_int_equal(z.nr, 2);
	assert_string_equal(z.list[1].name, "cache");
	nginx_zones_release(&z);
}

static void zones__not_known_if_a_part_is_unreadable(void **state)
{
	struct nginx_zones z;

	(void)state;
	made.cycle[LIST + 3] = address(made.part);
	made.part[0] = 8;
	made.part[1] = 1;
	read_zones(&z);
	assert_false(z.is_known);
	assert_int_equal(z.nr, 1);
	nginx_zones_release(&z);
}

static void zones__parts_are_no_circle(void **state)
{
	struct nginx_zones z;

	(void)state;
	made.cycle[LIST + 3] = address(made.part);
	made.part[2] = address(made.part);
	read_zones(&z);
	assert_false(z.is_known);
	nginx_zones_release(&z);
	made.part[2] = 0;
	assert_true(has_slab());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(zones__free_pages, make),
		cmocka_unit_test_setup(zones__no_more_free_pages_than_pages, make),
		cmocka_unit_test_setup(zones__free_pages_are_no_circle, make),
		cmocka_unit_test_setup(zones__of_all_parts, make),
		cmocka_unit_test_setup(zones__not_known_if_a_part_is_unreadable, make),
		cmocka_unit_test_setup(zones__parts_are_no_circle, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
