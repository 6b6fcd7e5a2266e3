/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps from the compiled code of Guile, sljit, Erlang and LuaJIT, and the data read from it; all
 * made up. */
#include "runtime/erlang/jit_erlang.h"
#include "lib/util.h"
#include "unwind/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum {
	STACK = 0x7f000000, /* the thread's stack */
	HEAP = 0x30000000,
	TEXT = 0x400000,
	SIZE = 0x18000,

	BX = STACK + 0x1000, /* Erlang's registers */
	ENTRY = TEXT + 0x100,
	C_CALL = TEXT + 0x205,  /* after the call of ENTRY */
	MAIN = TEXT + 0x3000,   /* runs processes */
	CODE = TEXT + 0x1000,   /* code of a function */
	CALLED = TEXT + 0x2008, /* after a call in another function */
	FRAME = 0x2000,         /* MAIN's frame */
};

static uint8_t stack[SIZE], heap[SIZE], text[SIZE];

static uint8_t *place(uint64_t at, size_t size)
{
	static const struct {
		uint64_t start;
		uint8_t *bytes;
	} list[] = {{STACK, stack}, {HEAP, heap}, {TEXT, text}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (at >= list[i].start && at - list[i].start <= SIZE - size)
			return list[i].bytes + (at - list[i].start);
	return NULL;
}

static int read_any(void *to, uint32_t size, uint64_t at)
{
	const uint8_t *from = place(at, size);

	if (from)
		memcpy(to, from, size);
	return from ? 0 : -1;
}

#define WALK_READ(w, to, size, at) ((void)(w), read_any(to, size, at))
#define WALK_READ_CODE(w, to, size, at) ((void)(w), read_any(to, size, at))

#include "runtime/native_step.h"

static struct walk w;

static void put(uint64_t at, uint64_t word)
{
	memcpy(place(at, 8), &word, 8);
}

static void put_code(uint64_t at, const char *code, size_t size)
{
	memcpy(place(at, size), code, size);
}

#define PUT_CODE(at, code) put_code(at, code, sizeof(code) - 1)

/* Puts a call of TO whose return address is AT. */
static void put_call(uint64_t at, uint64_t to)
{
	int32_t distance = (int32_t)(to - at);

	*place(at - 5, 1) = 0xe8;
	memcpy(place(at - 4, 4), &distance, 4);
}

/* Begins a walk at PC with rsp SP; all other registers are 0. */
static void begin(uint64_t pc, uint64_t sp)
{
	w = (struct walk){.known = (1 << NR_REGS) - 1, .map = {.start = TEXT, .end = TEXT + SIZE}};
	w.reg[REG_PC] = pc;
	w.reg[REG_SP] = sp;
	w.reg[REG_BASE] = BX;
}

static int setup(void **state)
{
	(void)state;
	memset(stack, 0x11, sizeof(stack));
	memset(heap, 0x11, sizeof(heap));
	memset(text, 0x90, sizeof(text));
	put_call(C_CALL, ENTRY);
	put_call(CALLED, CODE);
	return 0;
}

static void assert_caller(uint64_t pc, uint64_t sp)
{
	assert_int_equal(w.reg[REG_PC], pc);
	assert_int_equal(w.reg[REG_SP], sp);
	assert_true(w.call);
}

/* ---- a rule with a check ---- */

static void runtime_stacks__called(void **state)
{
	const struct jit_layout layout = {.runtime = RUNTIME_GUILE,
		.rule = {.cfa = UNWIND_CFA_CALLED,
			.reg = REG_SP,
			.offset = 32,
			.ra = -1,
			.base_saved = UNWIND_AT_CFA,
			.base = -4}};

	(void)state;
	begin(CODE, STACK);
	put(STACK + 24, CALLED);
	put(STACK, 77);
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	assert_caller(CALLED, STACK + 32);
	uint64_t bx;
	assert_int_equal(walk_reg(&w, REG_BASE, &bx), WALK_ON);
	assert_int_equal(bx, 77);
	*place(CODE, 1) = 0xc3; /* ret */
	put(STACK, CALLED);
	begin(CODE, STACK);
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	assert_caller(CALLED, STACK + 8);
	*place(CODE, 1) = 0x90;
	begin(CODE, STACK);
	put(STACK + 24, CODE); /* not after a call */
	assert_int_equal(walk_compiled(&w, &layout), WALK_NO_RULE);
}

/* ---- sljit ---- */

enum {
	CHUNK = TEXT + 0x10000, /* a free block, one with the function, another free one */
	FUNCTION = CHUNK + 0x410,
	BODY = FUNCTION + 0x30,
	PART = FUNCTION + 0x60, /* a part that the function calls */
	LEAVE = FUNCTION + 0x70,
};

static void put_block(uint64_t at, uint64_t size, uint64_t before)
{
	put(at, size);
	put(at + 8, before);
}

static const char enters[] = "\x53\x41\x57\x41\x56\x41\x55\x55" /* push rbx, r15 to r13, rbp */
			     "\x48\x89\xfb"                     /* mov %rdi,%rbx */
			     "\x48\x81\xec\xa0\x00\x00\x00";    /* sub $0xa0,%rsp */

static int setup_sljit(void **state)
{
	setup(state);
	put_block(CHUNK, 0, 0);
	put(CHUNK + 32, 0x400);
	put_block(CHUNK + 0x400, 0x200, 0x400);
	put_block(CHUNK + 0x600, 0, 0x200);
	put(CHUNK + 0x600 + 32, 0x7f0);
	put_code(FUNCTION, enters, sizeof(enters) - 1);
	PUT_CODE(PART, "\x8f\x44\x24\x08");                      /* pop 8(%rsp) */
	PUT_CODE(LEAVE, "\x5d\x41\x5d\x41\x5e\x41\x5f\x5b\xc3"); /* pop rbp, r13 to r15, rbx; ret */
	return 0;
}

/* Checks that a step from PC, with PUSHED registers and MORE bytes on the stack, leads to the
 * caller. */
static void assert_sljit(uint64_t pc, uint32_t pushed, uint32_t more, bool call)
{
	uint64_t cfa = STACK + 8 + 8ULL * pushed + more, bx;

	put(cfa - 8, CALLED);
	for (uint64_t i = 1; i <= pushed; i++)
		put(cfa - 8 - 8 * i, 40 + i);
	begin(pc, STACK);
	w.reg[REG_FP] = 33;
	w.call = call;
	assert_int_equal(walk_compiled(&w, &(struct jit_layout){0}), WALK_ON);
	assert_caller(CALLED, cfa);
	assert_int_equal(w.reg[REG_FP], pushed == 5 ? 45 : 33);
	assert_int_equal(walk_reg(&w, REG_BASE, &bx), WALK_ON);
	assert_int_equal(bx, pushed ? 41 : BX);
}

static void runtime_stacks__sljit(void **state)
{
	static const uint32_t pushes[] = {0, 1, 3, 5, 7, 8}, pops[] = {0, 1, 3, 5, 7, 8};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(pushes); i++)
		assert_sljit(FUNCTION + pushes[i], i, 0, false);
	assert_sljit(FUNCTION + 11, 5, 0, false); /* before it subtracts from rsp */
	assert_sljit(BODY, 5, 0xa0, false);
	assert_sljit(BODY, 5, 0xa0, true);
	assert_sljit(PART, 5, 0xa8, false);
	for (uint32_t i = 0; i < ARRAY_LEN(pops); i++)
		assert_sljit(LEAVE + pops[i], 5 - i, 0, false);
}

static void runtime_stacks__sljit_of_other_versions(void **state)
{
	(void)state;
	PUT_CODE(FUNCTION, "\xf3\x0f\x1e\xfa\x53\x41\x57\x41\x56\x41\x55\x55" /* endbr64 */
			   "\x48\x8b\xdf\x48\x83\xec\x20");
	assert_sljit(FUNCTION, 0, 0, false);
	assert_sljit(FUNCTION + 4, 0, 0, false);
	assert_sljit(BODY, 5, 0x20, false);
	/* a chunk that is 64 KB larger */
	put_block(CHUNK, 0x11, 0);
	put_block(TEXT, 0x10400, 0);
	put_block(CHUNK + 0x400, 0x200, 0x10400);
	assert_sljit(BODY, 5, 0x20, true);
}

/* Memory that looks like sljit's and is not. */
static void runtime_stacks__not_sljit(void **state)
{
	const struct jit_layout none = {0};
	static const struct {
		uint64_t at, word;
	} list[] = {
		{CHUNK + 8, 8},                    /* the first block would have one before it */
		{CHUNK + 32, 0},                   /* no size */
		{CHUNK + 32, 8},                   /* a size that is too small */
		{CHUNK + 32, 0x401},               /* a size that is odd */
		{CHUNK + 0x408, 0x500},            /* not the size of the previous block */
		{CHUNK + 0x400, 0},                /* the block is free */
		{FUNCTION, 0x9090909090909090},    /* it pushes nothing, and subtracts nothing */
		{FUNCTION + 11, 0x80000000ec8148}, /* it subtracts too much */
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		setup_sljit(state);
		put(list[i].at, list[i].word);
		put(STACK + 200, CALLED);
		begin(BODY, STACK);
		w.reg[REG_FP] = 33;
		w.call = true;
		assert_int_equal(walk_compiled(&w, &none), WALK_NO_RULE);
	}
}

/* ---- Erlang ---- */

static int step_erlang(void)
{
	static const struct erlang_layout erlang = {.entry = ENTRY,
		.main = MAIN,
		.c_stack = (uint64_t)-128,
		.frame = FRAME,
		.stop = 0x58};
	struct jit_layout layout = {
		.runtime = RUNTIME_ERLANG, .rule = {.cfa = RUNTIME_CFA(ERLANG)}};

	memcpy(layout.data, &erlang, sizeof(erlang));
	return walk_compiled(&w, &layout);
}

static void runtime_stacks__erlang_frames(void **state)
{
	(void)state;
	put(HEAP + 8, 0);           /* not a value */
	put(HEAP + 16, HEAP + 2);   /* boxed */
	put(HEAP + 24, CALLED);     /* the first multiple of 4 that is an address */
	put(HEAP + 32, CALLED + 7); /* a small integer */
	put(HEAP + 40, CODE + 4);   /* not after a call: the process ends here */
	put(BX + FRAME + 24, C_CALL);
	begin(CODE, HEAP);
	w.reg[ERLANG_PROCESS] = 5;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED, HEAP + 32);
	assert_int_equal(w.known, 1 << REG_SP | 1 << REG_PC | 1 << REG_BASE | 1 << ERLANG_PROCESS);
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(C_CALL, BX + FRAME + 32);
	assert_int_equal(w.known, 1 << REG_SP | 1 << REG_PC);
}

/* Parts of functions are called from anywhere, but only a leaf's first word is such an address. */
static void runtime_stacks__erlang_parts(void **state)
{
	(void)state;
	put_call(CALLED + 0x21, CODE);
	put(HEAP, CALLED + 0x21);
	put(HEAP + 8, CALLED);
	begin(CODE, HEAP);
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED + 0x21, HEAP + 8);
	begin(CODE, HEAP);
	w.call = true;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED, HEAP + 16);
}

/* Code that called C is on the thread's stack. */
static void runtime_stacks__erlang_calls_c(void **state)
{
	(void)state;
	put(HEAP, CALLED);
	put(HEAP + 64, CALLED);
	put(BX + FRAME + 8, C_CALL + 8); /* not after a call of the entry */
	put(BX + FRAME + 56, C_CALL);
	PUT_CODE(
		CODE - 20, "\x48\x89\xe5\x48\x8d\x63\x80"); /* mov %rsp,%rbp; lea -128(%rbx),%rsp */
	begin(CODE, BX - 128);
	w.reg[REG_FP] = HEAP;
	w.call = true;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED, HEAP + 8);
	/* rbp is not known, so its Erlang stack is not known either */
	begin(CODE, BX - 128);
	w.known &= ~(1U << REG_FP);
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(C_CALL, BX + FRAME + 64);
	/* the reductions are saved between these two instructions */
	PUT_CODE(CODE - 20, "\x48\x89\xe5\x4d\x89\x75\x68\x48\x8d\x63\x80");
	begin(CODE, BX - 128 - 16); /* with arguments on the stack */
	w.reg[REG_FP] = HEAP;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED, HEAP + 8);
	/* the process has the saved rsp */
	PUT_CODE(CODE - 20, "\x41\x0f\x11\x45\x50\x90\x90\x48\x8d\x63\x80");
	put(HEAP + 0x200 + 0x58, HEAP + 64);
	begin(CODE, BX - 128);
	w.reg[ERLANG_PROCESS] = HEAP + 0x200;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(CALLED, HEAP + 72);
	/* the function that runs processes has no caller in Erlang */
	PUT_CODE(MAIN + 0x20, "\x48\x89\xe5\x48\x8d\x63\x80");
	begin(MAIN + 0x40, BX - 128);
	w.reg[REG_FP] = HEAP;
	assert_int_equal(step_erlang(), WALK_ON);
	assert_caller(C_CALL, BX + FRAME + 64);
}

static void runtime_stacks__erlang_unknown(void **state)
{
	(void)state;
	begin(CODE, HEAP + 4);
	assert_int_equal(step_erlang(), WALK_LOST);
	begin(CODE, HEAP); /* no address in as many words as are searched */
	assert_int_equal(step_erlang(), WALK_NO_RULE);
	begin(CODE, HEAP + SIZE - 16);
	assert_int_equal(step_erlang(), WALK_NO_READ);
	begin(CODE, HEAP);
	w.known &= ~(1U << REG_BASE);
	assert_int_equal(step_erlang(), WALK_NO_RULE);
	begin(CODE, BX - 128); /* the entry was not called */
	assert_int_equal(step_erlang(), WALK_NO_RULE);
}

static void runtime_stacks__erlang_code(void **state)
{
	static const char main_code[] = "\x48\x81\xec\x10\x41\x00\x00\x48\x83\xe4\xc0\x48\x89\x27"
					"\x48\x8d\x9c\x24\x80\x00\x00\x00";
	struct erlang_layout layout = {0};

	(void)state;
	assert_false(jit_erlang_read(text, SIZE, TEXT, &layout));
	put_code(MAIN, main_code, sizeof(main_code) - 1);
	PUT_CODE(MAIN + 0x100, "\x41\x0f\x11\x45\x50"); /* movups %xmm0,0x50(%r13) */
	assert_true(jit_erlang_read(text, SIZE, TEXT, &layout));
	assert_int_equal(layout.main, MAIN);
	assert_int_equal(layout.frame, 0x4110 - 0x80);
	assert_int_equal(layout.stop, 0x58);
	for (size_t size = 0; size < MAIN - TEXT + sizeof(main_code) - 1; size++)
		assert_false(jit_erlang_read(text, size, TEXT, &layout));
	*place(MAIN + 18, 1) = 0x40; /* C does not begin 128 bytes below rbx */
	assert_false(jit_erlang_read(text, SIZE, TEXT, &layout));
}

/* ---- LuaJIT ---- */

enum {
	LUA_FRAME = STACK + 0x400, /* the interpreter's frame */
	LUA_OUTER = STACK + 0x700, /* another thread's frame */
	LUA_THREAD = HEAP + 0x400,
	LUA_CALL = CODE + 0x100, /* after a call in the assembly */
	LUA_TRACE = 0x12000, /* bytes from the assembly to a copy of it, which stands for traces */
};

/* Puts a frame at SP to which THREAD refers. CFRAME is the offset in THREAD. */
static void put_lua_frame(uint64_t sp, uint64_t thread, uint32_t cframe)
{
	put(cframe == 0x50 ? sp + 0x10 : sp + 0x18, thread);
	put(thread + cframe, sp | 1);
	put(sp + 0x20, 0);
	put(sp + 0x28, 14);
	put(sp + 0x30, 15);
	put(sp + 0x38, 33);
	put(sp + 0x40, 44);
	put(sp + 0x48, CALLED);
}

static int step_luajit(uint64_t pc, uint64_t sp)
{
	/* as in the table of lj_vm.S */
	static const struct unwind_rule rule = {.cfa = RUNTIME_CFA(LUAJIT),
		.reg = REG_SP,
		.offset = 80,
		.ra = -1,
		.fp_saved = UNWIND_AT_CFA,
		.fp = -2,
		.base_saved = UNWIND_AT_CFA,
		.base = -3};

	begin(pc, sp);
	w.nr = 1;
	return walk_by_rule(&w, &rule);
}

static void assert_lua_caller(void)
{
	assert_caller(CALLED, LUA_FRAME + 0x50);
	assert_int_equal(w.reg[REG_BASE], 33);
	assert_int_equal(w.reg[REG_FP], 44);
	assert_int_equal(w.reg[14], 14);
	assert_int_equal(w.reg[15], 15);
}

static void assert_vm(uint64_t frame, uint64_t pc, bool leaf, bool compiled)
{
	assert_int_equal(w.vm.frame, frame);
	if (!frame)
		return;
	assert_int_equal(w.vm.pc, pc);
	assert_int_equal(w.vm.leaf, leaf);
	assert_int_equal(w.vm.compiled, compiled);
}

static void runtime_stacks__luajit_traces(void **state)
{
	static const struct jit_layout layout = {
		.runtime = RUNTIME_LUAJIT, .rule = {.cfa = RUNTIME_CFA(LUAJIT)}};
	const uint64_t frame = LUA_FRAME;

	(void)state;
	put(STACK + 0x240 + 0x10, LUA_THREAD); /* another frame, not the thread's current one */
	put_lua_frame(frame, LUA_THREAD, 0x50);
	put(TEXT, 0); /* no other area of traces */
	put(TEXT + 8, SIZE);
	for (uint64_t spills = 16; spills < 0x200; spills += 16) {
		begin(CODE, frame - spills);
		w.nr = 1;
		assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
		assert_lua_caller();
		assert_vm(frame, CODE, true, true);
	}
	begin(CODE + 2, frame - 16);
	w.call = true;
	w.vm.frame = frame - 0x200; /* a callee's frame */
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	assert_int_equal(w.vm.frame, frame - 0x200);
	begin(CODE + 2, frame - 16);
	w.call = true;
	w.nr = 3;
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	assert_vm(frame, CODE + 1, false, true);
	put(TEXT + 8, SIZE + 0x1000); /* another compiler's code */
	begin(CODE, frame - 16);
	assert_int_equal(walk_compiled(&w, &layout), WALK_NO_RULE);
	put(TEXT + 8, 0x1000);
	begin(CODE, frame - 16);
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	put(frame + 0x48, CODE);
	begin(CODE, frame - 16);
	assert_int_equal(walk_compiled(&w, &layout), WALK_NO_RULE);
	put(LUA_THREAD + 0x50, frame + 8);
	begin(CODE, frame - 16);
	assert_int_equal(walk_compiled(&w, &layout), WALK_NO_RULE);
	assert_vm(0, 0, false, false);
}

static void runtime_stacks__luajit_callbacks(void **state)
{
	static const struct jit_layout layout = {
		.runtime = RUNTIME_LUAJIT, .rule = {.cfa = RUNTIME_CFA(LUAJIT)}};
	const uint64_t page = TEXT + 0x4000;

	(void)state;
	put_lua_frame(LUA_OUTER, LUA_THREAD, 0x50);
	put(page, 0x123456789); /* the address of the assembly */
	PUT_CODE(page + 8, "\xb0\x00\xeb\x7a\xb0\x01\xeb\x76");
	PUT_CODE(page + 0x86, "\x55\xb4\x00\x48\xbd");
	put(LUA_FRAME, CALLED);
	for (uint64_t at = 8; at <= 0x86; at += at < 12 ? 2 : 0x7a) {
		begin(page + at, LUA_FRAME);
		w.map.start = page;
		assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
		assert_caller(CALLED, LUA_FRAME + 8);
		assert_int_equal(w.reg[REG_FP], 0);
	}
	begin(page + 0x87, LUA_FRAME - 8);
	w.map.start = page;
	put(LUA_FRAME - 8, 44);
	assert_int_equal(walk_compiled(&w, &layout), WALK_ON);
	assert_caller(CALLED, LUA_FRAME + 8);
	assert_int_equal(w.reg[REG_FP], 44);
	assert_vm(0, 0, false, false);
}

static void runtime_stacks__luajit_assembly(void **state)
{
	(void)state;
	put_lua_frame(LUA_FRAME, LUA_THREAD, 0x50);
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_ON);
	assert_lua_caller();
	assert_vm(LUA_FRAME, CODE, true, false);
	/* the exit of a trace: below its spill slots and all registers */
	assert_int_equal(step_luajit(CODE, LUA_FRAME - 0x180), WALK_ON);
	assert_lua_caller();
	assert_vm(LUA_FRAME, CODE, true, false);
	put(LUA_FRAME + 0x48, CODE); /* not after a call */
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_NO_RULE);
	/* with 32-bit references */
	memset(stack, 0x11, sizeof(stack));
	memset(heap, 0x11, sizeof(heap));
	put_lua_frame(LUA_FRAME, LUA_THREAD, 0x30);
	put(LUA_FRAME + 0x10, 0x200000000); /* one result */
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_ON);
	assert_lua_caller();
	assert_vm(LUA_FRAME, CODE, true, false);
}

static void runtime_stacks__luajit_helpers(void **state)
{
	(void)state;
	put_lua_frame(LUA_FRAME, LUA_THREAD, 0x50);
	put_call(LUA_CALL, CODE);
	put(LUA_FRAME - 8, LUA_CALL);
	for (uint64_t pushed = 0; pushed <= 8; pushed += 8) {
		assert_int_equal(step_luajit(CODE, LUA_FRAME - 8 - pushed), WALK_ON);
		assert_caller(LUA_CALL, LUA_FRAME);
		assert_vm(LUA_FRAME, CODE, true, false);
	}
	*place(CODE, 1) = 0xc3; /* ret */
	assert_int_equal(step_luajit(CODE, LUA_FRAME - 8), WALK_ON);
	assert_caller(LUA_CALL, LUA_FRAME);
	assert_vm(LUA_FRAME, CODE, true, false);
	/* words that the interpreter has pushed for a call of C */
	put(LUA_FRAME - 8, 55);
	assert_int_equal(step_luajit(CODE + 1, LUA_FRAME - 16), WALK_ON);
	assert_lua_caller();
	/* called by a trace that is far away: the trace is the frame to remember */
	memmove(text + LUA_TRACE, text, 0x4000);
	put(LUA_FRAME - 0x28, CALLED + LUA_TRACE);
	assert_int_equal(step_luajit(CODE + 1, LUA_FRAME - 0x28), WALK_ON);
	assert_caller(CALLED + LUA_TRACE, LUA_FRAME - 0x20);
	assert_vm(0, 0, false, false);
	put(LUA_FRAME - 0x88, CALLED + LUA_TRACE);
	assert_int_equal(step_luajit(CODE + 1, LUA_FRAME - 0x88), WALK_ON);
	assert_caller(CALLED + LUA_TRACE, LUA_FRAME - 0x80);
}

/* The thread does not refer to the frame yet, or any more; another thread's frame is above it. */
static void runtime_stacks__luajit_size(void **state)
{
	(void)state;
	put_lua_frame(LUA_OUTER, LUA_THREAD, 0x50);
	put(LUA_FRAME + 0x38, 33);
	put(LUA_FRAME + 0x40, 44);
	put(LUA_FRAME + 0x48, CALLED);
	put(LUA_FRAME + 0x28, 14);
	put(LUA_FRAME + 0x30, 15);
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_ON);
	assert_lua_caller();
	assert_vm(0, 0, false, false);
	put(LUA_FRAME + 0x48, CODE);
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_ON); /* the exit of a trace */
	assert_caller(CALLED, LUA_OUTER + 0x50);
}

/* Lua that C calls in a trace, or at the trace's exit, such as a finalizer. */
static void runtime_stacks__luajit_outer(void **state)
{
	(void)state;
	put_lua_frame(LUA_FRAME, LUA_THREAD, 0x50);
	put_lua_frame(LUA_OUTER, LUA_THREAD, 0x50);
	put(LUA_THREAD + 0x50, LUA_FRAME); /* the innermost one */
	put(LUA_FRAME + 0x20, LUA_OUTER | 2);
	assert_int_equal(step_luajit(CODE, LUA_FRAME), WALK_ON);
	assert_lua_caller();
	w.reg[REG_PC] = CALLED;
	w.reg[REG_SP] = LUA_OUTER - 0x90;
	assert_int_equal(luajit_step(&w, NULL, &(struct unwind_rule){0}), WALK_ON);
	assert_caller(CALLED, LUA_OUTER + 0x50);
	assert_vm(LUA_FRAME, CODE, true, false);
	assert_int_equal(w.vm.word[LUAJIT_OUTER], 0);
}

static void runtime_stacks__luajit_edges(void **state)
{
	static const struct {
		const char *code;
		int pushed[12]; /* for each byte, or -1 within an instruction */
	} list[] = {
		{"\x55\x53\x41\x57\x41\x56\x48\x83\xec\x28", {0, 1, 2, -1, 3, -1, 4}},
		{"\x41\x5e\x41\x5f\x5b\x5d\xc3", {4, -1, 3, -1, 2, 1, 0}},
		{"\x41\x5e\x41\x5f\x5b\x5d\xe9", {4, -1, 3, -1, 2, 1, -1}},
	};

	(void)state;
	put_lua_frame(LUA_OUTER, LUA_THREAD, 0x50);
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		put_code(CODE, list[i].code, strlen(list[i].code) + 1);
		for (size_t at = 0; at < 7; at++) {
			int pushed = list[i].pushed[at];

			if (pushed < 0)
				continue;
			put(LUA_FRAME + 8 * (uint64_t)pushed, CALLED);
			for (int k = 0; k < pushed; k++)
				put(LUA_FRAME + 8 * (uint64_t)k, 40 - (uint64_t)(pushed - k));
			assert_int_equal(step_luajit(CODE + at, LUA_FRAME), WALK_ON);
			assert_caller(CALLED, LUA_FRAME + 8 * (uint64_t)pushed + 8);
			assert_int_equal(w.reg[REG_FP], pushed > 0 ? 39 : 0);
			assert_int_equal(w.reg[REG_BASE], pushed > 1 ? 38 : BX);
			assert_vm(0, 0, false, false);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runtime_stacks__called, setup),
		cmocka_unit_test_setup(runtime_stacks__sljit, setup_sljit),
		cmocka_unit_test_setup(runtime_stacks__sljit_of_other_versions, setup_sljit),
		cmocka_unit_test_setup(runtime_stacks__not_sljit, setup_sljit),
		cmocka_unit_test_setup(runtime_stacks__erlang_frames, setup),
		cmocka_unit_test_setup(runtime_stacks__erlang_parts, setup),
		cmocka_unit_test_setup(runtime_stacks__erlang_calls_c, setup),
		cmocka_unit_test_setup(runtime_stacks__erlang_unknown, setup),
		cmocka_unit_test_setup(runtime_stacks__erlang_code, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_traces, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_callbacks, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_assembly, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_helpers, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_size, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_outer, setup),
		cmocka_unit_test_setup(runtime_stacks__luajit_edges, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
