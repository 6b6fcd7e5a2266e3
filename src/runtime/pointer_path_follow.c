/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointer_path_follow.h"

enum vm_end pointer_path_follow(const struct pointer_path *path, const struct memory *memory,
	uint64_t thread, uint64_t *value)
{
	*value = path->per_thread ? thread : 0;
	if (path->per_thread && !thread)
		return VM_NOT_RUNNING;
	for (uint32_t i = 0; i < path->nr && i < PATH_STEPS; i++) {
		if (!memory_pointer(memory, *value + path->step[i], value))
			return VM_INCONSISTENT;
		if (!*value)
			return VM_NOT_RUNNING;
	}
	return VM_ON;
}
