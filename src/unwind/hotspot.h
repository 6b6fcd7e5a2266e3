/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the HotSpot JVM of a process keeps the code that it compiles, and what it knows of that:
 * JVMs export it for debuggers as vmStructs. Shared with the BPF programs.
 *
 * Code is in a few heaps, divided into segments. A heap's segment map has a byte for each: 0 where
 * a block begins, else how many segments before it that is, or an earlier byte that says more, or
 * HOTSPOT_FREE. A block is a header and a code blob: a compiled method, the interpreter, a stub.
 */
#ifndef UNWIND_HOTSPOT_H
#define UNWIND_HOTSPOT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HOTSPOT_HEAPS = 4,
	HOTSPOT_HOPS = 32,   /* in a segment map, at most */
	HOTSPOT_FREE = 0xff, /* in a segment map */
	HOTSPOT_ENTRIES = 4, /* of the interpreter */
};

struct hotspot_layout {
	struct hotspot_heap {
		uint64_t begin, end; /* reserved addresses; unused: both 0 */
		uint64_t segments;   /* address of the segment map */
	} heap[HOTSPOT_HEAPS];
	uint64_t interpreter, interpreter_end;
	/*
	 * Code of the interpreter that makes the frame of a method, as offsets: where it begins,
	 * pops the return address, and pushes the frame pointer; unused: all 0.
	 */
	struct hotspot_entry {
		uint32_t begin, pop, push;
	} entry[HOTSPOT_ENTRIES];
	uint64_t call_stub; /* return address in the stub that calls Java from C++ */
	uint32_t shift;     /* log2 of a segment's bytes */
	/* Offsets in a block. */
	uint8_t blob;           /* after the block's header */
	uint8_t used;           /* byte: the block is not free */
	uint8_t size;           /* int: bytes of the blob */
	uint8_t frame_size;     /* int: words, with the return address */
	uint8_t frame_complete; /* int, or 16 bits: offset in the code; -1: not known */
	uint8_t code;           /* address, or int offset from the blob */
	bool is_short;          /* frame_complete has 16 bits */
	bool is_offset;         /* code is an offset */
};

#endif
