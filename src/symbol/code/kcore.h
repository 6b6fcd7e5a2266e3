/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/kcore: the memory of the running kernel as an ELF core file. */
#ifndef SYMBOL_CODE_KCORE_H
#define SYMBOL_CODE_KCORE_H

#include <stddef.h>
#include <stdint.h>

/* Copies the SIZE bytes at the kernel's ADDRESS. Returns -1 if FD is no such file or lacks them. */
int kcore_read(int fd, uint64_t address, void *to, size_t size);

#endif
