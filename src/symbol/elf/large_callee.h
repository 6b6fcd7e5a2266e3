/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without symbols, found by the calls of one that has a symbol. x86-64 only. */
#ifndef SYMBOL_ELF_LARGE_CALLEE_H
#define SYMBOL_ELF_LARGE_CALLEE_H

#include "elfdata.h"

/*
 * The largest of the functions that the function NAME of ELF calls, itself or through one that it
 * calls: at least 4 KB, and more than twice as large as any other. Its size includes the padding
 * behind it. False: there is none.
 */
bool large_callee_find(const struct elffile *elf, const char *name, struct elf_variable *function);

#endif
