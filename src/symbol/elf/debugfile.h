/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate debug files of stripped files, if they are installed. Nothing is downloaded.
 */
#ifndef SYMBOL_ELF_DEBUGFILE_H
#define SYMBOL_ELF_DEBUGFILE_H

#include <stdbool.h>

struct elffile;

/* The places to search. */
struct debug_paths {
	const char *root; /* prefix of the file's path, or NULL for "/" */
	const char *path; /* directories separated by ":", or NULL for /usr/lib/debug */
};

/* Opens the installed debug file of BUILD_ID without checking it. Returns -1 if there is none. */
int debugfile_open_by_id(const char *build_id, const struct debug_paths *paths);

/* Takes ownership of FD. Returns NULL unless it is a complete ELF file with this BUILD_ID. */
struct elffile *debugfile_open_checked(int fd, const char *build_id);

/*
 * Opens the debug file of ELF, which was opened as PATH, by its build-id, then by .gnu_debuglink,
 * then by its name in one of the directories. Its build-id or checksum matches. Returns NULL if it
 * is not installed.
 */
struct elffile *debugfile_open(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

/* Opens the debug file like debugfile_open, but without the file itself, by its build-id only. */
struct elffile *debugfile_open_alone(
	const char *build_id, const char *path, const struct debug_paths *paths);

/* Returns whether a file is there that debugfile_open_alone would try for its name PATH. */
bool debugfile_is_named(const char *path, const struct debug_paths *paths);

/*
 * Returns the build-id, in lower-case hex, of the file that dwz moved parts of ELF's debug
 * information to, or NULL if there is no such file. The caller frees it.
 */
char *debugfile_alt_id(const struct elffile *elf);

/*
 * Opens this file by its build-id, then by the path in ELF. Its build-id matches. Returns NULL if
 * it is not installed.
 */
struct elffile *debugfile_open_alt(const struct elffile *elf, const struct debug_paths *paths);

/* Takes ownership of FD. Returns NULL unless it is a complete ELF file with this BUILD_ID. */
struct elffile *debugfile_open_alt_checked(int fd, const char *build_id);

/*
 * Opens the debug file of the kernel RELEASE, whose path depends on the distribution. If MODULE is
 * not NULL, opens the module's file instead, which may be compressed and is relocated, see
 * relocated.h.
 */
struct elffile *debugfile_open_kernel(const char *build_id, const char *release, const char *module,
	const struct debug_paths *paths);

/* Takes ownership of FD. Returns NULL unless it is a kernel module with this BUILD_ID. */
struct elffile *debugfile_open_module_checked(int fd, const char *build_id);

/*
 * Opens the symbol table of local functions that some distributions keep in .gnu_debugdata. Returns
 * NULL if there is none.
 */
struct elffile *debugfile_open_embedded(const struct elffile *elf);

/*
 * Returns whether ELF's local functions have names, in .symtab, .gnu_debugdata, or its debug file.
 */
bool debugfile_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

#endif
