/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place in a function where a uprobe costs least and sees each call once, with all arguments.
 * As in probe_place.h it is the first instruction that the kernel emulates. It is never a nop of
 * five bytes: Linux 6.18 to 7.2 replace that by a call, which overwrites the red zone.
 */
#ifndef ARCH_X86_64_ENTRY_PLACE_H
#define ARCH_X86_64_ENTRY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the offset of the place in the function of SIZE bytes at CODE. All registers with
 * arguments are as at the call there and, with KEEPS_STACK, so is the stack pointer. Nothing in the
 * function jumps to before it. Returns 0, the start, if there is no such place.
 */
size_t entry_place(const unsigned char *code, size_t size, bool keeps_stack);

#endif
