/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk from frame to frame, in the kernel (BPF) and in user space; see step.h for a single step.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "format.h"

#include <stdbool.h>

enum { WALK_DEPTH = 2048 }; /* limit of frames */

/* The state of a walk. */
enum walk_end {
	WALK_ON,
	WALK_ROOT,      /* reached the outermost function */
	WALK_DEEP,      /* after WALK_DEPTH frames, or where the copied stack ends */
	WALK_NO_MAP,    /* the caller is in no executable mapping */
	WALK_NO_RULE,   /* no rule for the last frame */
	WALK_NO_READ,   /* memory that a rule refers to cannot be read */
	WALK_LOST,      /* a rule led to an impossible frame */
	WALK_COROUTINE, /* reached a coroutine's first function */
	WALK_PROBED,    /* a return probe has replaced the return address, which is not known */
	WALK_PENDING,   /* table or mapping is not known yet: user space gets a copy of the stack */
	WALK_BUSY,      /* as WALK_PENDING, but copying the stack failed */
	WALK_ENDS,
};

/* The executable mapping of a pc. */
struct walk_map {
	uint64_t start, end;
	uint64_t bias;      /* pc - bias is the link address */
	uint32_t table;     /* or 0 if there are no rules, or WALK_MEMORY */
	uint32_t serial;    /* number among all recorded mappings, from 1 */
	uint64_t id_at, id; /* address and first bytes of the build-id, or 0 if not known */
};

enum { WALK_THREADS = 4, WALK_VM_WORDS = 2 };

/* The innermost frame of an interpreter, as the steps of its runtime find it. */
struct walk_vm {
	uint64_t frame;    /* address of the interpreter's frame, or 0 if there is none */
	uint64_t pc;       /* walk_pc() */
	bool leaf;         /* it is the walk's first frame, and the registers are the VM's */
	bool compiled;     /* it runs code that the interpreter has compiled */
	uint8_t nr;        /* number of such frames so far, modulo 256 */
	uint64_t fp, base; /* its registers of this role, or 0 if not known */
	bool stop;         /* the walk ends at that frame, and does not leave it */
	uint64_t word[WALK_VM_WORDS]; /* for use by the runtime */
	/*
	 * The innermost frames of the outer threads, from which C code runs this thread, innermost
	 * first.
	 */
	uint64_t threads[WALK_THREADS];
	uint32_t nr_threads;
};

enum { WALK_CODE = 256 }; /* bytes of code that are read at once */

struct walk {
	uint64_t reg[NR_REGS];
	uint64_t base_at;    /* where the frame's REG_BASE is saved, or 0 if it is in reg */
	uint32_t known;      /* mask of the registers in reg that are valid for this frame */
	bool call;           /* pc is a return address */
	uint8_t end;         /* enum walk_end */
	uint32_t nr;         /* frames so far */
	uint64_t from;       /* pc of the last frame if it is a return address, else 0 */
	uint64_t home;       /* REG_SP in a runtime's last frame on the thread's stack, or 0 */
	uint64_t trampoline; /* what return probes put in place of return addresses, or 0 */
	struct walk_map map;
	struct walk_vm vm;
	/* Temporary data that are too large for the BPF stack. */
	uint64_t saved[NR_REGS];
	uint8_t code[WALK_CODE] __attribute__((aligned(8)));
};

enum {
	WALK_FRAME_MAX = 64 << 20, /* bytes in the largest frame */
	WALK_JIT_MAX = 1 << 20,    /* bytes in the largest frame of code compiled at run time */
	WALK_FIRST_MAX = 64 << 10, /* bytes from the first frame to the end of the stack */
	WALK_STACK_MAX = 8 << 20,  /* usual bytes in a thread's stack */
	WALK_MEMORY = 1 << 30,     /* in place of a table: memory that is not mapped from a file */
};

/*
 * A frame as a number: bits 41 to 63 are the mapping's serial, bit 40 is set for a return address,
 * bit 39 is set for a frame of an interpreter that struct walk_vm counts, and bits 0 to 38 are the
 * offset in the mapping. For a pc in no mapping, bits 58 to 63 are set, bit 57 is set for a return
 * address, bit 56 is set for compiled code that is newer than the list of mappings, and bits 0 to
 * 55 are the pc.
 */
enum { WALK_SERIALS = 0x7e0000 };

#define WALK_FRAME_VM (1ULL << 39)
#define WALK_NEW_CODE (1ULL << 56)

static inline uint64_t walk_frame(const struct walk_map *m, uint64_t pc, bool call)
{
	if (!m)
		return 0x3fULL << 58 | (uint64_t)call << 57 | (pc & (WALK_NEW_CODE - 1));
	return (uint64_t)m->serial << 41 | (uint64_t)call << 40 |
	       ((pc - m->start) & (WALK_FRAME_VM - 1));
}

/* Returns the serial of the frame's mapping, or 0 if the frame is in no mapping. */
static inline uint32_t walk_frame_serial(uint64_t frame)
{
	return frame >> 58 == 0x3f ? 0 : (uint32_t)(frame >> 41);
}

/* Returns the frame in another mapping, whose serial is not 0. */
static inline uint64_t walk_frame_move(uint64_t frame, uint32_t serial)
{
	return (uint64_t)serial << 41 | (frame & ((1ULL << 41) - 1));
}

/* Returns the offset in the mapping or, of a frame in no mapping, the pc. */
static inline uint64_t walk_frame_offset(uint64_t frame)
{
	return frame & ((walk_frame_serial(frame) ? WALK_FRAME_VM : WALK_NEW_CODE) - 1);
}

/* Returns true if it is the frame of a return address. */
static inline bool walk_frame_is_call(uint64_t frame)
{
	return frame >> (walk_frame_serial(frame) ? 40 : 57) & 1;
}

/* Returns true if it is a frame of an interpreter or, in no mapping, of new code. */
static inline bool walk_frame_is_vm(uint64_t frame)
{
	return frame & (walk_frame_serial(frame) ? WALK_FRAME_VM : WALK_NEW_CODE);
}

/* Returns the address to look up: pc or, if it is a return address, the call before it. */
static inline uint64_t walk_pc(const struct walk *w)
{
	return w->reg[REG_PC] - w->call;
}

#endif
