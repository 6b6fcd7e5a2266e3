/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the BPF programs of at and user space. */
#ifndef TOOL_AT_AT_H
#define TOOL_AT_AT_H

#include "engine/measure.h"

#include <stdint.h>

enum {
	AT_MAX = 15,            /* probe points at a time; each has a state of rows */
	AT_CALLS_MAX = 1 << 16, /* calls at a time whose time is measured */
};

/* Indexes of the options in the script's header: bounds of the value, or of the time in ns. */
enum { AT_OPTION_MIN, AT_OPTION_MAX };

/*
 * Where a number is in what the program gets: the registers, or the record of a tracepoint. Size 0
 * stands for the number 1.
 */
struct at_place {
	uint16_t offset;
	uint8_t size; /* in bytes, up to 8 */
	bool is_signed;
};

/* What is done at a probe point. As in SystemTap, numbers are signed, with 64 bits. */
struct at_point {
	struct at_place value;
	struct at_place tested; /* the number that is compared with the constant */
	uint32_t compare;       /* enum measure_compare */
	bool test_returns;      /* compares when a call returns, not when it begins */
	bool latency;           /* measures the time of calls */
	bool ranges;            /* sets the range of rows */
	uint8_t pad;
	int64_t constant;
};

struct at_counts {
	uint64_t negative;     /* hits whose value is below 0, which is not added */
	uint64_t begun, ended; /* calls */
};

#endif
