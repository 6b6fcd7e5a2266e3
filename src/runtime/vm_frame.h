/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of VM stacks, which are the same in both engines, and how a walk over such a stack ends.
 * Also included by the BPF programs.
 */
#ifndef RUNTIME_VM_FRAME_H
#define RUNTIME_VM_FRAME_H

#include "vm_list.h"

#include <stdbool.h>
#include <stdint.h>

/* VM_NONE stands for none of them. */
#define VM_KIND(KIND, name) VM_##KIND,
enum vm_kind { VM_NONE, VM_LIST(VM_KIND) VM_KINDS };
#undef VM_KIND

/* A set of kinds, as bits, and the set of all kinds. */
#define VM_BIT(kind) (1u << (kind))
#define VM_ALL ((1u << VM_KINDS) - 2)

/*
 * Three words that identify a frame as long as its code exists. They are the same for all closures
 * of the code. In `what`, bits 0 to 46 are an address, bits 47 to 55 are 0, bits 56 to 58 are the
 * frame's type, which is not 0, and the bits above are flags. The rest is defined by the
 * interpreter.
 */
struct vm_frame {
	uint64_t what;
	uint64_t with; /* distinguishes frames with equal `what` */
	uint64_t at;   /* the statement or instruction */
};

#define VM_ADDRESS ((1ULL << 47) - 1) /* user space is below */
#define VM_WHAT(type) ((uint64_t)(type) << 56)
#define VM_FRAME_TYPE(what) ((what) >> 56 & 7)

/* Replaces a frame's type if there are no frames. */
enum { VM_NO_FRAME = 7 };

/* An operator of the interpreter by its number there, such as an opcode. */
#define VM_OP(number) ((uint16_t)((number) + 1))

enum { VM_DEPTH = 1024 };        /* frames, at most */
enum { VM_STEPS_MAX = 1 << 13 }; /* steps of a walk */

/*
 * A frame as two words, neither of which is 0: `what` combined with a part of `with` that suffices
 * to distinguish frames at the same statement, and `at` + 1.
 */
struct vm_words {
	uint64_t what, at;
};

enum { VM_WORDS = sizeof(struct vm_words) / sizeof(uint64_t) };

static __always_inline struct vm_words vm_pack(const struct vm_frame *f)
{
	uint64_t with = f->with * 0x9e3779b97f4a7c15ULL >> 55;

	return (struct vm_words){f->what | with << 47, f->at + 1};
}

/* Returns the frame. WITH is passed because the words do not contain it. */
static __always_inline struct vm_frame vm_unpack(const struct vm_words *w, uint64_t with)
{
	return (struct vm_frame){w->what & ~(0x1ffULL << 47), with, w->at - 1};
}

enum vm_end {
	VM_ON,
	VM_WHOLE,        /* the last frame is the outermost one */
	VM_CUT,          /* there are more frames than asked for */
	VM_NOT_RUNNING,  /* no interpreter in this thread, or none that runs */
	VM_INCONSISTENT, /* read between two states, or from memory that is not the interpreter's */
	VM_ENDS,
};

enum { VM_NATIVE_REGS = 8, VM_NATIVE_THREADS = 4 };

/*
 * The innermost frame of an interpreter in the native stack, for VMs that are found by it, and
 * other facts from the native stack. To be set before a walk begins.
 */
struct vm_native {
	uint64_t frame; /* or 0 if there is none */
	uint64_t pc;    /* in the frame */
	uint64_t fp;    /* REG_FP in the frame, or 0 if not known */
	uint64_t base;  /* REG_BASE in the frame, or 0 if not known */
	uint64_t sp;    /* of the thread */
	uint64_t third; /* the register of the thread that passes a third argument */
	/*
	 * The registers of the thread that pass a first argument and that functions preserve, see
	 * regs_preserved(), and 0, or all 0 if not known.
	 */
	uint64_t reg[VM_NATIVE_REGS];
	/* The innermost frames of the interpreter's threads below, from the inside, then 0. */
	uint64_t threads[VM_NATIVE_THREADS];
	bool walked;   /* the frame was looked for; if not, only sp is set, and the thread waits */
	bool whole;    /* the outermost frame was reached */
	bool leaf;     /* the frame is the leaf */
	bool compiled; /* the frame runs code that was compiled at run time */
};

/* The first member of all walks. */
struct vm_walk {
	struct vm_native native;
	uint32_t state; /* index in the states of struct vm, or 0 if not known */
	uint16_t op;    /* VM_OP() of what the thread executes, or 0 if not known */
	bool with_op;   /* op is wanted, and has not been looked for yet */
	bool mixed;     /* for splicing, with entries that only mark a possible run loop */
	bool found;     /* `frame` is set */
	uint32_t owner; /* tgid, for cached entries */
	struct vm_frame frame;
#ifndef __bpf__
	const struct memory *memory; /* of the target */
#endif
};

#endif
