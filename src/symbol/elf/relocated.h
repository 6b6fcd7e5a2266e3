/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An object file (ET_REL) as if it were linked: its sections lie one behind the other from an
 * address above 0 on, and its debug information speaks of these addresses. Done by libdwfl, which
 * knows the relocations of all machines.
 */
#ifndef SYMBOL_ELF_RELOCATED_H
#define SYMBOL_ELF_RELOCATED_H

#include <libelf.h>

struct relocated;

/* FD stays the caller's. NULL: it is no object file, or has no debug information. */
struct relocated *relocated_open(int fd);
void relocated_close(struct relocated *r);

Elf *relocated_elf(const struct relocated *r); /* belongs to R; sections have their addresses */

#endif
