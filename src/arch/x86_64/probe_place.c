/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_place.h"
#include "lib/util.h"

#include <stdint.h>

enum { RSI = 6, RDI = 7, ANY_DIGIT = 8, REX_B = 1, REX_R = 4 };

/* The operand that an instruction with a ModRM byte changes. */
enum operand_change { CHANGES_NONE, CHANGES_REG, CHANGES_RM };

/* Instructions that compilers put at the start of functions (Intel SDM, volume 2). */
static const struct probe_form {
	uint8_t two_bytes, opcode; /* two_bytes is 1 if 0x0f precedes the opcode */
	uint8_t digit;             /* in the place of a register, or ANY_DIGIT for a register */
	uint8_t immediate;         /* bytes of the immediate operand */
	enum operand_change change;
} forms[] = {
	{0, 0x01, ANY_DIGIT, 0, CHANGES_RM},   /* add */
	{0, 0x31, ANY_DIGIT, 0, CHANGES_RM},   /* xor */
	{0, 0x33, ANY_DIGIT, 0, CHANGES_REG},  /* xor */
	{0, 0x38, ANY_DIGIT, 0, CHANGES_NONE}, /* cmp, and the next three */
	{0, 0x39, ANY_DIGIT, 0, CHANGES_NONE},
	{0, 0x3a, ANY_DIGIT, 0, CHANGES_NONE},
	{0, 0x3b, ANY_DIGIT, 0, CHANGES_NONE},
	{0, 0x63, ANY_DIGIT, 0, CHANGES_REG},  /* movslq */
	{0, 0x80, 7, 1, CHANGES_NONE},         /* cmp */
	{0, 0x81, 5, 4, CHANGES_RM},           /* sub */
	{0, 0x81, 7, 4, CHANGES_NONE},         /* cmp */
	{0, 0x83, 5, 1, CHANGES_RM},           /* sub */
	{0, 0x83, 7, 1, CHANGES_NONE},         /* cmp */
	{0, 0x84, ANY_DIGIT, 0, CHANGES_NONE}, /* test, and the next one */
	{0, 0x85, ANY_DIGIT, 0, CHANGES_NONE},
	{0, 0x89, ANY_DIGIT, 0, CHANGES_RM}, /* mov, and the next one */
	{0, 0x8b, ANY_DIGIT, 0, CHANGES_REG},
	{0, 0x8d, ANY_DIGIT, 0, CHANGES_REG}, /* lea */
	{0, 0xc6, 0, 1, CHANGES_RM},          /* mov, and the next one */
	{0, 0xc7, 0, 4, CHANGES_RM},
	{0, 0xf6, 0, 1, CHANGES_NONE}, /* test, and the next one */
	{0, 0xf7, 0, 4, CHANGES_NONE},
	{1, 0x1f, 0, 0, CHANGES_NONE},        /* nop, which only new kernels emulate */
	{1, 0xb6, ANY_DIGIT, 0, CHANGES_REG}, /* movzx and movsx */
	{1, 0xb7, ANY_DIGIT, 0, CHANGES_REG},
	{1, 0xbe, ANY_DIGIT, 0, CHANGES_REG},
	{1, 0xbf, ANY_DIGIT, 0, CHANGES_REG},
};

static const struct probe_form *find_form(bool two_bytes, unsigned opcode, unsigned digit)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (forms[i].two_bytes == two_bytes && forms[i].opcode == opcode &&
			(forms[i].digit == ANY_DIGIT || forms[i].digit == digit))
			return &forms[i];
	return NULL;
}

/*
 * Returns the length of the ModRM byte at CODE with its SIB byte and displacement, or 0 if NR bytes
 * are too few.
 */
static size_t operand_length(const unsigned char *code, size_t nr)
{
	unsigned mod = code[0] >> 6, rm = code[0] & 7, base = 0;
	size_t length = 1;

	if (mod != 3 && rm == 4) {
		if (nr < 2)
			return 0;
		base = code[1] & 7;
		length++;
	}
	if (mod == 1)
		length += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && base == 5))))
		length += 4;
	return length;
}

static bool keeps_arguments(enum operand_change change, unsigned modrm, unsigned rex)
{
	unsigned reg = modrm >> 3 & 7, rm = modrm & 7;

	if (change == CHANGES_REG)
		return (rex & REX_R) || (reg != RSI && reg != RDI);
	return change == CHANGES_NONE || modrm >> 6 != 3 || (rex & REX_B) ||
	       (rm != RSI && rm != RDI);
}

/* Returns the length of the instruction at CODE, or 0 if it is not known or changes an argument. */
static size_t length_of(const unsigned char *code, size_t nr)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const struct probe_form *form;
	size_t at = 0, operands;
	unsigned rex = 0;
	bool two_bytes;

	if (nr >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		return sizeof(endbr64);
	at += at < nr && (code[at] == 0x64 || code[at] == 0x65); /* prefix of fs or gs */
	if (at < nr && code[at] >> 4 == 4)
		rex = code[at++];
	if (at < nr && (code[at] == 0xa8 || code[at] == 0xa9))
		return at + (code[at] == 0xa8 ? 2 : 5); /* test of rax */
	two_bytes = at < nr && code[at] == 0x0f;
	at += two_bytes;
	if (at + 1 >= nr)
		return 0;
	form = find_form(two_bytes, code[at], code[at + 1] >> 3 & 7);
	if (!form || !keeps_arguments(form->change, code[at + 1], rex))
		return 0;
	operands = operand_length(code + at + 1, nr - at - 1);
	return operands ? at + 1 + operands + form->immediate : 0;
}

/* Returns whether the kernel emulates the instruction. The only prefix is the one of r8 to r15. */
static bool is_emulated(const unsigned char *code, size_t nr)
{
	if (nr < 2)
		return false;
	if ((code[0] >= 0x50 && code[0] <= 0x57) ||
		(code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57))
		return true; /* push */
	return code[0] == 0x90 || code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb ||
	       code[0] >> 4 == 7 || (code[0] == 0x0f && code[1] >> 4 == 8);
}

size_t probe_place(const unsigned char *code, size_t nr)
{
	size_t at = 0;

	while (at < nr && !is_emulated(code + at, nr - at)) {
		size_t length = length_of(code + at, nr - at);

		if (!length)
			return 0;
		at += length;
	}
	return at < nr ? at : 0;
}
