/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effect of an instruction on the stack, as far as single-stepping must know it. */
#ifndef TESTS_RIGHT_DECODE_H
#define TESTS_RIGHT_DECODE_H

#include <stdint.h>
#include <string.h>

enum stepping_insn { INSN_OTHER, INSN_CALL, INSN_RET, INSN_JUMP, INSN_PUSHF, INSN_STOP };

/* Returns the opcode in the 16 bytes at C, after the prefixes. */
static const uint8_t *stepping_opcode(const uint8_t *c)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x65};
	const uint8_t *end = c + 8;

	while (c < end && memchr(prefixes, *c, sizeof(prefixes)))
		c++;
	return (*c & 0xf0) == 0x40 ? c + 1 : c;
}

static enum stepping_insn stepping_decode(const uint8_t *c)
{
	c = stepping_opcode(c);
	switch (*c) {
	case 0xe8:
		return INSN_CALL;
	case 0xff:
		if ((c[1] & 0x38) == 0x10)
			return INSN_CALL;
		return (c[1] & 0xf8) == 0xe0 ? INSN_JUMP : INSN_OTHER;
	case 0xc2:
	case 0xc3:
		return INSN_RET;
	case 0x9c:
		return INSN_PUSHF;
	case 0x0f: /* system calls may wait or replace the registers */
		return c[1] == 0x05 ? INSN_STOP : INSN_OTHER;
	case 0x9d: /* popf */
	case 0xcd: /* int */
	case 0xcf: /* iret */
		return INSN_STOP;
	default:
		return INSN_OTHER;
	}
}

#endif
