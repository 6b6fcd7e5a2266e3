/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of VM stacks, the same in both engines, and how a walk over such a stack ends. Also
 * included by the BPF programs.
 */
#ifndef VM_VM_FRAME_H
#define VM_VM_FRAME_H

#include "vm_list.h"

#include <stdbool.h>
#include <stdint.h>

/* VM_NONE: none of them. */
#define VM_KIND(KIND, name) VM_##KIND,
enum vm_kind { VM_NONE, VM_LIST(VM_KIND) VM_KINDS };
#undef VM_KIND

/*
 * Three words that identify a frame as long as its code exists, the same for all closures of it. In
 * what, bits 56 to 58 are the frame's type, not 0; those above are flags; 47 to 55 are 0; the
 * others are an address. The rest is defined by the interpreter.
 */
struct vm_frame {
	uint64_t what;
	uint64_t with; /* distinguishes frames with equal what */
	uint64_t at;   /* the statement or instruction */
};

#define VM_ADDRESS ((1ULL << 47) - 1) /* user space is below */
#define VM_WHAT(type) ((uint64_t)(type) << 56)
#define VM_FRAME_TYPE(what) ((what) >> 56 & 7)

/* In place of a frame's type: there are no frames. */
enum { VM_NO_FRAME = 7 };

enum { VM_DEPTH = 1024 };        /* frames, at most */
enum { VM_STEPS_MAX = 1 << 13 }; /* of a walk */

/*
 * A frame as two words, neither of them 0: what combined with a part of with, enough to distinguish
 * frames at the same statement, and at + 1.
 */
struct vm_words {
	uint64_t what, at;
};

enum { VM_WORDS = sizeof(struct vm_words) / sizeof(uint64_t) };

static inline struct vm_words vm_pack(const struct vm_frame *f)
{
	uint64_t with = f->with * 0x9e3779b97f4a7c15ULL >> 55;

	return (struct vm_words){f->what | with << 47, f->at + 1};
}

/* The frame; its with is not in the words. */
static inline struct vm_frame vm_unpack(const struct vm_words *w, uint64_t with)
{
	return (struct vm_frame){w->what & ~(0x1ffULL << 47), with, w->at - 1};
}

enum vm_end {
	VM_ON,
	VM_WHOLE,        /* the last frame is the outermost one */
	VM_CUT,          /* there are more frames than asked for */
	VM_NOT_RUNNING,  /* no interpreter in this thread, or none that runs */
	VM_INCONSISTENT, /* between two states, or not the interpreter's memory at all */
	VM_ENDS,
};

enum { VM_NATIVE_REGS = 8, VM_NATIVE_THREADS = 4 };

/*
 * The innermost frame of an interpreter in the native stack, for VMs that are found by it, and what
 * else the native stack tells. Set before a walk begins.
 */
struct vm_native {
	uint64_t frame;  /* 0: there is none */
	uint64_t pc;     /* in it */
	uint64_t fp;     /* rbp there; 0: not known */
	uint64_t bx;     /* rbx there, likewise */
	uint64_t sp, dx; /* registers of the thread */
	/* rdi rbx rbp r12 r13 r14 r15 of the thread, 0; all 0: not known */
	uint64_t reg[VM_NATIVE_REGS];
	/* The innermost frames of threads of the interpreter below, from the inside; 0: no more. */
	uint64_t threads[VM_NATIVE_THREADS];
	bool walked;   /* it was looked for; else only sp is set, and the thread waits */
	bool whole;    /* the outermost frame was reached */
	bool leaf;     /* the thread is in this very frame */
	bool compiled; /* it runs code that was compiled at run time */
};

/* The first member of all walks. */
struct vm_walk {
	struct vm_native native;
	uint32_t state; /* of the interpreter: index in the states of struct vm, 0: not known */
	bool mixed;     /* for splicing: also entries that only mark a possible run loop */
	bool found;     /* there is a frame */
	uint32_t owner; /* tgid, for cached entries */
	struct vm_frame frame;
};

#endif
