/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own picture as an input: the call tree that flame_data.h describes, versions 1 and 2. */
#ifndef FLAME_READ_H
#define FLAME_READ_H

#include "lib/profile.h"

struct lines;
struct strbuf;

/*
 * Adds the tree of the picture in LINES to P, which was just initialised, with unit, title and what
 * the tree tells of its account. 0: all of it; -1: nothing that can be used, and one line in NOTES.
 */
int flame_read(struct profile *p, struct lines *lines, struct strbuf *notes);

#endif
