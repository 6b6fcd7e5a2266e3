/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PROCESS_BUSY_H
#define PROCESS_BUSY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Puts the at most MAX processes into PIDS that use the most CPU time right now, busiest first;
 * returns how many. Takes two looks at /proc, a quarter of a second apart; processes without files
 * (kernel threads) and ourselves do not count.
 */
size_t busy_processes(uint32_t *pids, size_t max);

/* All processes that run a program, but ours; first those that used the most CPU time in their
 * lives. The caller frees them. */
uint32_t *busy_since_start(size_t *nr);

#endif
