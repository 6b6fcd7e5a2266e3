/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hosted.h"
#include "insn.h"

enum {
	INSNS_MAX = 24, /* between the first argument and the add after the call */
	DEPTH_MAX = 1024,
	GROUP_ADD = 0,
	GROUP_SUB = 5,
};

/* Returns true if INSN is add or sub, selected by GROUP, of a number to rsp. */
static bool moves_rsp(const struct insn *insn, uint8_t group)
{
	return insn->map == MAP_1 && (insn->opcode == 0x81 || insn->opcode == 0x83) && insn->wide &&
	       !insn->is_memory && insn->rm == INSN_RSP && (insn->reg & 7) == group;
}

static bool is_push(const struct insn *insn)
{
	return insn->map == MAP_1 &&
	       ((insn->opcode & 0xf8) == 0x50 || insn->opcode == 0x68 || insn->opcode == 0x6a ||
		       (insn->opcode == 0xff && (insn->reg & 7) == 6));
}

int32_t hosted_depth(const unsigned char *code, size_t size, uint64_t *left)
{
	struct insn insn;
	size_t at = 0;
	int32_t pushed = 0;

	for (int i = 0; i < INSNS_MAX && *left; i++) {
		--*left;
		if (!insn_decode(&insn, code + at, size - at))
			return 0;
		enum insn_next next = insn_next(&insn);

		if (moves_rsp(&insn, GROUP_ADD) && insn.immediate >= pushed &&
			insn.immediate <= DEPTH_MAX)
			return (int32_t)insn.immediate - pushed;
		if ((next != NEXT_ON && next != NEXT_CALL) || moves_rsp(&insn, GROUP_SUB))
			return 0;
		pushed += is_push(&insn) ? 8 : 0;
		at += insn.length;
	}
	return 0;
}
