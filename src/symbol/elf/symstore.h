/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables cached on disk, for symtab_new. The worker process that reads symbols may not open
 * files: it gets them open. A table is used only for the very files that it was made from, so a
 * file with the build-id of another one cannot poison that one's names.
 */
#ifndef SYMBOL_ELF_SYMSTORE_H
#define SYMBOL_ELF_SYMSTORE_H

#include <stdbool.h>

struct elffile;
struct symimage;
struct symimage_origin;

struct symstore {
	int in;       /* the cached table, open for reading; -1: none. Owned by the caller */
	int out;      /* an empty file for a new table; -1: do not write. Owned by the caller */
	bool used;    /* the table in IN was used, symbols were not read */
	bool written; /* a complete table is in OUT */
};

/* Opens the cached table of ELF and DEBUG (one may be NULL); -1: there is none. */
int symstore_get(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	struct symimage *image);

/* Writes IMAGE, which was made from them, if it is large enough to be cached. */
void symstore_put(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	const struct symimage *image);

/* What an open file is told by; false and zeros: FD is -1, or that is not known. */
bool symstore_origin(int fd, struct symimage_origin *origin);

/*
 * True if the table in FD was made from the file ELF (zeros: none) and no debug file other than
 * DEBUG. To be checked before it is cached, for the worker may have been taken over by the file
 * that it read.
 */
bool symstore_is_of(int fd, const struct symimage_origin *elf, const struct symimage_origin *debug);

/*
 * For the parent of the worker: opens the cached table of BUILD_ID, and a file for a new one.
 */
void symstore_prepare(struct symstore *store, const char *build_id);
/* Caches the new table if symstore_is_of these files. */
void symstore_keep(struct symstore *store, const char *build_id, const struct symimage_origin *elf,
	const struct symimage_origin *debug);
void symstore_release(struct symstore *store);

#endif
