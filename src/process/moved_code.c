/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moved_code.h"
#include "process.h"
#include "reader.h"
#include "symbol/elf/elffile.h"

#include <string.h>
#include <unistd.h>

enum {
	PROBES = 8,      /* places that are compared */
	PROBE_SIZE = 32, /* bytes at each of them */
	PATCHED_MAX = 1, /* places that may differ, because the program may have patched them */
};

/* Returns true if the memory has the same bytes as the file, at places of equal distances. */
static bool is_same(uint32_t pid, const struct elffile *elf, const struct mapping *m)
{
	uint64_t step = (m->end - m->start - PROBE_SIZE) / (PROBES - 1), at[PROBES];
	unsigned char memory[PROBES][PROBE_SIZE], file[PROBE_SIZE];
	static const unsigned char none[PROBE_SIZE];
	int nr = 0;

	for (int i = 0; i < PROBES; i++)
		at[i] = m->start + (uint64_t)i * step;
	if (!reader_scattered(pid, at, PROBES, PROBE_SIZE, memory))
		return false;
	for (int i = 0; i < PROBES; i++)
		nr += pread(elffile_fd(elf), file, PROBE_SIZE,
			      (off_t)(m->offset + at[i] - m->start)) == PROBE_SIZE &&
		      !memcmp(memory[i], file, PROBE_SIZE) && memcmp(file, none, PROBE_SIZE);
	return nr >= PROBES - PATCHED_MAX;
}

/* Finds the link address of M. Returns false if it is not known. */
static bool find_address(const struct elffile *elf, const struct moved_code_file *before,
	const struct mapping *m, uint64_t *address)
{
	uint64_t size = before->end - before->start;
	bool known = before->executable ? elffile_mapped(elf, before->offset, size, address)
					: elffile_mapped_data(elf, before->offset, size, address);

	*address += m->start - before->start;
	return known;
}

bool moved_code_find(uint32_t pid, const struct elffile *elf, const struct moved_code_file *before,
	struct mapping *m)
{
	struct mapping found = *m;
	uint64_t address = 0;

	if (!elf || elffile_fd(elf) < 0 || m->end - m->start < PROBES * PROBE_SIZE ||
		!find_address(elf, before, m, &address) ||
		!elffile_code_at(elf, address, m->end - m->start, &found.offset) ||
		!is_same(pid, elf, &found))
		return false;
	*m = found;
	return true;
}
