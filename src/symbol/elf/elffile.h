/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file. It is opened by reading its head, see elfhead.h. Functions that need more map the
 * file, which ends the process with SIGBUS if the file is truncated meanwhile. Only children
 * without privileges call them, for the recorder by elffacts.h.
 */
#ifndef SYMBOL_ELF_ELFFILE_H
#define SYMBOL_ELF_ELFFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elffile;
struct strbuf;

/*
 * Opens PATH. Returns NULL and sets ERR if it cannot be read or is not an ELF program or library.
 */
struct elffile *elffile_open(const char *path, struct strbuf *err);
/* Does the same for an open file. Takes ownership of FD, also on failure. */
struct elffile *elffile_open_fd(int fd, struct strbuf *err);
/* Returns a copy of this process's vdso, or NULL if there is none. */
struct elffile *elffile_open_vdso(void);
void elffile_close(struct elffile *elf);
const char *elffile_build_id(const struct elffile *elf); /* in lower-case hex, or "" */
/* Returns the owner of the file when it was opened, or 0 (root) if the file is in memory. */
uid_t elffile_owner(const struct elffile *elf);

/* Closes the file. Only the information in its head remains known. */
void elffile_shut(struct elffile *elf);
bool elffile_is_shut(const struct elffile *elf);

int elffile_fd(const struct elffile *elf); /* or -1 if it is in memory or was shut */
/*
 * Finds the link address of the build-id, and its first 8 bytes as a number. Returns false if it is
 * not loaded.
 */
bool elffile_build_id_address(const struct elffile *elf, uint64_t *address, uint64_t *first);
/*
 * Finds the link address of the first byte of a mapping of SIZE bytes at OFFSET of the file.
 * Returns false if no loaded segment is in it.
 */
bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address);

/*
 * Does the same for a mapping that is not executable. Code and data may share a page of the file.
 */
bool elffile_mapped_data(
	const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address);
/*
 * Finds the offset in the file of the page at link address ADDRESS. Returns false if less than SIZE
 * bytes of code are loaded there, in whole pages.
 */
bool elffile_code_at(const struct elffile *elf, uint64_t address, uint64_t size, uint64_t *offset);

enum elf_rules {
	RULES_NONE, /* no call frame information covers the address */
	RULES_SOME, /* there are rules to find the caller */
	RULES_ROOT, /* it marks the outermost function, which has no caller */
};

/*
 * Copies ELF, an open file, to the new file COPY. If TYPE_OFFSET is not 0, the section type of
 * .eh_frame at this offset is changed to PROGBITS. Returns -1 and sets ERR on failure, also if COPY
 * exists or ELF has more than 4 GiB.
 */
int elffile_copy(
	const struct elffile *elf, const char *copy, uint64_t type_offset, struct strbuf *err);

/*
 * Restricts this process, but not its children, to the heads of files. Functions that need more
 * fail and say so on stderr, as calling them is an error in the program.
 */
void elffile_use_heads_only(void);

#endif
