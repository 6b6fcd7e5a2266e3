/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables: the rules of .eh_frame in a searchable form. The format is the same in memory that
 * is shared with the kernel and in the cache on disk.
 *
 * A table is a position-independent image of blocks of UNWIND_BLOCK bytes:
 *
 *	1 header            struct unwind_header
 *	n leaves            struct unwind_leaf: up to UNWIND_FANOUT rows, by address
 *	n nodes a level     struct unwind_node: the first address of up to UNWIND_FANOUT children
 *	n rule blocks       struct unwind_rule[UNWIND_RULES]
 *
 * It is a search tree without pointers: child C of the J-th node of a level is block J *
 * UNWIND_FANOUT + C of the level below. The top level is one block; with height 0 it is a leaf.
 * Addresses are link addresses minus header.base.
 */
#ifndef UNWIND_FORMAT_H
#define UNWIND_FORMAT_H

#include "arch/x86_64/registers.h"

#include <stdint.h>

enum {
	UNWIND_BLOCK = 4096,
	UNWIND_FANOUT = 1024, /* a power of two */
	UNWIND_RULES = 256,   /* rules in a block */
	UNWIND_LEVELS = 3,    /* enough for 1 Gi rows */
	UNWIND_VERSION = 9,
};

#define UNWIND_MAGIC 0x7077756666616c66ULL

/* Row I of a leaf extends from start + delta[I] to the next row. */
struct unwind_leaf {
	uint16_t delta[UNWIND_FANOUT]; /* from the leaf's start, ascending; 0xffff if unused */
	uint16_t rule[UNWIND_FANOUT];  /* number of a rule; unused rows repeat the last one */
};

struct unwind_node {
	uint32_t start[UNWIND_FANOUT]; /* ascending; 0xffffffff if unused */
};

/* Rule numbers common to all tables. */
enum {
	UNWIND_RULE_NONE, /* no rule for this address */
	UNWIND_RULE_ROOT, /* outermost function, without a caller */
	UNWIND_RULE_FIRST,
};

enum unwind_cfa {
	UNWIND_CFA_NONE,
	UNWIND_CFA_ROOT,
	UNWIND_CFA_SIGNAL, /* the kernel's struct sigcontext is at REG_SP + offset */
	UNWIND_CFA_REG,    /* reg + 8 * index + offset */
	UNWIND_CFA_DEREF,  /* *(reg + 8 * index + offset) + add */
	UNWIND_CFA_PLT,    /* reg + offset, and 8 more when (pc & 15) >= add */
	UNWIND_CFA_CALLED, /* as UNWIND_CFA_REG, but the return address must follow a call */
	/*
	 * from here on, the includer of step.h steps, and gives the other members of the rule their
	 * meaning, but for those that unwind_saved_registers() counts
	 */
	UNWIND_CFA_RUNTIME,
};

enum unwind_saved {
	UNWIND_SAME,   /* the register still has the caller's value */
	UNWIND_AT_CFA, /* saved at CFA + 8 * slot */
	UNWIND_AT_FP,  /* saved at REG_FP + 8 * slot, on realigned stacks */
	UNWIND_LOST,   /* not recoverable */
};

/*
 * How to get from a frame to its caller. The caller's REG_SP is the CFA (canonical frame
 * address, DWARF 5 6.4); the return address is at CFA + 8 * ra, or in a register.
 */
struct unwind_rule {
	uint8_t cfa;                          /* enum unwind_cfa */
	uint8_t reg;                          /* DWARF number */
	uint8_t index;                        /* DWARF number + 1 of another register, or 0 */
	uint8_t fp_saved : 2, base_saved : 2; /* enum unwind_saved */
	uint8_t lost : 4; /* mask of the REGS_KEPT registers from REG_KEPT on that are saved */
	int32_t offset;
	int16_t add;
	int16_t fp, base; /* slots of 8 bytes, of REG_FP and REG_BASE */
	int16_t ra;       /* slot of the return address, usually -1; or UNWIND_RA_REG + register */
};

enum { UNWIND_RA_REG = 0x4000 };

struct unwind_header {
	uint64_t magic;
	uint64_t checksum; /* hash_words() of everything after this field */
	uint32_t version;
	uint32_t nr_blocks;
	uint64_t base; /* address of the first row; rows are relative to it */
	uint64_t size; /* bytes covered by the rows */
	uint32_t height;
	uint32_t level[UNWIND_LEVELS]; /* first block of each level, leaves first */
	uint32_t rules;                /* first rule block */
	uint32_t nr_rules;
	uint32_t nr_rows;
	uint32_t nr_unsupported; /* rows without a rule because it cannot be expressed */
	uint32_t analysed;       /* code without unwind information was analysed */
	char build_id[129];      /* lower-case hex */
};

#ifndef __bpf__
_Static_assert(sizeof(struct unwind_leaf) == UNWIND_BLOCK, "a leaf is a block");
_Static_assert(sizeof(struct unwind_node) == UNWIND_BLOCK, "a node is a block");
_Static_assert(sizeof(struct unwind_rule) * UNWIND_RULES == UNWIND_BLOCK, "rules fill a block");
#endif

/* BPF requires that functions that return structures are inlined. */
#define UNWIND_INLINE static inline __attribute__((always_inline))

/*
 * Returns how many registers a frame with rule R has saved directly below its return address, where
 * all compilers push them. This includes registers that the rule does not locate.
 */
UNWIND_INLINE uint8_t unwind_saved_registers(const struct unwind_rule *r)
{
	if (r->cfa != UNWIND_CFA_REG && r->cfa != UNWIND_CFA_DEREF && r->cfa < UNWIND_CFA_RUNTIME)
		return 0;
	return (r->fp_saved == UNWIND_AT_CFA) + (r->base_saved == UNWIND_AT_CFA) + (r->lost & 1) +
	       (r->lost >> 1 & 1) + (r->lost >> 2 & 1) + (r->lost >> 3 & 1);
}

/*
 * I modulo N, a power of two. The BPF verifier must see the mask, which the compiler would optimise
 * away.
 */
#ifdef __bpf__
#define UNWIND_INDEX(i, n)                                                                         \
	({                                                                                         \
		uint64_t index_ = (i);                                                             \
		asm volatile("%0 &= %1" : "+r"(index_) : "i"((n)-1));                              \
		index_;                                                                            \
	})
#else
#define UNWIND_INDEX(i, n) ((uint64_t)(i) & ((n)-1))
#endif

/*
 * I, which is below N. The compiler may move the bounds check to where the verifier cannot relate
 * it to I.
 */
#ifdef __bpf__
#define UNWIND_BELOW(i, n)                                                                         \
	({                                                                                         \
		uint64_t i_ = (i);                                                                 \
		asm volatile("if %0 < %1 goto +1\n%0 = 0" : "+r"(i_) : "i"(n));                    \
		i_;                                                                                \
	})
#else
#define UNWIND_BELOW(i, n) (i)
#endif

/* X, opaque to the compiler, so that it cannot make a branch of it. */
#ifdef __bpf__
#define UNWIND_OPAQUE(x)                                                                           \
	({                                                                                         \
		uint64_t opaque_ = (x);                                                            \
		asm volatile("" : "+r"(opaque_));                                                  \
		opaque_;                                                                           \
	})
#else
#define UNWIND_OPAQUE(x) (x)
#endif

/*
 * The index of the last of the N sorted KEYS that is not above KEY, or 0 if there is none. N is a
 * power of two, KEY and KEYS are at most INT64_MAX. There are no branches, which clang 19 and later
 * would make from the comparison: the BPF verifier sees one path, and the processor has nothing to
 * mispredict.
 */
#define UNWIND_SEARCH(keys, n, key)                                                                \
	({                                                                                         \
		uint64_t at_ = 0;                                                                  \
		for (uint64_t step_ = (n) / 2; step_; step_ >>= 1)                                 \
			at_ += UNWIND_OPAQUE(((uint64_t)(keys)[UNWIND_INDEX(at_ + step_, n)] -     \
						     (uint64_t)(key)-1) >>                         \
					     63) *                                                 \
			       step_;                                                              \
		UNWIND_INDEX(at_, n);                                                              \
	})

#endif
