/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file as bytes without pointers, the same in memory and on disk: a header,
 * the names, and the address space cut into parts, in ascending order.
 */
#ifndef SYMBOL_ELF_SYMIMAGE_H
#define SYMBOL_ELF_SYMIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the functions come from. On disk. */
enum symtab_source {
	SYMTAB_NONE,
	SYMTAB_DYNSYM, /* exported symbols only, or only the entry point */
	SYMTAB_OWN,    /* .symtab, .gnu_debugdata, Go's pclntab: all functions */
	SYMTAB_DEBUG,  /* the debug file */
};

/* The very file. Nobody can choose the time at which it changed, unlike that of its content. */
struct symimage_origin {
	uint64_t device, inode, size, changed; /* bytes; ns since 1970 */
};

struct symimage_header {
	uint64_t magic;
	uint32_t version, source;          /* enum symtab_source */
	struct symimage_origin elf, debug; /* all 0: none */
	uint64_t names;                    /* bytes, a multiple of 8; the last one is NUL */
	uint64_t parts;
	uint64_t checksum; /* of all the rest */
};

struct symimage_part {
	uint64_t start; /* it ends where the next one starts */
	uint32_t name;  /* where it is in the names; 0: no function is here */
	uint32_t first; /* the part that starts where the function does */
};

struct symimage {
	union {
		const struct symimage_header *header;
		const unsigned char *bytes;
	};
	size_t size; /* bytes */
	bool mapped; /* munmap it; else free it */
};

/*
 * Makes an image of BYTES, which it takes over: room for the header, then NAMES bytes of names,
 * then the PARTS.
 */
void symimage_make(
	struct symimage *image, void *bytes, uint64_t names, uint64_t parts, uint32_t source);

/* Writes IMAGE to FD as one of the files that it was made from; -1: not all of it. */
int symimage_write(const struct symimage *image, int fd, const struct symimage_origin *elf,
	const struct symimage_origin *debug);

/*
 * Opens what was written to FD before: -1 when it is not whole or of another version. What it holds
 * may be anything: every number in it is checked here or where it is used.
 */
int symimage_open(struct symimage *image, int fd);
void symimage_release(struct symimage *image);

/* What the checksum must be; the sizes in the header fit. */
uint64_t symimage_checksum(const struct symimage_header *header, const void *rest);

struct symimage_hit {
	const char *name;
	uint64_t start; /* of the function */
};

/*
 * The function that holds ADDRESS; false: none. *LAST is the number of the part that was found
 * before, 0 at first: a search from there is short where addresses ascend.
 */
bool symimage_find(
	const struct symimage *image, uint64_t address, uint64_t *last, struct symimage_hit *hit);

#endif
