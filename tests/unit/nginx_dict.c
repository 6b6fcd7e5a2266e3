/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dictionaries that this program makes as nginx's Lua module does. */
#include "nginx/nginx_dict.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { NODES = 200 };

struct made_queue {
	struct made_queue *previous, *next;
};

/* ngx_http_lua_shdict_shctx_t, and ngx_http_lua_shdict_node_t after the node of the tree */
struct made_dict {
	void *root, *sentinel_at, *insert;
	uint64_t sentinel[5];
	struct made_queue queue;
};

struct made_node {
	uint64_t tree[4];
	uint8_t colour, type;
	uint16_t key_len;
	uint32_t value_len;
	uint64_t expires;
	struct made_queue queue;
	char rest[24];
};

static struct {
	struct made_dict dict;
	struct made_node nodes[NODES];
} zone;

static bool read_own(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	if (address - (uint64_t)(uintptr_t)&zone > sizeof(zone) - len)
		return false;
	memcpy(to, (const void *)(uintptr_t)address, len);
	return true;
}

static int make(void **state)
{
	struct made_queue *last = &zone.dict.queue;

	(void)state;
	zone.dict.sentinel_at = zone.dict.sentinel;
	for (int i = 0; i < NODES; i++) {
		struct made_node *n = &zone.nodes[i];

		*n = (struct made_node){.key_len = 3, .value_len = 10, .queue = {.previous = last}};
		last->next = &n->queue;
		last = &n->queue;
	}
	last->next = &zone.dict.queue;
	zone.dict.queue.previous = last;
	return 0;
}

static bool read_zone(struct nginx_dict *dict)
{
	const struct memory memory = {.read = read_own};
	const struct nginx_zone z = {.address = (uint64_t)(uintptr_t)&zone,
		.size = sizeof(zone),
		.data = (uint64_t)(uintptr_t)&zone.dict};

	return nginx_dict_read(&memory, &z, dict);
}

static void dict__keys_and_bytes(void **state)
{
	struct nginx_dict dict;

	(void)state;
	assert_true(read_zone(&dict));
	assert_int_equal(dict.keys, NODES);
	assert_int_equal(dict.key_bytes, 3 * NODES);
	assert_int_equal(dict.value_bytes, 10 * NODES);
	assert_int_equal(dict.expired, 0);
}

static void dict__expired_to_the_millisecond(void **state)
{
	struct nginx_dict dict;

	(void)state;
	zone.nodes[0].expires = (uint64_t)realtime_ms() - 1;
	zone.nodes[1].expires = (uint64_t)realtime_ms() + 3600000;
	assert_true(read_zone(&dict));
	assert_int_equal(dict.expired, 1);
}

static void dict__not_one_that_changes(void **state)
{
	struct nginx_dict dict;

	(void)state;
	zone.nodes[100].queue.previous = &zone.nodes[5].queue;
	assert_false(read_zone(&dict));
	make(NULL);
	zone.nodes[NODES - 1].queue.next = &zone.nodes[0].queue;
	assert_false(read_zone(&dict));
	make(NULL);
	zone.nodes[7].queue.next = NULL;
	assert_false(read_zone(&dict));
	make(NULL);
	zone.dict.sentinel_at = NULL;
	assert_false(read_zone(&dict));
}

/* The size is the process's claim, and needs no memory. */
static void dict__in_a_zone_of_any_size(void **state)
{
	const struct memory memory = {.read = read_own};
	const struct nginx_zone z = {.address = (uint64_t)(uintptr_t)&zone,
		.size = UINT64_MAX / 2,
		.data = (uint64_t)(uintptr_t)&zone.dict};
	struct nginx_dict dict;

	(void)state;
	assert_false(nginx_dict_read(&memory, &z, &dict));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(dict__keys_and_bytes, make),
		cmocka_unit_test_setup(dict__expired_to_the_millisecond, make),
		cmocka_unit_test_setup(dict__not_one_that_changes, make),
		cmocka_unit_test_setup(dict__in_a_zone_of_any_size, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
