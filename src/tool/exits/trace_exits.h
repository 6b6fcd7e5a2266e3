/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by trace_exits.bpf.c and user space. Addresses are in the memory of the process. */
#ifndef TOOL_EXITS_TRACE_EXITS_H
#define TOOL_EXITS_TRACE_EXITS_H

#include <stdint.h>

enum { EXITS_MAX = 65536 }; /* pairs of trace and exit */

/* Set before the program is loaded. */
struct exits_settings {
	int32_t vmstate;     /* its offset from the dispatch table, to which r14 points */
	uint32_t vmstate_at; /* offset of the vmstate in global_State */
	uint32_t traces;     /* offset in global_State of the pointer to the list of traces, or 0 */
	uint32_t unused;
};

struct exit_key {
	uint64_t global;
	uint64_t pc; /* bytecode at which the trace starts, or 0 if it is not known */
	uint32_t trace, exit;
};

struct exit_value {
	uint64_t count;
	uint64_t proto; /* the function in which the trace starts, or 0 if it is not known */
	uint16_t parent, parent_exit, link;
	uint8_t link_type, is_side;
};

#endif
