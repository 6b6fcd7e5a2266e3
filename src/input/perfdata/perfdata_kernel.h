/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel of the machine that recorded a perf.data file, and the names of its functions. */
#ifndef INPUT_PERFDATA_PERFDATA_KERNEL_H
#define INPUT_PERFDATA_PERFDATA_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct strbuf;

struct perfdata_kernel {
	const char *folder; /* of perf record --kcore, which has the kernel's symbols, or NULL */
	const char *caches; /* folders separated by ":", or NULL for perf's own */
	uint64_t text;      /* address of its _text, or 0 if unknown */
	bool is_stext;      /* it is the address of _stext */
	/* Functions that the kernel compiled, such as BPF programs. */
	struct perfdata_ksymbol {
		uint64_t address, size;
		uint32_t name; /* in the recording's strings */
	} * list;
	size_t nr, alloc;
};

/*
 * Takes what the kernel has mapped: itself, with the address of its first symbol, or a module.
 * Returns whether it is the kernel itself.
 */
bool perfdata_kernel_map(struct perfdata_kernel *k, const char *name, uint64_t place);

void perfdata_kernel_add(struct perfdata_kernel *k, uint64_t address, uint64_t size, uint32_t name);

/* Names the kernel's functions. */
void perfdata_kernel_name(struct recording *rec, struct perfdata_kernel *k, struct strbuf *notes);

#endif
