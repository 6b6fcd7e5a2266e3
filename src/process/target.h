/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that is searched for what runs in it: its mapped files and its memory. */
#ifndef PROCESS_TARGET_H
#define PROCESS_TARGET_H

#include "areas.h"
#include "symbol/elf/debugfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct strbuf;

/* Memory of a process, or its replacement in a test. Any read may fail. */
struct memory {
	/* Reads LEN bytes at ADDRESS; false: not all are readable. */
	bool (*read)(void *context, uint64_t address, void *to, size_t len);
	void *context;
	/* NULL: the memory cannot be searched. */
	struct memory_area *(*areas)(void *context, uint64_t max, size_t *nr);
	/* NULL: each is read alone. */
	bool (*scattered)(
		void *context, const uint64_t *addresses, size_t nr, size_t size, void *to);
};

static inline bool memory_read(const struct memory *m, uint64_t address, void *to, size_t len)
{
	return m->read(m->context, address, to, len);
}

static inline bool memory_pointer(const struct memory *m, uint64_t address, uint64_t *value)
{
	return memory_read(m, address, value, sizeof(*value));
}

/*
 * Reads the text at ADDRESS up to its NUL, at most SIZE - 1 bytes of it, and ends it with a NUL.
 * Returns its length in TO, -1: it cannot be read.
 */
int memory_string(const struct memory *m, uint64_t address, char *to, uint32_t size);

/* As areas_read(). */
struct memory_area *memory_areas(const struct memory *m, uint64_t max, size_t *nr);

/*
 * Reads SIZE bytes at each of NR addresses to TO, one behind the other; those that cannot be read
 * are 0. Much faster than as many reads of a process. False: none can be read.
 */
bool memory_scattered(
	const struct memory *m, const uint64_t *addresses, size_t nr, size_t size, void *to);

/* The memory of process PID; needs permission to trace it. */
struct memory memory_of_process(const uint32_t *pid);

/* A mapped ELF file; several mappings of it are one. */
struct target_file {
	const struct elffile *elf;
	const char *path; /* as the process sees it */
	uint64_t bias;    /* run-time addresses minus link addresses */
};

/* Says in ERR that the memory of the process in which FILE runs NAME cannot be read; returns -1. */
int target_refuse(const struct target_file *file, const char *name, struct strbuf *err);

/* The run-time address of what FILE exports as NAME; 0: nothing. */
uint64_t target_symbol(const struct target_file *file, const char *name);

struct target {
	const struct target_file *files;
	size_t nr_files;
	struct memory memory;
	uint64_t process;         /* unique, as PIDs are used again; 0: not known */
	struct debug_paths debug; /* where debug files are searched */
	/*
	 * Downloads the debug file with a build-id, of the file NAME, if none is installed; returns
	 * a file descriptor for reading, or -1. NULL: only installed ones are used.
	 */
	int (*fetch)(const char *build_id, const char *name);
	/* whether debug files come before the table of known versions, after it, or are not used */
	enum { DEBUGINFO_FIRST, DEBUGINFO_LAST, DEBUGINFO_NEVER } debuginfo;
};

#endif
