/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target.h"
#include "process/reader.h"

static bool read_process(void *context, uint64_t address, void *to, size_t len)
{
	const uint32_t *pid = context;

	return reader_memory(*pid, address, to, len);
}

struct memory memory_of_process(const uint32_t *pid)
{
	return (struct memory){read_process, (void *)(uintptr_t)pid};
}

bool pointer_path_follow(const struct pointer_path *path, const struct memory *memory,
	uint64_t thread, uint64_t *value)
{
	*value = path->per_thread ? thread : 0;
	for (uint32_t i = 0; i < path->nr && i < PATH_STEPS; i++)
		if (!memory_pointer(memory, *value + path->step[i], value) || !*value)
			return false;
	return true;
}
