/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of a JVM, found in made-up memory, and the rules for code in it. */
#include "runtime/java/hotspot_find.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Memory: the data of libjvm.so, then a code heap of SEGMENTS segments of 128 bytes. */
enum {
	BASE = 0x100000,
	SIZE = 1 << 17,
	CODE = BASE + 0x10000,
	SEGMENTS = 256,
	MAP = BASE + 0x8000
};

static unsigned char memory[SIZE];
static uint64_t strings, entries, symbol[HOTSPOT_SYMBOLS];

static int read_bytes(void *to, size_t size, uint64_t at)
{
	if (at < BASE || at > BASE + SIZE || BASE + SIZE - at < size)
		return -1;
	memcpy(to, memory + (at - BASE), size);
	return 0;
}

#define WALK_READ(w, to, size, at) ((void)(w), read_bytes(to, size, at))
#define WALK_READ_CODE(w, to, size, at) ((void)(w), read_bytes(to, size, at))

#include "runtime/native_step.h"

static bool read_memory(void *context, uint64_t at, void *to, size_t size)
{
	(void)context;
	return !read_bytes(to, size, at);
}

static const struct hotspot_memory target = {read_memory, NULL};
static struct hotspot_layout layout;

/* Kinds of rules: UNWIND_CFA_… or one of these. */
enum { NO_FRAME = 256, METHOD, SENDER, INTERPRETER };

static bool find_rule(struct walk *w, struct unwind_rule *rule)
{
	struct jit_layout jit = {.runtime = RUNTIME_JAVA};

	memcpy(jit.data, &layout, sizeof(layout));
	return native_rule(w, &jit, rule);
}

static int kind_of(const struct unwind_rule *r)
{
	if (r->cfa == RUNTIME_CFA(UNKNOWN) && r->index == JIT_NO_FRAME)
		return NO_FRAME;
	return r->cfa == RUNTIME_CFA(JAVA) ? METHOD + r->index : r->cfa;
}

static void put(uint64_t at, const void *bytes, size_t size)
{
	assert_true(at >= BASE && at + size <= BASE + SIZE);
	memcpy(memory + (at - BASE), bytes, size);
}

static void put_word(uint64_t at, uint64_t value)
{
	put(at, &value, sizeof(value));
}

static void put_int(uint64_t at, int32_t value)
{
	put(at, &value, sizeof(value));
}

static uint64_t string(const char *s)
{
	uint64_t at = strings;

	put(at, s, strlen(s) + 1);
	strings += strlen(s) + 1;
	return at;
}

/* Adds a row like gHotSpotVMStructs: names of the type, the field and its type, offset, address. */
static void field(
	const char *owner, const char *name, const char *type, uint64_t offset, uint64_t at)
{
	put_word(entries, string(owner));
	put_word(entries + 8, string(name));
	put_word(entries + 16, string(type));
	put_word(entries + 32, offset);
	put_word(entries + 40, at);
	entries += 48;
}

static void static_field(const char *owner, const char *name, uint64_t at)
{
	field(owner, name, "address", 0, at);
}

/* The options of the JVM. */
enum { OPTIONS = BASE + 0x7400, NR_OPTIONS = 3, OPTION_SIZE = 32 };

enum {
	FIELD_TABLE = BASE + 0x1000,
	TYPE_TABLE = BASE + 0x2000,
	STRINGS = BASE + 0x3000,
	NUMBERS = BASE + 0x5000,
	STATICS = BASE + 0x5800, /* 0 heaps, 8 heap, 16 interpreter, 24 call stub, 32 options */
	HEAP = BASE + 0x6000,
	ARRAY = BASE + 0x7000,
	QUEUE = BASE + 0x7100,
	POINTERS = BASE + 0x7200,
};

enum release { JDK_8, JDK_11, JDK_17, JDK_25 };

static void put_fields(enum release jdk)
{
	if (jdk == JDK_8)
		static_field("CodeCache", "_heap", STATICS + 8);
	else
		static_field("CodeCache", "_heaps", STATICS);
	field(jdk == JDK_11 ? "GenericGrowableArray" : "GrowableArrayBase", "_len", "int", 4, 0);
	field("GrowableArray<int>", "_data", "int*", 8, 0);
	field("CodeHeap", "_memory", "VirtualSpace", 8, 0);
	field("CodeHeap", "_segmap", "VirtualSpace", 120, 0);
	field("CodeHeap", "_log2_segment_size", "int", 256, 0);
	field("VirtualSpace", "_low", "char*", 16, 0);
	field("VirtualSpace", "_high_boundary", "char*", 8, 0);
	field("HeapBlock::Header", "_used", "bool", jdk == JDK_25 ? 4 : 8, 0);
	field("CodeBlob", "_size", "int", 12, 0);
	field("CodeBlob", "_frame_size", "int", 28, 0);
	field("CodeBlob", "_frame_complete_offset", jdk == JDK_25 ? "int16_t" : "int", 20, 0);
	if (jdk == JDK_8 || jdk == JDK_25)
		field("CodeBlob", "_code_offset", "int", 36, 0);
	else
		field("CodeBlob", "_code_begin", "address", 32, 0);
	static_field("AbstractInterpreter", "_code", STATICS + 16);
	field("StubQueue", "_stub_buffer", "address", 8, 0);
	field("StubQueue", "_buffer_limit", "int", 20, 0);
	field("InterpreterCodelet", "_description", "const char*", 0, 0);
	field("InterpreterCodelet", "_size", "int", 8, 0);
	static_field("StubRoutines", "_call_stub_return_address", STATICS + 24);
	const char *option = jdk == JDK_8 ? "Flag" : "JVMFlag";

	static_field(option, "flags", STATICS + 32);
	static_field(option, "numFlags", STATICS + 40);
	field(option, "_name", "const char*", 8, 0);
	field(option, "_addr", "void*", 16, 0);
}

static void put_tables(enum release jdk)
{
	static const uint64_t numbers[HOTSPOT_SYMBOLS] = {[HOTSPOT_FIELDS] = FIELD_TABLE,
		[HOTSPOT_FIELD_STRIDE] = 48,
		[HOTSPOT_FIELD_OWNER] = 0,
		[HOTSPOT_FIELD_NAME] = 8,
		[HOTSPOT_FIELD_TYPE] = 16,
		[HOTSPOT_FIELD_OFFSET] = 32,
		[HOTSPOT_FIELD_ADDRESS] = 40,
		[HOTSPOT_TYPES] = TYPE_TABLE,
		[HOTSPOT_TYPE_STRIDE] = 24,
		[HOTSPOT_TYPE_NAME] = 0,
		[HOTSPOT_TYPE_SIZE] = 16};

	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++) {
		symbol[i] = NUMBERS + 8 * i;
		put_word(symbol[i], numbers[i]);
	}
	strings = STRINGS;
	entries = FIELD_TABLE;
	put_fields(jdk);
	put_word(TYPE_TABLE, string("CodeHeap"));
	put_word(TYPE_TABLE + 16, 344);
	put_word(TYPE_TABLE + 24, string("HeapBlock"));
	put_word(TYPE_TABLE + 40, jdk == JDK_25 ? 8 : 16);
	put_word(TYPE_TABLE + 48, string(jdk == JDK_8 ? "Flag" : "JVMFlag"));
	put_word(TYPE_TABLE + 64, OPTION_SIZE);
}

/* Adds option I of the JVM; its value follows the table. */
static void put_option(uint64_t i, const char *name, char value)
{
	uint64_t at = OPTIONS + i * OPTION_SIZE, value_at = OPTIONS + 0x100 + i;

	put_word(at + 8, string(name));
	put_word(at + 16, value_at);
	put(value_at, &value, 1);
}

/* A JVM with one heap; the interpreter has its last 16 segments. */
static void put_jvm(enum release jdk)
{
	memset(memory, 0, sizeof(memory));
	put_tables(jdk);
	put_word(STATICS, ARRAY);
	put_word(STATICS + 8, HEAP);
	put_word(STATICS + 16, QUEUE);
	put_word(STATICS + 24, CODE + 0x40);
	put_int(ARRAY + 4, 1);
	put_word(ARRAY + 8, POINTERS);
	put_word(POINTERS, HEAP);
	put_word(HEAP + 8 + 16, CODE);
	put_word(HEAP + 8 + 8, CODE + SEGMENTS * 128);
	put_word(HEAP + 120 + 16, MAP);
	put_int(HEAP + 256, 7);
	put_word(QUEUE + 8, CODE + (SEGMENTS - 16) * 128);
	put_int(QUEUE + 20, 16 * 128);
	memset(memory + (MAP - BASE), HOTSPOT_FREE, SEGMENTS);
	put_word(STATICS + 32, OPTIONS);
	put_word(STATICS + 40, NR_OPTIONS);
	put_option(0, "UseSerialGC", 1);
	put_option(1, "DisableAttachMechanism", 0);
	put_option(2, "ReduceSignalUsage", 1);
}

static enum hotspot_end find(void)
{
	return hotspot_find(&target, symbol, &layout);
}

static void hotspot__layouts(void **state)
{
	static const uint8_t code[] = {[JDK_8] = 52, [JDK_11] = 48, [JDK_17] = 48, [JDK_25] = 44};

	(void)state;
	for (int jdk = JDK_8; jdk <= JDK_25; jdk++) {
		uint8_t header = jdk == JDK_25 ? 8 : 16;

		put_jvm(jdk);
		assert_int_equal(find(), HOTSPOT_FOUND);
		assert_int_equal(layout.heap[0].begin, CODE);
		assert_int_equal(layout.heap[0].end, CODE + SEGMENTS * 128);
		assert_int_equal(layout.heap[0].segments, MAP);
		assert_int_equal(layout.heap[1].end, 0);
		assert_int_equal(layout.shift, 7);
		assert_int_equal(layout.interpreter, CODE + (SEGMENTS - 16) * 128);
		assert_int_equal(layout.interpreter_end, CODE + SEGMENTS * 128);
		assert_int_equal(layout.call_stub, CODE + 0x40);
		assert_int_equal(layout.blob, header);
		assert_int_equal(layout.used, header / 2);
		assert_int_equal(layout.frame_size, header + 28);
		assert_int_equal(layout.frame_complete, header + 20);
		assert_int_equal(layout.is_short, jdk == JDK_25);
		assert_int_equal(layout.is_offset, jdk == JDK_8 || jdk == JDK_25);
		assert_int_equal(layout.code, code[jdk]);
	}
}

/* The JVM has not made its heaps yet, or its interpreter. */
static void hotspot__not_initialised(void **state)
{
	static const uint64_t words[] = {STATICS, ARRAY + 4, HEAP + 24, HEAP + 136, STATICS + 16,
		STATICS + 24, QUEUE + 8, NUMBERS + 8 * HOTSPOT_FIELD_STRIDE,
		NUMBERS + 8 * HOTSPOT_TYPE_STRIDE};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		put_jvm(JDK_17);
		put_int(words[i], 0);
		assert_int_equal(find(), HOTSPOT_YOUNG);
	}
}

static void hotspot__bad_values(void **state)
{
	static const struct {
		uint64_t at, value;
	} bad[] = {
		{NUMBERS + 8 * HOTSPOT_FIELDS, 0},
		{NUMBERS + 8 * HOTSPOT_FIELDS, UINT64_MAX},
		{NUMBERS + 8 * HOTSPOT_FIELD_STRIDE, UINT64_MAX},
		{NUMBERS + 8 * HOTSPOT_FIELD_STRIDE, 1},
		{NUMBERS + 8 * HOTSPOT_FIELD_OFFSET, UINT64_MAX - 7},
		{NUMBERS + 8 * HOTSPOT_FIELD_OFFSET, 1 << 20},
		{NUMBERS + 8 * HOTSPOT_TYPE_SIZE, 1 << 20},
		{FIELD_TABLE, BASE + SIZE - 1}, /* no string ends there */
		{FIELD_TABLE, 8},
		{FIELD_TABLE + 4 * 48, 0}, /* the table ends early */
		{FIELD_TABLE + 3 * 48 + 32, 1 << 20},
		{FIELD_TABLE + 9 * 48 + 32, 1 << 10},
		{FIELD_TABLE + 10 * 48 + 32, 29}, /* not aligned */
		{FIELD_TABLE + 11 * 48 + 16, 8},  /* without a type */
		{TYPE_TABLE + 40, 0},
		{TYPE_TABLE + 40, 1 << 20},
		{STATICS, 8},
		{STATICS + 16, 8},
		{ARRAY + 4, 5},
		{ARRAY + 8, 8},
		{POINTERS, 8},
		{HEAP + 16, CODE},
		{HEAP + 16, 1ULL << 48},
		{HEAP + 16, CODE + (1ULL << 33)},
		{HEAP + 136, 1ULL << 48},
		{HEAP + 256, 63},
		{QUEUE + 8, 1ULL << 48},
		{QUEUE + 16, (uint64_t)INT32_MAX << 32},
		{QUEUE + 16, 0xffffffff00000000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		put_jvm(JDK_17);
		put_word(bad[i].at, bad[i].value);
		assert_int_equal(find(), HOTSPOT_UNKNOWN);
	}
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++) {
		put_jvm(JDK_17);
		symbol[i] = 8;
		assert_int_equal(find(), HOTSPOT_UNKNOWN);
	}
}

static bool option(const char *name, bool *value)
{
	return hotspot_option(&target, symbol, name, value);
}

static void hotspot__options(void **state)
{
	bool value;

	(void)state;
	for (int jdk = JDK_8; jdk <= JDK_25; jdk++) {
		put_jvm(jdk);
		assert_true(option("DisableAttachMechanism", &value) && !value);
		assert_true(option("ReduceSignalUsage", &value) && value);
		assert_false(option("ReduceSignal", &value));
	}
	put_option(1, "DisableAttachMechanism", 1);
	assert_true(option("DisableAttachMechanism", &value) && value);
	put_word(STATICS + 40, 1); /* the other options are behind the end */
	assert_false(option("DisableAttachMechanism", &value));
	put_word(STATICS + 40, UINT64_MAX);
	assert_false(option("none", &value));
	put_word(OPTIONS + OPTION_SIZE + 16, 8); /* the value is not readable */
	assert_false(option("DisableAttachMechanism", &value));
	put_word(STATICS + 32, 8);
	assert_false(option("UseSerialGC", &value));
	put_jvm(JDK_17);
	put_word(TYPE_TABLE + 64, 0);
	assert_false(option("UseSerialGC", &value));
}

/* A required field is missing. */
static void hotspot__missing_fields(void **state)
{
	(void)state;
	for (uint64_t at = FIELD_TABLE; at < FIELD_TABLE + 19 * 48; at += 48) {
		put_jvm(JDK_17);
		put_word(at + 8, STRINGS); /* the name of a type */
		assert_int_equal(find(), HOTSPOT_UNKNOWN);
	}
}

/* No memory contents do harm: found or not, a lookup ends. */
static void hotspot__random(void **state)
{
	struct walk w = {.known = (1 << NR_REGS) - 1};
	struct unwind_rule rule;
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		put_jvm(i % 4);
		for (int k = 0; k <= i % 7; k++) {
			seed = seed * 1103515245 + 12345;
			memory[seed >> 8 & 0x87ff] = (unsigned char)(seed >> 3);
		}
		find();
		w.reg[REG_PC] = CODE + (seed >> 9) % (SEGMENTS * 128);
		w.call = i & 1;
		find_rule(&w, &rule);
	}
}

/* ---- code ---- */

static struct walk w;

/* Puts a blob of NR segments at segment AT, with FRAME words and a code of 64 bytes that begins at
 * offset 128 with CODE_. COMPLETE is the blob's field. Returns the address of the code. */
static uint64_t put_blob(
	uint32_t at, uint32_t nr, int32_t frame, int32_t complete, const char *code, size_t size)
{
	uint64_t block = CODE + at * 128, begin = block + 128;

	for (uint32_t i = 0; i < nr; i++)
		memory[MAP - BASE + at + i] = i < 0xfe ? (unsigned char)i : 0xfd;
	memset(memory + (block - BASE), 0, nr * 128);
	memset(memory + (begin - BASE), 0x90, (nr - 1) * 128);
	memory[block - BASE + layout.used] = 1;
	put_int(block + layout.size, (int32_t)(nr * 128) - layout.blob);
	put_int(block + layout.frame_size, frame);
	put_int(block + layout.frame_complete, complete);
	put_word(block + layout.code, begin);
	put(begin, code, size);
	return begin;
}

static void set_up_code(void)
{
	put_jvm(JDK_17);
	assert_int_equal(find(), HOTSPOT_FOUND);
}

static bool rule_at(uint64_t pc, bool call, struct unwind_rule *rule)
{
	w = (struct walk){.call = call};
	w.reg[REG_PC] = pc;
	return find_rule(&w, rule);
}

static void assert_rule(uint64_t pc, bool call, uint32_t reg, int32_t offset, bool fp_saved)
{
	struct unwind_rule r;

	assert_true(rule_at(pc, call, &r));
	assert_int_equal(r.cfa, UNWIND_CFA_REG);
	assert_int_equal(r.reg, reg);
	assert_int_equal(r.offset, offset);
	assert_int_equal(r.ra, -1);
	assert_int_equal(r.fp_saved, fp_saved ? UNWIND_AT_CFA : UNWIND_SAME);
}

static void assert_no_rule(uint64_t pc, bool call)
{
	struct unwind_rule r;

	assert_true(rule_at(pc, call, &r));
	assert_int_equal(kind_of(&r), NO_FRAME);
}

/* Checks a leaf in a method, whose return address must be checked. */
static void assert_method(uint64_t pc, int32_t offset)
{
	struct unwind_rule r;

	assert_true(rule_at(pc, false, &r));
	assert_int_equal(kind_of(&r), METHOD);
	assert_int_equal(r.offset, offset);
}

static void hotspot__methods(void **state)
{
	/* mov %eax,…(%rsp); push %rbp; sub $32,%rsp; … add $32,%rsp; pop %rbp; cmp; ja; ret */
	static const char push[] =
		"\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x20\x90\x90\x90\x90"
		"\x48\x83\xc4\x20\x5d\x49\x3b\xa7\x40\x03\x00\x00\x0f\x87\x01\x01"
		"\x00\x00\xc3";
	static const char copy[] = "\x55\x48\x8b\xec\x48\x83\xec\x40";
	static const char sub[] = "\x48\x81\xec\x18\x00\x00\x00\x48\x89\x6c\x24\x10";
	uint64_t at;

	(void)state;
	set_up_code();
	at = put_blob(4, 3, 6, 12, push, sizeof(push) - 1);
	assert_rule(at, false, REG_SP, 8, false);
	assert_rule(at + 7, false, REG_SP, 8, false);
	assert_rule(at + 8, false, REG_SP, 16, true);
	assert_method(at + 12, 48);
	assert_method(at + 16, 48);
	assert_rule(at + 20, false, REG_SP, 16, true);
	assert_rule(at + 21, false, REG_SP, 8, false);
	assert_rule(at + 28, false, REG_SP, 8, false);
	assert_rule(at + 34, false, REG_SP, 8, false);
	assert_rule(at + 200, true, REG_SP, 48, true);
	at = put_blob(20, 3, 10, 8, copy, sizeof(copy) - 1);
	assert_rule(at, false, REG_SP, 8, false);
	assert_rule(at + 1, false, REG_SP, 16, true);
	assert_rule(at + 4, false, REG_FP, 16, true);
	assert_method(at + 8, 80);
	at = put_blob(30, 3, 4, 12, sub, sizeof(sub) - 1);
	assert_rule(at, false, REG_SP, 8, false);
	assert_rule(at + 7, false, REG_SP, 32, false);
	assert_method(at + 12, 32);
	at = put_blob(40, 3, 4, 12, "\x90", 1); /* an unknown prologue */
	assert_no_rule(at + 2, false);
	assert_method(at + 12, 32);
	at = put_blob(50, 3, 0, 12, "\x90", 1); /* it only jumps */
	assert_rule(at + 20, false, REG_SP, 8, false);
	assert_no_rule(at + 20, true);
}

static void hotspot__large_block(void **state)
{
	uint64_t at;

	(void)state;
	set_up_code();
	at = put_blob(0, 230, 6, 4, "\x55", 1);
	assert_rule(at + 220 * 128, true, REG_SP, 48, true);
	/* a map whose bytes lead nowhere, or to before the heap */
	memset(memory + (MAP - BASE), 1, 230);
	memory[MAP - BASE + 3] = 0;
	struct unwind_rule r;

	assert_false(rule_at(CODE + 200 * 128, true, &r));
	memory[MAP - BASE + 2] = 200;
	assert_false(rule_at(CODE + 2 * 128, true, &r));
	assert_false(rule_at(CODE + 239 * 128, true, &r)); /* free */
	assert_false(rule_at(CODE - 8, true, &r));
}

static void hotspot__no_blob(void **state)
{
	uint64_t at, block = CODE + 4 * 128;

	(void)state;
	set_up_code();
	at = put_blob(4, 3, 6, 12, "\x55", 1);
	assert_no_rule(block + 8, true); /* in the header */
	assert_no_rule(at - 16, true);
	put_int(block + layout.size, 64);
	assert_no_rule(at + 20, true);
	put_int(block + layout.size, 300);
	put_int(block + layout.frame_size, 1 << 28);
	assert_no_rule(at + 20, true);
	put_int(block + layout.frame_size, -6);
	assert_no_rule(at + 20, true);
	put_int(block + layout.frame_size, 6);
	assert_rule(at + 20, true, REG_SP, 48, true);
	put_word(block + layout.code, CODE);
	assert_no_rule(at + 20, true);
	put_word(block + layout.code, at);
	memory[block - BASE + layout.used] = 0;
	assert_no_rule(at + 20, true);
}

static void hotspot__interpreter_and_stubs(void **state)
{
	struct unwind_rule r;
	uint64_t at;

	(void)state;
	set_up_code();
	assert_true(rule_at(layout.interpreter + 5, false, &r));
	assert_int_equal(kind_of(&r), INTERPRETER);
	assert_rule(layout.call_stub, true, REG_FP, 16, true);
	at = put_blob(4, 3, 0, -1, "\x55\x48\x8b\xec", 4);
	assert_true(rule_at(at + 20, true, &r));
	assert_int_equal(kind_of(&r), NO_FRAME); /* the code is too short to be searched */
	assert_true(rule_at(at + 20, false, &r));
	assert_int_equal(kind_of(&r), METHOD);
	assert_int_equal(r.offset, 8);
	assert_int_equal(r.add, 0);
	assert_int_equal(r.fp_saved, UNWIND_SAME);
}

/* The rule holds while the word with the frame's size does not change. */
static void hotspot__freed_code(void **state)
{
	struct unwind_rule r;
	uint64_t at, word;

	(void)state;
	set_up_code();
	at = put_blob(4, 3, 6, 12, "\x55", 1);
	w = (struct walk){.call = true};
	w.reg[REG_PC] = at + 20;
	assert_true(find_rule(&w, &r));
	assert_int_equal(read_bytes(&word, 8, w.map.id_at), 0);
	assert_int_equal(word, w.map.id);
	put_blob(4, 3, 8, 12, "\x55", 1);
	assert_int_equal(read_bytes(&word, 8, w.map.id_at), 0);
	assert_int_not_equal(word, w.map.id);
}

/* A frame of the interpreter at rbp, with the caller's rsp below it. */
static void hotspot__interpreter_step(void **state)
{
	uint64_t fp = BASE + 0x100;

	(void)state;
	set_up_code();
	w = (struct walk){.known = (1 << NR_REGS) - 1};
	w.reg[REG_SP] = BASE + 0x80;
	w.reg[REG_FP] = fp;
	put_word(fp - 8, fp + 64);
	put_word(fp, fp + 0x200);
	put_word(fp + 8, CODE + 4);
	assert_int_equal(walk_by_rule(&w, &hotspot_in_interpreter), WALK_ON);
	assert_int_equal(w.reg[REG_PC], CODE + 4);
	assert_int_equal(w.reg[REG_SP], fp + 64);
	assert_int_equal(w.reg[REG_FP], fp + 0x200);
	w.reg[REG_SP] = BASE + 0x80;
	w.reg[REG_FP] = fp;
	put_word(fp - 8, fp); /* not used by any rule */
	assert_int_equal(walk_by_rule(&w, &hotspot_in_interpreter), WALK_ON);
	assert_int_equal(w.known & 1 << REG_SP, 0);
	w.reg[REG_FP] = 8;
	assert_int_equal(walk_by_rule(&w, &hotspot_in_interpreter), WALK_NO_RULE);
}

/* Prepares the stack of a leaf; word I is at BASE + 8 * I. */
static void begin_leaf(uint64_t sp)
{
	w = (struct walk){.known = (1 << NR_REGS) - 1};
	w.reg[REG_SP] = sp;
	w.reg[REG_FP] = BASE + 0x300;
	for (uint64_t at = BASE; at < BASE + 0x400; at += 8)
		put_word(at, at + 1);
}

/* A method has pushed a word or two: the return address is found where one can be. */
static void hotspot__method_step(void **state)
{
	static const char back[] = "\x48\x8b\x65\xf0\x48\xc7\x45\xf0";
	const struct unwind_rule r = {.cfa = RUNTIME_CFA(JAVA),
		.index = HOTSPOT_METHOD,
		.offset = 48,
		.add = 2,
		.fp_saved = UNWIND_AT_CFA};

	(void)state;
	set_up_code();
	memory[CODE - BASE + 0x100 - 5] = 0xe8;
	put(CODE + 0x200, back, 8); /* the interpreter */
	for (uint64_t i = 0; i < 4; i++) {
		begin_leaf(BASE + 0x80);
		put_word(BASE + 0x80 + 40 + 8 * i, i & 1 ? CODE + 0x200 : CODE + 0x100);
		assert_int_equal(walk_by_rule(&w, &r), i < 3 ? WALK_ON : WALK_NO_RULE);
		if (i == 3)
			break;
		assert_int_equal(w.reg[REG_PC], i & 1 ? CODE + 0x200 : CODE + 0x100);
		assert_int_equal(w.reg[REG_SP], BASE + 0x80 + 48 + 8 * i);
		assert_int_equal(w.reg[REG_FP], BASE + 0x80 + 32 + 8 * i + 1);
	}
	begin_leaf(8);
	assert_int_equal(walk_by_rule(&w, &r), WALK_NO_READ);
}

/* Where the interpreter makes and removes frames, a register has the caller's rsp. */
static void hotspot__interpreter_leaf(void **state)
{
	static const char code[] = "\x90\x90\x90\x58\x4c\x8d\x74\xcc\xf8\x90\x50\x55\x48\x8b\xec"
				   "\x41\x55\x90\x90\x90\xc9\x41\x5d\x48\x8b\xe3\x41\xff\xe5";
	static const struct {
		uint32_t at;
		int kind;
		uint8_t reg;
		int32_t offset;
		int16_t ra;
	} steps[] = {
		{0, SENDER, 13, 0, -1},
		{3, SENDER, 13, 0, -1},
		{4, UNWIND_CFA_REG, 13, 0, UNWIND_RA_REG},
		{10, UNWIND_CFA_REG, 13, 0, UNWIND_RA_REG},
		{11, SENDER, 13, 0, -1},
		{12, SENDER, 13, 8, -1},
		{15, INTERPRETER, 0, 0, 0},
		{20, INTERPRETER, 0, 0, 0},
		{21, SENDER, REG_BASE, 0, -1},
		{23, UNWIND_CFA_REG, REG_BASE, 0, UNWIND_RA_REG + 13},
		{26, UNWIND_CFA_REG, REG_SP, 0, UNWIND_RA_REG + 13},
	};
	uint64_t at = CODE + (SEGMENTS - 16) * 128;
	struct unwind_rule r;

	(void)state;
	put_jvm(JDK_17);
	put_word(at, string("native method entry point (kind = native)"));
	put_int(at + 8, 16 + sizeof(code));
	put(at + 16, code, sizeof(code));
	put_int(at + 16 + sizeof(code) + 8, -1);
	assert_int_equal(find(), HOTSPOT_FOUND);
	assert_int_equal(layout.entry[1].push, 0);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		assert_true(rule_at(at + 16 + steps[i].at, false, &r));
		assert_int_equal(kind_of(&r), steps[i].kind);
		assert_int_equal(r.reg, steps[i].reg);
		assert_int_equal(r.offset, steps[i].offset);
		assert_int_equal(r.ra, steps[i].ra);
	}
	put(at + 16 + 5, "\x58\x49\x8b\xe5\xff\xe0", 6);
	assert_rule(at + 16 + 5, true, REG_SP, 8, false);
	assert_true(rule_at(at + 16 + 6, true, &r));
	assert_int_equal(kind_of(&r), INTERPRETER);
	rule_at(at + 16 + 12, false, &r);
	begin_leaf(BASE + 0x80);
	w.reg[13] = BASE + 0xc0;
	assert_int_equal(walk_by_rule(&w, &r), WALK_ON);
	assert_int_equal(w.reg[REG_PC], BASE + 0x89);
	assert_int_equal(w.reg[REG_FP], BASE + 0x81);
	assert_int_equal(w.reg[REG_SP], BASE + 0xc0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hotspot__layouts),
		cmocka_unit_test(hotspot__not_initialised),
		cmocka_unit_test(hotspot__bad_values),
		cmocka_unit_test(hotspot__options),
		cmocka_unit_test(hotspot__missing_fields),
		cmocka_unit_test(hotspot__random),
		cmocka_unit_test(hotspot__methods),
		cmocka_unit_test(hotspot__large_block),
		cmocka_unit_test(hotspot__no_blob),
		cmocka_unit_test(hotspot__interpreter_and_stubs),
		cmocka_unit_test(hotspot__freed_code),
		cmocka_unit_test(hotspot__interpreter_step),
		cmocka_unit_test(hotspot__interpreter_leaf),
		cmocka_unit_test(hotspot__method_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
