/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target.h"
#include "lib/util.h"
#include "reader.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; /* bytes of a text that are read at once; they never cross the end of a page */

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

/* Returns whether the LINE of /proc/PID/maps is of a mapping that the process has named NAME. */
static bool has_name(const char *line, const char *name)
{
	static const char *const prefixes[] = {"/memfd:", "[anon_shmem:", "[anon:"};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		const char *found = strstr(line, prefixes[i]);

		if (found && !strncmp(found + strlen(prefixes[i]), name, len))
			return true;
	}
	return false;
}

static uint64_t find_named(void *context, const char *name)
{
	const uint32_t *pid = context;
	char *path = xasprintf("/proc/%" PRIu32 "/maps", *pid), *line = NULL;
	FILE *in = fopen(path, "re");
	uint64_t start = 0;
	size_t alloc = 0;

	while (in && !start && getline(&line, &alloc, in) > 0)
		if (has_name(line, name))
			start = strtoull(line, NULL, 16);
	if (in)
		fclose(in);
	free(line);
	free(path);
	return start;
}

struct memory memory_of_process(const uint32_t *pid)
{
	return (struct memory){.read = read_process,
		.context = (void *)(uintptr_t)pid,
		.areas = process_areas,
		.scattered = read_scattered,
		.named = find_named};
}

int target_refuse(const struct target_file *file, const char *name, struct strbuf *err)
{
	return fail(err,
		"cannot read the memory of the process that runs %s in '%s': it has ended, or you "
		"may not trace it; run this as root",
		name, file->path);
}

uint64_t target_symbol(const struct target_file *file, const char *name)
{
	struct elf_variable at;

	return elffacts_variable(file->elf, name, &at) ? at.address + file->bias : 0;
}

int memory_string(const struct memory *m, uint64_t address, char *to, uint32_t size)
{
	for (uint32_t len = 0, n; len < size; len += n, address += n) {
		n = CHUNK - address % CHUNK;
		if (n > size - len)
			n = size - len;
		if (!memory_read(m, address, to + len, n))
			return -1;
		const char *end = memchr(to + len, '\0', n);

		if (end)
			return (int)(end - to);
	}
	to[size - 1] = '\0';
	return (int)size - 1;
}

struct memory_area *memory_areas(const struct memory *m, uint64_t max, size_t *nr)
{
	*nr = 0;
	return m->areas ? m->areas(m->context, max, nr) : NULL;
}

uint64_t memory_named(const struct memory *m, const char *name)
{
	return m->named ? m->named(m->context, name) : 0;
}

bool memory_scattered(
	const struct memory *m, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	if (m->scattered)
		return m->scattered(m->context, addresses, nr, size, to);
	for (size_t i = 0; i < nr; i++)
		if (!memory_read(m, addresses[i], (char *)to + i * size, size))
			memset((char *)to + i * size, 0, size);
	return true;
}
