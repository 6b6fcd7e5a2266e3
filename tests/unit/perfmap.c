/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps: valid ones as JIT compilers write them, invalid ones, and half-written ones. */
#include "symbol/names/perfmap.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The addresses that are looked up: all low ones, and some high ones. */
enum { LOW = 0x4000 };

static const uint64_t high[] = {
	0x7f000000207f, 0x7f0000002080, 0x7f0000002088, UINT64_MAX - 1, UINT64_MAX};
static uint64_t addresses[LOW + ARRAY_LEN(high)];

static int set_addresses(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LOW; i++)
		addresses[i] = i;
	memcpy(addresses + LOW, high, sizeof(high));
	return 0;
}

static struct perfmap *map_of(const char *text, size_t len)
{
	FILE *f = tmpfile();
	struct perfmap *map;

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	map = perfmap_read(fileno(f), addresses, ARRAY_LEN(addresses));
	assert_int_equal(fclose(f), 0);
	return map;
}

static size_t index_of(uint64_t address)
{
	size_t i = address < LOW ? address : LOW;

	while (i < ARRAY_LEN(addresses) - 1 && addresses[i] != address)
		i++;
	assert_int_equal(addresses[i], address);
	return i;
}

/* Expects the function WANTED at ADDRESS, OFFSET bytes in, or no function if WANTED is NULL. */
static void expect(
	const struct perfmap *map, uint64_t address, const char *wanted, uint64_t wanted_offset)
{
	const char *name;
	uint64_t offset;

	if (!perfmap_find(map, index_of(address), &name, &offset)) {
		assert_null(wanted);
		return;
	}
	assert_non_null(wanted);
	assert_string_equal(name, wanted);
	assert_int_equal(offset, wanted_offset);
}

static void perfmap__functions_and_gaps(void **state)
{
	static const char text[] = "7f0000002000 80 JS:*fib /app/a b.js:1:13\n"
				   "1000 10 one\n"
				   "0x1010 0x20 LFoo;::bar(I)V\n"
				   "7F0000002080 8 upper\n";
	struct perfmap *map = map_of(text, strlen(text));

	(void)state;
	expect(map, 0, NULL, 0);
	expect(map, 0xfff, NULL, 0);
	expect(map, 0x1000, "one", 0);
	expect(map, 0x100f, "one", 0xf);
	expect(map, 0x1010, "LFoo;::bar(I)V", 0);
	expect(map, 0x102f, "LFoo;::bar(I)V", 0x1f);
	expect(map, 0x1030, NULL, 0);
	expect(map, 0x7f000000207f, "JS:*fib /app/a b.js:1:13", 0x7f);
	expect(map, 0x7f0000002080, "upper", 0);
	expect(map, 0x7f0000002088, NULL, 0);
	expect(map, UINT64_MAX, NULL, 0);
	perfmap_free(map);
	perfmap_free(NULL);
}

static void perfmap__the_later_line_holds(void **state)
{
	static const char text[] = "1000 100 old\n"
				   "1040 20 inside\n"
				   "1000 100 again\n"
				   "10c0 80 over the end\n"
				   "f80 90 over the start\n"
				   "1030 8 small\n"
				   "1020 20 around the small one\n";
	struct perfmap *map = map_of(text, strlen(text));

	(void)state;
	expect(map, 0xf80, "over the start", 0);
	expect(map, 0x100f, "over the start", 0x8f);
	expect(map, 0x1010, "again", 0x10);
	expect(map, 0x101f, "again", 0x1f);
	expect(map, 0x1020, "around the small one", 0);
	expect(map, 0x1030, "around the small one", 0x10);
	expect(map, 0x1040, "again", 0x40);
	expect(map, 0x10bf, "again", 0xbf);
	expect(map, 0x10c0, "over the end", 0);
	expect(map, 0x113f, "over the end", 0x7f);
	expect(map, 0x1140, NULL, 0);
	perfmap_free(map);
}

static void perfmap__what_is_no_function(void **state)
{
	static const char text[] = "\n"
				   "1000\n"
				   "1000 10\n"
				   "1000 10 \n"
				   "1000  10 two blanks\n"
				   " 1000 10 blank first\n"
				   "1000 0 empty\n"
				   "10g0 10 no number\n"
				   "0x 10 no digits\n"
				   "-1000 10 negative\n"
				   "10000000000001000 10 too big\n"
				   "1000 fffffffffffff001 past the end\n"
				   "1000 10 \0nothing\n"
				   "2000 10 good\0cut\n"
				   "3000 fffffffffffff000 huge\n"
				   "2fff 1 last byte\n"
				   "1000 10 half a li";
	struct perfmap *map = map_of(text, sizeof(text) - 1);

	(void)state;
	expect(map, 0x1000, NULL, 0);
	expect(map, 0x2000, "good", 0);
	expect(map, 0x2010, NULL, 0);
	expect(map, 0x2fff, "last byte", 0);
	perfmap_free(map);
	map = map_of("fffffffffffffff0 f end\n", 23);
	expect(map, UINT64_MAX - 1, "end", 14);
	expect(map, UINT64_MAX, NULL, 0);
	perfmap_free(map);
	map = map_of("", 0);
	expect(map, 0x1000, NULL, 0);
	perfmap_free(map);
	map = perfmap_read(-1, addresses, ARRAY_LEN(addresses));
	expect(map, 0x1000, NULL, 0);
	perfmap_free(map);
}

/* Every prefix of a map gives the names of its complete lines. */
static void perfmap__half_written(void **state)
{
	static const char text[] = "1000 10 first\n2000 10 second\n1000 10 third\n";

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		struct perfmap *map = map_of(text, len);

		expect(map, 0x1000, len < 14 ? NULL : "first", 0);
		expect(map, 0x2000, len < 29 ? NULL : "second", 0);
		perfmap_free(map);
	}
}

enum { BYTES = 1024, FUNCTIONS = 400, ROUNDS = 200 };

/* Compared with an array that has the last writer of each byte. */
static void perfmap__many_over_one_another(void **state)
{
	unsigned random = 1302;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		int owner[BYTES], starts[FUNCTIONS], nr = 1 + rand_r(&random) % FUNCTIONS;
		char *text = NULL, name[16];
		size_t len;
		FILE *out = open_memstream(&text, &len);

		memset(owner, -1, sizeof(owner));
		for (int i = 0; i < nr; i++) {
			int longest = rand_r(&random) % 3 ? 40 : BYTES;
			int size = 1 + rand_r(&random) % longest;

			starts[i] = rand_r(&random) % (BYTES - size + 1);
			fprintf(out, "%x %x f%d\n", starts[i], size, i);
			for (int k = 0; k < size; k++)
				owner[starts[i] + k] = i;
		}
		assert_int_equal(fclose(out), 0);
		struct perfmap *map = map_of(text, len);

		for (int at = 0; at < BYTES; at++) {
			snprintf(name, sizeof(name), "f%d", owner[at]);
			expect(map, (uint64_t)at, owner[at] < 0 ? NULL : name,
				owner[at] < 0 ? 0 : (uint64_t)(at - starts[owner[at]]));
		}
		expect(map, BYTES, NULL, 0);
		perfmap_free(map);
		free(text);
	}
}

/* A line that is longer than any name hides only itself. */
static void perfmap__endless_line(void **state)
{
	enum { LONG = 3 * LINES_MAX };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_adds(&text, "1000 10 first\n");
	strbuf_grow(&text, LONG);
	memset(text.buf + text.len, '0', LONG);
	text.len += LONG;
	strbuf_adds(&text, "\n2000 10 second\n");
	struct perfmap *map = map_of(text.buf, text.len);

	expect(map, 0x1000, "first", 0);
	expect(map, 0x2000, "second", 0);
	perfmap_free(map);
	strbuf_release(&text);
}

/* A map of a long run: a million functions, many of them where others were before. */
static void perfmap__a_million_lines(void **state)
{
	enum { NR = 1000000, PLACES = 300000 };
	const uint64_t base = 0x7f0000000000;
	uint64_t *sought = xcalloc(PLACES, sizeof(*sought)), offset;
	FILE *f = tmpfile();
	char wanted[64];
	const char *name;

	(void)state;
	assert_non_null(f);
	for (uint64_t i = 0; i < NR; i++)
		fprintf(f, "%lx 40 LazyCompile:*function_%lu /app/file.js:%lu:1\n",
			base + i * 7919 % PLACES * 0x40, i, i % 1000);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	for (uint64_t i = 0; i < PLACES; i++)
		sought[i] = base + i * 0x40 + 0x3f;
	int64_t before = monotonic_ns();
	struct perfmap *map = perfmap_read(fileno(f), sought, PLACES);

	printf("# %d lines in %.2f s\n", NR, (double)(monotonic_ns() - before) / 1e9);
	for (uint64_t i = NR - PLACES; i < NR; i++) { /* 7919 and PLACES have no common divisor */
		snprintf(wanted, sizeof(wanted), "LazyCompile:*function_%lu /app/file.js:%lu:1", i,
			i % 1000);
		assert_true(perfmap_find(map, i * 7919 % PLACES, &name, &offset));
		assert_string_equal(name, wanted);
		assert_int_equal(offset, 0x3f);
	}
	perfmap_free(map);
	free(sought);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfmap__functions_and_gaps),
		cmocka_unit_test(perfmap__the_later_line_holds),
		cmocka_unit_test(perfmap__what_is_no_function),
		cmocka_unit_test(perfmap__half_written),
		cmocka_unit_test(perfmap__many_over_one_another),
		cmocka_unit_test(perfmap__endless_line),
		cmocka_unit_test(perfmap__a_million_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_addresses, NULL);
}
