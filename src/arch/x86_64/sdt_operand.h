/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of marks (symbol/elf/sdt.h): SIZE@OPERAND, where OPERAND is the assembler's, such
 * as -4@$5, 8@%rdi, 4@-20(%rbp,%rax,4) or 8@count+16(%rip).
 */
#ifndef ARCH_X86_64_SDT_OPERAND_H
#define ARCH_X86_64_SDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdt_kind { SDT_CONSTANT, SDT_REGISTER, SDT_MEMORY };

enum { SDT_NO_REGISTER = UINT16_MAX };

/* The value of a constant or, of memory, its address: base + index * scale + number + symbol. */
struct sdt_operand {
	enum sdt_kind kind;
	uint8_t size; /* in bytes: 1, 2, 4 or 8 */
	bool is_signed;
	uint16_t base; /* offset in struct pt_regs, plus 1 for ah, bh, ch or dh; or SDT_NO_REGISTER
			*/
	uint16_t index;
	uint8_t scale;
	bool is_relative; /* to the address of the instruction: number + symbol is an address */
	int64_t number;
	const char *symbol; /* in the text, or NULL */
	size_t symbol_len;
};

/*
 * Parses argument NUMBER, from 1 on, of the ARGUMENTS of a note. Returns NULL, or why it is not
 * known.
 */
const char *sdt_operand_parse(struct sdt_operand *operand, const char *arguments, unsigned number);

#endif
