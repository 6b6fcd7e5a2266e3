/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/hash.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void hash_text__tells_lengths_apart(void **state)
{
	enum { LENGTHS = 100 };
	uint64_t seen[LENGTHS];

	(void)state;
	for (size_t len = 0; len < LENGTHS; len++) {
		char *zeros = xcalloc(len, 1); /* a sanitizer notices reads behind it */

		seen[len] = hash_text(zeros, len);
		assert_true(hash_text(zeros, len) == seen[len]);
		for (size_t i = 0; i < len; i++)
			assert_true(seen[i] != seen[len]);
		free(zeros);
	}
}

/* Adjacent pairs must not be equal in the low bits, which tables use. */
static void hash_pair__spreads_neighbours(void **state)
{
	enum { SIDE = 64, SLOTS = 2 * SIDE * SIDE };
	static unsigned slots[SLOTS];
	unsigned most = 0;

	(void)state;
	for (uint64_t a = 0; a < SIDE; a++)
		for (uint64_t b = 0; b < SIDE; b++)
			slots[hash_pair(a, b) % SLOTS]++;
	for (size_t i = 0; i < SLOTS; i++)
		most = slots[i] > most ? slots[i] : most;
	assert_in_range(most, 1, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_text__tells_lengths_apart),
		cmocka_unit_test(hash_pair__spreads_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
