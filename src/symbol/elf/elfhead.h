/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of an ELF file: its header, program headers and build-id. It is read by copying a
 * bounded number of bytes. Nothing in it is trusted, as the file may have any content and change
 * while it is read. It may have 32 or 64 bits, in either byte order.
 */
#ifndef SYMBOL_ELF_ELFHEAD_H
#define SYMBOL_ELF_ELFHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_MAX = 64 /* bytes */ };

struct elf_reader {
	/* Copies at most LEN bytes at OFFSET. Returns how many there are. */
	size_t (*read)(const void *context, uint64_t offset, void *to, size_t len);
	const void *context;
};

/* The part of a loaded segment that is in the file. */
struct elf_segment {
	uint64_t offset, size, address; /* offset + size and address + size do not overflow */
	bool code;
};

struct elfhead {
	uint64_t nr_sections; /* number that the file claims to have */
	unsigned type;        /* ET_EXEC, … */
	struct elf_segment *segments;
	size_t nr_segments;
	unsigned char id[BUILD_ID_MAX];
	size_t id_len;      /* or 0 if the file has none */
	uint64_t id_offset; /* in the file */
};

/* Returns false if the file is not an ELF file. Then nothing has to be released. */
bool elfhead_read(struct elfhead *head, const struct elf_reader *reader);
void elfhead_release(struct elfhead *head);

#endif
