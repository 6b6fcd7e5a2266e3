/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files for src/symbol and src/unwind, which use libelf directly. */
#ifndef SYMBOL_ELF_ELFFILE_INTERNAL_H
#define SYMBOL_ELF_ELFFILE_INTERNAL_H

#include "elffile.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens an ELF image in memory, which is copied. Returns NULL if it is not ELF. */
struct elffile *elffile_open_memory(const void *image, size_t size);

/*
 * Opens an ELF file of any type, such as a debug file. Takes ownership of FD. Returns NULL if it is
 * not ELF.
 */
struct elffile *elffile_open_any(int fd);

/* Returns false if the file lacks sections or their contents, because it was truncated. */
bool elffile_is_whole(const struct elffile *elf);

/* Opens an ELF file compressed with xz. Takes ownership of FD. Returns NULL for anything else. */
struct elffile *elffile_open_compressed(int fd);

/*
 * Opens an object file, such as a kernel module, relocated so that its sections have addresses, see
 * relocated.h. It may be compressed. Takes ownership of FD. Returns NULL if it is something else.
 */
struct elffile *elffile_open_relocated(int fd);

/*
 * Returns the whole file, which is mapped, or NULL if it has changed, claims to have too many
 * sections, or is forbidden by elffile_use_heads_only().
 */
Elf *elffile_elf(const struct elffile *elf);

/* The part of an executable segment that is in the file. */
struct elf_code {
	uint64_t address, size;
	const unsigned char *bytes;
};

/* Returns the one of the N segments CODE that contains ADDRESS, or NULL. */
static inline const struct elf_code *elf_code_around(
	const struct elf_code *code, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address - code[i].address < code[i].size)
			return &code[i];
	return NULL;
}

/* Sets CODE to the first MAX executable segments. Returns their number. */
size_t elffile_code(const struct elffile *elf, struct elf_code *code, size_t max);

/* Returns the SIZE bytes at ADDRESS, or NULL if they are not in an executable segment. */
const unsigned char *elffile_code_bytes(const struct elffile *elf, uint64_t address, uint64_t size);

/*
 * Finds the link address of the byte at FILE_OFFSET. Returns false if it is in no loaded segment.
 */
bool elffile_address(const struct elffile *elf, uint64_t file_offset, uint64_t *address);

/* Finds the value of the symbol NAME in .symtab. Returns false if it was not found. */
bool elffile_symbol(const struct elffile *elf, const char *name, uint64_t *value);

/* Returns the call frame information in .eh_frame, owned by ELF, or NULL if there is none. */
Dwarf_CFI *elffile_cfi(const struct elffile *elf);

/* Returns the rules in .eh_frame and .debug_frame for the byte at FILE_OFFSET. */
enum elf_rules elffile_rules(const struct elffile *elf, uint64_t file_offset);

/*
 * Returns the offset in the file of .eh_frame's section type if it is X86_64_UNWIND (lld), which
 * stap ignores, else 0.
 */
uint64_t elffile_hidden_eh_frame(const struct elffile *elf);

/* Returns the room for the facts that elffacts.c keeps with ELF, at first NULL. */
struct elffacts **elffile_facts(const struct elffile *elf);
void elffacts_free(struct elffacts *facts);

/* Finds the first section called NAME. Returns NULL if it was not found. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *shdr);

#endif
