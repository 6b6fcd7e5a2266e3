/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files for src/symbol and src/unwind, which use libelf directly. */
#ifndef SYMBOL_ELF_ELFFILE_INTERNAL_H
#define SYMBOL_ELF_ELFFILE_INTERNAL_H

#include "elffile.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* An ELF image in memory, which is copied. NULL: not ELF. */
struct elffile *elffile_open_memory(const void *image, size_t size);

/* An ELF file of any type, such as a debug file; takes ownership of FD. NULL: not ELF. */
struct elffile *elffile_open_any(int fd);

/* False if the file lacks sections or their contents, because it was truncated. */
bool elffile_is_whole(const struct elffile *elf);

/* An ELF file compressed with xz; takes ownership of FD. NULL: something else. */
struct elffile *elffile_open_compressed(int fd);

/*
 * An object file, such as a kernel module, relocated so that its sections have addresses, see
 * relocated.h. It may be compressed. Takes ownership of FD. NULL: something else.
 */
struct elffile *elffile_open_relocated(int fd);

/* The whole file, which is mapped. NULL: it has changed, claims to have too many sections,
 * or see elffile_use_heads_only(). */
Elf *elffile_elf(const struct elffile *elf);

/* The part of an executable segment that is in the file. */
struct elf_code {
	uint64_t address, size;
	const unsigned char *bytes;
};

/* Returns that of the N segments CODE which ADDRESS is in, or NULL. */
static inline const struct elf_code *elf_code_around(
	const struct elf_code *code, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address - code[i].address < code[i].size)
			return &code[i];
	return NULL;
}

/* The first MAX executable segments; returns their number. */
size_t elffile_code(const struct elffile *elf, struct elf_code *code, size_t max);

/* The link address of the byte at FILE_OFFSET; false: it is in no loaded segment. */
bool elffile_address(const struct elffile *elf, uint64_t file_offset, uint64_t *address);

/* The value of the symbol NAME in .symtab; false: not found. */
bool elffile_symbol(const struct elffile *elf, const char *name, uint64_t *value);

/* The call frame information in .eh_frame, owned by ELF; NULL: none. */
Dwarf_CFI *elffile_cfi(const struct elffile *elf);

/* The rules in .eh_frame and .debug_frame for the byte at FILE_OFFSET. */
enum elf_rules elffile_rules(const struct elffile *elf, uint64_t file_offset);

/*
 * The offset of .eh_frame's section type in the file if that is X86_64_UNWIND (lld), which stap
 * ignores; else 0.
 */
uint64_t elffile_hidden_eh_frame(const struct elffile *elf);

/* Room for what elffacts.c keeps with ELF, at first NULL. */
struct elffacts **elffile_facts(const struct elffile *elf);
void elffacts_free(struct elffacts *facts);

/* The first section called NAME, NULL: not found. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *shdr);

#endif
