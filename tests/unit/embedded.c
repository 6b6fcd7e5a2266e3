/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF objects of the built-in engine's tools, which are opened here but not loaded. */
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/embedded.h"
#include "lib/util.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ADDRESS(name) &name##_tool,
static const struct bpf_tool *const tools[] = {BPF_TOOL_LIST(ADDRESS)};
#undef ADDRESS

/* Asserts that OBJECT has the maps of OTHER. */
static void assert_has_maps(const struct bpf_object *object, const struct bpf_object *other)
{
	const struct bpf_map *map;

	bpf_object__for_each_map(map, other)
	{
		const struct bpf_map *same =
			bpf_object__find_map_by_name(object, bpf_map__name(map));

		assert_non_null(same);
		assert_int_equal(bpf_map__type(same), bpf_map__type(map));
		assert_int_equal(bpf_map__key_size(same), bpf_map__key_size(map));
		assert_int_equal(bpf_map__value_size(same), bpf_map__value_size(map));
	}
}

/*
 * Asserts that OBJECT has the programs of OTHER. Returns how many instructions the programs of
 * OTHER have, without the functions that they call.
 */
static size_t assert_has_programs(const struct bpf_object *object, const struct bpf_object *other)
{
	const struct bpf_program *program = NULL;
	size_t nr = 0;

	while ((program = bpf_object__next_program(other, (struct bpf_program *)program))) {
		const struct bpf_program *same =
			bpf_object__find_program_by_name(object, bpf_program__name(program));

		assert_non_null(same);
		assert_string_equal(
			bpf_program__section_name(same), bpf_program__section_name(program));
		nr += bpf_program__insn_cnt(program);
	}
	return nr;
}

static void embedded__plain_has_the_same_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		struct bpf_object *object = embedded_open(tools[i]->object, NULL);
		struct bpf_object *plain = embedded_open(tools[i]->plain_object, NULL);

		assert_non_null(object);
		assert_non_null(plain);
		assert_has_maps(plain, object);
		assert_has_maps(object, plain);
		size_t nr = assert_has_programs(plain, object);

		assert_true(assert_has_programs(object, plain) < nr);
		bpf_object__close(object);
		bpf_object__close(plain);
	}
}

static void embedded__damaged(void **state)
{
	const struct embedded *whole = on_cpu_tool.object;
	struct embedded cut = {whole->bytes, whole->size - 1},
			later = {whole->bytes + 1, whole->size - 1};

	(void)state;
	errno = 0;
	assert_null(embedded_open(&cut, NULL));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(embedded_open(&later, NULL));
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embedded__plain_has_the_same_parts),
		cmocka_unit_test(embedded__damaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
