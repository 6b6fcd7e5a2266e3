/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that sljit has compiled, which PCRE and PCRE2 do with regular expressions; the same in the
 * kernel (BPF) and in user space, WALK_READ_CODE as in step.h.
 *
 * Functions are in blocks of chunks (sljitExecAllocator.c). A function pushes registers, moves
 * arguments and subtracts from rsp (sljit_emit_enter() in sljitNativeX86_64.c); then rsp stays the
 * same up to where all of that is undone, but for a word at either end of what it calls within
 * itself.
 */
#ifndef UNWIND_SLJIT_H
#define UNWIND_SLJIT_H

#include "format.h"
#include "walk.h"

enum {
	SLJIT_CHUNK = 1 << 16, /* bytes; or a multiple */
	SLJIT_CHUNKS = 4,
	SLJIT_BLOCKS = 128,   /* of a chunk that are looked at */
	SLJIT_BLOCK_MIN = 32, /* bytes */
	SLJIT_BLOCK_HEAD = 16,
	SLJIT_PUSHES = 8,
	SLJIT_MOVES = 8,
	SLJIT_FRAME_MAX = 1 << 16,
};

/* The head of a block, as it is in memory. */
struct sljit_block {
	uint64_t size; /* 0: it is free, 1: the chunk ends */
	uint64_t size_before;
	uint64_t next, previous, free_size; /* of a free one */
};

/*
 * What is known of the function of the walk's pc. It is in memory, in w->saved, and loops take one
 * of the steps below each time: in the BPF programs these are functions, verified once.
 */
struct sljit_search {
	struct sljit_block block;
	uint64_t at, size_before; /* the next block, or the next instruction */
	uint64_t function;        /* 0: not found */
	uint64_t pc;              /* of a leaf; UINT64_MAX: a call */
	uint64_t word;            /* the code at the instruction */
	int32_t size;             /* bytes that are on the stack below the return address */
	uint16_t pushes;          /* registers of these, … */
	uint16_t fp, bx;          /* … and which of them are rbp and rbx, from 1; 0: none */
	uint8_t lost;             /* as in struct unwind_rule */
};
_Static_assert(sizeof(struct sljit_search) <= NR_REGS * sizeof(uint64_t), "it is in w->saved");

static inline struct sljit_search *sljit_search(struct walk *w)
{
	return (struct sljit_search *)w->saved;
}

/* Looks at the next block; true: the search in this chunk has ended. */
static inline bool sljit_next_block(struct walk *w)
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

/* The register that the code W pushes or pops, by OPCODE, as instructions have it; -1: none. */
static inline int sljit_register(uint64_t w, uint8_t opcode)
{
	uint8_t first = (uint8_t)w, second = (uint8_t)(w >> 8);

	if ((first & 0xf8) == opcode)
		return first & 7;
	return first == 0x41 && (second & 0xf8) == opcode ? 8 + (second & 7) : -1;
}

/* Looks at the next instruction; true: it pushes no register. */
static inline bool sljit_next_push(struct walk *w)
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
			s->bx = s->pushes;
		else if (number >= UNWIND_R12)
			s->lost |= (uint8_t)(1 << (number & 3));
	}
	s->at += number < 8 ? 1 : 2;
	return false;
}

/* Looks at the next instruction; true: it moves no register to another. */
static inline bool sljit_next_move(struct walk *w)
{
	struct sljit_search *s = sljit_search(w);

	if (WALK_READ_CODE(w, &s->word, sizeof(s->word), s->at) || (s->word & 0xc0fdf8) != 0xc08948)
		return true;
	s->at += 3;
	return false;
}

/* Looks at the next instruction; true: it pops no register. */
static inline bool sljit_next_pop(struct walk *w)
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

/* The BPF programs have functions of their own for these. */
#ifndef SLJIT_NEXT_BLOCK
#define SLJIT_NEXT_BLOCK(w) sljit_next_block(w)
#define SLJIT_NEXT_PUSH(w) sljit_next_push(w)
#define SLJIT_NEXT_MOVE(w) sljit_next_move(w)
#define SLJIT_NEXT_POP(w) sljit_next_pop(w)
#endif

/* Finds the function; false: the pc is in none. */
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
			if (SLJIT_NEXT_BLOCK(w))
				break;
		if (s->function)
			return true;
	}
	return false;
}

/*
 * Looks at what the function does first, up to the pc; s->at is then the instruction that subtracts
 * from rsp. False: it is not understood.
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
		if (SLJIT_NEXT_PUSH(w))
			break;
	for (uint64_t i = 0; i < SLJIT_MOVES; i++)
		if (SLJIT_NEXT_MOVE(w))
			break;
	if ((s->word & 0xfffdff) != 0xec8148) /* sub $…,%rsp */
		return false;
	if (s->at < s->pc)
		s->size += s->word & 0x200 ? (int8_t)(s->word >> 24) : (int32_t)(s->word >> 24);
	return s->size >= 0 && s->size < SLJIT_FRAME_MAX;
}

/* A leaf behind that: is it about to return, or has it just called a part of itself? */
static inline void sljit_look_at_leaf(struct walk *w)
{
	struct sljit_search *s = sljit_search(w);

	s->at = s->pc;
	s->pushes = 0;
	for (uint64_t i = 0; i < SLJIT_PUSHES; i++)
		if (SLJIT_NEXT_POP(w))
			break;
	if ((s->word & 0xff) == 0xc3) { /* ret */
		s->size = 8 * s->pushes;
		s->fp = s->fp <= s->pushes ? s->fp : 0;
		s->bx = s->bx <= s->pushes ? s->bx : 0;
	} else if (!s->pushes && (s->word & 0xff3fff) == 0x24048f) { /* pop …(%rsp) */
		s->size += 8;
	}
}

/*
 * Sets RULE to that of the walk's pc, in memory that is no file; false: it is none of sljit's code.
 * w->map.id is then of what the rule depends on.
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
		.bx_saved = s->bx ? UNWIND_AT_CFA : UNWIND_SAME,
		.bx = (int16_t)(-1 - s->bx),
		.ra = -1};
	return true;
}

#endif
