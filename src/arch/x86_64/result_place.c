/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result_place.h"
#include "insn.h"

enum { TEST = 0x85, COMPARE_NUMBER = 0x83, COMPARE = 7, INT3 = 0xcc };

/* Another program's uprobe replaces the first byte of a push, an endbr64 or a branch by int3. */
static bool is_probe(const struct insn *i)
{
	return i->map == MAP_1 && i->opcode == INT3;
}

/* Returns true for test of registers, and for cmp with a number. */
static bool compares(const struct insn *i)
{
	return i->map == MAP_1 &&
	       (i->opcode == TEST || (i->opcode == COMPARE_NUMBER && (i->reg & 7) == COMPARE));
}

/* Returns the offset after the first call, or 0 if another branch comes before it. */
static size_t skip_call(const unsigned char *code, size_t nr)
{
	struct insn insn;

	for (size_t at = 0; insn_decode(&insn, code + at, nr - at);) {
		at += insn.length;
		if (insn_next(&insn) == NEXT_CALL)
			return at;
		if (insn_next(&insn) != NEXT_ON && !is_probe(&insn))
			return 0;
	}
	return 0;
}

size_t result_place(const unsigned char *code, size_t nr)
{
	size_t at = skip_call(code, nr);
	bool is_pointer = false;
	struct insn insn;

	while (at && insn_decode(&insn, code + at, nr - at)) {
		if (insn_next(&insn) == NEXT_BRANCH || is_probe(&insn))
			return is_pointer ? at : 0;
		if (insn_next(&insn) != NEXT_ON || insn_writes(&insn) >> INSN_RAX & 1)
			return 0;
		if (compares(&insn))
			is_pointer = insn.wide;
		at += insn.length;
	}
	return 0;
}
