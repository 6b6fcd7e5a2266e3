/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 instructions as text, by libcapstone. */
#ifndef SYMBOL_CODE_DISASSEMBLER_H
#define SYMBOL_CODE_DISASSEMBLER_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;

/* Intel's syntax, or AT&T's. NULL: the library failed. */
struct disassembler *disassembler_new(bool intel);
void disassembler_free(struct disassembler *d);

struct disassembled {
	uint32_t size;      /* bytes, at least 1 */
	bool is_padding;    /* nop or int3, as between functions */
	bool has_target;    /* a direct call or jump, to: */
	uint64_t target;    /* an address */
	struct strbuf text; /* the caller initialises and releases it */
};

/* Decodes the instruction at CODE, SIZE > 0 bytes at most. What is none is "(bad)", one byte. */
void disassembler_read(struct disassembler *d, const unsigned char *code, size_t size,
	uint64_t address, struct disassembled *insn);

#endif
