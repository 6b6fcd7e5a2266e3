/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The separate files that hold the symbols of a stripped one. Only installed ones: nothing is
 * fetched.
 */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H

#include <stdbool.h>

struct elffile;

/*
 * The debug file of ELF, which was found under ROOT (NULL: "/") as PATH: by build-id, then by
 * .gnu_debuglink. It is known to belong to ELF by build-id or checksum. NULL: none is installed.
 */
struct elffile *debugfile_open(const struct elffile *elf, const char *path, const char *root);

/* The table of local functions that some distributions leave in .gnu_debugdata; NULL: none. */
struct elffile *debugfile_open_embedded(const struct elffile *elf);

/* ELF's local functions have names: in its own table, in .gnu_debugdata, or in its debug file. */
bool debugfile_names_known(const struct elffile *elf, const char *path, const char *root);

#endif
