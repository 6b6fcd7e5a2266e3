/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that is searched for the programs in it: its mapped files and its memory. */
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
	/* Reads LEN bytes at ADDRESS. Returns false if any of them is not readable. */
	bool (*read)(void *context, uint64_t address, void *to, size_t len);
	void *context;
	/* NULL if the memory cannot be searched. */
	struct memory_area *(*areas)(void *context, uint64_t max, size_t *nr);
	/* NULL if each address is read alone. */
	bool (*scattered)(
		void *context, const uint64_t *addresses, size_t nr, size_t size, void *to);
	/* NULL if mappings have no names. */
	uint64_t (*named)(void *context, const char *name);
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
 * Returns its length in TO, or -1 if it cannot be read.
 */
int memory_string(const struct memory *m, uint64_t address, char *to, uint32_t size);

/* Returns the areas as areas_read() does, or NULL if the memory cannot be searched. */
struct memory_area *memory_areas(const struct memory *m, uint64_t max, size_t *nr);

/*
 * Reads SIZE bytes at each of NR addresses to TO, in this order. Bytes that cannot be read are 0.
 * This is much faster than separate reads of a process. Returns false if nothing can be read.
 */
bool memory_scattered(
	const struct memory *m, const uint64_t *addresses, size_t nr, size_t size, void *to);

/*
 * Returns the start of the first mapping to which the process has given a name that begins with
 * NAME, by memfd_create(2) or prctl(2), or 0 if there is none.
 */
uint64_t memory_named(const struct memory *m, const char *name);

/* Returns the memory of process PID. Reading it needs permission to trace the process. */
struct memory memory_of_process(const uint32_t *pid);

/* A mapped ELF file; several mappings of it count as one. */
struct target_file {
	const struct elffile *elf;
	const char *path; /* as the process sees it */
	uint64_t bias;    /* run-time addresses minus link addresses */
};

/* Says in ERR that the memory of the process in which FILE runs NAME cannot be read. Returns -1. */
int target_refuse(const struct target_file *file, const char *name, struct strbuf *err);

/* Returns the run-time address of the symbol NAME that FILE exports, or 0 if there is none. */
uint64_t target_symbol(const struct target_file *file, const char *name);

struct target {
	const struct target_file *files;
	size_t nr_files;
	struct memory memory;
	uint64_t process;         /* unique, as PIDs are reused; or 0 if it is not known */
	struct debug_paths debug; /* where debug files are searched */
	/*
	 * Downloads the debug file of the file NAME, by its build-id, if none is installed. Returns
	 * a file descriptor for reading, or -1. NULL if only installed files are used.
	 */
	int (*fetch)(const char *build_id, const char *name);
	/* whether debug files come before the table of known versions, after it, or are not used */
	enum { DEBUGINFO_FIRST, DEBUGINFO_LAST, DEBUGINFO_NEVER } debuginfo;
};

#endif
