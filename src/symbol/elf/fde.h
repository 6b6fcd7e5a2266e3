/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One description of a function's frame (FDE) in .eh_frame, at a place that is known. libdw looks
 * for it by reading all before it if .eh_frame_hdr comes after .eh_frame, as lld writes them: 20 ms
 * in a large library.
 */
#ifndef SYMBOL_ELF_FDE_H
#define SYMBOL_ELF_FDE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct fde_code {
	uint64_t size;      /* of the code that it covers */
	bool is_trampoline; /* of signals */
	bool has_frame;     /* at its start, more than the return address is on the stack */
};

/*
 * Reads the FDE at OFFSET in the section .eh_frame, whose data are DATA. Returns false if it is
 * damaged or has encodings that linkers do not write.
 */
bool fde_read(Elf *elf, Elf_Data *data, uint64_t offset, struct fde_code *fde);

#endif
