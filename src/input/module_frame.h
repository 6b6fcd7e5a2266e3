/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of formats that know a function and its module, as bt-export writes them. */
#ifndef INPUT_MODULE_FRAME_H
#define INPUT_MODULE_FRAME_H

#include "model/profile.h"
#include "stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The kind of code in MODULE, named as in perf, Simpleperf and pprof: kernel for a word in
 * brackets, vmlinux, *.ko, bpf_prog_*; FRAME_JIT for perf-PID.map, jitted-*.so, [jit],
 * "[JIT app cache]", "[JIT] tid 12" and ART's caches; FRAME_PERL, FRAME_LUA.
 */
enum frame_kind module_kind(const char *module, size_t len);

struct module_frame {
	const char *name, *module; /* neither is NUL-terminated; "": unknown */
	size_t name_len, module_len;
	uint32_t source; /* in the profile's names, 0: unknown */
	uint32_t place;  /* the same */
	bool inlined;
};

/* The entry for it; the name may be that of a note. */
uint32_t module_frame_entry(struct stacks *s, const struct module_frame *f);

/* "/src/f.c", LINE as "f.c:12", in P's names; 0: the file or the line is unknown. */
uint32_t module_frame_source(struct profile *p, const char *file, size_t len, uint64_t line);

#endif
