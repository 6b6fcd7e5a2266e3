/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the interpreters read in the BPF programs, by their layouts in processes. */
#ifndef RUNTIME_VM_READ_BPF_H
#define RUNTIME_VM_READ_BPF_H

#include "engine/bpf/kern/scratch.h"
#include "engine/bpf/kern/tasks.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VM_PROCESSES_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct vm_layout);
} vm_layouts SEC(".maps");

/* Returns whether stacks of this kind are recorded, see vm_bpf.h. */
static __always_inline bool vm_used(enum vm_kind kind)
{
	return recorded_vms() & VM_BIT(kind);
}

/* As vm_walk.h describes them. */
#define VM_READ(w, to, size, at) bpf_probe_read_user(to, size, (const void *)(at))
#define VM_READ_STRING(w, to, size, at) read_user_string(to, size, at)

static __always_inline int read_user_string(char *to, uint32_t size, uint64_t address)
{
	long len = bpf_probe_read_user_str(to, size, (const void *)address);

	return len > 0 ? len - 1 : -1;
}

/* Follows PATH in the current thread. Returns VM_ON, or how a walk that begins there ends. */
static __always_inline int follow_path(const struct pointer_path *path, uint64_t *value)
{
	uint64_t at = path->per_thread ? BPF_CORE_READ(current_task(), THREAD_POINTER) : 0;

	/* the thread is exiting, or the dynamic linker has not set it up yet */
	if (!have_memory() || (path->per_thread && !at))
		return VM_NOT_RUNNING;
	for (uint32_t i = 0; i < PATH_STEPS; i++) {
		if (i >= path->nr)
			break;
		if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + path->step[i])))
			return VM_INCONSISTENT;
		if (!at)
			return VM_NOT_RUNNING;
	}
	*value = at;
	return VM_ON;
}

#endif
