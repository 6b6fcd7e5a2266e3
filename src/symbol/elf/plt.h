/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PLT stubs (x86-64), which have no symbols of their own. */
#ifndef SYMBOL_ELF_PLT_H
#define SYMBOL_ELF_PLT_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;
struct plt;

struct plt_stub {
	uint64_t start;
	const char *name; /* of the function it jumps to; NULL: only TARGET is known */
	uint64_t target;
};

struct plt *plt_new(const struct elffile *elf); /* Valid as long as ELF. Never NULL. */
void plt_free(struct plt *plt);
bool plt_find(struct plt *plt, uint64_t address, struct plt_stub *stub);

#endif
