/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The separate files that hold the symbols of a stripped one. Only installed ones: nothing is
 * fetched.
 */
#ifndef SYMBOL_ELF_DEBUGFILE_H
#define SYMBOL_ELF_DEBUGFILE_H

#include <stdbool.h>

struct elffile;

/* Where they are looked for. */
struct debug_paths {
	const char *root; /* under which the file was found, NULL: "/" */
	const char *path; /* folders such as /usr/lib/debug, divided by ":"; NULL: that one */
};

/* What is installed for BUILD_ID, open for reading and not looked into. -1: nothing. */
int debugfile_open_by_id(const char *build_id, const struct debug_paths *paths);

/* FD, which it takes over; NULL when that is no whole ELF file with this BUILD_ID. */
struct elffile *debugfile_open_checked(int fd, const char *build_id);

/*
 * The debug file of ELF, which was found as PATH: by build-id, then by .gnu_debuglink, then by its
 * name in one of the folders. It is known to belong to ELF by build-id or checksum. NULL: none is
 * installed.
 */
struct elffile *debugfile_open(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

/* The same when the file itself is not here: nothing but its build-id tells. */
struct elffile *debugfile_open_alone(
	const char *build_id, const char *path, const struct debug_paths *paths);

/*
 * The build-id of the file that dwz moved parts of ELF's debug information to, in lower-case hex
 * and the caller's to free; NULL: there is none.
 */
char *debugfile_alt_id(const struct elffile *elf);

/* That file, by build-id, then by the path that ELF names; it has this build-id. NULL: not here. */
struct elffile *debugfile_open_alt(const struct elffile *elf, const struct debug_paths *paths);

/* FD, which it takes over; NULL when that is no whole ELF file with this BUILD_ID. */
struct elffile *debugfile_open_alt_checked(int fd, const char *build_id);

/*
 * The one of the kernel RELEASE, which distributions put at different paths, or of its MODULE
 * (NULL: the kernel itself): an object file, maybe compressed, as relocated.h has it.
 */
struct elffile *debugfile_open_kernel(const char *build_id, const char *release, const char *module,
	const struct debug_paths *paths);

/* FD, which it takes over; NULL when that is no module's file with this BUILD_ID. */
struct elffile *debugfile_open_module_checked(int fd, const char *build_id);

/* The table of local functions that some distributions leave in .gnu_debugdata; NULL: none. */
struct elffile *debugfile_open_embedded(const struct elffile *elf);

/* ELF's local functions have names: in its own table, in .gnu_debugdata, or in its debug file. */
bool debugfile_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);

#endif
