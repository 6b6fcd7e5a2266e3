/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the rules of a HotSpot JVM's code in the JVM's own description of it. Used in the kernel
 * (BPF) and in user space; step.h describes WALK_READ_CODE. The memory that is read may change at
 * any time, and may contain anything.
 *
 * Compiled methods have frames of constant size, with the return address on top and the caller's
 * rbp below it. The size is valid at calls, and between prologue and epilogue.
 */
#ifndef UNWIND_HOTSPOT_CODE_H
#define UNWIND_HOTSPOT_CODE_H

#include "hotspot.h"
#include "jit.h"
#include "walk.h"

enum {
	HOTSPOT_FRAME_MAX = 1 << 20, /* bytes */
	HOTSPOT_PROLOGUE = 256,      /* bytes of a method that are searched for its prologue */
};

/* Returns the block that contains PC, or 0 if there is none. */
static inline uint64_t hotspot_block(struct walk *w, const struct hotspot_layout *l, uint64_t pc)
{
	uint64_t begin = 0, segments = 0, at;

	for (int i = 0; i < HOTSPOT_HEAPS; i++)
		if (pc >= l->heap[i].begin && pc < l->heap[i].end) {
			begin = l->heap[i].begin;
			segments = l->heap[i].segments;
		}
	if (!begin)
		return 0;
	at = (pc - begin) >> (l->shift & 63);
	for (int i = 0; i < HOTSPOT_HOPS; i++) {
		uint8_t hop;

		if (WALK_READ_CODE(w, &hop, 1, segments + at) || hop == HOTSPOT_FREE || hop > at)
			return 0;
		if (!hop)
			return begin + (at << (l->shift & 63));
		at -= hop;
	}
	return 0;
}

/* Space for words of code in w->saved, because the BPF stack is small. */
#define HOTSPOT_CODE(w) ((w)->saved + 8)

struct hotspot_blob {
	uint64_t code;      /* address */
	int32_t frame;      /* bytes, or 0 if there is none, or it is not known */
	int32_t complete;   /* offset in the code from which on a leaf has its frame, or -1 */
	uint64_t id_at, id; /* address and contents of the word with the frame's size */
};

/* Reads the blob of BLOCK. Returns false if there is none that contains PC. */
static inline bool hotspot_read_blob(struct walk *w, const struct hotspot_layout *l, uint64_t block,
	uint64_t pc, struct hotspot_blob *b)
{
	uint32_t frame, shift = l->frame_size & 4 ? 32 : 0;
	uint64_t *word = HOTSPOT_CODE(w), end;

	word[0] = word[1] = word[2] = word[3] = 0;
	b->id_at = block + (l->frame_size & ~7U);
	if (WALK_READ_CODE(w, &word[0], 1, block + l->used) || word[0] != 1 ||
		WALK_READ_CODE(w, &word[1], 4, block + l->size) || pc < block + l->blob ||
		WALK_READ_CODE(w, &b->id, 8, b->id_at) ||
		WALK_READ_CODE(w, &word[2], 4, block + l->frame_complete) ||
		WALK_READ_CODE(w, &word[3], 8, block + l->code))
		return false;
	end = block + l->blob + word[1];
	b->complete = l->is_short ? (int16_t)word[2] : (int32_t)word[2];
	b->code = l->is_offset ? block + l->blob + (uint32_t)word[3] : word[3];
	frame = (uint32_t)(b->id >> shift);
	b->frame = frame <= HOTSPOT_FRAME_MAX / 8 ? (int32_t)(frame * 8) : 0;
	return pc < end && b->code > block && b->code < end;
}

/* The first instructions of a method that change the stack. */
enum hotspot_prologue {
	HOTSPOT_OTHER,
	HOTSPOT_COPY, /* push %rbp; mov %rsp,%rbp */
	HOTSPOT_PUSH, /* push %rbp; sub $…,%rsp */
	HOTSPOT_SUB,  /* sub $…,%rsp; mov %rbp,…(%rsp) */
};

/* Returns the prologue that the 16 bytes of code A and B, the first byte lowest, begin with. */
static inline enum hotspot_prologue hotspot_prologue_of(uint64_t a, uint64_t b)
{
	uint32_t first = (uint32_t)a;

	if (first == 0xe5894855 || first == 0xec8b4855)
		return HOTSPOT_COPY;
	if (first == 0xec834855 || first == 0xec814855)
		return HOTSPOT_PUSH;
	if ((first & 0xffffff) == 0xec8348 && (a >> 32 & 0x3fffff) == 0x2c8948 && (a >> 56) == 0x24)
		return HOTSPOT_SUB;
	if ((first & 0xffffff) == 0xec8148 && a >> 56 == 0x48 && (b & 0xff3fff) == 0x242c89)
		return HOTSPOT_SUB;
	return HOTSPOT_OTHER;
}

/*
 * Returns the first prologue in the SIZE bytes of code at ADDRESS and its place, as prologue + 4 *
 * offset, or HOTSPOT_OTHER if there is none.
 */
static inline uint32_t hotspot_find_prologue(struct walk *w, uint64_t address, uint32_t size)
{
	for (uint32_t i = 0; i < HOTSPOT_PROLOGUE && i < size; i++) {
		uint64_t code[2];
		enum hotspot_prologue found;

		if (WALK_READ_CODE(w, code, sizeof(code), address + i))
			break;
		found = hotspot_prologue_of(code[0], code[1]);
		if (found != HOTSPOT_OTHER)
			return found + 4 * i;
	}
	return HOTSPOT_OTHER;
}

/* The BPF programs define functions of their own for these long loops. */
#ifndef HOTSPOT_BLOCK
#define HOTSPOT_BLOCK(w, l, pc) hotspot_block(w, l, pc)
#define HOTSPOT_FIND_PROLOGUE(w, address, size) hotspot_find_prologue(w, address, size)
#endif

/*
 * The caller's rsp is OFFSET bytes above REG. With FP_SAVED, its rbp is below the return address.
 */
UNWIND_INLINE struct unwind_rule hotspot_frame(uint8_t reg, int32_t offset, bool fp_saved)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_REG,
		.lost = 0xf,
		.reg = reg,
		.offset = offset,
		.fp_saved = fp_saved ? UNWIND_AT_CFA : UNWIND_SAME,
		.fp = -2,
		.bx_saved = UNWIND_LOST,
		.ra = -1};
}

/*
 * Works like hotspot_frame() from rsp, for a leaf. The return address is checked, and may be up to
 * WORDS words higher.
 */
UNWIND_INLINE struct unwind_rule hotspot_checked(int32_t offset, bool fp_saved, int16_t words)
{
	struct unwind_rule rule = hotspot_frame(REG_SP, offset, fp_saved);

	rule.cfa = UNWIND_CFA_JIT_METHOD;
	rule.add = words;
	return rule;
}

/* A leaf whose frame is not complete, AT bytes after the beginning of its code. */
UNWIND_INLINE struct unwind_rule hotspot_begin(
	struct walk *w, const struct hotspot_blob *b, uint32_t at)
{
	uint32_t found = HOTSPOT_FIND_PROLOGUE(w, b->code, (uint32_t)b->complete),
		 first = found >> 2;

	if ((found & 3) == HOTSPOT_OTHER)
		return (struct unwind_rule){.cfa = UNWIND_CFA_JIT_NO_FRAME};
	if (at <= first)
		return hotspot_frame(REG_SP, 8, false);
	if ((found & 3) == HOTSPOT_SUB) /* both instructions have at least 4 bytes */
		return hotspot_frame(REG_SP, b->frame, at > first + 7);
	if (at == first + 1)
		return hotspot_frame(REG_SP, 16, true);
	if ((found & 3) == HOTSPOT_COPY)
		return hotspot_frame(REG_FP, 16, true);
	return hotspot_frame(REG_SP, b->frame, true);
}

/* A leaf in a compiled method. */
UNWIND_INLINE struct unwind_rule hotspot_leaf(struct walk *w, const struct hotspot_blob *b)
{
	uint64_t pc = w->reg[REG_PC], *code = HOTSPOT_CODE(w);
	struct jit_edge edge;

	if (!b->frame)
		return hotspot_frame(REG_SP, 8, false); /* the method only jumps */
	if (pc < b->code + (uint32_t)b->complete)
		return hotspot_begin(w, b, (uint32_t)(pc - b->code));
	if (WALK_READ_CODE(w, code, JIT_PEEK_SIZE, pc - JIT_PEEK))
		return (struct unwind_rule){.cfa = UNWIND_CFA_JIT_NO_FRAME};
	edge = jit_peek_end(code[1], code[2]);
	return edge.is_edge ? hotspot_frame(REG_SP, edge.ra + 8, edge.fp_saved)
			    : hotspot_checked(b->frame, true, 2);
}

/* The caller's rsp and the return address are in registers. */
UNWIND_INLINE struct unwind_rule hotspot_registers(uint8_t sp, uint8_t ra)
{
	struct unwind_rule rule = hotspot_frame(sp, 0, false);

	rule.ra = (int16_t)(UNWIND_RA_REG + ra);
	return rule;
}

/* The return address is at rsp + OFFSET, and the caller's rsp is in register SP. */
UNWIND_INLINE struct unwind_rule hotspot_sender(uint8_t sp, int32_t offset)
{
	struct unwind_rule rule = hotspot_frame(sp, offset, offset > 0);

	rule.cfa = UNWIND_CFA_JIT_SENDER;
	return rule;
}

enum { HOTSPOT_RAX = 0, HOTSPOT_R13 = 13 };

/*
 * A leaf in the interpreter at OFFSET. When a method begins, r13 has the caller's rsp. When it
 * ends, rbx has the caller's rsp, and r13 has the return address.
 */
UNWIND_INLINE struct unwind_rule hotspot_interpreter(
	struct walk *w, const struct hotspot_layout *l, uint64_t offset)
{
	const uint64_t leave = 0xe5ff41e38b485d41; /* pop %r13; mov %rbx,%rsp; jmp *%r13 */
	uint64_t *code = HOTSPOT_CODE(w);

	for (int i = 0; i < HOTSPOT_ENTRIES; i++) {
		const struct hotspot_entry *e = &l->entry[i];

		if (offset < e->begin || offset > e->push + 1)
			continue;
		if (offset > e->push)
			return hotspot_sender(HOTSPOT_R13, 8);
		return offset > e->pop && offset < e->push
			       ? hotspot_registers(HOTSPOT_R13, HOTSPOT_RAX)
			       : hotspot_sender(HOTSPOT_R13, 0);
	}
	if (!WALK_READ_CODE(w, code, 16, w->reg[REG_PC] - 8)) {
		if (code[1] == leave)
			return hotspot_sender(REG_BX, 0);
		if (code[0] >> 48 == (leave & 0xffff) && (code[1] & 0xffffffffffff) == leave >> 16)
			return hotspot_registers(REG_BX, HOTSPOT_R13);
		if (code[0] >> 24 == (leave & 0xffffffffff) && (code[1] & 0xffffff) == leave >> 40)
			return hotspot_registers(REG_SP, HOTSPOT_R13);
	}
	return (struct unwind_rule){.cfa = UNWIND_CFA_JIT_INTERPRETER};
}

/* A call in the interpreter. The code that calls Math's functions has no frame. */
UNWIND_INLINE struct unwind_rule hotspot_interpreter_call(struct walk *w)
{
	const uint64_t leave = 0xe0ffe58b4958; /* pop %rax; mov %r13,%rsp; jmp *%rax */
	uint64_t *code = HOTSPOT_CODE(w);

	if (!WALK_READ_CODE(w, code, 8, w->reg[REG_PC]) && (*code & 0xffffffffffff) == leave)
		return hotspot_frame(REG_SP, 8, false);
	return (struct unwind_rule){.cfa = UNWIND_CFA_JIT_INTERPRETER};
}

enum hotspot_code {
	HOTSPOT_ELSEWHERE, /* the code does not belong to the JVM */
	HOTSPOT_RULE,
	HOTSPOT_STUB, /* code from b->code on, which the JVM does not describe */
};

/*
 * Finds the rule for the walk's pc. If B has id_at, the rule is valid while the word at that
 * address is the same: when methods are freed, other methods take their place.
 */
static inline enum hotspot_code hotspot_rule(struct walk *w, const struct hotspot_layout *l,
	struct hotspot_blob *b, struct unwind_rule *rule)
{
	uint64_t pc = walk_pc(w), block;

	*b = (struct hotspot_blob){0};
	if (pc >= l->interpreter && pc < l->interpreter_end) {
		*rule = w->call ? hotspot_interpreter_call(w)
				: hotspot_interpreter(w, l, pc - l->interpreter);
		return HOTSPOT_RULE;
	}
	if (w->call && w->reg[REG_PC] == l->call_stub) {
		*rule = hotspot_frame(REG_FP, 16, true);
		return HOTSPOT_RULE;
	}
	block = HOTSPOT_BLOCK(w, l, pc);
	if (!block)
		return HOTSPOT_ELSEWHERE;
	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_JIT_NO_FRAME};
	if (!hotspot_read_blob(w, l, block, pc, b) || pc < b->code)
		return HOTSPOT_RULE;
	if (b->complete < 0 && (!w->call || !b->frame))
		return HOTSPOT_STUB;
	if (!w->call)
		*rule = hotspot_leaf(w, b);
	else if (b->frame)
		*rule = hotspot_frame(REG_SP, b->frame, true);
	return HOTSPOT_RULE;
}

#endif
