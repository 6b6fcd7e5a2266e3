/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of system calls. */
#ifndef ARCH_X86_64_SYSCALL_NAMES_H
#define ARCH_X86_64_SYSCALL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the name of the system call NUMBER, or NULL if it is not known. COMPAT calls have the
 * numbers of 32-bit programs.
 */
const char *syscall_name(uint32_t number, bool is_compat);

#endif
