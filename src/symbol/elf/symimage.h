/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file without pointers, the same in memory and on disk: a header, the names,
 * and the address space split into parts, in ascending order.
 */
#ifndef SYMBOL_ELF_SYMIMAGE_H
#define SYMBOL_ELF_SYMIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the functions come from. The numbers are stored on disk. */
enum symtab_source {
	SYMTAB_NONE,
	SYMTAB_DYNSYM, /* exported symbols only, or only the entry point */
	SYMTAB_OWN,    /* .symtab, .gnu_debugdata, Go's pclntab: all functions */
	SYMTAB_DEBUG,  /* the debug file */
};

/* Identifies a file. By ctime, which cannot be set, unlike mtime. */
struct symimage_origin {
	uint64_t device, inode, size, changed; /* bytes; ns since 1970 */
};

struct symimage_header {
	uint64_t magic;
	uint32_t version, source;          /* enum symtab_source */
	struct symimage_origin elf, debug; /* all 0: none */
	uint64_t names;                    /* bytes, a multiple of 8; the last one is NUL */
	uint64_t parts;
	uint64_t checksum; /* of everything else */
};

struct symimage_part {
	uint64_t start; /* it ends at the start of the next one */
	uint32_t name;  /* offset in the names; 0: no function */
	uint32_t first; /* the part at the start of the function */
};

struct symimage {
	union {
		const struct symimage_header *header;
		const unsigned char *bytes;
	};
	size_t size; /* bytes */
	bool mapped; /* by mmap, else allocated */
};

/*
 * Makes an image of BYTES, whose ownership it takes: space for the header, NAMES bytes of names,
 * then the PARTS.
 */
void symimage_make(
	struct symimage *image, void *bytes, uint64_t names, uint64_t parts, uint32_t source);

/* Writes IMAGE, which was made from ELF and DEBUG, to FD. -1 on failure. */
int symimage_write(const struct symimage *image, int fd, const struct symimage_origin *elf,
	const struct symimage_origin *debug);

/*
 * Opens an image that was written to FD. -1: damaged or of another version. It is not trusted:
 * every number in it is checked here or where it is used.
 */
int symimage_open(struct symimage *image, int fd);
void symimage_release(struct symimage *image);

/* The checksum of an image. The sizes in the header must be valid. */
uint64_t symimage_checksum(const struct symimage_header *header, const void *rest);

struct symimage_hit {
	const char *name;
	uint64_t start; /* of the function */
	uint64_t end;   /* of the part of it that ADDRESS is in, UINT64_MAX: not known */
};

/*
 * The function at ADDRESS; false: none. *LAST is the part found by the previous call, initially 0:
 * searching from there is fast for ascending addresses.
 */
bool symimage_find(
	const struct symimage *image, uint64_t address, uint64_t *last, struct symimage_hit *hit);

#endif
