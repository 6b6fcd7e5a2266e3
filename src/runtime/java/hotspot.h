/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the HotSpot JVM of a process keeps the code that it compiles, and how it describes this
 * code. JVMs export this for debuggers as vmStructs. Shared with the BPF programs.
 *
 * Code is in a few heaps, which are divided into segments. A heap's segment map has a byte for each
 * segment. The byte is 0 where a block begins, and HOTSPOT_FREE where there is no block. Otherwise
 * it is a number of segments to go back, to the beginning of the block or to a segment whose byte
 * leads further back. A block is a header and a code blob: a compiled method, the interpreter or a
 * stub.
 */
#ifndef RUNTIME_JAVA_HOTSPOT_H
#define RUNTIME_JAVA_HOTSPOT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HOTSPOT_HEAPS = 4,
	HOTSPOT_HOPS = 32,   /* limit of steps in a segment map */
	HOTSPOT_FREE = 0xff, /* byte in a segment map */
	HOTSPOT_ENTRIES = 4, /* entries of the interpreter */
};

struct hotspot_layout {
	struct hotspot_heap {
		uint64_t begin, end; /* reserved addresses, or both 0 if unused */
		uint64_t segments;   /* address of the segment map */
	} heap[HOTSPOT_HEAPS];
	uint64_t interpreter, interpreter_end;
	/*
	 * The interpreter's code that makes the frame of a method, as offsets in the interpreter:
	 * where it begins, where it pops the return address, and where it pushes the frame pointer.
	 * All are 0 if unused.
	 */
	struct hotspot_entry {
		uint32_t begin, pop, push;
	} entry[HOTSPOT_ENTRIES];
	uint64_t call_stub; /* return address in the stub that calls Java from C++ */
	uint32_t shift;     /* log2 of a segment's bytes */
	/* Offsets in a block. */
	uint8_t blob;           /* the blob, after the block's header */
	uint8_t used;           /* byte: whether the block is not free */
	uint8_t size;           /* int: bytes in the blob */
	uint8_t frame_size;     /* int: words, including the return address */
	uint8_t frame_complete; /* int or 16 bits: offset in the code, or -1 if not known */
	uint8_t code;           /* address, or int: offset from the blob */
	bool is_short;          /* frame_complete has 16 bits */
	bool is_offset;         /* code is an offset */
};

#endif
