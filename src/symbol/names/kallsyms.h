/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of the running kernel and its modules. */
#ifndef SYMBOL_NAMES_KALLSYMS_H
#define SYMBOL_NAMES_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms;
struct strbuf;

/*
 * Reads /proc/kallsyms. Returns NULL and sets ERR if it is unreadable or hides the addresses
 * (kptr_restrict).
 */
struct kallsyms *kallsyms_new(struct strbuf *err);

/*
 * Returns the functions at the NR addresses of LIST alone, which ascend. DESCRIBE appends to TEXT
 * what the kernel's format %pS gives for ADDRESS, "NAME+0xOFFSET/0xSIZE [MODULE]".
 */
struct kallsyms *kallsyms_ask(const uint64_t *list, size_t nr,
	void (*describe)(void *context, uint64_t address, struct strbuf *text), void *context);

void kallsyms_free(struct kallsyms *ks);

/*
 * Finds the function at ADDRESS. Its name and module (or "[kernel]") are valid as long as KS.
 * Returns false if there is none.
 */
bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset);

/*
 * Returns the address of the next symbol after ADDRESS, where a function at ADDRESS ends, or 0 if
 * there is none.
 */
uint64_t kallsyms_next(const struct kallsyms *ks, uint64_t address);

/* Reads the file PATH like kallsyms_new. */
struct kallsyms *kallsyms_read(const char *path, struct strbuf *err);

/*
 * Returns the address of _stext, which gives the KASLR offset of this boot, or 0 if it was not
 * found.
 */
uint64_t kallsyms_text(const struct kallsyms *ks);

/* Returns the address of _text, which is before _stext on some processors, or 0. */
uint64_t kallsyms_start(const struct kallsyms *ks);

#endif
