/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_PERCENT_H
#define LIB_PERCENT_H

#include <stdint.h>

struct strbuf;

/*
 * Appends PART / ALL in per cent with two decimals, in integer arithmetic, with half rounded up; or
 * 0.00 if ALL is 0.
 */
void percent_add(struct strbuf *out, uint64_t part, uint64_t all);

#endif
