/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of system calls. */
#ifndef TOOL_AT_AT_SYSCALLS_H
#define TOOL_AT_AT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Adds the bit of the probe point PROBE to the entries of MAP, by number, of the system calls whose
 * names match PATTERN. Returns how many they are, among those that this was built with.
 */
size_t at_syscalls_choose(int map, const char *pattern, uint32_t probe);

#endif
