/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source files of the interpreted programs in the recorded processes, which tell the names of
 * their functions. A function has many names at its callers, and none if C calls it, but it is
 * defined once. The interpreter may have freed the code that defines it.
 */
#ifndef RUNTIME_VM_SOURCES_H
#define RUNTIME_VM_SOURCES_H

#include "definitions.h"
#include "lib/table.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct vm;

struct vm_sources {
	struct table by_path; /* hash of path, image → index in files + 1, or 0 if there is none */
	struct vm_source_file {
		dev_t device;
		ino_t inode;
		struct timespec changed;
		struct definitions functions;
	} * files;
	size_t nr, alloc;
};

void vm_sources_init(struct vm_sources *s);
void vm_sources_release(struct vm_sources *s);

/*
 * Returns the functions in the file PATH of process PID, as it sees the file, or NULL if it is not
 * a readable file or was changed after the process began. IMAGE distinguishes processes with one
 * PID. The file is read once.
 */
const struct definitions *vm_sources_get(
	struct vm_sources *s, const struct vm *vm, uint32_t pid, uint32_t image, const char *path);

#endif
