/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "entry_place.h"
#include "insn.h"

enum {
	ENTRY_MAX = 128, /* bytes before the place */
	NOP5 = 5,
	ARGUMENTS = 1 << INSN_RDI | 1 << INSN_RSI | 1 << INSN_RDX | 1 << INSN_RCX | 1 << 8 | 1 << 9,
	PUSH = 0x50, /* with a register in the lower three bits */
	NOP = 0x90,
	JUMP = 0xe9,
	SHORT_JUMP = 0xeb,
	LEAVE = 0xc9,
	ENTER = 0xc8,
};

static bool has_prefix(const struct insn *i)
{
	return i->repeat || i->size16 || i->address32 || i->segment || i->vex;
}

/* Returns whether the kernel emulates the instruction. It does so for calls, too. */
static bool is_emulated(const struct insn *i)
{
	if (has_prefix(i))
		return false;
	if (i->map == MAP_0F)
		return i->opcode >> 4 == 8; /* conditional jumps */
	if (i->map != MAP_1)
		return false;
	return (i->opcode & ~7) == PUSH || i->opcode >> 4 == 7 || i->opcode == JUMP ||
	       i->opcode == SHORT_JUMP || (i->opcode == NOP && i->length == 1);
}

/* Returns whether the instruction is endbr64, which is encoded with operands, but has none. */
static bool is_endbr64(const struct insn *i)
{
	return i->repeat == 0xf3 && i->map == MAP_0F && i->opcode == 0x1e && i->length == 4 &&
	       !i->rex && !i->is_memory && i->reg == 7 && i->rm == 2;
}

/* Returns whether arguments, and the stack pointer with KEEPS_STACK, are the same behind it. */
static bool keeps(const struct insn *i, bool keeps_stack)
{
	uint32_t kept = ARGUMENTS | (keeps_stack ? 1 << INSN_RSP : 0);
	bool moves_frame = i->map == MAP_1 && (i->opcode == LEAVE || i->opcode == ENTER);

	return is_endbr64(i) || (insn_next(i) == NEXT_ON && !(insn_writes(i) & kept) &&
					!insn_is_pop(i) && !moves_frame);
}

static bool is_nop5(const struct insn *i)
{
	return i->length == NOP5 && insn_is_padding(i);
}

/*
 * Finds the first instruction that is emulated or, if there is none, the first that is no nop of
 * five bytes.
 */
static size_t find_place(const unsigned char *code, size_t size, bool keeps_stack)
{
	size_t first = size;
	struct insn insn;

	for (size_t at = 0; at < size && at < ENTRY_MAX; at += insn.length) {
		if (!insn_decode(&insn, code + at, size - at))
			break;
		if (is_emulated(&insn))
			return at;
		if (first == size && !is_nop5(&insn))
			first = at;
		if (!keeps(&insn, keeps_stack))
			break;
	}
	return first == size ? 0 : first;
}

/* Returns whether an instruction of the function may jump to behind its start, up to PLACE. */
static bool is_passed_again(const unsigned char *code, size_t size, size_t place)
{
	struct insn insn;
	uint64_t target;

	for (size_t at = 0; at < size; at += insn.length) {
		if (!insn_decode(&insn, code + at, size - at))
			return true;
		if (insn_target(&insn, at, &target) && target && target <= place)
			return true;
	}
	return false;
}

size_t entry_place(const unsigned char *code, size_t size, bool keeps_stack)
{
	size_t place = find_place(code, size, keeps_stack);

	return place && is_passed_again(code, size, place) ? 0 : place;
}
