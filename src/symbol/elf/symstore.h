/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of symbols that are kept on disk, for symtab_new. Whoever reads symbols may not open files
 * itself: it gets them open. A table is used for the very files that it was made from and for no
 * others: whoever writes a file that claims another one's build-id poisons nobody's names.
 */
#ifndef SYMBOL_ELF_SYMSTORE_H
#define SYMBOL_ELF_SYMSTORE_H

#include <stdbool.h>

struct elffile;
struct symimage;

struct symstore {
	int in;       /* what was kept, open for reading; -1: nothing. It stays the caller's */
	int out;      /* an empty file to write to; -1: not wanted. It stays the caller's */
	bool used;    /* what was in IN is used: the files' symbols were not read */
	bool written; /* OUT is worth keeping, and all is in it */
};

/* The table of ELF and DEBUG (one may be NULL) that is in STORE; -1: there is none. */
int symstore_get(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	struct symimage *image);

/* Writes IMAGE, which was made from them, when that is worth it. */
void symstore_put(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	const struct symimage *image);

/*
 * What was written to FD says that it was made from the file ELF (-1: there was none) and from no
 * other debug file than DEBUG: to be asked before it is kept, for the process that wrote it may
 * have been led astray by what it read.
 */
bool symstore_is_of(int fd, int elf, int debug);

/*
 * For whoever may open files, around the process that may not: opens what is kept for BUILD_ID, and
 * a file to write to.
 */
void symstore_prepare(struct symstore *store, const char *build_id);
/* Keeps what was written, if it is of these files, as symstore_is_of says. */
void symstore_keep(struct symstore *store, const char *build_id, int elf, int debug);
void symstore_release(struct symstore *store);

#endif
