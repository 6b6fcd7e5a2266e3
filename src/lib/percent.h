/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_PERCENT_H
#define LIB_PERCENT_H

#include <stdint.h>

struct strbuf;

/* PART of ALL in per cent with two decimals, from integers, halves rounded up; 0.00 of nothing. */
void percent_add(struct strbuf *out, uint64_t part, uint64_t all);

#endif
