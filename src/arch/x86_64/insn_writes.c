/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "insn.h"

enum {
	RAX = 1 << INSN_RAX,
	RCX = 1 << INSN_RCX,
	RDX = 1 << INSN_RDX,
	RBX = 1 << INSN_RBX,
	RSI = 1 << INSN_RSI,
	RDI = 1 << INSN_RDI,
	R11 = 1 << INSN_R11,
};

static bool between(uint8_t opcode, uint8_t first, uint8_t last)
{
	return opcode >= first && opcode <= last;
}

/* Returns the bit of register NUMBER. Without REX prefix, byte registers 4 to 7 are ah to bh. */
static uint32_t bit_of(const struct insn *insn, uint8_t number, bool is_byte)
{
	return 1U << (is_byte && !insn->rex && number >= 4 && number < 8 ? number - 4 : number);
}

static uint32_t rm_of(const struct insn *insn, bool is_byte)
{
	return insn->has_modrm && !insn->is_memory ? bit_of(insn, insn->rm, is_byte) : 0;
}

/* Opcodes 0x00 to 0x3f: add, or, adc, sbb, and, sub, xor, cmp. */
static uint32_t arithmetic_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	if (o >> 3 == 7)
		return 0;
	return (o & 7) < 2   ? rm_of(insn, !(o & 1))
	       : (o & 7) < 4 ? bit_of(insn, insn->reg, !(o & 1))
			     : RAX;
}

/* Groups of instructions that share an opcode and differ in the reg field. */
static uint32_t group_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode, which = insn->reg & 7;
	uint32_t rm = rm_of(insn, !(o & 1));

	switch (o) {
	case 0x80:
	case 0x81:
		return which == 7 ? 0 : rm;
	case 0x83:
		return which == 7 ? 0 : rm_of(insn, false);
	case 0xf6:
	case 0xf7:
		return which < 2 ? 0 : which < 4 ? rm : RAX | RDX;
	case 0xfe:
	case 0xff:
		return which < 2 ? rm : 0;
	case 0xdf: /* fnstsw %ax */
		return insn->is_memory ? 0 : RAX;
	default:
		return rm;
	}
}

static uint32_t string_writes(uint8_t opcode)
{
	switch (opcode & ~1) {
	case 0xaa:
	case 0xae:
		return RDI | RCX;
	case 0xac:
		return RAX | RSI | RCX;
	case 0xa8: /* test */
		return 0;
	default:
		return RDI | RSI | RCX;
	}
}

static uint32_t one_byte_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	if (o < 0x40)
		return arithmetic_writes(insn);
	if (between(o, 0x6c, 0x6f) || between(o, 0xa4, 0xaf))
		return string_writes(o);
	if (between(o, 0x90, 0x97))
		return insn->low ? RAX | 1U << insn->low : 0;
	if (between(o, 0xb0, 0xbf))
		return bit_of(insn, insn->low, o < 0xb8);
	if (between(o, 0x84, 0x85) || o == 0x8e || between(o, 0xd8, 0xde))
		return 0;
	if (between(o, 0x86, 0x87))
		return rm_of(insn, o == 0x86) | bit_of(insn, insn->reg, o == 0x86);
	if (o == 0x8a)
		return bit_of(insn, insn->reg, true);
	if (o == 0x63 || o == 0x69 || o == 0x6b || o == 0x8b || o == 0x8d)
		return 1U << insn->reg;
	if (o == 0x8c)
		return rm_of(insn, false);
	if (o == 0x98 || o == 0x9f || o == 0xa0 || o == 0xa1 || o == 0xd7 ||
		between(o & ~8, 0xe4, 0xe5))
		return RAX;
	if (o == 0x99)
		return RDX;
	return between(o, 0xe0, 0xe2) ? RCX : group_writes(insn);
}

static uint32_t system_writes(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x00:
	case 0x20:
	case 0x21:
	case 0x78:
		return rm_of(insn, false);
	case 0x01: /* rdtscp and other instructions without operands */
		return ((insn->reg & 7) == 4 ? rm_of(insn, false) : 0) | RAX | RCX | RDX;
	case 0x05:
	case 0x34:
		return RAX | RCX | RDX | R11;
	case 0x31:
	case 0x32:
	case 0x33:
		return RAX | RDX;
	case 0x37:
	case 0xa2:
		return RAX | RBX | RCX | RDX;
	case 0xa6:
	case 0xa7: /* PadLock */
		return RAX | RCX | RDX | RSI | RDI;
	case 0x1e:
	case 0xae: /* rdfsbase, rdsspq */
		return insn->repeat == 0xf3 ? rm_of(insn, false) : 0;
	default:
		return 0;
	}
}

/* Vector instructions whose result is in a general register. */
static uint32_t vector_writes(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x2c:
	case 0x2d:
		return insn->repeat ? 1U << insn->reg : 0;
	case 0x78:
	case 0x79:
		return insn->vex == EVEX && insn->repeat ? 1U << insn->reg : 0;
	case 0x50:
	case 0xc5:
	case 0xd7:
		return 1U << insn->reg;
	case 0x93: /* kmov */
		return insn->vex == VEX ? 1U << insn->reg : 0;
	case 0x7e:
		return insn->repeat == 0xf3 ? 0 : rm_of(insn, false);
	default:
		return 0;
	}
}

static uint32_t bit_writes(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xb3:
	case 0xbb:
		return rm_of(insn, false);
	case 0xba:
		return (insn->reg & 7) == 4 ? 0 : rm_of(insn, false);
	case 0xb0:
	case 0xb1:
		return rm_of(insn, insn->opcode == 0xb0) | RAX;
	case 0xc0:
	case 0xc1:
		return rm_of(insn, insn->opcode == 0xc0) |
		       bit_of(insn, insn->reg, insn->opcode == 0xc0);
	case 0xc7:
		return insn->is_memory ? RAX | RDX : rm_of(insn, false);
	default:
		return 0;
	}
}

static uint32_t two_byte_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	if (insn->vex)
		return vector_writes(insn);
	if (between(o, 0x40, 0x4f) || o == 0x02 || o == 0x03 || o == 0xaf || o == 0xb2 ||
		between(o, 0xb4, 0xb8) || between(o, 0xbc, 0xbf))
		return 1U << insn->reg;
	if (between(o, 0x90, 0x9f))
		return rm_of(insn, true);
	if (between(o, 0xc8, 0xcf))
		return 1U << insn->low;
	return system_writes(insn) | vector_writes(insn) | bit_writes(insn);
}

static uint32_t map_0f38_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	if (insn->vex == EVEX || o < 0xf0)
		return 0;
	if (insn->vex)
		return (o == 0xf3 ? 0 : 1U << insn->reg) |
		       (o == 0xf3 || o == 0xf6 ? 1U << insn->vvvv : 0);
	return o == 0xf0 || o == 0xf1 || o == 0xf6 ? 1U << insn->reg : 0;
}

uint32_t insn_writes(const struct insn *insn)
{
	uint8_t o = insn->opcode;

	switch (insn->map) {
	case MAP_1:
		return one_byte_writes(insn);
	case MAP_0F:
		return two_byte_writes(insn);
	case MAP_0F38:
		return map_0f38_writes(insn);
	case MAP_0F3A:
		return between(o, 0x14, 0x17)   ? rm_of(insn, false)
		       : between(o, 0x60, 0x63) ? RCX
		       : o == 0xf0              ? 1U << insn->reg
						: 0;
	case MAP_XOP_8:
		return 0;
	case MAP_XOP_9: /* tbm */
		return o < 3 ? 1U << insn->vvvv : o == 0x12 ? rm_of(insn, false) : 0;
	case MAP_XOP_A:
		return 1U << insn->reg;
	default: /* half precision */
		return vector_writes(insn);
	}
}

static bool may_store_1(const struct insn *insn)
{
	uint8_t o = insn->opcode, which = insn->reg & 7;

	if (o < 0x40)
		return o >> 3 != 7 && (o & 7) < 2;
	if (between(o, 0x80, 0x83))
		return which != 7;
	if (between(o, 0xd8, 0xdf))
		return o & 1 && which > 1;
	if (between(o, 0xf6, 0xf7))
		return which == 2 || which == 3;
	return between(o, 0x86, 0x89) || o == 0x8c || o == 0x8f || between(o, 0xc0, 0xd3) ||
	       (between(o, 0xfe, 0xff) && which < 2);
}

static bool may_store_0f(const struct insn *insn)
{
	static const uint8_t stores[] = {0x11, 0x13, 0x17, 0x29, 0x2b, 0x78, 0x79, 0x7a, 0x7b, 0x7e,
		0x7f, 0x91, 0xa4, 0xa5, 0xab, 0xac, 0xad, 0xae, 0xb0, 0xb1, 0xb3, 0xba, 0xbb, 0xc0,
		0xc1, 0xc3, 0xc7, 0xd6, 0xe7};

	for (size_t i = 0; i < sizeof(stores); i++)
		if (stores[i] == insn->opcode)
			return true;
	return !insn->vex && between(insn->opcode, 0x90, 0x9f);
}

static unsigned int vector_store_size(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x11: /* includes movss and movsd */
		if (!insn->repeat)
			break;
		return 8;
	case 0x13:
	case 0x17:
	case 0x7e:
	case 0xd6:
		return 8;
	case 0xae: /* fxsave, xsave */
	case 0xc7:
		return insn->vex ? 8 : 4096;
	}
	return insn->vex && insn->is_256 ? 32 : 16;
}

static unsigned int store_size(const struct insn *insn)
{
	if (insn->vex == EVEX)
		return 64;
	if (insn->map == MAP_0F)
		return vector_store_size(insn);
	if (insn->map)
		return insn->vex ? 32 : 64;
	return between(insn->opcode, 0xd8, 0xdf) ? 128 /* fnsave */ : 8;
}

unsigned int insn_stores(const struct insn *insn)
{
	uint8_t o = insn->opcode;
	bool may;

	if (!insn->is_memory)
		return 0;
	switch (insn->map) {
	case MAP_1:
		may = may_store_1(insn);
		break;
	case MAP_0F:
		may = may_store_0f(insn);
		break;
	case MAP_0F38: /* masked and narrowing moves, scatter */
		may = insn->vex ? between(o, 0x10, 0x35) || o == 0x8e || o == 0x8a || o == 0x8b ||
					  o == 0x63 || between(o, 0xa0, 0xa3)
				: o >= 0xf1;
		break;
	case MAP_0F3A:
		may = between(o, 0x14, 0x1d) || between(o, 0x39, 0x3b);
		break;
	default:
		may = true;
	}
	return may ? store_size(insn) : 0;
}
