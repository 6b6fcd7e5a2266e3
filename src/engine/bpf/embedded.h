/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF objects that are a part of this program, each an ELF file that is compressed by zstd. The
 * Makefile makes them from src/tool/TOOL/NAME.bpf.c: build/bpf/NAME.object.h defines NAME_object
 * and, for the built-in engine's tools, NAME.plain.object.h defines NAME_plain_object, see PLAIN in
 * kern/maps.h.
 */
#ifndef ENGINE_BPF_EMBEDDED_H
#define ENGINE_BPF_EMBEDDED_H

#include <stddef.h>

struct bpf_object;

struct embedded {
	const unsigned char *bytes;
	size_t size;
};

/*
 * Returns the object, which is not loaded yet, or NULL with errno if it cannot be read.
 * KERNEL_TYPES is the path of the kernel's types, or NULL if libbpf is to find them.
 */
struct bpf_object *embedded_open(const struct embedded *e, const char *kernel_types);

#endif
