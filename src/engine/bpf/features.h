/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this kernel has that others lack, found by trying it. */
#ifndef ENGINE_BPF_FEATURES_H
#define ENGINE_BPF_FEATURES_H

#include <stdbool.h>

/* The tracepoint sched_switch tells in which state the previous task is (since 5.18). */
bool features_switch_state(void);

#endif
