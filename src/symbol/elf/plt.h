/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PLT stubs, which have no symbols of their own. */
#ifndef SYMBOL_ELF_PLT_H
#define SYMBOL_ELF_PLT_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;
struct plt;

struct plt_stub {
	uint64_t start;
	const char *name; /* function that it jumps to, or NULL if only TARGET is known */
	uint64_t target;
};
/* Finds the PLT sections of ELF. The result is valid as long as ELF. Never returns NULL. */

struct plt *plt_new(const struct elffile *elf);
void plt_free(struct plt *plt);
bool plt_find(struct plt *plt, uint64_t address, struct plt_stub *stub);

#endif
