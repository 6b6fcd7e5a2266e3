/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of interpreters' stacks as both engines add them up, and how a walk over such a stack
 * ends. The BPF programs include this file.
 */
#ifndef VM_VM_FRAME_H
#define VM_VM_FRAME_H

#include <stdint.h>

/* The interpreters that are known; VM_NONE: not one of them. */
enum vm_kind { VM_NONE, VM_PERL, VM_KINDS };

/*
 * Three words that mean the same as long as the code is there, whichever closure of it runs. Bits
 * 56 to 58 of what are the frame's type, which is not 0; those above are flags; 47 to 55 are 0; the
 * others are an address. All the rest is the interpreter's own.
 */
struct vm_frame {
	uint64_t what;
	uint64_t with; /* what tells two frames with equal what apart */
	uint64_t at;   /* the statement or instruction */
};

#define VM_ADDRESS ((1ULL << 47) - 1) /* user space is below */
#define VM_FRAME_TYPE(what) ((what) >> 56 & 7)

enum vm_end {
	VM_ON,
	VM_WHOLE,        /* the last frame is the outermost one */
	VM_CUT,          /* there are more frames than asked for */
	VM_NOT_RUNNING,  /* no interpreter in this thread, or none that runs */
	VM_INCONSISTENT, /* between two states, or not the interpreter's memory at all */
	VM_ENDS,
};

#endif
