/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runtimes that compile code, in memory that may hold anything: a JVM in which some words were
 * changed, or code that is taken for a runtime's code; then the walk of a stack in it. The first
 * byte chooses the runtime; for LuaJIT the second one tells whether the code is its assembly.
 */
#include "runtime/erlang/jit_erlang.h"
#include "runtime/pypy/jit_pypy.h"
#include "runtime/qemu/jit_qemu.h"
#include "fuzz.h"
#include "lib/util.h"
#include "runtime/java/hotspot_find.h"
#include "unwind/walk.h"

#include <string.h>

enum {
	BASE = 0x100000,
	SIZE = 1 << 16,
	NUMBERS = 0,    /* offsets in the image: the exported variables */
	FIELDS = 0x400, /* the tables that they describe */
	TYPES = 0x1000,
	STRINGS = 0x1800,
	STATICS = 0x3000, /* the code cache */
	HEAP = 0x3100,
	QUEUE = 0x3300,
	SEGMENTS = 0x4000, /* a segment map */
	CODE = 0x5000,     /* a heap of code */
	STACK = 0xc000,
	SEGMENT = 128,
	INTERPRETER = STACK - 16 * SEGMENT,
	READS_MAX = 4096, /* in one step of a walk */
	STEPS = 64,
};

static struct image {
	uint8_t bytes[SIZE];
	uint64_t strings;
	size_t reads;
} image;

static const struct row {
	const char *owner, *name, *type;
	uint64_t offset, at;
} rows[] = {
	{"CodeCache", "_heaps", "address", 0, BASE + STATICS},
	{"GrowableArrayBase", "_len", "int", 4, 0},
	{"GrowableArray<int>", "_data", "int*", 8, 0},
	{"CodeHeap", "_memory", "VirtualSpace", 8, 0},
	{"CodeHeap", "_segmap", "VirtualSpace", 120, 0},
	{"CodeHeap", "_log2_segment_size", "int", 256, 0},
	{"VirtualSpace", "_low", "char*", 16, 0},
	{"VirtualSpace", "_high_boundary", "char*", 8, 0},
	{"HeapBlock::Header", "_used", "bool", 8, 0},
	{"CodeBlob", "_size", "int", 12, 0},
	{"CodeBlob", "_frame_size", "int", 28, 0},
	{"CodeBlob", "_frame_complete_offset", "int", 20, 0},
	{"CodeBlob", "_code_begin", "address", 32, 0},
	{"AbstractInterpreter", "_code", "address", 0, BASE + STATICS + 16},
	{"StubQueue", "_stub_buffer", "address", 8, 0},
	{"StubQueue", "_buffer_limit", "int", 20, 0},
	{"InterpreterCodelet", "_description", "const char*", 0, 0},
	{"InterpreterCodelet", "_size", "int", 8, 0},
	{"StubRoutines", "_call_stub_return_address", "address", 0, BASE + STATICS + 24},
	{"JVMFlag", "flags", "JVMFlag*", 0, BASE + STATICS + 32},
	{"JVMFlag", "numFlags", "size_t", 0, BASE + STATICS + 40},
	{"JVMFlag", "_name", "const char*", 8, 0},
	{"JVMFlag", "_addr", "void*", 16, 0},
};

static int read_image(void *to, size_t size, uint64_t address)
{
	uint64_t at = address - BASE;

	image.reads++;
	if (at > SIZE || size > SIZE - at)
		return -1;
	memcpy(to, image.bytes + at, size);
	return 0;
}

#define WALK_READ(w, to, size, at) ((void)(w), read_image(to, size, at))
#define WALK_READ_CODE(w, to, size, at) ((void)(w), read_image(to, size, at))

#include "runtime/native_step.h"

static bool read_memory(void *context, uint64_t at, void *to, size_t size)
{
	(void)context;
	return !read_image(to, size, at);
}

static void put(uint64_t at, uint64_t value)
{
	memcpy(image.bytes + at, &value, sizeof(value));
}

static uint64_t put_string(const char *s)
{
	uint64_t at = image.strings;

	memcpy(image.bytes + at, s, strlen(s) + 1);
	image.strings += strlen(s) + 1;
	return BASE + at;
}

static void put_tables(void)
{
	static const uint64_t numbers[HOTSPOT_SYMBOLS] = {
		BASE + FIELDS, 48, 0, 8, 16, 32, 40, BASE + TYPES, 24, 0, 16};

	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		put(NUMBERS + 8 * i, numbers[i]);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t at = FIELDS + 48 * i;

		put(at, put_string(rows[i].owner));
		put(at + 8, put_string(rows[i].name));
		put(at + 16, put_string(rows[i].type));
		put(at + 32, rows[i].offset);
		put(at + 40, rows[i].at);
	}
	put(TYPES, put_string("HeapBlock"));
	put(TYPES + 16, 16);
	put(TYPES + 24, put_string("JVMFlag"));
	put(TYPES + 40, 32);
}

static void put_jvm(void)
{
	put_tables();
	put(STATICS, BASE + STATICS + 64);
	put(STATICS + 16, BASE + QUEUE);
	put(STATICS + 24, BASE + CODE + 64);
	put(STATICS + 32, BASE + STATICS + 128); /* one option */
	put(STATICS + 40, 1);
	put(STATICS + 128 + 8, put_string("DisableAttachMechanism"));
	put(STATICS + 128 + 16, BASE + STATICS);
	put(STATICS + 64, 1ULL << 32); /* one heap */
	put(STATICS + 64 + 8, BASE + STATICS + 96);
	put(STATICS + 96, BASE + HEAP);
	put(HEAP + 8 + 16, BASE + CODE);
	put(HEAP + 8 + 8, BASE + STACK);
	put(HEAP + 120 + 16, BASE + SEGMENTS);
	put(HEAP + 256, 7);
	put(QUEUE + 8, BASE + INTERPRETER);
	put(QUEUE + 16, (uint64_t)(STACK - INTERPRETER) << 32);
}

/* Makes a word from three bytes: a small number, an address in the image, or any value. */
static uint64_t word(const uint8_t *b)
{
	uint64_t both = (uint64_t)b[2] << 8 | b[1];

	switch (b[0] % 4) {
	case 0:
		return (uint64_t)(int64_t)(int16_t)both;
	case 1:
		return BASE + both;
	case 2:
		return (uint64_t)b[2] << 32 | b[1];
	default:
		return (both << 8 | b[0]) * 0x9e3779b97f4a7c15ULL;
	}
}

/* Changes up to 15 words of the image. */
static void change_words(const uint8_t **data, size_t *size)
{
	size_t nr = *size ? **data % 16 : 0;

	*data += !!*size;
	*size -= !!*size;
	for (; nr && *size >= 5; nr--, *data += 5, *size -= 5)
		put(((uint64_t)(*data)[0] << 8 | (*data)[1]) % (CODE / 8) * 8, word(*data + 2));
}

/* Fills the segment map, the code and the stack with the rest of the input, repeated. */
static void put_rest(const uint8_t *data, size_t size)
{
	for (size_t i = 0; size && i < CODE - SEGMENTS; i++)
		image.bytes[SEGMENTS + i] = data[i % size] % 8;
	for (size_t i = 0; size && i < STACK - CODE; i++)
		image.bytes[CODE + i] = data[i % size];
	for (size_t i = 0; size >= 3 && i < (SIZE - STACK) / 8; i++)
		put(STACK + 8 * i, word(data + i * 3 % (size - 2)));
}

static bool find_layout(uint8_t runtime, const uint8_t *data, size_t size, struct jit_layout *l)
{
	uint64_t symbol[HOTSPOT_SYMBOLS];
	bool option;

	switch (runtime % 4) {
	case 0:
		for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
			symbol[i] = BASE + NUMBERS + 8 * i;
		l->runtime = RUNTIME_JAVA;
		hotspot_option(&(struct hotspot_memory){read_memory, NULL}, symbol,
			"DisableAttachMechanism", &option);
		return hotspot_find(&(struct hotspot_memory){read_memory, NULL}, symbol,
			       (struct hotspot_layout *)l->data) == HOTSPOT_FOUND;
	case 1:
		l->runtime = RUNTIME_ERLANG;
		l->rule.cfa = RUNTIME_CFA(ERLANG);
		return jit_erlang_read(data, size, BASE + CODE, (struct erlang_layout *)l->data);
	case 2:
		l->runtime = RUNTIME_LUAJIT;
		l->rule.cfa = RUNTIME_CFA(LUAJIT);
		return true;
	default:
		l->runtime = RUNTIME_QEMU;
		return (size >= 20 && jit_qemu_rule(data, &l->rule)) ||
		       jit_pypy_rule(data, size, &l->rule);
	}
}

static void walk_from(const struct jit_layout *layout, const uint8_t *data, size_t size)
{
	static const struct unwind_rule luajit = {.cfa = RUNTIME_CFA(LUAJIT), .offset = 80};
	bool is_assembly = layout->runtime == RUNTIME_LUAJIT && data[0] & 1;
	struct walk w = {.known = (1 << NR_REGS) - 1,
		.map = {.start = BASE + CODE, .end = BASE + STACK, .table = WALK_MEMORY}};

	for (size_t i = 0; i < NR_REGS; i++)
		w.reg[i] = word(data + i * 3 % (size - 2));
	w.reg[REG_PC] = BASE + CODE + w.reg[REG_PC] % (STACK - CODE);
	w.reg[REG_SP] = BASE + STACK + w.reg[REG_SP] % 4096;
	for (int i = 0; i < STEPS; i++) {
		image.reads = 0;
		int end = is_assembly ? walk_by_rule(&w, &luajit) : walk_compiled(&w, layout);

		must(w.vm.frame ? w.vm.compiled != is_assembly : !w.vm.pc);
		must(image.reads < READS_MAX);
		must(end >= WALK_ON && end < WALK_ENDS);
		if (end != WALK_ON)
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_layout layout = {0};
	uint8_t runtime;

	if (size < 8)
		return 0;
	memset(&image, 0, sizeof(image));
	image.strings = STRINGS;
	put_jvm();
	runtime = *data++;
	size--;
	change_words(&data, &size);
	put_rest(data, size);
	if (find_layout(runtime, data, size, &layout) && size >= 3)
		walk_from(&layout, data, size);
	return 0;
}
