/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An object file (ET_REL), relocated as if it were linked: its sections follow each other from an
 * address above 0, and its debug information uses these addresses. libdwfl does the relocation.
 */
#ifndef SYMBOL_ELF_RELOCATED_H
#define SYMBOL_ELF_RELOCATED_H

#include <libelf.h>

struct relocated;

/* The caller keeps FD. Returns NULL if it is not an object file or has no debug information. */
struct relocated *relocated_open(int fd);
void relocated_close(struct relocated *r);

Elf *relocated_elf(const struct relocated *r); /* Owned by R. */

#endif
