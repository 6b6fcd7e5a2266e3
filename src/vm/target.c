/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target.h"
#include "process/reader.h"

static bool read_process(void *context, uint64_t address, void *to, size_t len)
{
	const uint32_t *pid = context;

	return reader_memory(*pid, address, to, len);
}

static struct memory_area *process_areas(void *context, uint64_t max, size_t *nr)
{
	const uint32_t *pid = context;

	return areas_read(*pid, max, nr);
}

static bool read_scattered(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	const uint32_t *pid = context;

	return reader_scattered(*pid, addresses, nr, size, to);
}

struct memory memory_of_process(const uint32_t *pid)
{
	return (struct memory){.read = read_process,
		.context = (void *)(uintptr_t)pid,
		.areas = process_areas,
		.scattered = read_scattered};
}

struct memory_area *memory_areas(const struct memory *m, uint64_t max, size_t *nr)
{
	*nr = 0;
	return m->areas ? m->areas(m->context, max, nr) : NULL;
}

bool memory_scattered(
	const struct memory *m, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	return m->scattered && m->scattered(m->context, addresses, nr, size, to);
}

enum vm_end pointer_path_follow(const struct pointer_path *path, const struct memory *memory,
	uint64_t thread, uint64_t *value)
{
	*value = path->per_thread ? thread : 0;
	for (uint32_t i = 0; i < path->nr && i < PATH_STEPS; i++) {
		if (!memory_pointer(memory, *value + path->step[i], value))
			return VM_INCONSISTENT;
		if (!*value)
			return VM_NOT_RUNNING;
	}
	return VM_ON;
}
