/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for code that a library compiles at run time and gives no names to. The code is recognised
 * by its caller, such as pcre2_jit_match() or any function of libpcre2.
 */
#ifndef SYMBOL_LIBRARY_JIT_H
#define SYMBOL_LIBRARY_JIT_H

struct recording;

/*
 * Names the frames of such code in REC, which are in memory without a file and have no name, for
 * instance "[pcre jit]". Must be called after their callers were named.
 */
void library_jit_name(struct recording *rec);

#endif
