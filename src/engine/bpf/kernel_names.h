/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the kernel's functions, asked from the kernel itself: reading /proc/kallsyms takes 0.1 s
 * of processor time, most of it to print symbols that are in no stack.
 */
#ifndef ENGINE_BPF_KERNEL_NAMES_H
#define ENGINE_BPF_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms;

/*
 * Returns the functions at the NR addresses of LIST, which ascend, and at the byte before each,
 * which is a part of the call if the address is where it returns to. The caller frees them. Returns
 * NULL if the kernel cannot be asked, as before Linux 5.13.
 */
struct kallsyms *kernel_names_ask(const uint64_t *list, size_t nr);

/* Returns whether the kernel can be asked. No addresses are needed for that, only CAP_PERFMON. */
bool kernel_names_can_ask(void);

#endif
