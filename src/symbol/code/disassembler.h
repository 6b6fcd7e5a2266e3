/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 instructions as text, by libcapstone. */
#ifndef SYMBOL_CODE_DISASSEMBLER_H
#define SYMBOL_CODE_DISASSEMBLER_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;

/* INTEL selects Intel's syntax instead of AT&T's. Returns NULL if the library failed. */
struct disassembler *disassembler_new(bool intel);
void disassembler_free(struct disassembler *d);

struct disassembled {
	uint32_t size;      /* bytes, at least 1 */
	bool is_padding;    /* nop or int3, as between functions */
	bool has_target;    /* it is a direct call or jump */
	uint64_t target;    /* address that it goes to */
	struct strbuf text; /* the caller initialises and releases it */
};

/*
 * Decodes the instruction at CODE, which has at most SIZE > 0 bytes. A byte that begins no
 * instruction becomes "(bad)".
 */
void disassembler_read(struct disassembler *d, const unsigned char *code, size_t size,
	uint64_t address, struct disassembled *insn);

#endif
