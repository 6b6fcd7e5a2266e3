/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of interpreters in user space. The steps are the ones that run in the kernel, where
 * vm_bpf.h makes them and vm_read_bpf.h reads for them.
 */
#ifndef RUNTIME_VM_WALK_H
#define RUNTIME_VM_WALK_H

#include "process/target.h"
#include "vm.h"
#include "vm_frame.h"

/*
 * VM_READ reads SIZE bytes of the target's memory for the walk W of any interpreter, and returns 0
 * if all of them could be read. VM_READ_STRING reads a string with its NUL, cut if it is longer
 * than SIZE, and returns its length without the NUL, or -1.
 */
#define VM_READ(w, to, size, at) vm_read(&(w)->vm, to, size, at)
#define VM_READ_STRING(w, to, size, at) memory_string((w)->vm.memory, at, to, size)

static inline int vm_read(const struct vm_walk *w, void *to, uint32_t size, uint64_t address)
{
	return memory_read(w->memory, address, to, size) ? 0 : -1;
}

/* Finds the next frame, if there is one. Returns how the walk goes on, an enum vm_end. */
typedef int vm_step(struct vm_walk *w, const void *layout);

/*
 * Does the steps of a walk that began with the result END, and stores the frames in STACK. Returns
 * how the walk ended.
 */
enum vm_end vm_walk_run(
	struct vm_walk *w, int end, vm_step *step, const void *layout, struct vm_stack *stack);

#endif
