/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes for features that not every kernel has. */
#ifndef ENGINE_BPF_FEATURES_H
#define ENGINE_BPF_FEATURES_H

#include <stdbool.h>

/* Returns whether the kernel has the tracepoint, with at least NR arguments. */
bool features_tracepoint(const char *tracepoint, int nr);

/*
 * Returns whether the tracepoint sched_switch has an argument for the state of the previous task
 * (since 5.18).
 */
bool features_switch_state(void);

/* Returns whether there are tracepoints for waiting for locks of the kernel (since 5.19). */
bool features_contention(void);

/* Returns whether the tracepoints of io_uring tell the request (since 6.0). */
bool features_io_uring(void);

/* Returns whether programs can look for the mapping of an address (since 5.17). */
bool features_find_vma(void);

/* Returns what to do when a function of a program cannot be probed because of ERROR, an errno. */
const char *features_probe_remedy(int error);

#endif
