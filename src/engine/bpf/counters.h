/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF programs count, each processor and lane by itself. */
#ifndef ENGINE_BPF_COUNTERS_H
#define ENGINE_BPF_COUNTERS_H

#include "kern/shared.h"

#include <stddef.h>

/* The sums of LIST, which the programs go on writing. */
struct counters counters_sum(const struct counters *list, size_t nr);

#endif
