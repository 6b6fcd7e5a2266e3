/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What trace_exits.bpf.c and user space share. Addresses are those of the process. */
#ifndef TOOL_EXITS_TRACE_EXITS_H
#define TOOL_EXITS_TRACE_EXITS_H

#include <stdint.h>

enum { EXITS_MAX = 65536 }; /* exits of traces that are told apart */

/* Set before the program is loaded. */
struct exits_settings {
	int32_t vmstate;     /* where that is, from what r14 refers to: the dispatch table */
	uint32_t vmstate_at; /* offset in global_State */
	uint32_t traces;     /* likewise, of the pointer to the list of traces; 0: not known */
	uint32_t unused;
};

struct exit_key {
	uint64_t global;
	uint64_t pc; /* bytecode at which the trace starts; 0: not known */
	uint32_t trace, exit;
};

struct exit_value {
	uint64_t count;
	uint64_t proto; /* the function in which it starts; 0: not known */
	uint16_t parent, parent_exit, link;
	uint8_t link_type, is_side;
};

#endif
