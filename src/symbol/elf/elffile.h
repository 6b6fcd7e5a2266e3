/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file. It is opened by reading its head, see elfhead.h; what needs more maps the file,
 * which ends the process with SIGBUS if the file is truncated meanwhile: only children without
 * privileges do that, for the recorder by elffacts.h.
 */
#ifndef SYMBOL_ELF_ELFFILE_H
#define SYMBOL_ELF_ELFFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elffile;
struct strbuf;

/* NULL and ERR: PATH cannot be read or is not an ELF program or library. */
struct elffile *elffile_open(const char *path, struct strbuf *err);
/* The same for an open file; takes ownership of FD, also on failure. */
struct elffile *elffile_open_fd(int fd, struct strbuf *err);
/* A copy of this process's vdso. NULL: there is none. */
struct elffile *elffile_open_vdso(void);
void elffile_close(struct elffile *elf);
const char *elffile_build_id(const struct elffile *elf); /* lower-case hex, "": none */
/* The owner of the file when it was opened; 0, root, if it is in memory. */
uid_t elffile_owner(const struct elffile *elf);

/* Closes the file: only what its head says remains known. */
void elffile_shut(struct elffile *elf);
bool elffile_is_shut(const struct elffile *elf);

int elffile_fd(const struct elffile *elf); /* -1: in memory, or it was shut */
/* The link address of the build-id, and its first 8 bytes as a number; false: it is not loaded. */
bool elffile_build_id_address(const struct elffile *elf, uint64_t *address, uint64_t *first);
/*
 * The link address of the first byte of a mapping of SIZE bytes at OFFSET of the file; false if no
 * loaded segment is in it.
 */
bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address);

/* The same where the mapping is not executable: code and data may share a page of the file. */
bool elffile_mapped_data(
	const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address);
/*
 * The offset in the file of what is at link address ADDRESS, a page; false: the code that is loaded
 * there is less than SIZE bytes, in whole pages.
 */
bool elffile_code_at(const struct elffile *elf, uint64_t address, uint64_t size, uint64_t *offset);

enum elf_rules {
	RULES_NONE, /* no call frame information covers the address */
	RULES_SOME, /* it has rules to find the caller */
	RULES_ROOT, /* it marks the outermost function: there is no caller */
};

/*
 * Copies ELF, an open file, to the new file COPY. TYPE_OFFSET: where the type of .eh_frame is to be
 * changed to PROGBITS, 0: nowhere. -1 and ERR on failure, also if COPY exists or ELF has more than
 * 4 GiB.
 */
int elffile_copy(
	const struct elffile *elf, const char *copy, uint64_t type_offset, struct strbuf *err);

/*
 * From now on this process, but not its children, uses the heads of files only: what needs more
 * fails, and says so on stderr, as it is an error in the program.
 */
void elffile_use_heads_only(void);

#endif
