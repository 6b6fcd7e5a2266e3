/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of functions that the compiler has moved elsewhere, such as GCC's ".cold" ones. */
#ifndef SYMBOL_ELF_COLD_PART_H
#define SYMBOL_ELF_COLD_PART_H

#include "elfdata.h"

/*
 * Sets PART to the link address and the size of the part of the function NAME that the compiler has
 * moved elsewhere: code that has the function's stack frame from its start on, and that the
 * function jumps to. The size includes the padding behind it. Returns false if there is none.
 */
bool cold_part_find(const struct elffile *elf, const char *name, struct elf_variable *part);

#endif
