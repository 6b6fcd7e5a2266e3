/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for addresses. Only src/symbol and src/unwind know elfutils. User frames are named from
 * .symtab, .dynsym and the installed debug file of the mapped file, and Go's own table in it;
 * kernel frames from kallsyms, which is read at recording time only.
 */
#ifndef SYMBOL_H
#define SYMBOL_H

#include "lib/recording.h"

struct elffile;
struct strbuf;

enum demangle { DEMANGLE_SHORT, DEMANGLE_FULL, DEMANGLE_NONE };

/* Files that are open already. */
struct symbol_files {
	struct elffile **list;
	size_t nr, alloc;
};

void symbol_files_add(struct symbol_files *files, struct elffile *elf); /* takes ELF over */
void symbol_files_release(struct symbol_files *files);

struct symbol_options {
	const struct symbol_files
		*files; /* found by build-id, before the path is tried; NULL: none */
	enum demangle demangle;
	const char *root; /* where the files of the recording are found, NULL: "/" */
};

/*
 * Names every frame of REC that lies in a mapping and has no name yet. A file is used only when its
 * build-id is the recorded one (or none was recorded); what cannot be named stays unnamed. Notes
 * for the user (a file that is gone or another one now) are appended to NOTES, one a line. Opens
 * only files that were hit, one after the other.
 */
void symbol_resolve(
	struct recording *rec, const struct symbol_options *options, struct strbuf *notes);

/*
 * NAME in readable form (C++ and Rust), the caller's to free; NULL when it is not mangled or HOW is
 * DEMANGLE_NONE. DEMANGLE_SHORT leaves argument lists out.
 */
char *symbol_demangle(const char *name, enum demangle how);

/* The names of the running kernel and its modules. */
struct kallsyms;
/* NULL and ERR: /proc/kallsyms is not readable or hides the addresses (kptr_restrict). */
struct kallsyms *kallsyms_new(struct strbuf *err);
void kallsyms_free(struct kallsyms *ks);
/* The function that holds ADDRESS, its name and module ("[kernel]") as long as KS; false: none. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset);

/* What an ELF file is, read from its headers, notes and call frame information. */
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
