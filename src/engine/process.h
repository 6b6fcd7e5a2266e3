/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of the processes that are recorded, kept beyond their end: executable mappings of
 * every look that was taken, and the files behind them.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "lib/table.h"
#include "symbol/symbol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* A mapped file; the same one for all processes that map it. */
struct object {
	uint64_t dev, inode;
	char *path;          /* as the process sees it, "" for anonymous memory, "[vdso]" */
	bool deleted;        /* path ends in " (deleted)" */
	bool foreign;        /* another file, or none, lies at path in our own file system */
	struct elffile *elf; /* NULL: not readable or no ELF file */
	char *readable;      /* a path that we can open it by as long as the process lives */
	bool has_rules;      /* the engine was given its unwind rules */
};

struct mapping {
	uint64_t start, end, offset;
	size_t object;       /* in processes.objects */
	unsigned generation; /* the first look that saw it */
};

struct process {
	uint32_t pid;
	uint64_t start;      /* ticks since boot, 0: not known */
	char *root;          /* its root folder as we see it, "" for our own */
	unsigned generation; /* looks taken */
	int64_t looked_ns;   /* monotonic time of the last one */
	struct mapping *maps;
	size_t nr_maps, maps_alloc;
};

struct processes {
	struct process *list;
	size_t nr, alloc;
	struct table by_pid;
	struct object *objects;
	size_t nr_objects, objects_alloc;
};

void processes_init(struct processes *ps);
void processes_release(struct processes *ps);

/*
 * The process PID, known from now on; looks at its mappings when that has not been done. Valid
 * until the next call.
 */
struct process *processes_get(struct processes *ps, uint32_t pid);

/* Looks at the mappings once more. -1: the process is gone or not ours to see; what is known stays.
 */
int process_look(struct processes *ps, struct process *p, struct strbuf *err);

/* The same, but not within 50 ms of the last look. */
void process_look_soon(struct processes *ps, struct process *p);

/* The newest mapping that held ADDRESS, NULL: none. */
const struct mapping *process_find(const struct process *p, uint64_t address);

/* Hands over the files that nobody will find by their path later; the last thing to do with PS. */
void processes_give_files(struct processes *ps, struct symbol_files *files);

#endif
