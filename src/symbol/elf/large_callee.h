/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without symbols, found by the calls of one that has a symbol. x86-64 only. */
#ifndef SYMBOL_ELF_LARGE_CALLEE_H
#define SYMBOL_ELF_LARGE_CALLEE_H

#include "elfdata.h"

/*
 * Sets FUNCTION to the largest of the functions that the function NAME of ELF calls, directly or
 * through at most two others: its link address, and its size in bytes, which includes the padding
 * behind it. False: none of them has 4 KB and is more than twice as large as any other, or there
 * are too many to tell.
 */
bool large_callee_find(const struct elffile *elf, const char *name, struct elf_variable *function);

#endif
