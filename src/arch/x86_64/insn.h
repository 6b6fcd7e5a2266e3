/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64 instructions: their lengths, operands and the registers that they write. tests/unit/insn.c
 * checks the results against a disassembler library. No such library is linked, because their ABIs
 * change with each release.
 */
#ifndef ARCH_X86_64_INSN_H
#define ARCH_X86_64_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	INSN_MAX = 15, /* bytes */

	/* numbers of the general registers as instructions encode them */
	INSN_RAX = 0,
	INSN_RCX,
	INSN_RDX,
	INSN_RBX,
	INSN_RSP,
	INSN_RBP,
	INSN_RSI,
	INSN_RDI,
	INSN_R11 = 11,
	INSN_R12,
	INSN_R15 = 15,
	INSN_REGS,
	INSN_RIP,    /* as base only */
	INSN_NO_REG, /* no base or index */

	/* see registers.h */
	INSN_SP = INSN_RSP,
	INSN_FP = INSN_RBP,
	INSN_BASE = INSN_RBX,
	INSN_KEPT = INSN_R12,
};

enum insn_map {
	MAP_1,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_5 = 5,
	MAP_6,
	MAP_XOP_8 = 8,
	MAP_XOP_9,
	MAP_XOP_A,
};
enum insn_vex { NO_VEX, VEX, EVEX };

struct insn {
	uint8_t length; /* bytes */
	uint8_t map;    /* enum insn_map of the opcode */
	uint8_t opcode;
	uint8_t vex;               /* enum insn_vex; XOP counts as VEX */
	uint8_t repeat;            /* prefix 0xf2 or 0xf3, or 0 if there is none */
	bool is_256;               /* VEX.L */
	bool rex, wide;            /* it has a REX prefix; REX.W is set */
	bool size16, address32;    /* prefixes 0x66, 0x67 */
	bool segment;              /* the address is relative to fs or gs */
	bool has_modrm, is_memory; /* rm is a register unless is_memory is set */
	uint8_t reg, rm, base, index, vvvv;
	uint8_t low; /* the register that the opcode's last three bits name */
	int32_t displacement;
	int64_t immediate;
};

/* Returns the DWARF number of a general register. */
uint8_t insn_dwarf_number(unsigned int reg);

/* Decodes the instruction at CODE, of at most SIZE bytes. Returns false if it is not valid. */
bool insn_decode(struct insn *insn, const unsigned char *code, size_t size);

/*
 * Returns the mask of the general registers that INSN writes. It may contain too many. rsp is in it
 * only as an operand: push, pop, call, ret, enter and leave do not count.
 */
uint32_t insn_writes(const struct insn *insn);
/*
 * Returns an upper limit of the bytes that INSN writes to its memory operand, or 0 if it writes
 * none.
 */
unsigned int insn_stores(const struct insn *insn);

/* Where the flow continues after an instruction. */
enum insn_next {
	NEXT_ON,
	NEXT_JUMP,   /* to its target only */
	NEXT_BRANCH, /* to its target, or on */
	NEXT_CALL,
	NEXT_RETURN,
	NEXT_INDIRECT, /* to an unknown address */
	NEXT_END,      /* nowhere: ud2, int3, hlt */
};

enum insn_next insn_next(const struct insn *insn);
/* Returns true if INSN, at ADDRESS, is a direct jump, branch or call, and sets TARGET. */
bool insn_target(const struct insn *insn, uint64_t address, uint64_t *target);
/* Returns true if INSN, at ADDRESS, takes a constant address, and sets TAKEN. */
bool insn_takes(const struct insn *insn, uint64_t address, uint64_t *taken);
/* Returns true if INSN is the short form of pop, whose register is insn.low. */
bool insn_is_pop(const struct insn *insn);
/* Returns true if INSN does nothing, as the instructions by which compilers fill gaps. */
bool insn_is_padding(const struct insn *insn);

#endif
