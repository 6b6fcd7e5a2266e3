/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KALLSYMS_H
#define KALLSYMS_H

struct kallsyms;
struct strbuf;

/* As kallsyms_new, from the file PATH. */
struct kallsyms *kallsyms_read(const char *path, struct strbuf *err);

#endif
