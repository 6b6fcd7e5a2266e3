/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the rules of a HotSpot JVM's code in the JVM's own description of it, and steps by them.
 * Part of native_step.h. The memory that is read may change at any time, and may contain anything.
 *
 * Compiled methods have frames of constant size, with the return address on top and the caller's
 * rbp below it. The size is valid at calls, and between prologue and epilogue.
 */
#ifndef RUNTIME_JAVA_HOTSPOT_STEP_H
#define RUNTIME_JAVA_HOTSPOT_STEP_H

#include "hotspot.h"
#include "runtime/jit_step.h"

_Static_assert(sizeof(struct hotspot_layout) <= sizeof(((struct jit_layout *)0)->data), "");

enum {
	HOTSPOT_FRAME_MAX = 1 << 20, /* bytes */
	HOTSPOT_PROLOGUE = 256,      /* bytes of a method that are searched for its prologue */
};

/* Follows the segment map from segment AT. Returns the block's first segment, or UINT64_MAX. */
WALK_PART_2(hotspot_first_segment, segments, at)
{
	for (int i = 0; i < HOTSPOT_HOPS; i++) {
		uint8_t hop;

		if (WALK_READ_CODE(w, &hop, 1, segments + at) || hop == HOTSPOT_FREE || hop > at)
			break;
		if (!hop)
			return at;
		at -= hop;
	}
	return UINT64_MAX;
}

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
	at = hotspot_first_segment(w, segments, (pc - begin) >> (l->shift & 63));
	return at == UINT64_MAX ? 0 : begin + (at << (l->shift & 63));
}

/* Space for words of code in w->saved, because the BPF stack is small. */
#define HOTSPOT_CODE(w) ((w)->saved + 8)

struct hotspot_blob {
	uint64_t code;    /* address */
	int32_t frame;    /* bytes, or 0 if there is none, or it is not known */
	int32_t complete; /* offset in the code from which on a leaf has its frame, or -1 */
};

/*
 * Reads the blob of BLOCK. Returns false if there is none that contains PC. The rule is valid while
 * the word with the frame's size is the same: when methods are freed, others take their place.
 */
static inline bool hotspot_read_blob(struct walk *w, const struct hotspot_layout *l, uint64_t block,
	uint64_t pc, struct hotspot_blob *b)
{
	uint32_t frame, shift = l->frame_size & 4 ? 32 : 0;
	uint64_t *word = HOTSPOT_CODE(w), end;

	word[0] = word[1] = word[2] = word[3] = 0;
	w->map.id_at = block + (l->frame_size & ~7U);
	if (WALK_READ_CODE(w, &word[0], 1, block + l->used) || word[0] != 1 ||
		WALK_READ_CODE(w, &word[1], 4, block + l->size) || pc < block + l->blob ||
		WALK_READ_CODE(w, &w->map.id, 8, w->map.id_at) ||
		WALK_READ_CODE(w, &word[2], 4, block + l->frame_complete) ||
		WALK_READ_CODE(w, &word[3], 8, block + l->code))
		return false;
	end = block + l->blob + word[1];
	b->complete = l->is_short ? (int16_t)word[2] : (int32_t)word[2];
	b->code = l->is_offset ? block + l->blob + (uint32_t)word[3] : word[3];
	frame = (uint32_t)(w->map.id >> shift);
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

/* Returns the prologue at ADDRESS, or -1 if there is no code. */
WALK_PART_1(hotspot_prologue_at, address)
{
	uint64_t code[2];

	if (WALK_READ_CODE(w, code, sizeof(code), address))
		return UINT64_MAX;
	return hotspot_prologue_of(code[0], code[1]);
}

/*
 * Returns the first prologue in the SIZE bytes of code at ADDRESS and its place, as prologue + 4 *
 * offset, or HOTSPOT_OTHER if there is none.
 */
WALK_PART_2(hotspot_find_prologue, address, size)
{
	for (uint64_t i = 0; i < HOTSPOT_PROLOGUE && i < size; i++) {
		uint64_t found = hotspot_prologue_at(w, address + i);

		if (found == UINT64_MAX)
			break;
		if (found != HOTSPOT_OTHER)
			return found + 4 * i;
	}
	return HOTSPOT_OTHER;
}

/* The rules that hotspot_step() evaluates: the values of index. */
enum hotspot_kind {
	HOTSPOT_METHOD,      /* leaf: as UNWIND_CFA_REG from rsp, or up to add words more */
	HOTSPOT_SENDER,      /* return address at rsp + offset, caller's rsp in reg */
	HOTSPOT_INTERPRETER, /* the caller's rsp is saved below the frame pointer */
};

static const struct unwind_rule hotspot_in_interpreter = {
	.cfa = RUNTIME_CFA(JAVA), .index = HOTSPOT_INTERPRETER};

/*
 * Works like jit_frame_rule() from rsp, for a leaf. The return address is checked, and may be up to
 * WORDS words higher.
 */
UNWIND_INLINE struct unwind_rule hotspot_checked(int32_t offset, bool fp_saved, int16_t words)
{
	struct unwind_rule rule = jit_frame_rule(REG_SP, offset, fp_saved);

	rule.cfa = RUNTIME_CFA(JAVA);
	rule.index = HOTSPOT_METHOD;
	rule.add = words;
	rule.lost = 0;
	return rule;
}

/* A leaf whose frame is not complete, AT bytes after the beginning of its code. */
UNWIND_INLINE struct unwind_rule hotspot_begin(
	struct walk *w, const struct hotspot_blob *b, uint32_t at)
{
	uint32_t found = (uint32_t)hotspot_find_prologue(w, b->code, (uint32_t)b->complete),
		 first = found >> 2;

	if ((found & 3) == HOTSPOT_OTHER)
		return jit_code_rule(JIT_NO_FRAME);
	if (at <= first)
		return jit_frame_rule(REG_SP, 8, false);
	if ((found & 3) == HOTSPOT_SUB) /* both instructions have at least 4 bytes */
		return jit_frame_rule(REG_SP, b->frame, at > first + 7);
	if (at == first + 1)
		return jit_frame_rule(REG_SP, 16, true);
	if ((found & 3) == HOTSPOT_COPY)
		return jit_frame_rule(REG_FP, 16, true);
	return jit_frame_rule(REG_SP, b->frame, true);
}

/* A leaf in a compiled method. */
UNWIND_INLINE struct unwind_rule hotspot_leaf(struct walk *w, const struct hotspot_blob *b)
{
	uint64_t pc = w->reg[REG_PC], *code = HOTSPOT_CODE(w);
	struct jit_edge edge;

	if (!b->frame)
		return jit_frame_rule(REG_SP, 8, false); /* the method only jumps */
	if (pc < b->code + (uint32_t)b->complete)
		return hotspot_begin(w, b, (uint32_t)(pc - b->code));
	if (WALK_READ_CODE(w, code, JIT_PEEK_SIZE, pc - JIT_PEEK))
		return jit_code_rule(JIT_NO_FRAME);
	edge = jit_peek_end(code[1], code[2]);
	return edge.is_edge ? jit_frame_rule(REG_SP, edge.ra + 8, edge.fp_saved)
			    : hotspot_checked(b->frame, true, 2);
}

/* The caller's rsp and the return address are in registers. */
UNWIND_INLINE struct unwind_rule hotspot_registers(uint8_t sp, uint8_t ra)
{
	struct unwind_rule rule = jit_frame_rule(sp, 0, false);

	rule.ra = (int16_t)(UNWIND_RA_REG + ra);
	return rule;
}

/* The return address is at rsp + OFFSET, and the caller's rsp is in register SP. */
UNWIND_INLINE struct unwind_rule hotspot_sender(uint8_t sp, int32_t offset)
{
	struct unwind_rule rule = jit_frame_rule(sp, offset, offset > 0);

	rule.cfa = RUNTIME_CFA(JAVA);
	rule.index = HOTSPOT_SENDER;
	rule.lost = 0;
	return rule;
}

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
			return hotspot_sender(X86_R13, 8);
		return offset > e->pop && offset < e->push ? hotspot_registers(X86_R13, X86_RAX)
							   : hotspot_sender(X86_R13, 0);
	}
	if (!WALK_READ_CODE(w, code, 16, w->reg[REG_PC] - 8)) {
		if (code[1] == leave)
			return hotspot_sender(REG_BASE, 0);
		if (code[0] >> 48 == (leave & 0xffff) && (code[1] & 0xffffffffffff) == leave >> 16)
			return hotspot_registers(REG_BASE, X86_R13);
		if (code[0] >> 24 == (leave & 0xffffffffff) && (code[1] & 0xffffff) == leave >> 40)
			return hotspot_registers(REG_SP, X86_R13);
	}
	return hotspot_in_interpreter;
}

/* A call in the interpreter. The code that calls Math's functions has no frame. */
UNWIND_INLINE struct unwind_rule hotspot_interpreter_call(struct walk *w)
{
	const uint64_t leave = 0xe0ffe58b4958; /* pop %rax; mov %r13,%rsp; jmp *%rax */
	uint64_t *code = HOTSPOT_CODE(w);

	if (!WALK_READ_CODE(w, code, 8, w->reg[REG_PC]) && (*code & 0xffffffffffff) == leave)
		return jit_frame_rule(REG_SP, 8, false);
	return hotspot_in_interpreter;
}

/*
 * Finds the rule for code, from BEGIN on, that the JVM does not describe. Compiled code calls it
 * like other code.
 */
UNWIND_INLINE struct unwind_rule hotspot_stub_rule(struct walk *w, uint64_t begin)
{
	struct unwind_rule rule = jit_code_rule(JIT_NO_FRAME);
	uint64_t *code = HOTSPOT_CODE(w);
	struct jit_edge edge = {0};
	uint32_t found;

	if (!w->call && !WALK_READ_CODE(w, code, JIT_PEEK_SIZE, w->reg[REG_PC] - JIT_PEEK))
		edge = jit_peek(code[0], code[1], code[2]);
	if (edge.is_edge) {
		rule = jit_frame_rule(REG_SP, edge.ra + 8, edge.fp_saved);
		rule.cfa = UNWIND_CFA_CALLED;
		return rule;
	}
	found = jit_search_code(w, begin);
	if (found == JIT_NO_FRAME || (found == JIT_UNKNOWN && w->call))
		return rule;
	if (found == JIT_UNKNOWN)
		return hotspot_checked(8, false, 0);
	rule = jit_frame_rule(REG_FP, 16, true);
	rule.cfa = UNWIND_CFA_CALLED;
	return rule;
}

/* Finds the rule for the walk's pc. Returns false if the code does not belong to the JVM. */
static inline bool hotspot_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	const struct hotspot_layout *l = (const struct hotspot_layout *)layout->data;
	struct hotspot_blob *b = (struct hotspot_blob *)w->saved;
	uint64_t pc = walk_pc(w), block;

	w->map.id_at = w->map.id = 0;
	if (pc >= l->interpreter && pc < l->interpreter_end) {
		*rule = w->call ? hotspot_interpreter_call(w)
				: hotspot_interpreter(w, l, pc - l->interpreter);
		return true;
	}
	if (w->call && w->reg[REG_PC] == l->call_stub) {
		*rule = jit_frame_rule(REG_FP, 16, true);
		return true;
	}
	block = hotspot_block(w, l, pc);
	if (!block)
		return false;
	*rule = jit_code_rule(JIT_NO_FRAME);
	if (!hotspot_read_blob(w, l, block, pc, b) || pc < b->code)
		return true;
	if (b->complete < 0 && (!w->call || !b->frame))
		*rule = hotspot_stub_rule(w, b->code);
	else if (!w->call)
		*rule = hotspot_leaf(w, b);
	else if (b->frame)
		*rule = jit_frame_rule(REG_SP, b->frame, true);
	return true;
}

/* ---- steps by the rules that no other code has ---- */

/*
 * Takes SP, which was saved as the caller's rsp, if it is at least LEAST and near it. Otherwise rsp
 * is not known.
 */
static inline void hotspot_take_sender(struct walk *w, uint64_t least, uint64_t sp)
{
	w->reg[REG_SP] = least;
	if (sp >= least && sp - least <= WALK_JIT_MAX)
		w->reg[REG_SP] = sp;
	else
		w->known &= ~(1U << REG_SP);
}

/*
 * Steps from HotSpot's interpreter. It moves its return address, and therefore saves the caller's
 * rsp, which the rules of compiled callers refer to. After calls by method handles the saved value
 * may be too low, and is useless.
 */
static inline int hotspot_by_interpreter(struct walk *w)
{
	uint64_t sp;
	int end;

	if (WALK_READ(w, &sp, 8, w->reg[REG_FP] - 8))
		return WALK_NO_RULE;
	end = walk_by_frame(w, WALK_JIT_MAX, false);
	if (end != WALK_ON)
		return end;
	hotspot_take_sender(w, w->reg[REG_SP], sp);
	return WALK_ON;
}

/*
 * Returns true if Java code was called from before ADDRESS, possibly by the interpreter, which uses
 * no call instruction.
 */
static inline bool hotspot_is_return(struct walk *w, uint64_t address)
{
	uint64_t *code = w->saved;

	if (WALK_READ_CODE(w, code, 16, address - 8))
		return false;
	if (code[1] == 0xf045c748f0658b48 ||   /* mov -16(%rbp),%rsp; movq $0,-16(%rbp) */
		code[1] == 0xcd648d48f04d8b48) /* mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp */
		return true;
	return code_is_call((const uint8_t *)code + 1);
}

/*
 * Steps from a leaf in HotSpot's code. R is like UNWIND_CFA_REG, but the return address is checked,
 * and may be up to r->add words higher: compiled methods push words while they work on strings.
 */
static inline int hotspot_by_method(struct walk *w, const struct unwind_rule *r)
{
	for (int i = 0; i < 3 && i <= r->add; i++) {
		uint64_t *pair = w->saved + 2, at = w->reg[REG_SP] + (int64_t)r->offset + 8 * i;

		if (WALK_READ(w, pair, 16, at - 16))
			return WALK_NO_READ;
		if (!hotspot_is_return(w, pair[1]))
			continue;
		if (r->fp_saved == UNWIND_AT_CFA)
			w->reg[REG_FP] = pair[0];
		w->reg[REG_PC] = pair[1];
		w->reg[REG_SP] = at;
		w->known &= 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
		w->call = true;
		return WALK_ON;
	}
	return WALK_NO_RULE;
}

/* Steps from a leaf in HotSpot's interpreter, at the beginning or the end of a method. */
static inline int hotspot_by_sender(struct walk *w, const struct unwind_rule *r)
{
	uint64_t at = w->reg[REG_SP] + (int64_t)r->offset, ra;
	uint64_t sp = w->reg[UNWIND_BELOW(r->reg, NR_REGS)];

	if (w->call || WALK_READ(w, &ra, 8, at) ||
		(r->fp_saved == UNWIND_AT_CFA && WALK_READ(w, &w->reg[REG_FP], 8, at - 8)))
		return WALK_NO_RULE;
	w->reg[REG_PC] = ra;
	w->known &= 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	hotspot_take_sender(w, at + 8, sp);
	return WALK_ON;
}

static inline int hotspot_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r)
{
	(void)layout;
	switch (r->index) {
	case HOTSPOT_METHOD:
		return hotspot_by_method(w, r);
	case HOTSPOT_SENDER:
		return hotspot_by_sender(w, r);
	default:
		return hotspot_by_interpreter(w);
	}
}

#endif
