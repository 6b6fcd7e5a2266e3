/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed sections and files. libelf and libdw allocate what a section's header claims, and
 * inflate all of an xz stream, which for 3 MB of file may be 3 GB of zeros; debug information is
 * some two to ten times as large as compressed.
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

/* All sections of ELF are; false also if they have no names. */
bool inflated_all_are_sane(Elf *elf);

/* The same of LEN bytes of xz; what is not xz is not sane. */
bool inflated_xz_is_sane(const void *data, size_t len);

/* The same of the file FD: an ELF file, or one in xz; other formats are not checked. */
bool inflated_file_is_sane(int fd);

/* Whether ELF's debug information is compressed with zstd, which not every libelf reads. */
bool inflated_needs_zstd(Elf *elf);

/*
 * dwarf_begin_elf without locations of variables, macros and indexes, which are no longer in ELF,
 * in memory. NULL: a section is not sane, or there is no debug information.
 */
Dwarf *inflated_dwarf(Elf *elf);

#endif
