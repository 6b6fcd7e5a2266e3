/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LuaJIT's and PUC Lua's stacks in memory that may hold anything. The first two bytes tell the
 * state of the native stack, each three of the others become a word of memory. The memory begins
 * with the words that are taken for the thread; the state follows them.
 */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "runtime/lua/lua_walk.h"

#include <string.h>

enum { WORDS_MAX = 4096, DEPTH = 64, READS_MAX = 1 << 18, GLOBAL = 0x80, CFRAME = 0x200 };

static const uint64_t base = 0x55000000; /* also fits into a reference of 32 bits */

static const struct luajit_shape shape = {.refs = 8,
	.gct = 9,
	.frame_results = 8,
	.frame_thread = 0x10,
	.frame_pc = 0x18,
	.glref = 0x10,
	.base = 0x20,
	.maxstack = 0x30,
	.stack = 0x38,
	.cframe = 0x50,
	.vmstate = 0xb8,
	.mainthread = 0xc0,
	.current = 0xd0,
	.jit_base = 0xd8,
	.traces = 0xe0,
	.nr_traces = 0xec,
	.nr_snaps = 0xa,
	.ir = 0x20,
	.snaps = 0x30,
	.snap_map = 0x38,
	.code_size = 0x54,
	.code = 0x58,
	.ffid = 0xa,
	.pc = 0x20,
	.c = 0x28,
	.proto = 0x68,
	.sizebc = 0xc,
	.constants = 0x20,
	.chunkname = 0x40,
	.firstline = 0x48,
	.numline = 0x4c,
	.lineinfo = 0x50,
	.uvinfo = 0x58,
	.varinfo = 0x60,
	.text = 0x18,
	.text_len = 0x14};

static struct image {
	uint64_t words[WORDS_MAX];
	size_t nr;
	size_t reads;
} image;

/* Makes a word that the walk depends on: a small number, a pointer, an object's head, a snapshot's
 * entries, or any value. */
static uint64_t make_word(const uint8_t *b, size_t nr)
{
	uint64_t both = (uint64_t)b[2] << 8 | b[1];

	switch (b[0] % 6) {
	case 0:
		return both;
	case 1:
		return base + both % nr * 8;
	case 2:
		return (uint64_t)(b[1] % 3) << 16 | (b[1] & 4 ? 8 : 6) << 8;
	case 3:
		return (uint64_t)b[1] << 24 | (uint64_t)(b[1] + 1) << 56 | (uint64_t)b[2] << 32;
	case 4:
		return (uint64_t)(int64_t)(int8_t)b[1] << 32 | b[2];
	default:
		return (both << 16 | b[0]) * 0x9e3779b97f4a7c15ULL;
	}
}

static bool read_image(void *context, uint64_t address, void *to, size_t len)
{
	struct image *im = context;
	uint64_t size = im->nr * sizeof(*im->words), at = address - base;

	must(im->reads++ < READS_MAX);
	if (at > size || len > size - at)
		return false;
	memcpy(to, (const char *)im->words + at, len);
	return true;
}

static void use_frame(const struct lua_layout *l, const struct memory *m,
	const struct vm_frame *frame, const struct vm_frame *below)
{
	struct strbuf text = STRBUF_INIT;
	struct lua_texts texts;

	image.reads = 0;
	lua_frame_texts(l, m, frame, below, &texts);
	must(texts.chunk_len <= LUA_TEXT_MAX && texts.name_len <= LUA_NAME_MAX);
	strbuf_adds(&text, "x");
	if (!lua_texts_name(l, &texts, frame->what, &text))
		must(text.len == 1);
	must(text.buf[0] == 'x' && !text.buf[text.len]);
	strbuf_reset(&text);
	if (!lua_texts_file(&texts, &text))
		must(!text.len);
	strbuf_release(&text);
}

static void check(const struct lua_layout *l, const struct memory *m,
	const struct vm_native *native, size_t max, bool mixed)
{
	const struct vm_frame none = {0};
	struct vm_frame frames[DEPTH];
	struct vm_stack stack = {.frames = frames, .max = max, .mixed = mixed};

	image.reads = 0;
	enum vm_end end = lua_walk(l, m, native, &stack);

	must(stack.nr <= max && end > VM_ON && end < VM_ENDS);
	for (size_t i = 0; i < stack.nr; i++) {
		enum lua_type type = lua_frame_type(frames[i].what);

		must(type >= LUA_FUNCTION && type <= LUA_SEGMENT);
		must(type != LUA_SEGMENT || mixed);
		must(type != LUA_SEGMENT || l->kind == LUA_PUC || frames[i].what & LUA_FROM_C);
		must(type != LUA_C || !mixed || l->kind == LUA_PUC);
		use_frame(l, m, &frames[i], i + 1 < stack.nr ? &frames[i + 1] : &none);
	}
}

/* The thread is the main thread, runs and has a function; the memory gives their contents. */
static void check_puc(unsigned minor, const struct memory *m, struct vm_native native)
{
	struct lua_layout l = {.kind = LUA_PUC, .puc = {.minor = (uint8_t)minor}};
	struct puc_shape *s = &l.puc.shape;

	*s = *puc_shape(minor, PUC_ANY_RELEASE);
	native.reg[0] = base;
	if (image.nr > (GLOBAL + s->mainthread) / 8) {
		image.words[1] = PUC_IS_THREAD;
		image.words[s->global / 8] = base + GLOBAL;
		image.words[(GLOBAL + s->mainthread) / 8] = base;
	}
	check(&l, m, &native, DEPTH, false);
	check(&l, m, &native, DEPTH, true);
	check(&l, m, &native, 1, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = {.read = read_image, .context = &image};
	struct lua_layout l = {.kind = LUA_JIT, .jit = {.shape = shape, .has_traces = true}};
	struct vm_native native = {.walked = true};

	if (size < 5)
		return 0;
	native.leaf = data[0] & 1;
	native.compiled = data[0] & 2;
	native.frame = data[0] & 4 ? 0 : base + CFRAME;
	native.walked = !(data[0] & 8);
	native.pc = base + data[1] * 8ULL;
	native.third = base + data[1] * 16ULL;
	native.base = base + data[0] * 8ULL;
	native.sp = base;
	for (int i = 0; i < VM_NATIVE_THREADS; i++)
		native.threads[i] = base + data[1 + i] * 8ULL;
	l.jit.state = data[0] & 16 ? base + GLOBAL : 0;
	l.jit.shape.refs = data[0] & 32 ? 4 : 8;
	l.jit.shape.old_ops = (data[0] & 0x60) == 0x60;
	l.jit.shape.snaps = (data[0] & 0xa0) == 0xa0 ? 0 : shape.snaps;
	image.nr = (size - 2) / 3 < WORDS_MAX ? (size - 2) / 3 : WORDS_MAX;
	for (size_t i = 0; i < image.nr; i++)
		image.words[i] = make_word(data + 2 + 3 * i, image.nr);
	if (image.nr > (CFRAME + 0x60) / 8) {
		image.words[1] = 6 << 8;
		image.words[2] = base + GLOBAL;
		image.words[10] = base + CFRAME;
		image.words[(CFRAME + 0x10) / 8] = base;
	}
	check(&l, &memory, &native, DEPTH, false);
	check(&l, &memory, &native, DEPTH, true);
	check(&l, &memory, &native, 1, false);
	check_puc(data[1] % 3 ? 2 + data[1] % 3 : 1, &memory, native);
	return 0;
}
