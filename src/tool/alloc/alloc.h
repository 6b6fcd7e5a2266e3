/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocations, as shared by the BPF programs and user space. */
#ifndef TOOL_ALLOC_ALLOC_H
#define TOOL_ALLOC_ALLOC_H

#include "engine/bpf/kern/shared.h"
#include "tool/at/at.h"

/*
 * Indexes of the options in the headers of alloc and leaks. The number of blocks has a default in
 * leaks, and is 0 in alloc, which has no such option.
 */
enum {
	ALLOC_OPTION_EVERY,
	ALLOC_OPTION_PRELOAD,
	ALLOC_OPTION_SIZE,
	ALLOC_OPTION_ALLOC,
	LEAKS_OPTION_BLOCKS,
	LEAKS_OPTION_MIN_AGE,
	LEAKS_OPTION_FREE,
};

enum {
	ALLOC_CALLS_MAX = 1 << 14, /* threads at a time in a function that allocates */
	ALLOC_MARKS_MAX = 64,      /* different operands of marks */
	ALLOC_NUMBERS = 3,         /* arguments of the mark alloc: pointer, size, weight */
};

/* Parts of the keys of spans: a block at its address, or what a thread is doing. */
enum block_part { BLOCK_HELD, BLOCK_BEGUN, BLOCK_MOVED };

/* The words of the span of a block: its weight, see alloc_sampling.h, and its size. */
enum { BLOCK_BYTES, BLOCK_CALLS, BLOCK_SIZE };
_Static_assert((int)BLOCK_SIZE < (int)SPAN_WORDS, "a span has room for them");

/*
 * An allocation that a thread has begun: what it calls in turn is a part of it, and is not
 * recorded.
 */
struct alloc_call {
	uint64_t start;      /* of the thread */
	uint64_t sp;         /* address of the return address */
	uint64_t pointer_at; /* where the address of the block will be, or 0 if it is returned */
	uint64_t size;
	uint64_t moved; /* address of the block that realloc() replaces, or 0 */
	bool is_taken;  /* the block's span has begun */
	bool has_moved; /* the replaced block has a span */
	uint8_t pad[6];
};

/* Where the arguments of a mark are. */
struct alloc_mark {
	struct at_place number[ALLOC_NUMBERS];
};

struct alloc_counts {
	uint64_t left;         /* bytes up to the next sample, which user space sets at first */
	uint64_t calls, bytes; /* all of the target */
	uint64_t taken;        /* calls that were taken as samples */
	uint64_t unread;       /* marks with an argument that cannot be read */
	uint64_t bytes_error;  /* the sum, see struct sample_weight */
	uint64_t calls_full;   /* no room for struct alloc_call */
};

#endif
