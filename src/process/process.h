/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of recorded processes and the mapped files, from /proc and the kernel's
 * events, kept after the processes end. Reading /proc/PID/maps is called a scan.
 */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "lib/table.h"
#include "model/cuts.h"
#include "model/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_files;
struct strbuf;

enum {
	PROCESS_MAPS_MAX = 1 << 15, /* current mappings of a process */
	PROCESS_PAST_MAX = 1 << 12, /* past mappings of a process that can be found by time */
	PROCESSES_MAPS_MAX = 1 << 21,
};

/* A mapped file, shared by all processes that map it. */
struct object {
	uint64_t dev, inode; /* 0: known from its build-id only */
	char *path;          /* as the process sees it; "": anonymous memory; "[vdso]" */
	uint64_t place;      /* a hash of the path, and of where the process sees it */
	char *build_id;      /* lower-case hex, "": none */
	bool deleted;        /* path ends in " (deleted)" */
	bool path_differs;   /* path in our own root is another file or does not exist */
	enum cut_cause gap;  /* why it has no unwind rules; CUT_RULES: they can be read */
	bool elsewhere;      /* not readable, and its path in our own root is another file */
	struct elffile *elf; /* NULL: not readable or not ELF */
	bool has_rules;      /* the engine has its unwind rules */
	uint32_t table;      /* number of its unwind table, 0: none yet */
	uint64_t id;         /* no other object has it */
	/* See objects.h. */
	bool is_needed, is_used;
	int64_t mapped_ns; /* it was mapped until then, or was not looked at since */
};

/*
 * An executable mapping. Its number in processes.maps is reused only after processes_sweep().
 */
struct mapping {
	uint64_t start, end, offset;
	size_t object; /* in processes.objects */
	uint32_t pid;
	unsigned generation; /* generation of the first scan that found it */
	bool writable;
	int64_t from_ns, to_ns; /* monotonic; INT64_MAX: still mapped */
	int64_t by_ns;          /* found by this scan: it was mapped at an unknown time before */
};

struct process {
	uint32_t pid;
	uint64_t start;      /* ticks since boot, 0: not known */
	char *root;          /* its root directory as we see it, "": our own */
	uint64_t mounts;     /* inode of its mount namespace, 0: not known */
	unsigned generation; /* number of scans and of changes by events */
	unsigned changes;    /* of the current mappings */
	bool is_changed;     /* in processes.changed */
	uint64_t exec_pages; /* the kernel's count of the current mappings' pages, without writable
				ones */
	int64_t scanned_ns;  /* monotonic time of the last scan */
	int64_t scan_ns;     /* CPU time that it took */
	bool gone;
	int64_t gone_ns;
	struct jitmap *jit; /* NULL: no executable anonymous memory was found */
	bool looked_for_jit;
	bool keeps_jit; /* all else that is older than a sweep is freed */
	/*
	 * Numbers of mappings: the current ones, or those that ended with the process, by address;
	 * past ones by the times of their ends.
	 */
	uint32_t *maps, *past;
	size_t nr_maps, maps_alloc, nr_past, past_alloc;
	uint64_t id; /* no other process has it */
	/* It has the mappings that this one had when it forked; parent_id 0: nothing is inherited.
	 */
	size_t parent; /* in processes.list */
	uint64_t parent_id;
	int64_t forked_ns;
};

struct processes {
	struct process *list; /* unused ones: gone, PID 0 */
	size_t nr, alloc;
	uint32_t *unused; /* indexes in list */
	size_t nr_unused, unused_alloc;
	uint64_t nr_ids;
	struct table by_pid; /* pid -> the newest process with that PID */
	uint32_t *changed; /* indexes of those whose current mappings have changed; the caller drops
			      them */
	size_t nr_changed, changed_alloc;
	struct mapping *maps; /* unused ones: end is 0 */
	size_t nr_maps, maps_alloc;
	uint32_t *free; /* numbers of unused mappings */
	size_t nr_free, free_alloc;
	uint64_t nr_added;      /* mappings and processes so far */
	uint64_t left_out;      /* mappings for which there was no room */
	struct object *objects; /* unused ones: path NULL */
	size_t nr_objects, objects_alloc;
	uint32_t *unused_objects; /* their numbers */
	size_t nr_unused_objects, unused_objects_alloc;
	uint64_t nr_objects_added; /* so far */
	struct table by_file;      /* dev, inode and hash of the path -> object */
	struct table by_build_id;  /* hash of the build-id and place -> object */
};

void processes_init(struct processes *ps);
void processes_release(struct processes *ps);

/*
 * Adds the process PID if necessary and scans its mappings if that has not been done. Valid until
 * the next call.
 */
struct process *processes_get(struct processes *ps, uint32_t pid);

/*
 * Adds all processes except kernel threads and this one, those with the most CPU time first, until
 * END_NS (monotonic).
 */
void processes_get_all(struct processes *ps, int64_t end_ns);

/* The process PID if it was added and has not ended, else NULL. */
struct process *processes_known(struct processes *ps, uint32_t pid);

/* Scans the mappings again. -1: the process is gone or access is denied; nothing changes then. */
int process_scan(struct processes *ps, struct process *p, struct strbuf *err);

/* The same, but not within 50 ms of the last scan. */
void process_scan_soon(struct processes *ps, struct process *p);

/* False: scans of P are long, and another one now would take too much of the CPU. */
bool process_may_scan(const struct process *p);

/*
 * Events of the kernel at TIME_NS, in the order of time; events older than the last scan do not
 * change the current mappings.
 */
struct mapped {
	uint64_t start, end, offset;
	bool writable;
	const char *path, *build_id; /* "": not known */
	uint64_t dev, inode;         /* valid if build_id is "" */
};
void process_mapped(
	struct processes *ps, struct process *p, const struct mapped *m, int64_t time_ns);
void process_executed(struct processes *ps, struct process *p, int64_t time_ns);
/* Adds a process CHILD with the mappings of PARENT. */
void processes_forked(struct processes *ps, uint32_t parent, uint32_t child, int64_t time_ns);
void process_ended(struct processes *ps, struct process *p, int64_t time_ns);

/*
 * Frees processes and mappings that ended before TIME_NS (monotonic), but not the mappings that are
 * USED, by number, which are only found by their numbers from then on.
 */
void processes_sweep(struct processes *ps, const bool *used, int64_t time_ns);

/* Says in a line what was left out, if anything was. */
void processes_note_left_out(const struct processes *ps, struct strbuf *notes);

/* The newest mapping of ADDRESS, NULL: none. */
const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address);
/*
 * The mapping of ADDRESS at TIME_NS. After its end, which the kernel reports before it frees the
 * memory, a process has those that it had last.
 */
const struct mapping *process_find_at(
	const struct processes *ps, const struct process *p, uint64_t address, int64_t time_ns);

/*
 * Moves the open files, which may be deleted, replaced or in another root, and the perf maps to
 * FILES. PS can only be released afterwards.
 */
void processes_move_files(struct processes *ps, struct open_files *files);

#endif
