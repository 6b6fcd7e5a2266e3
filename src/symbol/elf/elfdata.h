/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of an ELF file's variables, including thread-local ones. */
#ifndef SYMBOL_ELF_ELFDATA_H
#define SYMBOL_ELF_ELFDATA_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* Addresses are link addresses. */
struct elf_variable {
	uint64_t address; /* or the offset in the file's TLS block if per_thread is set */
	uint64_t size;
	bool per_thread;
};

/* Finds the variable NAME of ELF, exported or not. Returns false if it was not found. */
bool elfdata_variable(const struct elffile *elf, const char *name, struct elf_variable *variable);

enum elf_thread_place {
	THREAD_NOWHERE, /* not known */
	THREAD_OFFSET,  /* *VALUE is the signed offset from the thread pointer */
	THREAD_SLOT,    /* *VALUE is the address of a word with that offset */
	THREAD_MODULE,  /* *VALUE is the address of two words: module ID, offset in its TLS block */
};

/*
 * Tells how code of ELF finds its thread-local variable NAME, according to the psABI. In an
 * executable it is at a fixed offset. In a library it is found through a GOT slot that the dynamic
 * linker fills.
 */
enum elf_thread_place elfdata_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);

enum { ELF_VARIABLE_NAME = 64 }; /* bytes of a name that are kept, with the final 0 */

/* A place in a file's writable data. */
struct elf_data_place {
	char variable[ELF_VARIABLE_NAME]; /* or "" if it is not known */
	uint64_t offset;                  /* from the start of the variable */
};

/*
 * Finds the variable of ELF that ADDRESS is in. Returns false if it is not in writable data of the
 * file.
 */
bool elfdata_at(const struct elffile *elf, uint64_t address, struct elf_data_place *place);

/*
 * Finds the address and size of the section NAME. Returns false if it was not found, or has no
 * contents in the file.
 */
bool elfdata_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);

#endif
