/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps from frame to frame, by made-up rules through made-up memory. */
#include "unwind/walk.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int read_memory(struct walk *w, void *to, uint32_t size, uint64_t at);
static int read_text(struct walk *w, void *to, uint32_t size, uint64_t at);
#define WALK_READ(w, to, size, at) read_memory(w, to, size, at)
#define WALK_READ_CODE(w, to, size, at) read_text(w, to, size, at)
#define WALK_STACK_END(w) stack_end
static uint64_t stack_end; /* end of the thread's own stack, or 0 if it is not known */

#include "unwind/step.h"

enum { STACK = 0x7000, WORDS = 512, TEXT = 0x400000, CALL = TEXT + 0x10, NO_CALL = TEXT + 0x40 };

static struct walk w;
static uint64_t stack[WORDS]; /* at STACK */
static uint8_t text[256];     /* at TEXT */
static int reads;

static int read_memory(struct walk *walk, void *to, uint32_t size, uint64_t at)
{
	assert_ptr_equal(walk, &w);
	reads++;
	if (at < STACK || at > STACK + sizeof(stack) || STACK + sizeof(stack) - at < size)
		return -1;
	memcpy(to, (const char *)stack + (at - STACK), size);
	return 0;
}

static int read_text(struct walk *walk, void *to, uint32_t size, uint64_t at)
{
	assert_ptr_equal(walk, &w);
	if (at < TEXT || at > TEXT + sizeof(text) || TEXT + sizeof(text) - at < size)
		return -1;
	memcpy(to, text + (at - TEXT), size);
	return 0;
}

static uint64_t *word(uint64_t address)
{
	return &stack[(address - STACK) / 8];
}

/* Begins at a leaf whose rsp is STACK + 0x100; words of the stack hold their address + 1. */
static int set_up(void **state)
{
	(void)state;
	w = (struct walk){.known = (1 << NR_REGS) - 1};
	for (uint64_t i = 0; i < NR_REGS; i++)
		w.reg[i] = 0x1111 * i;
	w.reg[REG_SP] = STACK + 0x100;
	w.reg[REG_FP] = STACK + 0x200;
	w.reg[REG_PC] = TEXT + 0x80;
	for (uint64_t i = 0; i < WORDS; i++)
		stack[i] = STACK + 8 * i + 1;
	memset(text, 0x90, sizeof(text));
	text[CALL - TEXT - 5] = 0xe8;
	reads = 0;
	stack_end = 0;
	return 0;
}

static struct unwind_rule rule(enum unwind_cfa cfa, uint8_t reg, int32_t offset)
{
	return (struct unwind_rule){.cfa = (uint8_t)cfa, .reg = reg, .offset = offset, .ra = -1};
}

static int step(struct unwind_rule r)
{
	return walk_by_rule(&w, &r);
}

static void assert_at(uint64_t cfa, uint64_t ra_at)
{
	assert_int_equal(w.reg[REG_SP], cfa);
	assert_int_equal(w.reg[REG_PC], ra_at + 1);
	assert_true(w.call);
}

static void walk__cfa_by_register(void **state)
{
	(void)state;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ON);
	assert_at(STACK + 0x108, STACK + 0x100);
	assert_int_equal(reads, 1);
	assert_int_equal(w.reg[REG_FP], STACK + 0x200);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_FP, 16)), WALK_ON);
	assert_at(STACK + 0x210, STACK + 0x208);
	set_up(state);
	w.reg[12] = STACK + 0x180;
	assert_int_equal(step(rule(UNWIND_CFA_REG, 12, -16)), WALK_ON);
	assert_at(STACK + 0x170, STACK + 0x168);
	set_up(state);
	for (int reg = REG_PC; reg < 256; reg++)
		assert_int_equal(step(rule(UNWIND_CFA_REG, (uint8_t)reg, 8)), WALK_NO_RULE);
}

static void walk__return_address_elsewhere(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 64);

	(void)state;
	r.ra = -4;
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x140, STACK + 0x120);
}

static void walk__cfa_in_memory(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_DEREF, REG_SP, 0x18);

	(void)state;
	*word(STACK + 0x118) = STACK + 0x300;
	r.add = 0x10;
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x310, STACK + 0x308);
	r.add = -8;
	*word(STACK + 0x328) = STACK + 0x340;
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x338, STACK + 0x330);
	r.offset = 0x10000;
	assert_int_equal(step(r), WALK_NO_READ);
}

static void walk__plt(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_PLT, REG_SP, 8);

	(void)state;
	r.add = 11;
	for (uint64_t pc = 0; pc < 16; pc++) {
		set_up(state);
		w.reg[REG_PC] = TEXT + 0x20 + pc;
		assert_int_equal(step(r), WALK_ON);
		assert_at(STACK + (pc < 11 ? 0x108 : 0x110), STACK + (pc < 11 ? 0x100 : 0x108));
	}
}

static void walk__signal(void **state)
{
	/* asm/sigcontext.h: r8 … r15, di, si, bp, bx, dx, ax, cx, sp, ip */
	static const int order[17] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};

	(void)state;
	w.call = true;
	w.known = 1 << REG_SP | 1 << REG_PC;
	w.base_at = STACK;
	assert_int_equal(step(rule(UNWIND_CFA_SIGNAL, REG_SP, 40)), WALK_ON);
	for (int i = 0; i < 17; i++)
		assert_int_equal(w.reg[order[i]], STACK + 0x128 + 8 * i + 1);
	assert_false(w.call);
	assert_int_equal(w.known, (1 << NR_REGS) - 1);
	assert_int_equal(w.base_at, 0);
	w.reg[REG_SP] = STACK + sizeof(stack) - 40 - 16 * 8; /* one word too high */
	assert_int_equal(step(rule(UNWIND_CFA_SIGNAL, REG_SP, 40)), WALK_NO_READ);
}

static void walk__root(void **state)
{
	(void)state;
	assert_int_equal(step(rule(UNWIND_CFA_ROOT, 0, 0)), WALK_ROOT);
	assert_int_equal(reads, 0);
}

/* ---- registers ---- */

static void walk__fp_saved(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 32);

	(void)state;
	r.fp_saved = UNWIND_AT_CFA;
	r.fp = -2; /* they are adjacent: one read */
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x120, STACK + 0x118);
	assert_int_equal(w.reg[REG_FP], STACK + 0x110 + 1);
	assert_int_equal(reads, 1);
	r.fp = -3;
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x140, STACK + 0x138);
	assert_int_equal(w.reg[REG_FP], STACK + 0x128 + 1);
	assert_int_equal(reads, 3);
	set_up(state);
	r.fp_saved = UNWIND_AT_FP;
	r.fp = 2;
	assert_int_equal(step(r), WALK_ON);
	assert_at(STACK + 0x120, STACK + 0x118);
	assert_int_equal(w.reg[REG_FP], STACK + 0x210 + 1);
	r.fp = 0x1000;
	w.reg[REG_FP] = STACK;
	assert_int_equal(step(r), WALK_NO_READ);
}

static void walk__fp_lost(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 32);

	(void)state;
	r.fp_saved = UNWIND_LOST;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_FP, 16)), WALK_NO_RULE);
	/* a frame that leaves rbp alone does not restore it */
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 32)), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_FP, 16)), WALK_NO_RULE);
	assert_int_equal(step(rule(UNWIND_CFA_NONE, 0, 0)), WALK_NO_RULE);
	r.fp_saved = UNWIND_AT_FP;
	assert_int_equal(step(r), WALK_NO_RULE);
	r.fp_saved = UNWIND_SAME;
	r.base_saved = UNWIND_AT_FP;
	assert_int_equal(step(r), WALK_NO_RULE);
	/* a frame that saved it does */
	r = rule(UNWIND_CFA_REG, REG_SP, 32);
	r.fp_saved = UNWIND_AT_CFA;
	r.fp = -2;
	assert_int_equal(step(r), WALK_ON);
	w.reg[REG_FP] = w.reg[REG_SP] + 8;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_FP, 16)), WALK_ON);
}

static void walk__bx_is_read_when_it_is_needed(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 32);

	(void)state;
	r.base_saved = UNWIND_AT_CFA;
	r.base = -3;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(w.base_at, STACK + 0x108);
	assert_int_equal(reads, 1);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 32)), WALK_ON);
	assert_int_equal(w.base_at, STACK + 0x108);
	*word(STACK + 0x108) = STACK + 0x200;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 16)), WALK_ON);
	assert_at(STACK + 0x210, STACK + 0x208);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 32)), WALK_ON); /* the same value */
	assert_at(STACK + 0x220, STACK + 0x218);
	r.base_saved = UNWIND_AT_FP;
	r.base = 3;
	w.reg[REG_FP] = STACK + 0x300;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(w.base_at, STACK + 0x318);
	r.base_saved = UNWIND_AT_CFA;
	r.base = 0x1000;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 16)), WALK_NO_READ);
}

static void walk__bx_of_the_leaf(void **state)
{
	(void)state;
	w.reg[REG_BASE] = STACK + 0x300;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 32)), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_ON);
	assert_at(STACK + 0x308, STACK + 0x300);
}

static void walk__bx_lost(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 32);

	(void)state;
	w.reg[REG_BASE] = STACK + 0x300;
	r.base_saved = UNWIND_LOST;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_NO_RULE);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 32)), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_NO_RULE);
	r.base_saved = UNWIND_AT_CFA;
	r.base = -2;
	*word(STACK + 0x150) = STACK + 0x300;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_ON);
}

/* ---- other registers ---- */

static void walk__registers_are_kept(void **state)
{
	(void)state;
	w.reg[0] =
		STACK + 0x140; /* a call may change it: assembly that refers to it knows better */
	w.reg[12] = STACK + 0x180;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, 0, 8)), WALK_ON);
	assert_at(STACK + 0x148, STACK + 0x140);
	assert_int_equal(step(rule(UNWIND_CFA_REG, 12, 8)), WALK_ON);
	assert_at(STACK + 0x188, STACK + 0x180);
}

static void walk__registers_that_were_saved(void **state)
{
	(void)state;
	for (uint8_t reg = 12; reg < 16; reg++) {
		struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 8);

		set_up(state);
		for (uint8_t other = 12; other < 16; other++)
			w.reg[other] = STACK + 0x180;
		r.lost = 1 << (reg - 12) & 0xf;
		assert_int_equal(step(r), WALK_ON);
		for (uint8_t other = 12; other < 16; other++) {
			const struct walk before = w;

			assert_int_equal(step(rule(UNWIND_CFA_REG, other, 8)),
				other == reg ? WALK_NO_RULE : WALK_ON);
			w = before;
		}
		/* a caller that leaves it alone does not restore it */
		assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ON);
		assert_int_equal(step(rule(UNWIND_CFA_REG, reg, 8)), WALK_NO_RULE);
	}
}

/* vfork keeps the return address in a register: no other place survives the child. */
static void walk__return_address_in_a_register(void **state)
{
	struct unwind_rule r = rule(UNWIND_CFA_REG, REG_SP, 0);

	(void)state;
	r.ra = UNWIND_RA_REG + 5;
	w.reg[5] = CALL;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(w.reg[REG_PC], CALL);
	assert_int_equal(w.reg[REG_SP], STACK + 0x100);
	assert_true(w.call);
	assert_int_equal(reads, 0);
	/* a callee may have changed it */
	r.offset = 8;
	assert_int_equal(step(r), WALK_NO_RULE);
	set_up(state);
	r.offset = 0;
	r.fp_saved = UNWIND_AT_CFA;
	r.fp = 2;
	w.reg[5] = CALL;
	assert_int_equal(step(r), WALK_ON);
	assert_int_equal(w.reg[REG_PC], CALL);
	assert_int_equal(w.reg[REG_FP], STACK + 0x110 + 1);
}

/* ---- leaves without rules ---- */

static void put_frame(uint64_t at, uint64_t fp, uint64_t ra)
{
	word(at)[0] = fp;
	word(at)[1] = ra;
}

static int step_without_rule(void)
{
	return step(rule(UNWIND_CFA_NONE, 0, 0));
}

static void put_syscall(void)
{
	memcpy(&text[w.reg[REG_PC] - 2 - TEXT], (uint8_t[]){0x0f, 0x05}, 2);
}

static void walk__leaf_without_frame(void **state)
{
	(void)state;
	put_frame(STACK + 0x200, STACK + 0x280, CALL + 1); /* an outer function's frame */
	w.reg[REG_BASE] = STACK + 0x300;
	*word(STACK + 0x100) = NO_CALL;
	assert_int_equal(step_without_rule(), WALK_NO_RULE);
	*word(STACK + 0x100) = CALL;
	assert_int_equal(step_without_rule(), WALK_ON);
	assert_int_equal(w.reg[REG_PC], CALL);
	assert_int_equal(w.reg[REG_SP], STACK + 0x108);
	assert_true(w.call);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_ON);
	/* a caller has a frame */
	set_up(state);
	*word(STACK + 0x100) = CALL;
	w.call = true;
	assert_int_equal(step_without_rule(), WALK_NO_RULE);
}

static void walk__a_new_thread(void **state)
{
	(void)state;
	*word(STACK + 0x100) = 0;
	assert_int_equal(step_without_rule(), WALK_NO_RULE);
	put_syscall();
	assert_int_equal(step_without_rule(), WALK_ROOT);
	/* an address that does not follow a call is not a return address */
	*word(STACK + 0x100) = NO_CALL;
	assert_int_equal(step_without_rule(), WALK_NO_RULE);
	/* then there may be a frame */
	word(STACK + 0x200)[0] = STACK + 0x280;
	word(STACK + 0x200)[1] = CALL;
	assert_int_equal(step_without_rule(), WALK_ON);
	assert_int_equal(w.reg[REG_SP], STACK + 0x210);
}

/* ---- frame pointers ---- */

static int step_by_fp(void)
{
	return step(rule(UNWIND_CFA_NONE, 0, 0));
}

static void walk__by_frame_pointers(void **state)
{
	(void)state;
	w.reg[REG_BASE] = STACK + 0x300;
	put_frame(STACK + 0x200, STACK + 0x280, CALL);
	put_frame(STACK + 0x280, 0, CALL);
	assert_int_equal(step_by_fp(), WALK_ON);
	assert_true(w.call);
	assert_int_equal(w.reg[REG_SP], STACK + 0x210);
	assert_int_equal(w.reg[REG_FP], STACK + 0x280);
	assert_int_equal(w.reg[REG_PC], CALL);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_NO_RULE);
	assert_int_equal(step(rule(UNWIND_CFA_REG, 12, 8)), WALK_NO_RULE);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ON);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_BASE, 8)), WALK_NO_RULE);
	assert_int_equal(step_by_fp(), WALK_ON);
	assert_int_equal(step_by_fp(), WALK_ROOT); /* rbp 0 */
}

static void walk__frame_pointers_that_are_none(void **state)
{
	static const uint64_t bad[] = {0, 1, STACK + 0xf8, STACK + 0x204, STACK + sizeof(stack) - 8,
		STACK + 0x100 + WALK_FRAME_MAX + 8, INT64_MAX - 7, UINT64_MAX - 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		w.reg[REG_FP] = bad[i];
		assert_int_equal(step_by_fp(), WALK_NO_RULE);
		assert_int_equal(w.reg[REG_FP], bad[i]);
	}
	w.reg[REG_FP] = STACK + 0x200;
	for (uint64_t ra = TEXT; ra < TEXT + sizeof(text) + 16; ra++) {
		put_frame(STACK + 0x200, STACK + 0x280, ra);
		if (ra != CALL)
			assert_int_equal(step_by_fp(), WALK_NO_RULE);
	}
	put_frame(STACK + 0x200, STACK + 0x280, 0);
	assert_int_equal(step_by_fp(), WALK_NO_RULE);
	w.call = true;
	assert_int_equal(step_by_fp(), WALK_ROOT);
}

static void walk__calls(void **state)
{
	static const struct {
		uint8_t size, code[7];
	} calls[] = {
		{5, {0xe8, 1, 2, 3, 4}},             /* call there */
		{2, {0xff, 0xd0}},                   /* call *%rax */
		{3, {0x41, 0xff, 0xd4}},             /* call *%r12 */
		{2, {0xff, 0x13}},                   /* call *(%rbx) */
		{3, {0xff, 0x50, 0x18}},             /* call *0x18(%rax) */
		{4, {0xff, 0x54, 0x24, 0x08}},       /* call *8(%rsp) */
		{6, {0xff, 0x15, 1, 2, 3, 4}},       /* call *there(%rip) */
		{7, {0xff, 0x14, 0xc5, 1, 2, 3, 4}}, /* call *there(,%rax,8) */
		{6, {0xff, 0x25, 1, 2, 3, 4}},       /* jmp *there(%rip): none */
		{5, {0xe9, 1, 2, 3, 4}},             /* jmp there: none */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		uint8_t bytes[7];

		memset(bytes, 0x90, sizeof(bytes));
		memcpy(bytes + 7 - calls[i].size, calls[i].code, calls[i].size);
		assert_int_equal(code_is_call(bytes), i < 8);
	}
}

/* ---- ends ---- */

static void walk__rsp_must_rise(void **state)
{
	(void)state;
	w.call = true;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 0)), WALK_LOST);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, -8)), WALK_LOST);
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ON);
}

static void walk__to_a_lower_stack(void **state)
{
	for (int is_call = 0; is_call < 2; is_call++) {
		set_up(state);
		w.call = true;
		w.reg[REG_FP] = STACK + 0x40;
		*word(STACK + 0x48) = is_call ? CALL : NO_CALL;
		assert_int_equal(
			step(rule(UNWIND_CFA_REG, REG_FP, 16)), is_call ? WALK_ON : WALK_LOST);
		assert_int_equal(w.reg[REG_SP], is_call ? STACK + 0x50 : STACK + 0x100);
	}
}

static void walk__return_address_0(void **state)
{
	(void)state;
	*word(STACK + 0x100) = 0;
	w.call = true;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_LOST);
	set_up(state); /* of a leaf: a thread's first function */
	*word(STACK + 0x100) = 0;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ROOT);
	set_up(state);
	*word(STACK + 0x100) = 0;
	w.call = true;
	w.reg[REG_FP] = 0;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_ROOT);
}

/* If the return address is 0, only a thread's first function is the root. */
static void walk__coroutine_without_a_caller(void **state)
{
	static const struct {
		uint64_t end;
		int want;
	} cases[] = {
		{0, WALK_ROOT},
		{STACK + 0x108, WALK_ROOT},
		{STACK + 0x108 + WALK_FIRST_MAX, WALK_ROOT},
		{STACK + 0x109 + WALK_FIRST_MAX, WALK_COROUTINE},
		{STACK, WALK_COROUTINE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_up(state);
		stack_end = cases[i].end;
		*word(STACK + 0x100) = 0;
		w.call = true;
		w.reg[REG_FP] = 0;
		assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), cases[i].want);
	}
}

/* Code without rules whose rbp is 0 is the root if it was entered by a call. */
static void walk__coroutine_without_a_frame_pointer(void **state)
{
	for (int is_call = 0; is_call < 2; is_call++) {
		set_up(state);
		stack_end = STACK;
		w.call = true;
		w.reg[REG_FP] = 0;
		w.reg[REG_PC] = is_call ? CALL : NO_CALL;
		assert_int_equal(walk_without_rule(&w), is_call ? WALK_ROOT : WALK_COROUTINE);
	}
}

/* A made-up return address of a coroutine's first function is not a frame. */
static void walk__coroutine_with_a_made_up_caller(void **state)
{
	static const struct {
		int end;
		uint64_t from, stack_end;
		uint32_t table, nr;
		int want;
		uint32_t want_nr;
	} cases[] = {
		{WALK_NO_RULE, NO_CALL, STACK, 1, 3, WALK_COROUTINE, 2},
		{WALK_NO_MAP, NO_CALL, STACK, 1, 3, WALK_COROUTINE, 2},
		{WALK_LOST, NO_CALL, STACK, 1, 3, WALK_COROUTINE, 2},
		{WALK_NO_READ, NO_CALL, STACK, 1, 3, WALK_COROUTINE, 2},
		{WALK_COROUTINE, NO_CALL, STACK, 1, 3, WALK_COROUTINE, 2},
		{WALK_COROUTINE, CALL, STACK, 1, 3, WALK_COROUTINE, 3},
		{WALK_COROUTINE, 0, STACK, 1, 1, WALK_COROUTINE, 1},
		{WALK_NO_RULE, CALL, STACK, 1, 3, WALK_NO_RULE, 3},
		{WALK_NO_RULE, 0, STACK, 1, 1, WALK_NO_RULE, 1},
		{WALK_NO_RULE, NO_CALL, 0, 1, 3, WALK_NO_RULE, 3},
		{WALK_NO_RULE, NO_CALL, STACK + WALK_STACK_MAX, 1, 3, WALK_NO_RULE, 3},
		{WALK_NO_RULE, NO_CALL, STACK, WALK_MEMORY, 3, WALK_NO_RULE, 3},
		{WALK_DEEP, NO_CALL, STACK, 1, 3, WALK_DEEP, 3},
		{WALK_PENDING, NO_CALL, STACK, 1, 3, WALK_PENDING, 3},
		{WALK_ROOT, NO_CALL, STACK, 1, 3, WALK_ROOT, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_up(state);
		stack_end = cases[i].stack_end;
		w.end = (uint8_t)cases[i].end;
		w.from = cases[i].from;
		w.map.table = cases[i].table;
		w.nr = cases[i].nr;
		walk_finish(&w);
		assert_int_equal(w.end, cases[i].want);
		assert_int_equal(w.nr, cases[i].want_nr);
	}
}

static void walk__memory_that_cannot_be_read(void **state)
{
	static const int32_t offsets[] = {0, INT32_MAX, INT32_MIN, sizeof(stack)};
	struct unwind_rule r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(offsets); i++)
		for (int saved = UNWIND_SAME; saved <= UNWIND_LOST; saved++) {
			set_up(state);
			w.reg[REG_SP] = STACK + 8 * i;
			r = rule(UNWIND_CFA_REG, REG_SP, offsets[i]);
			r.fp_saved = (uint8_t)saved;
			r.ra = r.fp = INT16_MIN;
			assert_int_equal(step(r), WALK_NO_READ);
		}
	w.reg[REG_SP] = UINT64_MAX - 7;
	assert_int_equal(step(rule(UNWIND_CFA_REG, REG_SP, 8)), WALK_NO_READ);
}

static void walk__frames_are_numbers(void **state)
{
	const uint64_t pcs[] = {0, 1, (1ULL << 47) - 1, WALK_NEW_CODE - 1};
	struct walk_map m = {.start = 0x1000, .serial = 1};

	(void)state;
	for (uint32_t serial = 1; serial;
		serial = serial == WALK_SERIALS - 1 ? 0 : WALK_SERIALS - 1)
		for (int call = 0; call < 2; call++) {
			m.serial = serial;
			uint64_t f = walk_frame(&m, m.start + WALK_FRAME_VM - 1, call);

			assert_true(walk_frame_serial(f));
			assert_int_equal(f >> 41, serial);
			assert_int_equal(f >> 40 & 1, call);
			assert_int_equal(f & (WALK_FRAME_VM - 1), WALK_FRAME_VM - 1);
			assert_false(f & WALK_FRAME_VM);
			assert_true(walk_frame(&m, m.start, call) != 0);
		}
	for (size_t i = 0; i < ARRAY_LEN(pcs); i++)
		for (int call = 0; call < 2; call++) {
			uint64_t f = walk_frame(NULL, pcs[i], call);

			assert_false(walk_frame_serial(f));
			assert_int_equal(f & (WALK_NEW_CODE - 1), pcs[i]);
			assert_false(f & WALK_NEW_CODE);
			assert_int_equal(f >> 57 & 1, call);
		}
	w.reg[REG_PC] = 100;
	assert_int_equal(walk_pc(&w), 100);
	w.call = true;
	assert_int_equal(walk_pc(&w), 99);
}

#define TEST(name) cmocka_unit_test_setup(walk__##name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cfa_by_register),
		TEST(return_address_elsewhere),
		TEST(cfa_in_memory),
		TEST(plt),
		TEST(signal),
		TEST(root),
		TEST(fp_saved),
		TEST(fp_lost),
		TEST(bx_is_read_when_it_is_needed),
		TEST(bx_of_the_leaf),
		TEST(bx_lost),
		TEST(registers_are_kept),
		TEST(registers_that_were_saved),
		TEST(return_address_in_a_register),
		TEST(leaf_without_frame),
		TEST(a_new_thread),
		TEST(by_frame_pointers),
		TEST(frame_pointers_that_are_none),
		TEST(calls),
		TEST(rsp_must_rise),
		TEST(to_a_lower_stack),
		TEST(return_address_0),
		TEST(coroutine_without_a_caller),
		TEST(coroutine_without_a_frame_pointer),
		TEST(coroutine_with_a_made_up_caller),
		TEST(memory_that_cannot_be_read),
		TEST(frames_are_numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
