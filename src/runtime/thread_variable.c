/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_variable.h"
#include "symbol/elf/elffacts.h"
#include "threadkey.h"

/* Blocks of variables that have a fixed place are below the thread pointer, this far at most. */
enum { FIXED_MAX = 1 << 26 };

/*
 * Sets *PATH for a TLS descriptor whose function gets ARGUMENT. If the variable has a fixed place,
 * this is its offset; otherwise, in glibc and musl, it is the address of module ID and offset.
 */
static bool by_descriptor(const struct target *t, uint64_t argument, struct pointer_path *path)
{
	uint64_t words[2];

	if (argument > UINT64_MAX - FIXED_MAX) {
		*path = (struct pointer_path){true, 1, {argument}};
		return true;
	}
	return memory_read(&t->memory, argument, words, sizeof(words)) &&
	       threadkey_block_path(t, words[0], words[1], path);
}

bool thread_variable_path(const struct target *t, const struct target_file *file, const char *name,
	struct pointer_path *path)
{
	uint64_t value, words[2];
	enum elf_thread_place place = elffacts_thread_place(file->elf, name, &value);

	if (place == THREAD_OFFSET) {
		*path = (struct pointer_path){true, 1, {value}};
		return true;
	}
	if (place == THREAD_NOWHERE ||
		!memory_read(&t->memory, value + file->bias, words,
			place == THREAD_SLOT ? sizeof(*words) : sizeof(words)))
		return false;
	if (place == THREAD_DESCRIPTOR)
		return by_descriptor(t, words[1], path);
	if (place == THREAD_MODULE)
		return threadkey_block_path(t, words[0], words[1], path);
	*path = (struct pointer_path){true, 1, {words[0]}};
	return true;
}
