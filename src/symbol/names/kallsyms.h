/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of the running kernel and its modules. */
#ifndef SYMBOL_NAMES_KALLSYMS_H
#define SYMBOL_NAMES_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct kallsyms;
struct strbuf;

/* NULL and ERR: /proc/kallsyms is unreadable or hides the addresses (kptr_restrict). */
struct kallsyms *kallsyms_new(struct strbuf *err);
void kallsyms_free(struct kallsyms *ks);
/* The function at ADDRESS; name and module ("[kernel]") are valid as long as KS; false: none. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset);

/* The address of the next symbol after ADDRESS, at which a function there ends; 0: none. */
uint64_t kallsyms_next(const struct kallsyms *ks, uint64_t address);

/* As kallsyms_new from the file PATH. */
struct kallsyms *kallsyms_read(const char *path, struct strbuf *err);

/* The address of _stext, which gives the KASLR offset of this boot; 0: not found. */
uint64_t kallsyms_text(const struct kallsyms *ks);

#endif
