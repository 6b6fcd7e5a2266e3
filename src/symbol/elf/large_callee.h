/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without symbols, found by the calls of a function that has a symbol. */
#ifndef SYMBOL_ELF_LARGE_CALLEE_H
#define SYMBOL_ELF_LARGE_CALLEE_H

#include "elfdata.h"

/*
 * Sets FUNCTION to the largest of the functions that the function NAME of ELF calls, directly or
 * through at most two other functions. FUNCTION has its link address, and its size in bytes, which
 * includes the padding behind it. Returns false if the largest one has less than 4 KB, or is not
 * more than twice as large as any other function, or if there are too many functions to tell.
 */
bool large_callee_find(const struct elffile *elf, const char *name, struct elf_variable *function);

#endif
