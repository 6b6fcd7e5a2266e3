/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache of the kernel's types (BTF) that the BPF programs of an object name. libbpf reads all
 * types of the kernel at each start otherwise, and compares them with each name, which takes 20 to
 * 40 ms.
 */
#ifndef ENGINE_BPF_KERNEL_TYPES_H
#define ENGINE_BPF_KERNEL_TYPES_H

#include <stddef.h>

struct bpf_object;
struct btf;

struct kernel_types {
	char *id;   /* of the kernel and the object, or NULL if nothing can be cached */
	char *path; /* of the types, for libbpf, or NULL if they are not cached */
	int fd;
};

/* Looks for the types of an object, which is SIZE BYTES. TYPES is to be released. */
void kernel_types_open(struct kernel_types *types, const void *bytes, size_t size);

/* Caches the types of OBJECT, unless they are cached. */
void kernel_types_keep(const struct kernel_types *types, const struct bpf_object *object);
void kernel_types_release(struct kernel_types *types);

/*
 * Returns the types of KERNEL that have a name in PROGRAMS, with all that their layout needs:
 * pointers point to nothing. The caller frees them with btf__free(). Returns NULL on failure.
 */
struct btf *kernel_types_copy(const struct btf *kernel, const struct btf *programs);

#endif
