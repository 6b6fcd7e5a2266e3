/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that runs in the frame of a function that has jumped to it, its host: GHC's Haskell code,
 * in StgRun's. It has a stack of its own, and moves rsp only for calls of C functions.
 */
#ifndef UNWIND_ANALYSIS_HOSTED_H
#define UNWIND_ANALYSIS_HOSTED_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes rsp is below the host's at the SIZE bytes of CODE: as many as are given back after
 * the next call. *LEFT: how many instructions may be looked at; if none, it is 0.
 */
int32_t hosted_depth(const unsigned char *code, size_t size, uint64_t *left);

#endif
