/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames that the BPF programs remember as sent. */
#include "runtime/vm_sent.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SEED = 7, PID = 1302 };

static struct vm_sent_set *sets;

static int set_up(void **state)
{
	(void)state;
	sets = aligned_alloc(sizeof(*sets), VM_SENT_SETS * sizeof(*sets));
	assert_non_null(sets);
	for (size_t i = 0; i < VM_SENT_SETS; i++)
		sets[i] = (struct vm_sent_set){0};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(sets);
	return 0;
}

/* Frame NUMBER of a program: functions are 64 bytes apart, and each has 16 statements. */
static uint64_t key_of(uint64_t seed, uint32_t pid, uint64_t number)
{
	const struct vm_words words = {
		1ULL << 56 | (0x7f0000000000 + number / 16 * 64), 0x7f0000100000 + number % 16 * 4};

	return vm_sent_key(seed, pid, &words);
}

static bool has(uint64_t key)
{
	return vm_sent_has(&sets[vm_sent_index(key)], key);
}

static void add(uint64_t key)
{
	vm_sent_add(&sets[vm_sent_index(key)], key);
}

/* A frame that was not sent would have no name if it was taken for one that was. */
static void vm_sent__what_was_not_sent_is_not_there(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1 << 20; i++) {
		uint64_t key = key_of(SEED, PID, i);

		assert_false(has(key));
		add(key);
		assert_true(has(key));
	}
	for (uint64_t i = 1 << 20; i < 1 << 21; i++)
		assert_false(has(key_of(SEED, PID, i)));
	for (uint64_t i = 0; i < 1 << 20; i++) {
		assert_false(has(key_of(SEED, PID + 1, i)));
		assert_false(has(key_of(SEED + 1, PID, i)));
	}
}

/* The keys of near frames are spread over the sets. */
static void vm_sent__many_frames_fit(void **state)
{
	enum { NR = VM_SENT_SETS * VM_SENT_WAYS / 4 };
	size_t nr = 0;

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		add(key_of(SEED, PID, i));
	for (uint64_t i = 0; i < NR; i++)
		nr += has(key_of(SEED, PID, i));
	assert_in_range(nr, NR - NR / 1000, NR);
}

static void vm_sent__the_oldest_is_forgotten(void **state)
{
	struct vm_sent_set *set = sets;

	(void)state;
	assert_false(vm_sent_has(set, 1));
	for (uint64_t key = 1; key <= VM_SENT_WAYS + 2; key++)
		vm_sent_add(set, key);
	assert_false(vm_sent_has(set, 1));
	assert_false(vm_sent_has(set, 2));
	for (uint64_t key = 3; key <= VM_SENT_WAYS + 2; key++)
		assert_true(vm_sent_has(set, key));
}

#define TEST(name) cmocka_unit_test_setup_teardown(vm_sent__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_not_sent_is_not_there),
		TEST(many_frames_fit),
		TEST(the_oldest_is_forgotten),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
