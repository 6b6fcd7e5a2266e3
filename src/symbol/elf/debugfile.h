/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate debug files of stripped files, as far as they are installed. Nothing is downloaded.
 */
#ifndef SYMBOL_ELF_DEBUGFILE_H
#define SYMBOL_ELF_DEBUGFILE_H

#include <stdbool.h>

struct elffile;

/* Where to search. */
struct debug_paths {
	const char *root; /* prefix of the file's path, NULL: "/" */
	const char *path; /* directories separated by ":", NULL: /usr/lib/debug */
};

/* Opens the debug file installed for BUILD_ID without checking its content. -1: not installed. */
int debugfile_open_by_id(const char *build_id, const struct debug_paths *paths);

/* Takes ownership of FD. NULL unless it is a complete ELF file with this BUILD_ID. */
struct elffile *debugfile_open_checked(int fd, const char *build_id);

/*
 * The debug file of ELF, which was opened as PATH: by build-id, then by .gnu_debuglink, then by its
 * name in one of the directories. Its build-id or checksum matches. NULL: not installed.
 */
struct elffile *debugfile_open(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

/* The same without the file itself, by its build-id only. */
struct elffile *debugfile_open_alone(
	const char *build_id, const char *path, const struct debug_paths *paths);

/* True if a file is there that debugfile_open_alone would try for its name PATH. */
bool debugfile_is_named(const char *path, const struct debug_paths *paths);

/*
 * The build-id of the file that dwz moved parts of ELF's debug information to, in lower-case hex;
 * the caller frees it. NULL: there is no such file.
 */
char *debugfile_alt_id(const struct elffile *elf);

/* That file, by build-id, then by the path in ELF; its build-id matches. NULL: not installed. */
struct elffile *debugfile_open_alt(const struct elffile *elf, const struct debug_paths *paths);

/* Takes ownership of FD. NULL unless it is a complete ELF file with this BUILD_ID. */
struct elffile *debugfile_open_alt_checked(int fd, const char *build_id);

/*
 * The debug file of the kernel RELEASE, whose path depends on the distribution, or of its MODULE
 * (NULL: the kernel itself), which may be compressed and is relocated, see relocated.h.
 */
struct elffile *debugfile_open_kernel(const char *build_id, const char *release, const char *module,
	const struct debug_paths *paths);

/* Takes ownership of FD. NULL unless it is a kernel module with this BUILD_ID. */
struct elffile *debugfile_open_module_checked(int fd, const char *build_id);

/* The symbol table of local functions that some distributions keep in .gnu_debugdata; NULL: none.
 */
struct elffile *debugfile_open_embedded(const struct elffile *elf);

/* True if ELF's local functions have names: in .symtab, .gnu_debugdata, or its debug file. */
bool debugfile_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

#endif
