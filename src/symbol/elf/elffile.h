/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file: what its headers, notes and call frame information say. */
#ifndef SYMBOL_ELF_ELFFILE_H
#define SYMBOL_ELF_ELFFILE_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;
struct strbuf;

/* NULL and ERR: PATH cannot be read or is no ELF program or library. */
struct elffile *elffile_open(const char *path, struct strbuf *err);
/* The same for a file that is open; takes over FD, also when that fails. */
struct elffile *elffile_open_fd(int fd, struct strbuf *err);
/* Our own copy of the vdso, which the kernel maps into every process. NULL: there is none. */
struct elffile *elffile_open_vdso(void);
void elffile_close(struct elffile *elf);
const char *elffile_build_id(const struct elffile *elf); /* lower-case hex, "" when it has none */

int elffile_fd(const struct elffile *elf); /* -1: in memory */
/* The address at which the build-id is loaded, and its first 8 bytes as a number; false: it is not.
 */
bool elffile_build_id_address(const struct elffile *elf, uint64_t *address, uint64_t *first);
/*
 * The address at which the first byte of a mapping of SIZE bytes from OFFSET of the file is linked;
 * false when no loaded segment is in it.
 */
bool elffile_mapped(const struct elffile *elf, uint64_t offset, uint64_t size, uint64_t *address);

enum elf_rules {
	RULES_NONE, /* no call frame information covers the address */
	RULES_SOME, /* it tells the caller */
	RULES_ROOT, /* it says that there is no caller: the thread's first function */
};
/* What .eh_frame and .debug_frame say of the byte at FILE_OFFSET. */
enum elf_rules elffile_rules(struct elffile *elf, uint64_t file_offset);

/* True when the linker gave .eh_frame a section type (X86_64_UNWIND) that stap passes over. */
bool elffile_eh_frame_hidden(const struct elffile *elf);
/*
 * Copies PATH to the new file COPY with that type changed into PROGBITS. -1 and ERR when that
 * fails, also when COPY exists.
 */
int elffile_copy_with_plain_eh_frame(const char *path, const char *copy, struct strbuf *err);

#endif
