/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of recorded processes and the mapped files, from /proc and the kernel's
 * events. They are kept after the processes end. Reading /proc/PID/maps is called a scan.
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
	uint64_t dev, inode; /* or 0 if only its build-id is known */
	char *path;          /* as the process sees it; or "" for anonymous memory; or "[vdso]" */
	uint64_t place;      /* a hash of the path and of the root that it belongs to */
	char *build_id;      /* lower-case hex, or "" if there is none */
	bool deleted;        /* path ends in " (deleted)" */
	bool path_differs;   /* path in our own root is another file or does not exist */
	enum cut_cause gap;  /* why it has no unwind rules, or CUT_RULES if they can be read */
	bool elsewhere;      /* it is not readable, and its path in our own root is another file */
	struct elffile *elf; /* or NULL if it is not readable or not ELF */
	bool has_rules;      /* the engine has its unwind rules */
	uint32_t table;      /* number of its unwind table, or 0 if there is none yet */
	uint64_t id;         /* unique among all objects */
	/* See objects.h. */
	bool is_needed, is_used;
	int64_t mapped_ns; /* when it was mapped last, as far as was checked */
};

/* An executable mapping. Its number in processes.maps is reused only after processes_sweep(). */
struct mapping {
	uint64_t start, end, offset;
	size_t object; /* in processes.objects */
	uint32_t pid;
	/*
	 * The number that stands for it in frames: its own, or the number of an equal mapping of
	 * the same file. Forked processes have equal mappings, and thus equal stacks.
	 */
	uint32_t shared;
	unsigned generation; /* number of the first scan that found it */
	bool writable;
	int64_t from_ns, to_ns; /* monotonic; to_ns is INT64_MAX while it is mapped */
	int64_t by_ns;          /* it was mapped between from_ns and this time */
};

struct process {
	uint32_t pid;
	uint64_t start;      /* ticks since boot, or 0 if it is not known; forked_ns tells then */
	char *root;          /* its root directory as we see it, or "" if it is our own */
	uint64_t mounts;     /* inode of its mount namespace, or 0 if it is not known */
	unsigned generation; /* number of scans and of changes by events */
	unsigned changes;    /* number of changes of the current mappings */
	bool is_changed;     /* in processes.changed */
	/* The kernel's count of the pages in the current mappings, without writable mappings. */
	uint64_t exec_pages;
	int64_t scanned_ns; /* monotonic time of the last scan */
	int64_t scan_ns;    /* CPU time that the last scan took */
	bool gone;
	int64_t gone_ns;
	struct jitmap *jit; /* or NULL if no executable anonymous memory was found */
	bool looked_for_jit;
	bool keeps_jit; /* it survives sweeps, because its perf map may be needed */
	/*
	 * Numbers of mappings: in maps the current mappings, or those that ended with the process,
	 * by address; in past the past mappings by their ends.
	 */
	uint32_t *maps, *past;
	size_t nr_maps, maps_alloc, nr_past, past_alloc;
	uint64_t id; /* unique among all processes */
	/* It inherits the mappings that this process had when it forked, unless parent_id is 0. */
	size_t parent; /* in processes.list */
	uint64_t parent_id;
	int64_t forked_ns;
};

struct processes {
	struct process *list; /* unused ones are gone and have PID 0 */
	size_t nr, alloc;
	uint32_t *unused; /* indexes in list */
	size_t nr_unused, unused_alloc;
	uint64_t nr_ids;
	struct table by_pid; /* pid -> the newest process with that PID */
	/*
	 * Indexes of the processes whose current mappings have changed. The caller clears the list.
	 */
	uint32_t *changed;
	size_t nr_changed, changed_alloc;
	struct mapping *maps; /* unused ones have 0 as end */
	size_t nr_maps, maps_alloc;
	uint32_t *free; /* numbers of unused mappings */
	size_t nr_free, free_alloc;
	struct table by_place;  /* object, hash of the addresses -> mapping that others share */
	uint64_t nr_added;      /* number of mappings and processes so far */
	uint64_t left_out;      /* number of mappings for which there was no room */
	struct object *objects; /* unused ones have NULL as path */
	size_t nr_objects, objects_alloc;
	uint32_t *unused_objects; /* their numbers */
	size_t nr_unused_objects, unused_objects_alloc;
	uint64_t nr_objects_added; /* number so far */
	struct table by_file;      /* dev, inode and hash of the path -> object */
	struct table by_build_id;  /* hash of the build-id and place -> object */
};

void processes_init(struct processes *ps);
void processes_release(struct processes *ps);

/*
 * Returns the process PID. Adds it if necessary, and scans its mappings if that has not been done.
 * Valid until the next call.
 */
struct process *processes_get(struct processes *ps, uint32_t pid);

/*
 * Adds all processes except kernel threads and this one, beginning with the most CPU time, until
 * END_NS (monotonic).
 */
void processes_get_all(struct processes *ps, int64_t end_ns);

/* Returns the process PID if it was added and has not ended, otherwise NULL. */
struct process *processes_known(struct processes *ps, uint32_t pid);

/* Returns the newest process PID, also if it has ended, or NULL if none was added. */
const struct process *processes_newest(const struct processes *ps, uint32_t pid);

/*
 * Scans the mappings again. Returns -1 and changes nothing if the process has ended or access is
 * denied.
 */
int process_scan(struct processes *ps, struct process *p, struct strbuf *err);

/* Works like process_scan(), but not within 50 ms of the last scan. */
void process_scan_soon(struct processes *ps, struct process *p);

/* Adds P to the changed processes, as if a mapping had changed. */
void process_mark_changed(struct processes *ps, struct process *p);

/* Returns false if scans of P are long and another one now would take too much CPU time. */
bool process_may_scan(const struct process *p);

/*
 * Events of the kernel at TIME_NS, which come in the order of time. Events older than the last scan
 * do not change the current mappings.
 */
struct mapped {
	uint64_t start, end, offset;
	bool writable;
	const char *path, *build_id; /* or "" if they are not known */
	uint64_t dev, inode;         /* valid if build_id is "" */
};
void process_mapped(
	struct processes *ps, struct process *p, const struct mapped *m, int64_t time_ns);
void process_executed(struct processes *ps, struct process *p, int64_t time_ns);
/* Adds a process CHILD with the mappings of PARENT. */
void processes_forked(struct processes *ps, uint32_t parent, uint32_t child, int64_t time_ns);
void process_ended(struct processes *ps, struct process *p, int64_t time_ns);

/*
 * Frees processes and mappings that ended before TIME_NS (monotonic). Mappings whose number is USED
 * are kept, but can only be found by their numbers from then on.
 */
void processes_sweep(struct processes *ps, const bool *used, int64_t time_ns);

/* Adds a line about mappings that were left out, if any were. */
void processes_note_left_out(const struct processes *ps, struct strbuf *notes);

/* Returns the newest mapping of ADDRESS, or NULL if there is none. */
const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address);
/*
 * Returns the mapping of ADDRESS at TIME_NS, or NULL if there is none. After its end, which the
 * kernel reports before it frees the memory, a process has the mappings that it had last.
 */
const struct mapping *process_find_at(
	const struct processes *ps, const struct process *p, uint64_t address, int64_t time_ns);

/*
 * Moves the open files and the perf maps to FILES, as the files may be deleted, replaced or in
 * another root directory. PS can only be released afterwards.
 */
void processes_move_files(struct processes *ps, struct open_files *files);
/* Adds the open files to FILES, which open_files_return() releases before PS is used again. */
void processes_lend_files(const struct processes *ps, struct open_files *files);

#endif
