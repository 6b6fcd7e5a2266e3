/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function that returns what it has allocated can be probed: behind the call that
 * allocates it. A uprobe on its return would cost two or three exceptions, as the kernel does not
 * emulate ret; a uretprobe as many, and until Linux 6.14 also a system call that a seccomp filter
 * of the process may answer by ending it.
 */
#ifndef UNWIND_ANALYSIS_RESULT_PLACE_H
#define UNWIND_ANALYSIS_RESULT_PLACE_H

#include <stddef.h>

/*
 * The offset of the first branch after the first call, in the NR bytes at the start of a function,
 * if no other is before that call, rax still has its result, and the branch depends on a
 * comparison of 64 bits, as of a pointer with NULL. The kernel emulates branches under a uprobe. 0:
 * there is none.
 */
size_t result_place(const unsigned char *code, size_t nr);

#endif
