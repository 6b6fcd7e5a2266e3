/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutations of the numbers in an ELF file's headers and tables; it stays an ELF file. */
#ifndef TESTS_FUZZ_MUTATE_ELF_H
#define TESTS_FUZZ_MUTATE_ELF_H

#include "mutate.h"

#include <elf.h>
#include <string.h>

/*
 * Returns a number that is likely to matter: the file's size, a number from its headers, a limit.
 */
static inline uint64_t likely(const uint8_t *data, size_t size, uint64_t *random)
{
	static const uint64_t limits[] = {0, 1, 2, 7, 8, 0x18, 0x40, 0x7fffffff, 0xffffffff,
		INT64_MAX, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 0xfff};
	uint64_t value = 0;

	switch (mutate_random(random, 4)) {
	case 0:
		return limits[mutate_random(random, ARRAY_LEN(limits))];
	case 1:
		return size + mutate_random(random, 17) - 8;
	default:
		memcpy(&value, data + mutate_random(random, size / 8) * 8, sizeof(value));
		return value + mutate_random(random, 3) - 1;
	}
}

/* Changes a number somewhere in TABLE of NR entries of ENTRY bytes, if the place is in the file. */
static inline void change_table(
	uint8_t *data, size_t size, uint64_t table, uint64_t nr, uint64_t entry, uint64_t *random)
{
	uint64_t value = likely(data, size, random);
	size_t width = (size_t[]){1, 2, 4, 8, 8, 8}[mutate_random(random, 6)], at;

	if (!nr || table >= size)
		return;
	at = table + mutate_random(random, nr) * entry +
	     mutate_random(random, entry / width + 1) * width;
	if (at < size && width <= size - at)
		memcpy(data + at, &value, width);
}

static inline void change_header(uint8_t *data, size_t size, uint64_t *random)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr;
	uint64_t at;

	memcpy(&ehdr, data, sizeof(ehdr));
	switch (mutate_random(random, 8)) {
	case 0:
		change_table(data, size, 0, 1, sizeof(ehdr), random);
		return;
	case 1:
		change_table(data, size, ehdr.e_phoff, ehdr.e_phnum, sizeof(Elf64_Phdr), random);
		return;
	case 2:
	case 3:
		change_table(data, size, ehdr.e_shoff, ehdr.e_shnum, sizeof(Elf64_Shdr), random);
		return;
	default:
		break;
	}
	/* the contents of a section */
	at = ehdr.e_shoff + mutate_random(random, ehdr.e_shnum + 1u) * sizeof(shdr);
	if (at >= size || size - at < sizeof(shdr))
		return;
	memcpy(&shdr, data + at, sizeof(shdr));
	uint64_t entry = shdr.sh_entsize && shdr.sh_entsize < 64 ? shdr.sh_entsize : 8;

	change_table(data, size, shdr.sh_offset, shdr.sh_size / entry, entry, random);
}

static inline void repair(uint8_t *data, uint64_t *random)
{
	static const uint8_t ident[] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
	Elf64_Ehdr ehdr;

	memcpy(&ehdr, data, sizeof(ehdr));
	memcpy(ehdr.e_ident, ident, sizeof(ident));
	if (!mutate_random(random, 16))
		ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	if (!mutate_random(random, 64))
		ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	if (ehdr.e_type != ET_DYN && ehdr.e_type != ET_REL)
		ehdr.e_type = ET_EXEC;
	if (mutate_random(random, 16))
		ehdr.e_machine = EM_X86_64;
	ehdr.e_version = EV_CURRENT;
	memcpy(data, &ehdr, sizeof(ehdr));
}

static inline size_t mutate_elf(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t random = seed;

	if (size < sizeof(Elf64_Ehdr) || !mutate_random(&random, 3))
		size = LLVMFuzzerMutate(data, size, max);
	else
		for (uint64_t n = 1 + mutate_random(&random, 4); n; n--)
			change_header(data, size, &random);
	if (size >= sizeof(Elf64_Ehdr) && mutate_random(&random, 32))
		repair(data, &random);
	return size;
}

#endif
