/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined calls and source lines of addresses, from the debug information of one file (DWARF 2 to
 * 5).
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
	 * The linkage name, or else the name in the source, in C++ with its namespaces, or NULL if
	 * there is none. A clone or a cold part has the name of the original function.
	 */
	const char *function;
	/* The path with the compilation directory, may be relative, or NULL if it is not known. */
	const char *file;
	uint32_t line; /* or 0 if it is not known */
	/*
	 * By these, compilers find the line in a profile, see debuginfo_find_positions(). 0 if they
	 * are not known, or there is no discriminator.
	 */
	uint32_t first_line;    /* of the function's definition */
	uint32_t discriminator; /* tells parts of the line apart */
};

/*
 * Reads the debug information of ELF, which is the mapped file itself or its debug file. ALT is the
 * file that dwz moved common parts to, or NULL. Both must outlive the result. Returns NULL if ELF
 * has no readable debug information.
 */
struct debuginfo *debuginfo_new(const struct elffile *elf, const struct elffile *alt);
void debuginfo_free(struct debuginfo *di);

/* From now on, frames have the first lines of their functions, and all discriminators. */
void debuginfo_find_positions(struct debuginfo *di);

/*
 * Receives the frames at address number I. FRAMES[0] is the innermost inlined function, with the
 * line of the address. Each further frame has the line of its call of the frame before it. The last
 * one is the out-of-line function; its name is NULL if there is no DWARF for it, as in assembly.
 * FRAMES are valid during the call.
 */
typedef void debuginfo_take(void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr);

/*
 * Calls TAKE once for each of N ADDRESSES (link addresses of ELF, ascending) that was found, in
 * their order. Without INLINES, TAKE gets only the out-of-line function, with the line of the
 * address. Reads only the compilation units of the addresses, and the .dwo files that these units
 * refer to. Time and memory are bounded by the size of ELF and N, whatever ELF contains.
 */
void debuginfo_find(struct debuginfo *di, const uint64_t *addresses, size_t n, bool inlines,
	debuginfo_take *take, void *arg);

/* Returns whether a debuginfo_find missed a .dwo file, which would have inlined calls. */
bool debuginfo_lacks_dwo(const struct debuginfo *di);

#endif
