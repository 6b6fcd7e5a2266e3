/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds rules for code that was compiled by sljit, which PCRE and PCRE2 use for regular
 * expressions. Used in the kernel (BPF) and in user space; step.h describes WALK_READ_CODE.
 *
 * Functions are in blocks, and blocks in chunks (sljitExecAllocator.c). A function pushes
 * registers, moves arguments and subtracts from rsp (sljit_emit_enter() in sljitNativeX86_64.c).
 * rsp then stays the same until this is undone, except at the beginning and the end of the
 * function's internal subroutines, where there is one more word on the stack.
 */
#ifndef RUNTIME_PCRE_SLJIT_H
#define RUNTIME_PCRE_SLJIT_H

#include "unwind/step.h"

enum {
	SLJIT_CHUNK = 1 << 16, /* bytes; the size of a chunk is a multiple of this */
	SLJIT_CHUNKS = 4,
	SLJIT_BLOCKS = 128,   /* limit of blocks in a chunk that are examined */
	SLJIT_BLOCK_MIN = 32, /* bytes */
	SLJIT_BLOCK_HEAD = 16,
	SLJIT_PUSHES = 8,
	SLJIT_MOVES = 8,
	SLJIT_FRAME_MAX = 1 << 16,
};

/* The head of a block, as it is in memory. */
struct sljit_block {
	uint64_t size; /* or 0 if the block is free, or 1 at the end of the chunk */
	uint64_t size_before;
	uint64_t next, previous, free_size; /* in a free block */
};

/*
 * The state of the search for the function of the walk's pc. It is in memory, in w->saved, and each
 * iteration of a loop calls one of the functions below: in the BPF programs these are verified only
 * once.
 */
struct sljit_search {
	struct sljit_block block;
	uint64_t at, size_before; /* the next block, or the next instruction */
	uint64_t function;        /* or 0 if it is not found */
	uint64_t pc;              /* pc of a leaf, or UINT64_MAX for a call */
	uint64_t word;            /* the code at the next instruction */
	int32_t size;             /* bytes on the stack below the return address */
	uint16_t pushes;          /* number of pushed registers */
	uint16_t fp, base;        /* positions of rbp and rbx among these, from 1, or 0 */
	uint8_t lost;             /* as in struct unwind_rule */
};
_Static_assert(sizeof(struct sljit_search) <= NR_REGS * sizeof(uint64_t), "it is in w->saved");

static inline struct sljit_search *sljit_search(struct walk *w)
{
	return (struct sljit_search *)w->saved;
}

/* Examines the next block. Returns true if the search in this chunk has ended. */
WALK_PART(sljit_next_block)
{
	struct sljit_search *s = sljit_search(w);
	uint64_t size, in;

	if (WALK_READ_CODE(w, &s->block, sizeof(s->block), s->at) ||
		s->block.size_before != s->size_before)
		return true;
	size = s->block.size ? s->block.size : s->block.free_size;
	in = walk_pc(w) - s->at;
	if (size < SLJIT_BLOCK_MIN || size & 7)
		return true;
	if (in < size) {
		s->function =
			s->block.size && in >= SLJIT_BLOCK_HEAD ? s->at + SLJIT_BLOCK_HEAD : 0;
		return true;
	}
	s->at += size;
	s->size_before = size;
	return false;
}

enum { SLJIT_PUSH = 0x50, SLJIT_POP = 0x58, SLJIT_RBX = 3, SLJIT_RBP = 5 };

/*
 * Returns the register, as instructions encode it, that the code W pushes or pops by OPCODE, or -1.
 */
static inline int sljit_register(uint64_t w, uint8_t opcode)
{
	uint8_t first = (uint8_t)w, second = (uint8_t)(w >> 8);

	if ((first & 0xf8) == opcode)
		return first & 7;
	return first == 0x41 && (second & 0xf8) == opcode ? 8 + (second & 7) : -1;
}

/* Runs the next instruction. Returns true if it pushes no register. */
WALK_PART(sljit_next_push)
{
	struct sljit_search *s = sljit_search(w);
	int number;

	if (WALK_READ_CODE(w, &s->word, sizeof(s->word), s->at))
		return true;
	number = sljit_register(s->word, SLJIT_PUSH);
	if (number < 0)
		return true;
	if (s->at < s->pc) {
		s->size += 8;
		s->pushes++;
		if (number == SLJIT_RBP)
			s->fp = s->pushes;
		else if (number == SLJIT_RBX)
			s->base = s->pushes;
		else if (number >= REG_KEPT)
			s->lost |= (uint8_t)(1 << (number & 3));
	}
	s->at += number < 8 ? 1 : 2;
	return false;
}

/* Skips the next instruction. Returns true if it does not move a register to another. */
WALK_PART(sljit_next_move)
{
	struct sljit_search *s = sljit_search(w);

	if (WALK_READ_CODE(w, &s->word, sizeof(s->word), s->at) || (s->word & 0xc0fdf8) != 0xc08948)
		return true;
	s->at += 3;
	return false;
}

/* Runs the next instruction. Returns true if it pops no register. */
WALK_PART(sljit_next_pop)
{
	struct sljit_search *s = sljit_search(w);
	int number;

	if (WALK_READ_CODE(w, &s->word, sizeof(s->word), s->at))
		return true;
	number = sljit_register(s->word, SLJIT_POP);
	if (number < 0)
		return true;
	s->pushes++;
	s->at += number < 8 ? 1 : 2;
	return false;
}

/* Finds the function of the walk's pc. Returns false if there is none. */
static inline bool sljit_find(struct walk *w)
{
	struct sljit_search *s = sljit_search(w);
	uint64_t start = w->map.start, at = walk_pc(w);

	*s = (struct sljit_search){.pc = w->call ? UINT64_MAX : at};
	at -= (at - start) & (SLJIT_CHUNK - 1);
	for (uint64_t i = 0; i < SLJIT_CHUNKS && at >= start; i++, at -= SLJIT_CHUNK) {
		s->at = at;
		s->size_before = 0;
		for (uint64_t k = 0; k < SLJIT_BLOCKS; k++)
			if (sljit_next_block(w))
				break;
		if (s->function)
			return true;
	}
	return false;
}

/*
 * Runs the first instructions of the function, up to the pc. s->at is then the instruction that
 * subtracts from rsp. Returns false if the code is not understood.
 */
static inline bool sljit_enter(struct walk *w)
{
	struct sljit_search *s = sljit_search(w);

	s->at = s->function;
	if (WALK_READ_CODE(w, &s->word, sizeof(s->word), s->at))
		return false;
	if ((uint32_t)s->word == 0xfa1e0ff3) /* endbr64 */
		s->at += 4;
	for (uint64_t i = 0; i < SLJIT_PUSHES; i++)
		if (sljit_next_push(w))
			break;
	for (uint64_t i = 0; i < SLJIT_MOVES; i++)
		if (sljit_next_move(w))
			break;
	if ((s->word & 0xfffdff) != 0xec8148) /* sub $…,%rsp */
		return false;
	if (s->at < s->pc)
		s->size += s->word & 0x200 ? (int8_t)(s->word >> 24) : (int32_t)(s->word >> 24);
	return s->size >= 0 && s->size < SLJIT_FRAME_MAX;
}

/*
 * Handles a leaf after these instructions, which may be about to return, or at the start of a
 * subroutine.
 */
static inline void sljit_look_at_leaf(struct walk *w)
{
	struct sljit_search *s = sljit_search(w);

	s->at = s->pc;
	s->pushes = 0;
	for (uint64_t i = 0; i < SLJIT_PUSHES; i++)
		if (sljit_next_pop(w))
			break;
	if ((s->word & 0xff) == 0xc3) { /* ret */
		s->size = 8 * s->pushes;
		s->fp = s->fp <= s->pushes ? s->fp : 0;
		s->base = s->base <= s->pushes ? s->base : 0;
	} else if (!s->pushes && (s->word & 0xff3fff) == 0x24048f) { /* pop …(%rsp) */
		s->size += 8;
	}
}

/*
 * Sets RULE to the rule of the walk's pc, in memory that is not mapped from a file. Returns false
 * if it is not code of sljit. w->map.id has then the code that the rule depends on.
 */
static inline bool sljit_rule(struct walk *w, struct unwind_rule *rule)
{
	struct sljit_search *s = sljit_search(w);

	if (!sljit_find(w) || !sljit_enter(w) ||
		WALK_READ_CODE(w, &w->map.id, sizeof(w->map.id), s->at))
		return false;
	w->map.id_at = s->at;
	if (!w->call && s->pc > s->at)
		sljit_look_at_leaf(w);
	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_CALLED,
		.lost = s->lost & 0xf,
		.reg = REG_SP,
		.offset = s->size + 8,
		.fp_saved = s->fp ? UNWIND_AT_CFA : UNWIND_SAME,
		.fp = (int16_t)(-1 - s->fp),
		.base_saved = s->base ? UNWIND_AT_CFA : UNWIND_SAME,
		.base = (int16_t)(-1 - s->base),
		.ra = -1};
	return true;
}

#endif
