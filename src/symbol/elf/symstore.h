/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables cached on disk, for symtab_new. The worker process that reads symbols may not open
 * files, so they are opened for it. A table is used only for the very files that it was made from.
 * Therefore a file with another file's build-id cannot poison the other file's names.
 */
#ifndef SYMBOL_ELF_SYMSTORE_H
#define SYMBOL_ELF_SYMSTORE_H

#include <stdbool.h>

struct elffile;
struct symimage;
struct symimage_origin;

struct symstore {
	int in;       /* the cached table, open for reading and owned by the caller, or -1 */
	int out;      /* an empty file for a new table, owned by the caller, or -1 to write none */
	bool used;    /* the table in IN was used, and no symbols were read */
	bool written; /* a complete table is in OUT */
};

/* Opens the cached table of ELF and DEBUG (one may be NULL). Returns -1 if there is none. */
int symstore_get(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	struct symimage *image);

/* Writes IMAGE, which was made from ELF and DEBUG, if it is large enough to be cached. */
void symstore_put(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	const struct symimage *image);

/*
 * Sets ORIGIN to the identity of an open file. Returns false, and sets zeros, if FD is -1 or it is
 * not known.
 */
bool symstore_origin(int fd, struct symimage_origin *origin);

/*
 * Returns whether the table in FD was made from the file ELF (zeros if there is none) and no debug
 * file other than DEBUG. Must be checked before the table is cached, because the worker may have
 * been taken over by the file that it read.
 */
bool symstore_is_of(int fd, const struct symimage_origin *elf, const struct symimage_origin *debug);

/*
 * Opens the cached table of BUILD_ID, and a file for a new one. The parent of the worker does this.
 */
void symstore_prepare(struct symstore *store, const char *build_id);
/* Caches the new table if symstore_is_of is true for these files. */
void symstore_keep(struct symstore *store, const char *build_id, const struct symimage_origin *elf,
	const struct symimage_origin *debug);
void symstore_release(struct symstore *store);

#endif
