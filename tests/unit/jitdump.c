/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps of JIT compilers: valid ones, functions one after the other at an address, damaged ones. */
#include "symbol/names/jitdump.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void add_u32(struct strbuf *b, uint32_t value)
{
	strbuf_add(b, &value, sizeof(value));
}

static void add_u64(struct strbuf *b, uint64_t value)
{
	strbuf_add(b, &value, sizeof(value));
}

static struct strbuf begin(uint64_t flags)
{
	struct strbuf b = STRBUF_INIT;

	add_u32(&b, 0x4a695444);
	add_u32(&b, 1);
	add_u32(&b, 40);
	add_u32(&b, 62);
	add_u32(&b, 0);
	add_u32(&b, 11);
	add_u64(&b, 5);
	add_u64(&b, flags);
	return b;
}

static void add_prefix(struct strbuf *b, uint32_t kind, size_t size, uint64_t time)
{
	add_u32(b, kind);
	add_u32(b, (uint32_t)(16 + size));
	add_u64(b, time);
}

static void add_load(struct strbuf *b, uint64_t time, uint64_t start, uint64_t size, uint64_t index,
	const char *name)
{
	add_prefix(b, 0, 40 + strlen(name) + 1 + size, time);
	add_u64(b, 0x0b0000000b);
	add_u64(b, start);
	add_u64(b, start);
	add_u64(b, size);
	add_u64(b, index);
	strbuf_add(b, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		strbuf_addch(b, '\xcc');
}

static void add_move(struct strbuf *b, uint64_t time, uint64_t from, uint64_t to, uint64_t index)
{
	add_prefix(b, 1, 48, time);
	add_u64(b, 0x0b0000000b);
	add_u64(b, from);
	add_u64(b, from);
	add_u64(b, to);
	add_u64(b, 8);
	add_u64(b, index);
}

static void add_line(struct strbuf *b, uint64_t address, uint32_t line, const char *file)
{
	add_u64(b, address);
	add_u32(b, line);
	add_u32(b, 3);
	strbuf_add(b, file, strlen(file) + 1);
}

/* Reads the bytes of B, which are released. Returns NULL with a message in ERR. */
static struct jitdump *dump_of(
	struct strbuf *b, const struct jitdump_clock *clock, struct strbuf *err)
{
	FILE *f = tmpfile();
	struct jitdump *d;

	assert_non_null(f);
	assert_int_equal(fwrite(b->buf, 1, b->len, f), b->len);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	d = jitdump_read(fileno(f), clock, err);
	assert_int_equal(fclose(f), 0);
	strbuf_release(b);
	return d;
}

/* Expects the function WANTED, which starts at START, or no function if WANTED is NULL. */
static void expect(const struct jitdump *d, uint64_t address, uint64_t time, const char *wanted,
	uint64_t start)
{
	uint32_t function = jitdump_find(d, address, time);

	if (!wanted) {
		assert_int_equal(function, JITDUMP_NONE);
		return;
	}
	assert_int_not_equal(function, JITDUMP_NONE);
	assert_string_equal(jitdump_name(d, function), wanted);
	assert_int_equal(jitdump_start(d, function), start);
}

static void expect_error(struct strbuf b, const char *wanted)
{
	struct strbuf err = STRBUF_INIT;

	assert_null(dump_of(&b, NULL, &err));
	assert_non_null(strstr(err.buf, wanted));
	strbuf_release(&err);
}

static void jitdump__functions_and_gaps(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	add_load(&b, 10, 0x1000, 0x10, 0, "one");
	add_prefix(&b, 4, 8, 11); /* unwinding information */
	add_u64(&b, 7);
	add_load(&b, 12, 0x1ff0, 0x2020, 1, "on three pages");
	add_prefix(&b, 3, 0, 13);
	add_load(&b, 14, 0x9000, 8, 2, "behind the end");

	struct jitdump *d = dump_of(&b, NULL, NULL);

	assert_non_null(d);
	assert_int_equal(jitdump_nr(d), 2);
	assert_false(jitdump_is_cut(d));
	assert_false(jitdump_has_cycles(d));
	expect(d, 0xfff, 20, NULL, 0);
	expect(d, 0x1000, 20, "one", 0x1000);
	expect(d, 0x100f, 20, "one", 0x1000);
	expect(d, 0x1010, 20, NULL, 0);
	expect(d, 0x1ff0, 20, "on three pages", 0x1ff0);
	expect(d, 0x2800, 20, "on three pages", 0x1ff0);
	expect(d, 0x400f, 20, "on three pages", 0x1ff0);
	expect(d, 0x4010, 20, NULL, 0);
	expect(d, 0x9000, 20, NULL, 0);
	assert_int_equal(jitdump_passed(d, 9), 0);
	assert_int_equal(jitdump_passed(d, 10), 1);
	assert_int_equal(jitdump_passed(d, JITDUMP_LATEST), 2);
	jitdump_free(d);
	jitdump_free(NULL);
}

static void jitdump__times(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	add_load(&b, 100, 0x1000, 0x100, 0, "first");
	add_load(&b, 300, 0x1080, 0x100, 1, "third"); /* of another thread, written earlier */
	add_load(&b, 200, 0x1040, 0x20, 2, "second");
	add_move(&b, 400, 0x1000, 0x8000, 0);
	add_load(&b, 500, 0x1000, 8, 3, "fourth");
	add_move(&b, 600, 0x1000, 0x9000, 77); /* of no function */

	struct jitdump *d = dump_of(&b, NULL, NULL);

	expect(d, 0x1000, 50, "first", 0x1000); /* it has run before its record was written */
	expect(d, 0x1000, 499, "first", 0x1000);
	expect(d, 0x1000, 500, "fourth", 0x1000);
	expect(d, 0x1008, 500, "first", 0x1000);
	expect(d, 0x1040, 199, "first", 0x1000);
	expect(d, 0x1040, 200, "second", 0x1040);
	expect(d, 0x1080, 299, "first", 0x1000);
	expect(d, 0x1080, 300, "third", 0x1080);
	expect(d, 0x1000, 0, "first", 0x1000);
	expect(d, 0x1000, JITDUMP_LATEST, "fourth", 0x1000);
	expect(d, 0x8010, 500, "first", 0x8000);
	expect(d, 0x9000, 700, NULL, 0);
	jitdump_free(d);
}

static void jitdump__cycles(void **state)
{
	static const struct jitdump_clock clock = {.shift = 4, .multiplier = 8, .zero = 1000};
	struct strbuf b = begin(1);

	(void)state;
	add_load(&b, 100, 0x1000, 0x10, 0, "old");
	add_load(&b, 201, 0x1000, 0x10, 1, "new"); /* 1000 + 12 * 8 + (9 * 8 >> 4) */

	struct jitdump *d = dump_of(&b, &clock, NULL);

	assert_true(jitdump_has_cycles(d));
	expect(d, 0x1000, 1099, "old", 0x1000);
	expect(d, 0x1000, 1100, "new", 0x1000);
	jitdump_free(d);
}

static void expect_line(
	const struct jitdump *d, uint64_t address, uint32_t line, const char *wanted)
{
	uint32_t function = jitdump_find(d, address, JITDUMP_LATEST);
	const char *file;

	assert_int_not_equal(function, JITDUMP_NONE);
	assert_int_equal(jitdump_line(d, function, address, &file), line);
	if (line)
		assert_string_equal(file, wanted);
}

static void jitdump__lines(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	add_prefix(&b, 2, 16 + (16 + 5) * 2 + 16 + 2 + 16 + 5, 10);
	add_u64(&b, 0x1000);
	add_u64(&b, 4);
	add_line(&b, 0x1002, 7, "a.js");
	add_line(&b, 0x1008, 9, "b.js");
	add_line(&b, 0x1004, 8, "\xff"); /* the file before */
	add_line(&b, 0x100c, 6, "b.js");
	add_load(&b, 10, 0x1000, 0x10, 0, "f");
	add_prefix(&b, 2, 16 + 16 + 5, 11);
	add_u64(&b, 0x2000);
	add_u64(&b, 1);
	add_line(&b, 0x2044, 5, "a.js"); /* V8 adds the size of an ELF header */
	add_load(&b, 12, 0x2000, 0x10, 1, "JS:*g a.js:5:1");
	add_prefix(&b, 2, 16 + 16 + 5, 13);
	add_u64(&b, 0x3000);
	add_u64(&b, 1);
	add_line(&b, 0x3000, 5, "a.js");
	add_load(&b, 14, 0x4000, 0x10, 2, "another one");
	add_load(&b, 15, 0x3000, 0x10, 3, "too late");

	struct jitdump *d = dump_of(&b, NULL, NULL);

	expect_line(d, 0x1001, 0, NULL);
	expect_line(d, 0x1003, 7, "a.js");
	expect_line(d, 0x1004, 8, "b.js");
	expect_line(d, 0x100b, 9, "b.js");
	expect_line(d, 0x100f, 6, "b.js");
	expect_line(d, 0x2003, 0, NULL);
	expect_line(d, 0x2004, 5, "a.js");
	expect_line(d, 0x3000, 0, NULL);
	expect_line(d, 0x4000, 0, NULL);
	jitdump_free(d);
}

static void jitdump__what_is_no_function(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	add_load(&b, 10, 0x1000, 0, 0, "empty");
	add_load(&b, 10, 0x2000, 8, 1, "");
	add_load(&b, 10, UINT64_MAX - 6, 8, 2, "over the end");
	add_load(&b, 10, UINT64_MAX - 7, 8, 3, "at the end");
	add_prefix(&b, 0, 40, 10); /* a load whose code is not in the record */
	add_u64(&b, 0);
	add_u64(&b, 0x3000);
	add_u64(&b, 0x3000);
	add_u64(&b, 1000);
	add_u64(&b, 4);
	add_prefix(&b, 0, 8, 10); /* shorter than its fields */
	add_u64(&b, 0);
	add_load(&b, 10, 0x4000, 8, 5, "good");

	struct jitdump *d = dump_of(&b, NULL, NULL);

	assert_int_equal(jitdump_nr(d), 2);
	expect(d, 0x3000, 20, NULL, 0);
	expect(d, UINT64_MAX, 20, "at the end", UINT64_MAX - 7);
	expect(d, 0x4000, 20, "good", 0x4000);
	assert_false(jitdump_is_cut(d));
	jitdump_free(d);
}

/* Whatever is missing of the end, the functions before are there, and a cut in a record is told. */
static void jitdump__cut_anywhere(void **state)
{
	struct strbuf whole = begin(0);
	size_t first, second;

	(void)state;
	add_load(&whole, 10, 0x1000, 16, 0, "first");
	first = whole.len;
	add_load(&whole, 11, 0x2000, 16, 1, "second");
	second = whole.len;
	for (size_t len = 40; len <= second; len++) {
		struct strbuf b = STRBUF_INIT;
		struct jitdump *d;

		strbuf_add(&b, whole.buf, len);
		d = dump_of(&b, NULL, NULL);
		assert_non_null(d);
		assert_int_equal(jitdump_is_cut(d), len != 40 && len != first && len != second);
		if (len >= first)
			expect(d, 0x1008, 20, "first", 0x1000);
		if (len == second)
			expect(d, 0x2008, 20, "second", 0x2000);
		jitdump_free(d);
	}
	strbuf_release(&whole);
}

static void jitdump__refused(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	b.len = 39;
	expect_error(b, "not a dump");
	b = begin(0);
	b.buf[0] = 'J';
	b.buf[1] = 'i';
	b.buf[2] = 'T';
	b.buf[3] = 'D';
	expect_error(b, "other byte order");
	b = begin(0);
	b.buf[0] = 'x';
	expect_error(b, "not a dump");
	b = begin(0);
	b.buf[4] = 2;
	expect_error(b, "version 2");
	b = begin(0);
	b.buf[8] = 39;
	expect_error(b, "header is damaged");
	expect_error((struct strbuf)STRBUF_INIT, "not a dump");
}

/* A record that has no size ends what can be read; a header may be longer. */
static void jitdump__sizes(void **state)
{
	struct strbuf b = begin(0);

	(void)state;
	b.buf[8] = 48;
	add_u64(&b, 0);
	add_load(&b, 10, 0x1000, 8, 0, "first");
	add_u64(&b, 0);
	add_u64(&b, 0);
	add_load(&b, 10, 0x2000, 8, 1, "second");

	struct jitdump *d = dump_of(&b, NULL, NULL);

	assert_true(jitdump_is_cut(d));
	expect(d, 0x1000, 20, "first", 0x1000);
	expect(d, 0x2000, 20, NULL, 0);
	jitdump_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jitdump__functions_and_gaps),
		cmocka_unit_test(jitdump__times),
		cmocka_unit_test(jitdump__cycles),
		cmocka_unit_test(jitdump__lines),
		cmocka_unit_test(jitdump__what_is_no_function),
		cmocka_unit_test(jitdump__cut_anywhere),
		cmocka_unit_test(jitdump__refused),
		cmocka_unit_test(jitdump__sizes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
