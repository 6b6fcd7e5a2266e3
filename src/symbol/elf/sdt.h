/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The static probe points of a file, which <sys/sdt.h> of SystemTap describes in notes: "marks" in
 * SystemTap's syntax, also called USDT.
 */
#ifndef SYMBOL_ELF_SDT_H
#define SYMBOL_ELF_SDT_H

#include <stdint.h>

struct elffile;

/* One place of a mark. A mark may have several, each with arguments of its own. */
struct sdt_note {
	uint64_t address;   /* at which it is linked */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* offset in the file of its count of users, or 0 if it has none */
	const char *provider, *name;
	const char *arguments; /* operands of the assembler, separated by blanks */
};

/*
 * Calls TAKE for each note of ELF, in the file's order. The texts are valid until TAKE returns.
 * Notes whose code is not in the file are left out.
 */
void sdt_notes(const struct elffile *elf, void (*take)(void *context, const struct sdt_note *note),
	void *context);

#endif
