/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed sections. libelf and libdw allocate what a section's header claims, which for 3 MB of
 * file may be 3 GB of zeros; debug information is some two to ten times as large as compressed.
 */
#ifndef SYMBOL_ELF_INFLATED_H
#define SYMBOL_ELF_INFLATED_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>

/*
 * True if SCN is not compressed, or inflates to no more than debug information of its size may
 * have. NAME: that of the section, .zdebug sections have another header.
 */
bool inflated_is_sane(Elf_Scn *scn, const GElf_Shdr *shdr, const char *name);

/* dwarf_begin_elf unless a section is not sane; NULL: it is not, or there is no debug information.
 */
Dwarf *inflated_dwarf(Elf *elf);

#endif
