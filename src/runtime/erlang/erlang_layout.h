/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where Erlang's compiled code has its stacks. Shared with the BPF programs. */
#ifndef RUNTIME_ERLANG_ERLANG_LAYOUT_H
#define RUNTIME_ERLANG_ERLANG_LAYOUT_H

#include "arch/x86_64/registers.h"

enum { ERLANG_PROCESS = X86_R13 }; /* the register that points to Erlang's process */

struct erlang_layout {
	uint64_t entry;   /* the C function that runs processes */
	uint64_t main;    /* the compiled code that it jumps to */
	uint64_t c_stack; /* C functions are called with rsp at or below rbx + c_stack */
	uint64_t frame;   /* the return address of entry is 8 to 56 bytes above rbx + frame */
	uint64_t stop;    /* where a process saves rsp, from ERLANG_PROCESS, or 0 */
};

#endif
