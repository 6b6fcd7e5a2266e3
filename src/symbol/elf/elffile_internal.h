/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What src/symbol and src/unwind need of an ELF file beyond elffile.h. */
#ifndef SYMBOL_ELF_ELFFILE_INTERNAL_H
#define SYMBOL_ELF_ELFFILE_INTERNAL_H

#include "elffile.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* An ELF image in memory, which is copied; NULL when it is none. */
struct elffile *elffile_open_memory(const void *image, size_t size);

/* An ELF file of any type, for what it says of others; takes over FD. NULL: it is none. */
struct elffile *elffile_open_any(int fd);

/* Whether it has sections and all of their contents: a file that was cut off has not. */
bool elffile_is_whole(const struct elffile *elf);

/* A file whose own content is an ELF file compressed with xz; takes over FD. NULL: it is none. */
struct elffile *elffile_open_compressed(int fd);

/*
 * An object file, such as a kernel module, as relocated.h has it: its sections have addresses. It
 * may be compressed. Takes over FD. NULL: it is none.
 */
struct elffile *elffile_open_relocated(int fd);

Elf *elffile_elf(const struct elffile *elf);

/* The part of an executable segment that is in the file. */
struct elf_code {
	uint64_t address, size;
	const unsigned char *bytes;
};

/* The first segments of code, MAX at most; returns how many there are in CODE. */
size_t elffile_code(const struct elffile *elf, struct elf_code *code, size_t max);

/* The address at which the byte at FILE_OFFSET is linked; false when it is in no loaded segment. */
bool elffile_address(const struct elffile *elf, uint64_t file_offset, uint64_t *address);

/* The value of the symbol NAME in .symtab; false: it has no such symbol. */
bool elffile_symbol(const struct elffile *elf, const char *name, uint64_t *value);

/* The first section called NAME, NULL: none. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *shdr);

#endif
