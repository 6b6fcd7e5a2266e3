/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that descend from others. */
#ifndef PROCESS_DESCENDANTS_H
#define PROCESS_DESCENDANTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The processes that descend from the NR ones at PIDS, without these; PROC is where procfs is
 * mounted. *NR_FOUND: their number. The caller frees the list.
 */
uint32_t *descendants(const char *proc, const uint32_t *pids, size_t nr, size_t *nr_found);

#endif
