/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the descendants of processes. */
#ifndef PROCESS_DESCENDANTS_H
#define PROCESS_DESCENDANTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the processes that descend from the NR processes PIDS, without PIDS themselves, and their
 * number in *NR_FOUND. PROC is where procfs is mounted. The caller frees the list.
 */
uint32_t *descendants(const char *proc, const uint32_t *pids, size_t nr, size_t *nr_found);

#endif
