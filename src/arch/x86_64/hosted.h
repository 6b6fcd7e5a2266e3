/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that runs in the frame of its host, a function that has jumped to it: GHC's Haskell code
 * runs in the frame of StgRun. It has a stack of its own, and moves rsp only for calls of C
 * functions.
 */
#ifndef ARCH_X86_64_HOSTED_H
#define ARCH_X86_64_HOSTED_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many bytes rsp is below the host's rsp at the SIZE bytes of CODE: the number of bytes
 * that are released after the next call. *LEFT is the number of instructions that may still be
 * decoded; if it is 0, so is the result.
 */
int32_t hosted_depth(const unsigned char *code, size_t size, uint64_t *left);

#endif
