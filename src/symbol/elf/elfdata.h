/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an ELF file keeps its data: variables by name, also those that each thread has for itself.
 */
#ifndef SYMBOL_ELF_ELFDATA_H
#define SYMBOL_ELF_ELFDATA_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* A variable. Addresses are those of the file's own headers. */
struct elf_variable {
	uint64_t address; /* per_thread: within the file's thread-local block */
	uint64_t size;
	bool per_thread;
};

/* The variable NAME that ELF defines, exported or not; false: it has none. */
bool elfdata_variable(const struct elffile *elf, const char *name, struct elf_variable *variable);

enum elf_thread_place {
	THREAD_NOWHERE, /* nothing in the file tells */
	THREAD_OFFSET,  /* at this distance from the thread pointer */
	THREAD_SLOT,    /* the word at this address holds the distance */
	THREAD_MODULE,  /* the words at this address hold the module's number and the place in its
			   block */
};

/*
 * How code of ELF comes to its per-thread variable NAME, after the x86-64 psABI: fixed in a
 * program, through a slot that the dynamic linker fills in a library. *VALUE is the distance (to be
 * taken as signed) or address.
 */
enum elf_thread_place elfdata_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);

/* The addresses of the section NAME that has contents; false: it has none. */
bool elfdata_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);

#endif
