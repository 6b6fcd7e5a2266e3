/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where to probe a function that returns what it has allocated: after the call that allocates
 * it. A uprobe on the function's ret would cost two or three exceptions, as the kernel does not
 * emulate ret. A uretprobe costs as many, and until Linux 6.14 also a system call, for which a
 * seccomp filter of the process may kill it.
 */
#ifndef ARCH_X86_64_RESULT_PLACE_H
#define ARCH_X86_64_RESULT_PLACE_H

#include <stddef.h>

/*
 * Returns the offset of the first branch after the first call in the NR bytes at the start of a
 * function, or 0 if there is none. No other branch may come before the call, rax must still have
 * the call's result, and the branch must depend on a comparison of 64 bits, such as a pointer with
 * NULL. The kernel emulates branches under a uprobe.
 */
size_t result_place(const unsigned char *code, size_t nr);

#endif
