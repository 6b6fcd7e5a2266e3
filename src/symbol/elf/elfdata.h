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
	THREAD_DESCRIPTOR, /* *VALUE is the address of two words: a function and its argument */
};

/*
 * Tells how code of ELF finds its thread-local variable NAME, according to the psABI. In an
 * executable it is at a fixed offset. In a library it is found through words that the dynamic
 * linker fills.
 */
enum elf_thread_place elfdata_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);

enum { ELF_VARIABLE_NAME = 64 }; /* bytes of a name that are kept, with the final 0 */

/* Addresses that have the same answer: a variable, a gap between variables, or what is not data. */
struct elf_data_range {
	uint64_t start, end;
	bool is_data;                     /* in the file's writable data */
	char variable[ELF_VARIABLE_NAME]; /* which is the whole range; "" in a gap */
};

/* Finds the range around ADDRESS. */
void elfdata_at(const struct elffile *elf, uint64_t address, struct elf_data_range *range);

/*
 * Finds the address and size of the section NAME. Returns false if it was not found, or has no
 * contents in the file.
 */
bool elfdata_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);

/*
 * Returns whether ELF itself names the library in the file LIBRARY as needed (DT_NEEDED). The
 * library's own name may be shorter than its file's: libperl.so.5.36 is in libperl.so.5.36.0.
 */
bool elfdata_needs(const struct elffile *elf, const char *library);

#endif
