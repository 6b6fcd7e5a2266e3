/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PROCESS_BUSY_H
#define PROCESS_BUSY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sets PIDS to the processes, at most MAX, that currently use the most CPU time, busiest first.
 * Returns their number. Reads /proc twice, a quarter of a second apart. Kernel threads and this
 * process are excluded.
 */
size_t busy_processes(uint32_t *pids, size_t max);

/*
 * Returns all processes except kernel threads and this one, by total CPU time, most first. The
 * caller frees the list.
 */
uint32_t *busy_since_start(size_t *nr);

#endif
