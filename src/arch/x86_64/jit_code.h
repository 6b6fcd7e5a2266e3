/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine code of HotSpot, V8 and LLVM tells of its frames. For user space and the BPF
 * programs.
 */
#ifndef ARCH_X86_64_JIT_CODE_H
#define ARCH_X86_64_JIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* BPF requires that functions that return structures are inlined. */
#define JIT_INLINE static inline __attribute__((always_inline))

enum {
	JIT_PEEK = 8,       /* bytes before a leaf's pc that are examined */
	JIT_PEEK_SIZE = 24, /* all bytes that are examined, before and after pc */
};

/* What the code of a function tells of its frame. */
enum jit_found {
	JIT_NOTHING, /* the code has to be searched further */
	JIT_UNKNOWN,
	JIT_FRAME,    /* the function keeps a frame pointer */
	JIT_NO_FRAME, /* the function keeps no frame pointer */
};

/* Returns what the code in the eight bytes W, the first byte lowest, tells. */
static inline enum jit_found jit_marker(uint64_t w)
{
	uint32_t four = (uint32_t)w, three = four & 0xffffff;

	if (three == 0xe58948 || three == 0xec8b48) /* mov %rsp,%rbp */
		return JIT_FRAME;
	if (four == 0xda24ff41) /* jmp *(%r10,%rbx,8): HotSpot's interpreter, between bytecodes */
		return JIT_FRAME;
	if ((four & ~0x20000U) == 0xec814855) /* push %rbp; sub $…,%rsp */
		return JIT_NO_FRAME;
	if ((four & 0xfcffff) == 0x544155 || four == 0x83485355) /* push %rbp; push … */
		return JIT_NO_FRAME;
	if ((w & 0xffffffff00ffffff) == 0x246c894800ec8348 || /* sub $…,%rsp; mov %rbp,…(%rsp) */
		(w & 0xffffffffffff) == 0x24ac89480000)
		return JIT_NO_FRAME;
	return JIT_NOTHING;
}

/* A leaf before its frame is complete, or after the frame has been released. */
struct jit_edge {
	bool is_edge;
	bool fp_saved; /* rbp is saved below the return address; else it has the caller's value */
	int32_t ra;    /* bytes from rsp to the return address */
};

/*
 * Examines the beginning of a function. A and B are the 16 bytes after a leaf's pc, and BEFORE the
 * 8 bytes before it, with the first byte lowest.
 */
JIT_INLINE struct jit_edge jit_peek_begin(uint64_t before, uint64_t a, uint64_t b)
{
	const struct jit_edge entry = {true, false, 0}, pushed = {true, true, 8};
	uint32_t first = (uint32_t)a, three = first & 0xffffff, last = before >> 56;
	bool copies_sp = three == 0xe58948 || three == 0xec8b48; /* mov %rsp,%rbp */

	if ((first & 0xff) == 0x55 && (jit_marker(a) || jit_marker(a >> 8)))
		return entry;                                /* push %rbp */
	if (first == 0xfa1e0ff3 && (a >> 32 & 0xff) == 0x55) /* endbr64; push %rbp */
		return entry;
	if (three == 0x248489 && a >> 56 == 0x55) /* mov %eax,…(%rsp); push %rbp */
		return entry;
	if (three == 0xec8348 && a >> 32 == 0x246c8948) /* sub $…,%rsp; mov %rbp,…(%rsp) */
		return entry;
	if (three == 0xec8148 && a >> 56 == 0x48 && (b & 0xffffff) == 0x24ac89)
		return entry;
	if (last == 0x55 && (copies_sp || three == 0xec8348 || three == 0xec8148))
		return pushed;
	/* between these two instructions */
	if (first == 0x246c8948 && (before >> 32 & 0xffffff) == 0xec8348 &&
		last == (a >> 32 & 0xff))
		return (struct jit_edge){true, false, (int32_t)last + 8};
	if (copies_sp && (a >> 24 & 0xffffff) == 0xc58348) /* add $…,%rbp */
		return (struct jit_edge){true, true, (int32_t)(a >> 48 & 0x7f) + 8};
	return (struct jit_edge){0};
}

/* Recognises mov …(%r15),%r10; test %eax,(%r10); ret, the end of methods of JDK 10 to 15. */
static inline bool jit_is_old_poll(uint64_t a, uint64_t b)
{
	const uint32_t test = 0xc3028541;

	if ((a & 0xffffff) == 0x578b4d)
		return (uint32_t)(a >> 32) == test;
	return (a & 0xffffff) == 0x978b4d && (a >> 56) == 0x41 && (b & 0xffffff) == test >> 8;
}

JIT_INLINE struct jit_edge jit_peek_end(uint64_t a, uint64_t b)
{
	const struct jit_edge at_return = {true, false, 0}, at_pop = {true, true, 8};
	uint32_t one = a & 0xff, two = a & 0xffff, three = a & 0xffffff;

	if (one == 0xc3 || one == 0xc2 || two == 0xc3f3) /* ret */
		return at_return;
	if (two == 0xc35d || two == 0xc25d || three == 0x3b495d) /* pop %rbp; ret or a poll */
		return at_pop;
	/* V8 compares the number of arguments in between: cmp $…,%rcx; jg …; ret $…; pop %r10 */
	if (three == 0xf98348 && (a >> 32 & 0xff) == 0x7f && (a >> 48 & 0xff) == 0xc2)
		return at_return;
	if ((one == 0x7f && (a >> 16 & 0xff) == 0xc2) || (a & 0xffffffffffff) == 0xcc248d485a41)
		return at_return;
	/* HotSpot polls in between: cmp …(%r15),%rsp; ja … */
	if (three == 0x673b49 && (a >> 32 & 0xffff) == 0x870f)
		return at_return;
	if (three == 0xa73b49 && a >> 56 == 0x0f && (b & 0xff) == 0x87)
		return at_return;
	if (two == 0x870f && (a >> 48 & 0xff) == 0xc3)
		return at_return;
	/* up to JDK 15, pop %rbp; test %eax,…(%rip), or mov …(%r15),%r10; test %eax,(%r10) */
	if (three == 0x05855d && (a >> 56) == 0xc3)
		return at_pop;
	if ((three & 0xffffff) == 0x978b4d || three == 0x578b4d)
		return jit_is_old_poll(a, b) ? at_return : (struct jit_edge){0};
	if (three == 0x8b4d5d)
		return jit_is_old_poll(a >> 8 | b << 56, b >> 8) ? at_pop : (struct jit_edge){0};
	if ((two == 0x0585 && (a >> 48 & 0xff) == 0xc3) || (uint32_t)a == 0xc3028541)
		return at_return;
	/* stubs check for an exception: cmp $0,8(%r15); jne …; ret */
	if ((uint32_t)a == 0x087f8349 && (a >> 40 & 0xffff) == 0x850f && (b >> 24 & 0xff) == 0xc3)
		return at_return;
	return (struct jit_edge){0};
}

/* Recognises the code that HotSpot, V8 and LLVM emit. */
JIT_INLINE struct jit_edge jit_peek(uint64_t before, uint64_t a, uint64_t b)
{
	struct jit_edge edge = jit_peek_begin(before, a, b);

	return edge.is_edge ? edge : jit_peek_end(a, b);
}

#endif
