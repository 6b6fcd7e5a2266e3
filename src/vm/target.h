/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process as the modules of src/vm see it, which find where an interpreter keeps its state:
 * its mapped files and its memory.
 */
#ifndef VM_TARGET_H
#define VM_TARGET_H

#include "pointer_path.h"
#include "symbol/elf/debugfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;

/* Memory of a process, or its replacement in a test. Any read may fail. */
struct memory {
	/* All LEN bytes at ADDRESS; false: not all are there. */
	bool (*read)(void *context, uint64_t address, void *to, size_t len);
	void *context;
};

static inline bool memory_read(const struct memory *m, uint64_t address, void *to, size_t len)
{
	return m->read(m->context, address, to, len);
}

static inline bool memory_pointer(const struct memory *m, uint64_t address, uint64_t *value)
{
	return memory_read(m, address, value, sizeof(*value));
}

/* The memory of process PID; needs the right to trace it. */
struct memory memory_of_process(const uint32_t *pid);

/* A mapped ELF file; several mappings of it are one. */
struct target_file {
	const struct elffile *elf;
	const char *path; /* as the process sees it */
	uint64_t bias;    /* run-time addresses less those of the file's headers */
};

struct target {
	const struct target_file *files;
	size_t nr_files;
	struct memory memory;
	struct debug_paths debug; /* where debug files are looked for */
	/*
	 * Gets the debug file of a build-id, of the file NAME, where none is installed: open for
	 * reading, or -1. NULL: only installed ones are used.
	 */
	int (*fetch)(const char *build_id, const char *name);
	/* whether debug files come before the table of known versions, after it, or are not used */
	enum { DEBUGINFO_FIRST, DEBUGINFO_LAST, DEBUGINFO_NEVER } debuginfo;
};

/* The end of PATH in a thread whose thread pointer is THREAD; false: nothing is there. */
bool pointer_path_follow(const struct pointer_path *path, const struct memory *memory,
	uint64_t thread, uint64_t *value);

#endif
