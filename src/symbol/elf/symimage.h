/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file without pointers, in the same form in memory and on disk: a header, the
 * names, and the address space split into parts, in ascending order.
 */
#ifndef SYMBOL_ELF_SYMIMAGE_H
#define SYMBOL_ELF_SYMIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The source of the functions. The numbers are stored on disk. */
enum symtab_source {
	SYMTAB_NONE,
	SYMTAB_DYNSYM, /* exported symbols only, or only the entry point */
	SYMTAB_OWN,    /* .symtab, .gnu_debugdata, Go's pclntab: all functions */
	SYMTAB_DEBUG,  /* the debug file */
};

/* Identifies a file. Uses ctime, which cannot be set, unlike mtime. */
struct symimage_origin {
	uint64_t device, inode, size, changed; /* size in bytes, changed in ns since 1970 */
};

struct symimage_header {
	uint64_t magic;
	uint32_t version, source;          /* enum symtab_source */
	struct symimage_origin elf, debug; /* all 0 if there is no such file */
	uint64_t names;                    /* bytes, a multiple of 8; the last one is NUL */
	uint64_t parts;
	uint64_t checksum; /* of everything else */
};

struct symimage_part {
	uint64_t start; /* it ends at the start of the next part */
	uint32_t name;  /* offset in the names, or 0 if there is no function */
	uint32_t first; /* the part at the start of the function */
};

struct symimage {
	union {
		const struct symimage_header *header;
		const unsigned char *bytes;
	};
	size_t size; /* bytes */
	bool mapped; /* by mmap, otherwise allocated */
};

/*
 * Makes an image of BYTES, whose ownership it takes. BYTES are space for the header, NAMES bytes of
 * names, then the PARTS.
 */
void symimage_make(
	struct symimage *image, void *bytes, uint64_t names, uint64_t parts, uint32_t source);

/* Writes IMAGE, which was made from ELF and DEBUG, to FD. Returns -1 on failure. */
int symimage_write(const struct symimage *image, int fd, const struct symimage_origin *elf,
	const struct symimage_origin *debug);

/*
 * Opens an image that was written to FD. Returns -1 if it is damaged or of another version. It is
 * not trusted: every number in it is checked here or where it is used.
 */
int symimage_open(struct symimage *image, int fd);
void symimage_release(struct symimage *image);

/* Returns the checksum of an image. The sizes in the header must be valid. */
uint64_t symimage_checksum(const struct symimage_header *header, const void *rest);

struct symimage_hit {
	const char *name;
	uint64_t start; /* of the function */
	uint64_t end;   /* of its part that ADDRESS is in, or UINT64_MAX if it is not known */
};

/*
 * Finds the function at ADDRESS. Returns false if there is none. *LAST is the part found by the
 * previous call, initially 0, as searching from there is fast for ascending addresses.
 */
bool symimage_find(
	const struct symimage *image, uint64_t address, uint64_t *last, struct symimage_hit *hit);

#endif
