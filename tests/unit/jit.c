/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about frame pointers that machine code gives, and steps by them, from made-up code. */
#include "unwind/walk.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STACK = 0x7000, WORDS = 128, TEXT = 0x400000, SIZE = 16384 };

static uint64_t stack[WORDS];
static uint8_t text[SIZE];

static int read_memory(void *to, uint32_t size, uint64_t at)
{
	if (at < STACK || at > STACK + sizeof(stack) || STACK + sizeof(stack) - at < size)
		return -1;
	memcpy(to, (const char *)stack + (at - STACK), size);
	return 0;
}

static int read_text(void *to, uint32_t size, uint64_t at)
{
	if (at < TEXT || at > TEXT + SIZE || TEXT + SIZE - at < size)
		return -1;
	memcpy(to, text + (at - TEXT), size);
	return 0;
}

#define WALK_READ(w, to, size, at) ((void)(w), read_memory(to, size, at))
#define WALK_READ_CODE(w, to, size, at) ((void)(w), read_text(to, size, at))

#include "runtime/jit_step.h"

static struct walk w;

/* Puts code at TEXT + 8192; the pc of a leaf is BEFORE bytes in it; rsp is STACK + 0x40. */
static void put_code(const char *code, size_t size, size_t before)
{
	memset(text, 0x90, sizeof(text));
	memcpy(text + 8192, code, size);
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = STACK + 8 * i + 1;
	w = (struct walk){.known = (1 << NR_REGS) - 1, .map = {.start = TEXT, .end = TEXT + SIZE}};
	w.reg[REG_SP] = STACK + 0x40;
	w.reg[REG_FP] = STACK + 0x80;
	w.reg[REG_PC] = TEXT + 8192 + before;
}

#define CODE(before, ...)                                                                          \
	put_code((const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__}), before)

static void assert_frame(uint64_t ra_at, uint64_t fp)
{
	assert_int_equal(walk_by_jit(&w, jit_search_code(&w, w.map.start)), WALK_ON);
	assert_int_equal(w.reg[REG_PC], ra_at + 1);
	assert_int_equal(w.reg[REG_SP], ra_at + 8);
	assert_int_equal(w.reg[REG_FP], fp);
	assert_true(w.call);
	assert_int_equal(w.known, 1 << REG_FP | 1 << REG_SP | 1 << REG_PC);
}

/* The caller's rbp is at STACK + X. */
#define SAVED(x) (STACK + (x) + 1)

static void jit__frame_pointer(void **state)
{
	static const char *const begins[] = {"\x55\x48\x89\xe5", "\x55\x48\x8b\xec"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		put_code(begins[i], 4, 20);
		assert_int_equal(jit_search_code(&w, w.map.start), JIT_FRAME);
		assert_frame(STACK + 0x88, SAVED(0x80));
		put_code(begins[i], 4, 0);
		assert_frame(STACK + 0x40, STACK + 0x80);
		put_code(begins[i], 4, 1);
		assert_frame(STACK + 0x48, SAVED(0x40));
		put_code(begins[i], 4, 4);
		assert_frame(STACK + 0x88, SAVED(0x80));
	}
}

static void jit__no_frame_pointer(void **state)
{
	static const char *const begins[] = {"\x55\x48\x83\xec\x20", "\x55\x48\x81\xec\x20",
		"\x55\x41\x57\x41\x56", "\x55\x53\x48\x83\xec",
		"\x48\x83\xec\x18\x48\x89\x6c\x24\x10"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		put_code(begins[i], strlen(begins[i]), 20);
		assert_int_equal(jit_search_code(&w, w.map.start), JIT_NO_FRAME);
		assert_int_equal(walk_by_jit(&w, JIT_NO_FRAME), WALK_NO_RULE);
		w.call = true;
		assert_int_equal(walk_by_jit(&w, JIT_NO_FRAME), WALK_NO_RULE);
		put_code(begins[i], strlen(begins[i]), 0);
		assert_frame(STACK + 0x40, STACK + 0x80);
	}
	CODE(1, 0x55, 0x48, (char)0x83, (char)0xec, 0x20); /* between push and sub */
	assert_frame(STACK + 0x48, SAVED(0x40));
	CODE(4, 0x48, (char)0x83, (char)0xec, 0x18, 0x48, (char)0x89, 0x6c, 0x24, 0x18);
	assert_frame(STACK + 0x60, STACK + 0x80);
}

/* The nearest function start before the pc counts, however blocks divide the code. */
static void jit__nearest_beginning(void **state)
{
	(void)state;
	for (uint64_t gap = 5; gap < 5000; gap++) {
		CODE(5, 0x55, 0x48, (char)0x83, (char)0xec, 0x20);
		memcpy(text + 8192 - 16, "\x55\x48\x89\xe5", 4);
		w.reg[REG_PC] = TEXT + 8192 + gap;
		assert_int_equal(jit_search_code(&w, w.map.start), JIT_NO_FRAME);
	}
	CODE(0, 0x55, 0x48, (char)0x89, (char)0xe5);
	w.reg[REG_PC] = TEXT + 8192 + 4 + JIT_BLOCKS * (JIT_BLOCK - JIT_OVERLAP) + JIT_BLOCK;
	assert_int_equal(jit_search_code(&w, w.map.start), JIT_UNKNOWN); /* too far away */
	w.reg[REG_PC] = TEXT + 100; /* the mapping begins there */
	assert_int_equal(jit_search_code(&w, w.map.start), JIT_UNKNOWN);
}

static void jit__ends(void **state)
{
	static const struct {
		const char *code;
		size_t size;
		uint64_t ra_at;
		bool fp_saved;
	} ends[] = {
		{"\xc3", 1, STACK + 0x40, false},         /* ret */
		{"\xf3\xc3", 2, STACK + 0x40, false},     /* rep ret */
		{"\xc2\x20\x00", 3, STACK + 0x40, false}, /* ret $32 */
		{"\x5d\xc3", 2, STACK + 0x48, true},      /* pop %rbp; ret */
		{"\x5d\x49\x3b\xa7\x40\x03\x00\x00\x0f\x87", 10, STACK + 0x48, true},
		{"\x49\x3b\xa7\x40\x03\x00\x00\x0f\x87", 9, STACK + 0x40, false},
		{"\x49\x3b\x67\x40\x0f\x87", 6, STACK + 0x40, false},
		{"\x48\x83\xf9\x03\x7f\x03\xc2\x18", 8, STACK + 0x40, false},
		{"\x7f\x03\xc2\x18", 4, STACK + 0x40, false},
		{"\x41\x5a\x48\x8d\x24\xcc", 6, STACK + 0x40, false},
		{"\x5d\x85\x05\x01\x02\x03\x00\xc3", 8, STACK + 0x48, true},
		{"\x85\x05\x01\x02\x03\x00\xc3", 7, STACK + 0x40, false},
		{"\x5d\x4d\x8b\x57\x70\x41\x85\x02\xc3", 9, STACK + 0x48, true},
		{"\x4d\x8b\x57\x70\x41\x85\x02\xc3", 8, STACK + 0x40, false},
		{"\x4d\x8b\x97\x08\x01\x00\x00\x41\x85\x02\xc3", 11, STACK + 0x40, false},
		{"\x41\x85\x02\xc3", 4, STACK + 0x40, false},
		{"\x49\x83\x7f\x08\x00\x0f\x85\x01\x02\x03\x00\xc3", 12, STACK + 0x40, false},
		{"\x0f\x87\x01\x02\x03\x00\xc3", 7, STACK + 0x40, false}, /* ja …; ret */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		put_code(ends[i].code, ends[i].size, 0);
		assert_frame(ends[i].ra_at, ends[i].fp_saved ? SAVED(0x40) : STACK + 0x80);
		/* a return address there is not a leaf's pc */
		put_code(ends[i].code, ends[i].size, 0);
		memcpy(text + 8000, "\x55\x48\x89\xe5", 4);
		w.call = true;
		assert_frame(STACK + 0x88, SAVED(0x80));
	}
}

/* An interpreter returns to places that do not follow a call. */
static void jit__interpreter(void **state)
{
	(void)state;
	CODE(40, 0x41, (char)0xff, 0x24, (char)0xda);
	assert_int_equal(jit_search_code(&w, w.map.start), JIT_FRAME);
	assert_frame(STACK + 0x88, SAVED(0x80));
}

static void jit__frame_pointers_that_are_none(void **state)
{
	static const uint64_t bad[] = {1, STACK + 0x38, STACK + 0x84, STACK + sizeof(stack) - 8,
		STACK + 0x40 + WALK_JIT_MAX + 8};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CODE(20, 0x55, 0x48, (char)0x89, (char)0xe5);
		w.reg[REG_FP] = bad[i];
		assert_int_equal(walk_by_jit(&w, JIT_FRAME), WALK_NO_RULE);
	}
	/* nothing known: only returns to an address after a call count */
	CODE(20, 0x0f, 0x1f, 0);
	assert_int_equal(jit_search_code(&w, w.map.start), JIT_UNKNOWN);
	assert_int_equal(walk_by_jit(&w, JIT_UNKNOWN), WALK_NO_RULE);
	stack[0x88 / 8] = TEXT + 105;
	text[100] = 0xe8;
	assert_int_equal(walk_by_jit(&w, JIT_UNKNOWN), WALK_ON);
	assert_int_equal(w.reg[REG_PC], TEXT + 105);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jit__frame_pointer),
		cmocka_unit_test(jit__no_frame_pointer),
		cmocka_unit_test(jit__nearest_beginning),
		cmocka_unit_test(jit__ends),
		cmocka_unit_test(jit__interpreter),
		cmocka_unit_test(jit__frame_pointers_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
