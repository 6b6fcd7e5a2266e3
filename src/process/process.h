/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of the processes that are recorded, kept beyond their end: executable mappings of
 * every look that was taken, and the files behind them.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "lib/table.h"
#include "model/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_files;
struct strbuf;

/* A mapped file; the same one for all processes that map it. */
struct object {
	uint64_t dev, inode; /* 0: known from its build-id only */
	char *path;          /* as the process sees it, "" for anonymous memory, "[vdso]" */
	char *build_id;      /* lower-case hex, "" when it has none */
	bool deleted;        /* path ends in " (deleted)" */
	bool foreign;        /* another file, or none, lies at path in our own file system */
	struct elffile *elf; /* NULL: not readable or no ELF file */
	char *readable;      /* a path that we can open it by as long as the process lives */
	bool has_rules;      /* the engine was given its unwind rules */
	uint32_t table;      /* number of its unwind table, 0: none yet */
};

/* An executable mapping. Its number in processes.maps is never that of another one. */
struct mapping {
	uint64_t start, end, offset;
	size_t object; /* in processes.objects */
	uint32_t pid;
	unsigned generation; /* the first look that saw it */
	unsigned seen;       /* the last one */
	bool writable;
	int64_t from_ns, to_ns; /* monotonic; INT64_MAX: it is still there */
	int64_t by_ns; /* when it was there for sure: it came between two looks, nobody told when */
};

struct process {
	uint32_t pid;
	uint64_t start;      /* ticks since boot, 0: not known */
	char *root;          /* its root folder as we see it, "" for our own */
	unsigned generation; /* looks taken, and changes that were told */
	unsigned changes;    /* of what is mapped now */
	int64_t looked_ns;   /* monotonic time of the last look */
	bool gone;
	struct jitmap *jit; /* NULL: no code was seen that is in no file */
	uint32_t *maps;     /* numbers of mappings, those of the past among them */
	size_t nr_maps, maps_alloc;
};

struct processes {
	struct process *list;
	size_t nr, alloc;
	struct table by_pid; /* pid -> the newest process of that number */
	struct mapping *maps;
	size_t nr_maps, maps_alloc;
	struct object *objects;
	size_t nr_objects, objects_alloc;
	struct table by_file;     /* dev, inode and hash of the path -> object */
	struct table by_build_id; /* hashes of build-id and path -> object */
};

void processes_init(struct processes *ps);
void processes_release(struct processes *ps);

/*
 * The process PID, known from now on; looks at its mappings when that has not been done. Valid
 * until the next call.
 */
struct process *processes_get(struct processes *ps, uint32_t pid);

/*
 * All processes that run a program, but for our own, are known from now on: those first that used
 * most processor time, and until END_NS (monotonic) only.
 */
void processes_get_all(struct processes *ps, int64_t end_ns);

/* The process PID if it is known and not gone, else NULL. */
struct process *processes_known(struct processes *ps, uint32_t pid);

/* Looks at the mappings once more. -1: the process is gone or not ours to see; what is known stays.
 */
int process_look(struct processes *ps, struct process *p, struct strbuf *err);

/* The same, but not within 50 ms of the last look. */
void process_look_soon(struct processes *ps, struct process *p);

/*
 * What the kernel told of a process at TIME_NS, in the order of time; what is older than the last
 * look changes nothing of what is mapped now.
 */
struct mapped {
	uint64_t start, end, offset;
	bool writable;
	const char *path, *build_id; /* "": not told */
	uint64_t dev, inode;         /* told when build_id is not */
};
void process_mapped(
	struct processes *ps, struct process *p, const struct mapped *m, int64_t time_ns);
void process_executed(struct processes *ps, struct process *p, int64_t time_ns);
/* A new process CHILD, with the mappings of PARENT. */
void processes_forked(struct processes *ps, uint32_t parent, uint32_t child, int64_t time_ns);
void process_ended(struct processes *ps, struct process *p, int64_t time_ns);

/* The newest mapping that held ADDRESS, NULL: none. */
const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address);
/* The one that held it at TIME_NS. */
const struct mapping *process_find_at(
	const struct processes *ps, const struct process *p, uint64_t address, int64_t time_ns);

/*
 * Hands over the open files, be they deleted, replaced or elsewhere by now, and the perf maps; the
 * last thing to do with PS.
 */
void processes_give_files(struct processes *ps, struct open_files *files);

#endif
