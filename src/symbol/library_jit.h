/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for code that a library compiles at run time and gives no names to: it is told by what
 * calls it, such as pcre2_jit_match() or any function of libpcre2.
 */
#ifndef SYMBOL_LIBRARY_JIT_H
#define SYMBOL_LIBRARY_JIT_H

struct recording;

/*
 * Names such frames of REC in memory without a file that have no name, as "[pcre jit]". To be
 * called when the functions that call them are named.
 */
void library_jit_name(struct recording *rec);

#endif
