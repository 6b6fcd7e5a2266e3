/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cold_part.h"
#include "arch/x86_64/code_shapes.h"
#include "ehframe.h"
#include "elffile_internal.h"

enum { FUNCTION_MAX = 1 << 20 }; /* bytes of a function that are searched at most */

/*
 * Any byte may look like the opcode of a jump, but four bytes that are no displacement hardly lead
 * to a part of a function.
 */
bool cold_part_find(const struct elffile *elf, const char *name, struct elf_variable *part)
{
	struct elf_variable f;

	if (!elfdata_variable(elf, name, &f) || f.size > FUNCTION_MAX)
		return false;
	const unsigned char *code = elffile_code_bytes(elf, f.address, f.size);

	for (uint64_t i = 0; code && i < f.size; i++) {
		struct ehframe_function to;
		uint64_t target;

		if (!shape_jump(code + i, f.size - i, f.address + i, &target) ||
			target - f.address < f.size || !ehframe_function(elf, target, &to) ||
			!to.is_cold)
			continue;
		uint64_t end = ehframe_next(elf, to.start);

		*part = (struct elf_variable){.address = to.start, .size = end - to.start};
		return end > target;
	}
	return false;
}
