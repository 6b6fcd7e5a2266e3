/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the debug information of one file (DWARF 2 to 5) says of its code: which calls were inlined
 * at an address, and from which source lines it was made.
 */
#ifndef SYMBOL_DWARF_DEBUGINFO_H
#define SYMBOL_DWARF_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfo;
struct elffile;

/* One function at an address. Strings live as long as the debug information. */
struct debuginfo_frame {
	/*
	 * As the linker knows it, or else as the source has it, in C++ with its namespaces; of a
	 * clone or a cold part, the name of the whole. NULL: none.
	 */
	const char *function;
	/* Path, with the compilation's folder, which may be relative itself. NULL: not known. */
	const char *file;
	uint32_t line; /* 0: not known */
};

/*
 * That of ELF: the mapped file itself, or its separate debug file. ALT is the file that dwz moved
 * common parts to, NULL: none. Both must outlive it. NULL: ELF has no debug information that can be
 * read.
 */
struct debuginfo *debuginfo_new(const struct elffile *elf, const struct elffile *alt);
void debuginfo_free(struct debuginfo *di);

/*
 * What is known of address I of those that were asked for: FRAMES[0] is the innermost inlined
 * function, with the line of the address; each next one with the line that calls the one before;
 * the last one is the function that really stands there (its function may be NULL: no DWARF for
 * it, as in assembly). FRAMES are valid during the call.
 */
typedef void debuginfo_take(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr);

/*
 * Calls TAKE once for each of N ADDRESSES (link addresses of ELF, ascending) that is known, in
 * their order. Without INLINES just the function that really stands there, with the line of the
 * address. Reads only the compilation units that are hit, and follows them to the .dwo files that
 * they name. Whatever ELF holds, this ends, in time and memory that its size and N bound.
 */
void debuginfo_find(struct debuginfo *di, const uint64_t *addresses, size_t n, bool inlines,
	debuginfo_take *take, void *arg);

#endif
