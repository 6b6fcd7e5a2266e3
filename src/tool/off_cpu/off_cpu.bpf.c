// SPDX-License-Identifier: GPL-2.0-or-later
/* off-cpu: adds a row for each wait. */
#include "wait_spans_bpf.h"
#include "woken_bpf.h"
