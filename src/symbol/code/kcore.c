/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kcore.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

static int read_at(int fd, uint64_t offset, void *to, size_t size)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size ? 0 : -1;
}

int kcore_read(int fd, uint64_t address, void *to, size_t size)
{
	Elf64_Phdr segment;
	Elf64_Ehdr head;

	if (read_at(fd, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(segment))
		return -1;
	for (uint64_t i = 0; i < head.e_phnum; i++) {
		if (read_at(fd, head.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return -1;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
			address - segment.p_vaddr < segment.p_filesz &&
			size <= segment.p_filesz - (address - segment.p_vaddr))
			return read_at(
				fd, segment.p_offset + (address - segment.p_vaddr), to, size);
	}
	return -1;
}
