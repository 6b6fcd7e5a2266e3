/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges which call chains are whole, and names what only the machine that recorded can name. */
#ifndef INPUT_PERFDATA_PERFDATA_ENDS_H
#define INPUT_PERFDATA_PERFDATA_ENDS_H

#include <stddef.h>
#include <stdint.h>

struct perfdata_files;
struct recording;
struct strbuf;

/*
 * The kernel made these user stacks by frame pointers, and does not tell why they end. The unwind
 * rules of the last frame do. Those stacks are broken and have no cut-by so far.
 */
void perfdata_judge(struct recording *rec, struct perfdata_files *files);

/* What is known of the kernel of the recorded machine. */
struct perfdata_kernel {
	uint64_t text; /* address of its _text or _stext, or 0 if unknown */
	/* Functions that the kernel compiled, such as BPF programs. */
	struct perfdata_ksymbol {
		uint64_t address, size;
		uint32_t name; /* in the recording's strings */
	} * list;
	size_t nr, alloc;
};

void perfdata_kernel_add(struct perfdata_kernel *k, uint64_t address, uint64_t size, uint32_t name);

/* Names the kernel's functions, and what JIT compilers made by their perf maps. */
void perfdata_name(struct recording *rec, struct perfdata_kernel *k, struct strbuf *notes);

#endif
