/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source files of the interpreted programs in the recorded processes. Their contents have IDs,
 * by which the right lines can be shown later. In some languages, they also tell the names of
 * functions: a function has many names at its callers, and none if C calls it, but it is defined
 * once. The interpreter may have freed the code that defines it.
 */
#ifndef RUNTIME_VM_SOURCES_H
#define RUNTIME_VM_SOURCES_H

#include "definitions.h"
#include "lib/blob_id.h"
#include "lib/table.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct vm;

struct vm_sources {
	/*
	 * hash of path, image → twice the index in files + 1, + 1 if the file has not changed since
	 * the process began; or 0 if there is no file
	 */
	struct table by_path;
	struct table by_inode; /* hash of device and inode, time of change → index in files + 1 */
	struct vm_source_file {
		char blob[BLOB_ID + 1]; /* or "" if it is not known */
		bool listed;            /* its functions were looked for */
		struct definitions functions;
	} * files;
	size_t nr, alloc;
	unsigned slow; /* how many files did not answer soon */
};

/* A process whose files are looked at. */
struct vm_source_process {
	uint32_t pid;
	uint32_t image;  /* distinguishes processes with one PID */
	uint32_t parent; /* the image of its parent, with whose files it began, or 0 */
};

void vm_sources_init(struct vm_sources *s);
void vm_sources_release(struct vm_sources *s);

/*
 * Returns the functions in the file PATH of process P, as it sees the file, or NULL if it is not a
 * readable file or was changed after the process began. The file is read once.
 */
const struct definitions *vm_sources_functions(struct vm_sources *s, const struct vm *vm,
	const struct vm_source_process *p, const char *path);

/*
 * Returns the ID (lib/blob_id.h) of the file PATH of process P, as it sees the file, or NULL if it
 * is not a file that the process may read, or does not answer soon. The string is valid until the
 * next call. Sets *LATE to whether the file was changed after the process began, so that the
 * process may have executed another version.
 */
const char *vm_sources_blob(struct vm_sources *s, const struct vm *vm,
	const struct vm_source_process *p, const char *path, bool *late);

#endif
