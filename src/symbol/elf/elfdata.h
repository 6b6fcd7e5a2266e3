/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of an ELF file's variables, thread-local ones too. */
#ifndef SYMBOL_ELF_ELFDATA_H
#define SYMBOL_ELF_ELFDATA_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* Addresses are link addresses. */
struct elf_variable {
	uint64_t address; /* per_thread: offset in the file's TLS block */
	uint64_t size;
	bool per_thread;
};

/* The variable NAME of ELF, exported or not; false: not found. */
bool elfdata_variable(const struct elffile *elf, const char *name, struct elf_variable *variable);

enum elf_thread_place {
	THREAD_NOWHERE, /* not known */
	THREAD_OFFSET,  /* *VALUE is the signed offset from the thread pointer */
	THREAD_SLOT,    /* *VALUE is the address of a word with that offset */
	THREAD_MODULE,  /* *VALUE is the address of two words: module ID, offset in its TLS block */
};

/*
 * How code of ELF finds its thread-local variable NAME, by the x86-64 psABI: in an executable at a
 * fixed offset, in a library through a GOT slot that the dynamic linker fills.
 */
enum elf_thread_place elfdata_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);

/* Address and size of the section NAME; false: not found, or without contents in the file. */
bool elfdata_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);

#endif
