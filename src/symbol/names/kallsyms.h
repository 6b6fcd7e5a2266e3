/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the running kernel and its modules. */
#ifndef SYMBOL_NAMES_KALLSYMS_H
#define SYMBOL_NAMES_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct kallsyms;
struct strbuf;

/* NULL and ERR: /proc/kallsyms is not readable or hides the addresses (kptr_restrict). */
struct kallsyms *kallsyms_new(struct strbuf *err);
void kallsyms_free(struct kallsyms *ks);
/* The function that holds ADDRESS, its name and module ("[kernel]") as long as KS; false: none. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t address, const char **name,
	const char **module, uint64_t *offset);

/* As kallsyms_new, from the file PATH. */
struct kallsyms *kallsyms_read(const char *path, struct strbuf *err);

/* The address of _stext, by which every boot's kernel is compared with its file; 0: not there. */
uint64_t kallsyms_text(const struct kallsyms *ks);

#endif
