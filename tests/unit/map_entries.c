/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of real maps, with and without the kernel's support for batches. */
#include "bpf_test.h"
#include "engine/bpf/map_entries.h"

enum { NR = 1000 };

static uint32_t keys[NR], values[NR];

static struct map_entries entries(uint32_t max)
{
	return (struct map_entries){.keys = keys,
		.values = values,
		.key_size = sizeof(*keys),
		.value_size = sizeof(*values),
		.max = max};
}

static void fill(int fd, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t value = i * 3;

		put(fd, &i, &value);
	}
}

static void assert_all(const struct map_entries *e, uint32_t nr)
{
	uint64_t sum = 0;

	assert_int_equal(e->nr, nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(values[i], keys[i] * 3);
		sum += keys[i];
	}
	assert_int_equal(sum, (uint64_t)nr * (nr - 1) / 2);
}

static bool is_empty(int fd)
{
	uint32_t key;

	return bpf_map_get_next_key(fd, NULL, &key) == -ENOENT;
}

static void check_map(int fd)
{
	struct map_entries e = entries(NR);

	assert_int_equal(map_entries_read(&e, fd, true), 0);
	assert_int_equal(e.nr, 0);
	fill(fd, NR);
	assert_int_equal(map_entries_read(&e, fd, false), 0);
	assert_all(&e, NR);
	assert_false(is_empty(fd));
	assert_int_equal(map_entries_read(&e, fd, true), 0);
	assert_all(&e, NR);
	assert_true(is_empty(fd));
	close(fd);
}

static void map_entries__in_batches(void **state)
{
	(void)state;
	check_map(make_hash(sizeof(*keys), sizeof(*values), NR));
}

/* A trie, whose keys are a length in bits and the bits, cannot be read and emptied in batches. */
static void map_entries__one_by_one(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct {
		uint32_t bits, data;
	} key[NR];
	uint32_t value[NR];
	struct map_entries e = {.keys = key,
		.values = value,
		.key_size = sizeof(*key),
		.value_size = sizeof(*value),
		.max = NR};
	int fd = bpf_map_create(
		BPF_MAP_TYPE_LPM_TRIE, "test", sizeof(*key), sizeof(*value), NR, &opts);

	(void)state;
	if (fd < 0)
		skip();
	for (uint32_t i = 0; i < NR; i++) {
		key[0].bits = 32;
		key[0].data = i;
		put(fd, &key[0], &i);
	}
	for (int take = 0; take < 2; take++) {
		uint64_t sum = 0;

		assert_int_equal(map_entries_read(&e, fd, take), 0);
		assert_int_equal(e.nr, NR);
		for (uint32_t i = 0; i < NR; i++) {
			assert_int_equal(key[i].data, value[i]);
			sum += value[i];
		}
		assert_int_equal(sum, NR * (NR - 1) / 2);
	}
	assert_int_equal(map_entries_read(&e, fd, true), 0);
	assert_int_equal(e.nr, 0);
	close(fd);
}

static void map_entries__what_cannot_be_read_is_an_error(void **state)
{
	struct map_entries e = entries(NR);

	(void)state;
	assert_int_equal(map_entries_read(&e, -1, true), EBADF);
	assert_int_equal(map_entries_read(&e, -1, false), EBADF);
	assert_int_equal(e.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_entries__in_batches),
		cmocka_unit_test(map_entries__one_by_one),
		cmocka_unit_test(map_entries__what_cannot_be_read_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
