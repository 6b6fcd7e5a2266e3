/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backtraces as scripts of SystemTap print them: the frames of a stack, leaf first, one a line,
 * then a line with its count. Frames in any of stap's forms:
 *
 *	0xADDR : NAME+0xOFF/0xSIZE [MODULE]       print_backtrace, print_stack, print_syms
 *	0xADDR : NAME+0xOFF/0xSIZE at FILE:LINE [MODULE]        print_backtrace_fileline
 *	0xADDR [MODULE+0xOFF/0xSIZE]              (or with " : 0xADDR" after the first)
 *	NAME+0xOFF [MODULE], NAME+0xOFF, 0xADDR   sprint_backtrace, print_ubacktrace_brief
 *	0xADDR 0xADDR 0xADDR …                    backtrace(): a whole stack in one line
 *
 * each perhaps without its size, module or offset, or with " (inexact)" behind it. \xHH is decoded
 * as word.h says. Blank lines and lines that begin with "WARNING:" or "ERROR:" are no frames. A
 * frame whose address has its top bit set, or of the module [kernel], is FRAME_KERNEL, and its
 * module keeps the brackets; all others are FRAME_USER. Frames without a name and notes: see
 * folded.h. Where a string of stap was cut short, its stack gets the note [truncated] there; an
 * unwinder that gave up is [broken].
 */
#ifndef INPUT_STACKTEXT_H
#define INPUT_STACKTEXT_H

#include "model/profile.h"

#include <stdbool.h>

struct lines;
struct strbuf;

struct stacktext_options {
	bool sources; /* frames are told apart by their FILE:LINE, without its folder */
};

/*
 * Adds the stacks of LINES to P: each sample is added, or its stack counted in
 * P->account.lost[LOST_UNREADABLE] (a count that is no unsigned integer, a last stack without
 * count) and said in NOTES, one message a line. A count without frames is the stack [no stack]. 0:
 * all of it was read, 1: a part, -1: reading failed.
 */
int stacktext_read(struct profile *p, struct lines *lines, const struct stacktext_options *options,
	struct strbuf *notes);

#endif
