/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include <stdint.h>

struct kallsyms;
struct strbuf;

/* As kallsyms_new, from the file PATH. */
struct kallsyms *kallsyms_read(const char *path, struct strbuf *err);

/* The address of _stext, by which every boot's kernel is compared with its file; 0: not there. */
uint64_t kallsyms_text(const struct kallsyms *ks);

#endif
