/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk from frame to frame, in the kernel (BPF) as in user space; step.h takes the steps. */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "format.h"

#include <stdbool.h>

enum {
	WALK_DEPTH = 2048, /* frames, at most */

	REG_BX = 3, /* DWARF's numbers of x86-64 */
	REG_FP = 6,
	REG_SP = 7,
	REG_PC = 16,
	NR_REGS = 17,
};

/* How a walk goes on, or ended. */
enum walk_end {
	WALK_ON,
	WALK_ROOT,    /* the thread's first function */
	WALK_DEEP,    /* WALK_DEPTH frames, or stack that was not copied */
	WALK_NO_MAP,  /* the caller lies in no executable mapping */
	WALK_NO_RULE, /* nothing tells the caller of the last frame */
	WALK_NO_READ, /* memory that a rule named cannot be read */
	WALK_LOST,    /* a rule led to what cannot be */
	WALK_PENDING, /* table or mapping is not known yet: a copy goes to user space */
	WALK_BUSY,    /* and could not */
	WALK_ENDS,
};

/* The executable mapping that holds a pc. */
struct walk_map {
	uint64_t start, end;
	uint64_t bias;      /* pc - bias: address by the file's program headers */
	uint32_t table;     /* 0: no file, so no rules */
	uint32_t serial;    /* number of all mappings that are recorded, from 1 */
	uint64_t id_at, id; /* where its build-id lies and how it begins; 0: not known */
};

struct walk {
	uint64_t reg[NR_REGS];
	uint64_t bx_at; /* where the frame's rbx lies; 0: in reg */
	uint32_t known; /* mask of the registers in reg that are this frame's */
	bool call;      /* pc is a return address */
	uint8_t end;    /* enum walk_end */
	uint32_t nr;    /* frames so far */
	struct walk_map map;
	uint64_t saved[NR_REGS]; /* for a while: BPF's stack has no room for them */
};

enum { WALK_FRAME_MAX = 64 << 20 }; /* bytes: no frame is larger */

/*
 * A frame as a number: bits 41 to 63 the mapping's serial, 40 set for a return address, 0 to 39 the
 * bytes from the mapping's start. Of a pc in no mapping: bits 58 to 63 are set, 57 for a return
 * address, 0 to 56 the pc.
 */
enum { WALK_SERIALS = 0x7e0000 };

static inline uint64_t walk_frame(const struct walk_map *m, uint64_t pc, bool call)
{
	if (!m)
		return 0x3fULL << 58 | (uint64_t)call << 57 | (pc & ((1ULL << 57) - 1));
	return (uint64_t)m->serial << 41 | (uint64_t)call << 40 |
	       ((pc - m->start) & ((1ULL << 40) - 1));
}

static inline bool walk_frame_mapped(uint64_t frame)
{
	return frame >> 58 != 0x3f;
}

/* What is looked up for a return address is the call before it. */
static inline uint64_t walk_pc(const struct walk *w)
{
	return w->reg[REG_PC] - w->call;
}

#endif
