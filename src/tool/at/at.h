/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the BPF programs of at and user space. */
#ifndef TOOL_AT_AT_H
#define TOOL_AT_AT_H

#include "engine/measure.h"

#include <stdint.h>

enum {
	AT_MAX = 15,                      /* probe points at a time; each has a state of rows */
	AT_POINTS_MAX = 1024,             /* different things that are done at their places */
	AT_CALLS_MAX = 1 << 16,           /* calls at a time whose time is measured */
	AT_SYSCALLS = 512,                /* numbers of system calls */
	AT_RAW_POINT = AT_POINTS_MAX - 1, /* at raw tracepoints, which have no cookies */
};

/* Indexes of the options in the script's header: bounds of the value, or of the time in ns. */
enum { AT_OPTION_MIN, AT_OPTION_MAX };

enum at_kind {
	AT_WORD,   /* the word at the offset in what the program gets */
	AT_MEMORY, /* memory of the process at the address: base + index * scale + number */
	AT_SUM,    /* this sum itself */
};

enum { AT_NOWHERE = UINT16_MAX }; /* the offset of a base or index that there is not */

/*
 * Where a number is: in what the program gets, which is the registers, or the record of a
 * tracepoint; or in memory. Size 0 stands for the number 1.
 */
struct at_place {
	uint8_t kind; /* enum at_kind */
	uint8_t size; /* in bytes, up to 8 */
	bool is_signed;
	uint8_t scale;
	uint16_t offset, index; /* of the word, or of base and index, in what the program gets */
	int64_t number;
};

/*
 * What is done at places of a probe point. As in SystemTap, numbers are signed, with 64 bits. It
 * has no padding, so that equal ones have equal bytes.
 */
struct at_point {
	uint32_t probe;   /* number of the probe point */
	uint32_t compare; /* enum measure_compare */
	struct at_place value;
	struct at_place tested; /* the number that is compared with the constant */
	bool test_returns;      /* compares when a call returns, not when it begins */
	bool latency;           /* measures the time of calls */
	bool ranges;            /* sets the range of rows */
	bool chooses;           /* takes only the system calls of the map at_syscalls */
	uint8_t pad[4];
	int64_t constant;
};

struct at_counts {
	uint64_t negative;     /* hits whose value is below 0, which is not added */
	uint64_t unread;       /* hits with a number that cannot be read */
	uint64_t begun, ended; /* calls */
};

#endif
