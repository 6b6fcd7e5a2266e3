/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of formats that name a function and its module. bt-export writes them in the same way. */
#ifndef INPUT_MODULE_FRAME_H
#define INPUT_MODULE_FRAME_H

#include "model/profile.h"
#include "stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the kind of code in MODULE, a name as in perf, Simpleperf and pprof: FRAME_KERNEL for a
 * word in brackets, vmlinux, *.ko and bpf_prog_*; FRAME_JIT for perf-PID.map, jitted-*.so, [jit],
 * "[JIT app cache]", "[JIT] tid 12" and ART's caches; the kind of a
 * language for its module; otherwise FRAME_USER.
 */
enum frame_kind module_kind(const char *module, size_t len);

struct module_frame {
	const char *name, *module; /* not NUL-terminated; empty if unknown */
	size_t name_len, module_len;
	uint32_t source; /* in the profile's names, or 0 if unknown */
	uint32_t place;  /* in the profile's names, or 0 if unknown */
	bool inlined;
};

/* Returns the entry (stacks.h) of the frame, or of a note if the name is the name of a note. */
uint32_t module_frame_entry(struct stacks *s, const struct module_frame *f);

/*
 * Adds FILE "/src/f.c" and LINE 12 as "f.c:12" to P's names. Returns 0 if the file or the line is
 * unknown.
 */
uint32_t module_frame_source(struct profile *p, const char *file, size_t len, uint64_t line);

#endif
