/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed sections and files. libelf and libdw allocate the size that a section's header claims,
 * and inflate all of an xz stream. Thus 3 MB of file may become 3 GB of zeros, while real debug
 * information is some two to ten times as large as its compressed form.
 */
#ifndef SYMBOL_ELF_INFLATED_H
#define SYMBOL_ELF_INFLATED_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>

/*
 * Returns whether SCN is sane, which means that it is not compressed, or inflates to no more than
 * debug information of its size may have. NAME is the name of the section, as .zdebug sections have
 * another header.
 */
bool inflated_is_sane(Elf_Scn *scn, const GElf_Shdr *shdr, const char *name);

/* Returns whether all sections of ELF are sane. Returns false also if they have no names. */
bool inflated_all_are_sane(Elf *elf);

/* Returns whether LEN bytes of xz inflate to a sane size. Data that is not xz is not sane. */
bool inflated_xz_is_sane(const void *data, size_t len);

/* Returns whether the file FD is sane, an ELF file or one in xz. Other formats are not checked. */
bool inflated_file_is_sane(int fd);

/* Returns whether ELF's debug information is compressed with zstd, which not every libelf reads. */
bool inflated_needs_zstd(Elf *elf);

/*
 * Calls dwarf_begin_elf without locations of variables, macros and indexes, which it removes from
 * ELF in memory. Returns NULL if a section is not sane, or there is no debug information.
 */
Dwarf *inflated_dwarf(Elf *elf);

#endif
