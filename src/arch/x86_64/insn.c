/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes lengths and operands; see Intel's manual, volume 2, chapter 2 and the opcode maps of
 * appendix A.
 */
#include "insn.h"

#include <string.h>

/*
 * What follows each opcode:
 *	.	nothing
 *	m	a ModRM byte
 *	1 2 3	an immediate of 1, 2 or 3 bytes
 *	z	an immediate of 4 bytes (2 with prefix 0x66)
 *	v	as z, but of 8 bytes with REX.W
 *	o	an address
 *	j	a displacement of 4 bytes
 *	b	a ModRM byte and an immediate of 1 byte
 *	y	a ModRM byte and z
 *	Y	a ModRM byte and an immediate of 4 bytes
 *	t	a ModRM byte, and for test only an immediate of 1 byte or z
 *	x	invalid, or a prefix
 */
static const char one_byte[] = "mmmm1zxxmmmm1zxx" /* 0 */
			       "mmmm1zxxmmmm1zxx"
			       "mmmm1zxxmmmm1zxx"
			       "mmmm1zxxmmmm1zxx"
			       "xxxxxxxxxxxxxxxx" /* 4 */
			       "................"
			       "xxxmxxxxzy1b...."
			       "1111111111111111"
			       "byxbmmmmmmmmmmmm" /* 8 */
			       "..........x....."
			       "oooo....1z......"
			       "11111111vvvvvvvv"
			       "bb2.xxby3.2..1x." /* c */
			       "mmmmxxx.mmmmmmmm"
			       "11111111jjx1...."
			       "x.xx..tt......mm";
static const char two_bytes[] = "mmmmx.....x.xm.b" /* 0 */
				"mmmmmmmmmmmmmmmm"
				"mmmmxxxxmmmmmmmm"
				"......x.xxxxxxxx"
				"mmmmmmmmmmmmmmmm" /* 4 */
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"bbbbmmm.mmmmmmmm"
				"jjjjjjjjjjjjjjjj" /* 8 */
				"mmmmmmmmmmmmmmmm"
				"...mbmmm...mbmmm"
				"mmmmmmmmmmbmmmmm"
				"mmbmbbbm........" /* c */
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm";

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* The bytes left to decode. */
struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static unsigned char take(struct cursor *c)
{
	if (c->at == c->end) {
		c->bad = true;
		return 0;
	}
	return *c->at++;
}

/* Reads a signed number of SIZE bytes. */
static int64_t take_number(struct cursor *c, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)take(c) << 8 * i;
	if (!size)
		return 0;
	return (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Reads the prefixes. Returns the first byte after them. */
static unsigned char take_prefixes(struct insn *insn, struct cursor *c)
{
	for (;;) {
		unsigned char byte = take(c);

		switch (byte) {
		case 0x66:
			insn->size16 = true;
			break;
		case 0x67:
			insn->address32 = true;
			break;
		case 0xf2:
		case 0xf3:
			insn->repeat = byte;
			break;
		case 0x64:
		case 0x65:
			insn->segment = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			break;
		default:
			return byte;
		}
		if (c->bad)
			return 0;
	}
}

/* Sets the legacy prefix that the field PP of a VEX prefix stands for. */
static void set_implied(struct insn *insn, unsigned int pp)
{
	insn->size16 = pp == 1;
	insn->repeat = pp == 2 ? 0xf3 : pp == 3 ? 0xf2 : 0;
}

/* Reads the VEX, EVEX or XOP prefix that begins with FIRST. Returns the bits of a REX prefix. */
static unsigned int take_vex(struct insn *insn, struct cursor *c, unsigned char first)
{
	unsigned char head = take(c), last = first == 0xc5 ? head : take(c);
	unsigned int rex = ~head >> 5 & 7;

	insn->vex = first == 0x62 ? EVEX : VEX;
	insn->map = first == 0xc5 ? MAP_0F : first == 0x62 ? head & 7 : head & 31;
	if (first == 0xc5)
		rex &= REX_R;
	else
		rex |= last & 0x80 ? REX_W : 0;
	insn->vvvv = ~last >> 3 & 15;
	insn->is_256 = last & 4;
	set_implied(insn, last & 3);
	if (first == 0x62) {
		take(c);
		c->bad |= (head & 8) || !(last & 4) || insn->map == 4 || insn->map == 7;
	} else if (first == 0x8f) {
		c->bad |= insn->map < MAP_XOP_8 || insn->map > MAP_XOP_A;
	} else {
		c->bad |= insn->map > MAP_0F3A;
	}
	c->bad |= !insn->map;
	insn->opcode = take(c);
	return rex;
}

/*
 * AMD's XOP prefix has the opcode of pop; its map is one that the ModRM byte of pop cannot express.
 */
static bool is_xop(unsigned char byte, const struct cursor *c)
{
	return byte == 0x8f && c->at < c->end && (*c->at & 31) >= MAP_XOP_8;
}

/* Reads up to the opcode. Returns the bits of the REX prefix. */
static unsigned int take_opcode(struct insn *insn, struct cursor *c)
{
	unsigned char byte = take_prefixes(insn, c);
	unsigned int rex = 0;

	if ((byte & 0xf0) == 0x40) {
		rex = byte & 15;
		insn->rex = true;
		byte = take(c);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 || is_xop(byte, c))
		return take_vex(insn, c, byte);
	if (byte == 0x0f) {
		byte = take(c);
		insn->map = MAP_0F;
		if (byte == 0x38 || byte == 0x3a) {
			insn->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = take(c);
		}
	}
	insn->opcode = byte;
	return rex;
}

static char form_of(const struct insn *insn)
{
	switch (insn->map) {
	case MAP_1:
		return one_byte[insn->opcode];
	case MAP_0F:
		if (insn->vex && two_bytes[insn->opcode] != 'b')
			return insn->opcode == 0x77 ? '.' : 'm';
		return two_bytes[insn->opcode];
	case MAP_0F3A:
	case MAP_XOP_8:
		return 'b';
	case MAP_XOP_A:
		return 'Y';
	default:
		return 'm';
	}
}

static void take_sib(struct insn *insn, struct cursor *c, unsigned int rex, unsigned int *size)
{
	unsigned char sib = take(c);

	insn->base = (uint8_t)((sib & 7) | (rex & REX_B ? 8 : 0));
	insn->index = (uint8_t)((sib >> 3 & 7) | (rex & REX_X ? 8 : 0));
	if (insn->index == INSN_RSP)
		insn->index = INSN_NO_REG;
	if ((sib & 7) == INSN_RBP && !*size) {
		insn->base = INSN_NO_REG;
		*size = 4;
	}
}

static void take_modrm(struct insn *insn, struct cursor *c, unsigned int rex)
{
	unsigned char modrm = take(c);
	unsigned int mod = modrm >> 6, rm = modrm & 7, size = mod == 1 ? 1 : mod == 2 ? 4 : 0;

	insn->has_modrm = true;
	insn->is_memory = mod != 3;
	insn->reg = (uint8_t)((modrm >> 3 & 7) | (rex & REX_R ? 8 : 0));
	insn->rm = (uint8_t)(rm | (rex & REX_B ? 8 : 0));
	if (!insn->is_memory)
		return;
	insn->base = insn->rm;
	if (rm == INSN_RSP) {
		take_sib(insn, c, rex, &size);
	} else if (rm == INSN_RBP && !mod) {
		insn->base = INSN_RIP;
		size = 4;
	}
	insn->displacement = (int32_t)take_number(c, size);
}

static unsigned int immediate_size(const struct insn *insn, char form)
{
	unsigned int z = insn->size16 && !insn->wide ? 2 : 4;

	switch (form) {
	case '1':
	case 'b':
		return 1;
	case '2':
		return 2;
	case '3':
		return 3;
	case 'j':
	case 'Y':
		return 4;
	case 'z':
	case 'y':
		return z;
	case 'v':
		return insn->wide ? 8 : z;
	case 'o':
		return insn->address32 ? 4 : 8;
	case 't':
		return (insn->reg & 7) > 1 ? 0 : insn->opcode == 0xf6 ? 1 : z;
	default:
		return 0;
	}
}

/* Rejects the invalid forms of opcodes that have valid ones, too. */
static bool is_valid(const struct insn *insn)
{
	if (insn->map != MAP_1)
		return true;
	switch (insn->opcode) {
	case 0x8f:
		return !(insn->reg & 7);
	case 0xfe:
		return (insn->reg & 7) < 2;
	case 0xff:
		return (insn->reg & 7) < 7;
	case 0xc6: /* reg 7 is xabort, xbegin */
	case 0xc7:
		return !(insn->reg & 7) || ((insn->reg & 7) == 7 && !insn->is_memory);
	case 0x8d:
		return insn->is_memory;
	default:
		return true;
	}
}

bool insn_decode(struct insn *insn, const unsigned char *code, size_t size)
{
	struct cursor c = {.at = code, .end = code + (size < INSN_MAX ? size : INSN_MAX)};
	unsigned int rex;
	char form;

	*insn = (struct insn){.base = INSN_NO_REG, .index = INSN_NO_REG};
	rex = take_opcode(insn, &c);
	insn->wide = rex & REX_W;
	insn->low = (uint8_t)((insn->opcode & 7) | (rex & REX_B ? 8 : 0));
	form = form_of(insn);
	if (c.bad || form == 'x')
		return false;
	if (strchr("mbytY", form))
		take_modrm(insn, &c, rex);
	insn->immediate = take_number(&c, immediate_size(insn, form));
	insn->length = (uint8_t)(c.at - code);
	return !c.bad && is_valid(insn);
}

bool insn_target(const struct insn *insn, uint64_t address, uint64_t *target)
{
	uint8_t o = insn->opcode;

	if (insn->map == MAP_1 ? !((o & 0xf0) == 0x70 || (o >= 0xe0 && o <= 0xe3) ||
					 (o >= 0xe8 && o <= 0xeb))
			       : !(insn->map == MAP_0F && !insn->vex && (o & 0xf0) == 0x80))
		return false;
	*target = address + insn->length + (uint64_t)insn->immediate;
	return true;
}

static enum insn_next next_of_group5(const struct insn *insn)
{
	switch (insn->reg & 7) {
	case 2:
	case 3:
		return NEXT_CALL;
	case 4:
	case 5:
		return NEXT_INDIRECT;
	default:
		return NEXT_ON;
	}
}

enum insn_next insn_next(const struct insn *insn)
{
	uint64_t target;

	if (insn->map == MAP_0F && !insn->vex &&
		(insn->opcode == 0x0b || insn->opcode == 0xb9 || insn->opcode == 0xff))
		return NEXT_END;
	if (insn->map == MAP_1)
		switch (insn->opcode) {
		case 0xc2:
		case 0xc3:
		case 0xca:
		case 0xcb:
		case 0xcf:
			return NEXT_RETURN;
		case 0xcc:
		case 0xf1:
		case 0xf4:
			return NEXT_END;
		case 0xe8:
			return NEXT_CALL;
		case 0xe9:
		case 0xeb:
			return NEXT_JUMP;
		case 0xff:
			return next_of_group5(insn);
		}
	return insn_target(insn, 0, &target) ? NEXT_BRANCH : NEXT_ON;
}

bool insn_takes(const struct insn *insn, uint64_t address, uint64_t *taken)
{
	if (insn->map != MAP_1 || insn->opcode != 0x8d || insn->base != INSN_RIP)
		return false;
	*taken = address + insn->length + (uint64_t)(int64_t)insn->displacement;
	return true;
}

bool insn_is_pop(const struct insn *insn)
{
	return insn->map == MAP_1 && (insn->opcode & 0xf8) == 0x58;
}

bool insn_is_padding(const struct insn *insn)
{
	if (insn->map == MAP_0F)
		return !insn->vex && insn->opcode == 0x1f;
	if (insn->map != MAP_1)
		return false;
	if (insn->opcode == 0x8d) /* lea 0(%rsi),%rsi */
		return insn->wide && insn->base == insn->reg && insn->index == INSN_NO_REG &&
		       !insn->displacement;
	return insn->opcode == 0xcc || (insn->opcode == 0x90 && !insn->low);
}

uint8_t insn_dwarf_number(unsigned int reg)
{
	static const uint8_t numbers[] = {0, 2, 1, 3, 7, 6, 4, 5};

	return (uint8_t)(reg < sizeof(numbers) ? numbers[reg] : reg);
}
