/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of zones of a cycle that this program has made as nginx does. */
#include "label/nginx/nginx_zones.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { CYCLE_WORDS = 0x300 / 8, LIST = 20, ZONE_WORDS = 11 };

struct made_part {
	uint64_t zones, nr, next; /* addresses: of the zones, of the next part */
};

static struct {
	uint64_t cycle_at;
	uint64_t cycle[CYCLE_WORDS];
	uint64_t zones[2][ZONE_WORDS];
	struct made_part second;
	char name[8];
} made;

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static bool read_own(void *context, uint64_t at, void *to, size_t len)
{
	(void)context;
	if (at - address(&made) > sizeof(made) - len)
		return false;
	memcpy(to, (const void *)(uintptr_t)at, len);
	return true;
}

static int make(void **state)
{
	struct made_part first = {address(made.zones[0]), 1, address(&made.second)};

	(void)state;
	made.cycle_at = address(made.cycle);
	memcpy(&made.cycle[LIST + 1], &first, sizeof(first));
	made.cycle[LIST + 4] = sizeof(made.zones[0]);
	made.cycle[LIST + 5] = 1;
	made.cycle[LIST + 9] = 0x1000; /* connections, then events */
	made.cycle[LIST + 10] = 0x2000;
	made.second = (struct made_part){address(made.zones[1]), 1, 0};
	memcpy(made.name, "one two", sizeof(made.name));
	for (int i = 0; i < 2; i++) {
		made.zones[i][3] = 3;
		made.zones[i][4] = address(made.name + 4 * i);
	}
	return 0;
}

static void read_made(struct nginx_zones *z)
{
	static const struct nginx_modules none;
	const struct nginx_worker w = {.target.memory.read = read_own,
		.layout = {.cycle = address(&made.cycle_at),
			.connections = 0x1000,
			.read_events = 0x2000}};

	nginx_zones_read(&w, &none, z);
}

static void zones__of_all_parts(void **state)
{
	struct nginx_zones z;

	(void)state;
	read_made(&z);
	assert_true(z.is_known);
	assert_int_equal(z.nr, 2);
	assert_string_equal(z.list[0].name, "one");
	assert_string_equal(z.list[1].name, "two");
	assert_false(z.list[0].has_slab);
	nginx_zones_release(&z);
}

static void zones__not_known_without_end(void **state)
{
	struct nginx_zones z;

	(void)state;
	made.second = (struct made_part){0, 0, address(&made.second)};
	read_made(&z);
	assert_false(z.is_known);
	assert_int_equal(z.nr, 1);
	nginx_zones_release(&z);
}

static void zones__not_known_if_unreadable(void **state)
{
	struct nginx_zones z;

	(void)state;
	made.second.zones = 8;
	read_made(&z);
	assert_false(z.is_known);
	assert_int_equal(z.nr, 1);
	nginx_zones_release(&z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(zones__of_all_parts, make),
		cmocka_unit_test_setup(zones__not_known_without_end, make),
		cmocka_unit_test_setup(zones__not_known_if_unreadable, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
