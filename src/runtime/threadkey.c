/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "threadkey.h"
#include "arch/x86_64/code_shapes.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

#include <string.h>

/*
 * glibc: struct pthread holds pointers to blocks of keys. Their offset is published for debuggers
 * in _thread_db_pthread_specific (nptl_db: bits of an element, elements, offset), and is the same
 * in every glibc that has no such symbol to read.
 */
enum { GLIBC_SPECIFIC = 0x510, GLIBC_BLOCK = 32, GLIBC_KEY_SIZE = 16, GLIBC_KEY_DATA = 8 };
/* In both C libraries the table of blocks is the second word at the thread pointer. */
enum { BLOCK_TABLE = 8, GLIBC_BLOCK_SIZE = 16, MUSL_BLOCK_SIZE = 8 };

enum thread_library { LIBRARY_NONE, LIBRARY_GLIBC, LIBRARY_MUSL };

static bool find_library_variable(const struct target *t, const char *name,
	const struct target_file **file, uint64_t *address)
{
	struct elf_variable variable;

	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, name, &variable) && !variable.per_thread) {
			*file = &t->files[i];
			*address = variable.address + t->files[i].bias;
			return true;
		}
	return false;
}

static enum thread_library which_library(const struct target *t, uint64_t *table)
{
	const struct target_file *file;
	unsigned char code[SHAPE_KEY_LOOKUP];
	uint64_t address;
	uint32_t published[3];

	if (find_library_variable(t, THREADKEY_SPECIFIC, &file, &address) &&
		memory_read(&t->memory, address, published, sizeof(published))) {
		*table = published[2];
		return LIBRARY_GLIBC;
	}
	if (!find_library_variable(t, THREADKEY_GET, &file, &address) ||
		!memory_read(&t->memory, address, code, sizeof(code)))
		return LIBRARY_NONE;
	if (shape_key_table(code, table))
		return LIBRARY_MUSL;
	*table = GLIBC_SPECIFIC;
	return strstr(file->path, "libpthread") || strstr(file->path, "libc.so.6") ||
			       strstr(file->path, "libc-2")
		       ? LIBRARY_GLIBC
		       : LIBRARY_NONE;
}

bool threadkey_path(const struct target *t, uint32_t key, struct pointer_path *path)
{
	uint64_t table;

	switch (which_library(t, &table)) {
	case LIBRARY_GLIBC:
		*path = (struct pointer_path){true, 2,
			{table + key / GLIBC_BLOCK * sizeof(uint64_t),
				key % GLIBC_BLOCK * GLIBC_KEY_SIZE + GLIBC_KEY_DATA}};
		return true;
	case LIBRARY_MUSL:
		*path = (struct pointer_path){true, 2, {table, key * sizeof(uint64_t)}};
		return true;
	default:
		return false;
	}
}

bool threadkey_block_path(
	const struct target *t, uint64_t module, uint64_t offset, struct pointer_path *path)
{
	uint64_t unused, size;

	switch (which_library(t, &unused)) {
	case LIBRARY_GLIBC:
		size = GLIBC_BLOCK_SIZE;
		break;
	case LIBRARY_MUSL:
		size = MUSL_BLOCK_SIZE;
		break;
	default:
		return false;
	}
	*path = (struct pointer_path){true, 3, {BLOCK_TABLE, module * size, offset}};
	return true;
}
