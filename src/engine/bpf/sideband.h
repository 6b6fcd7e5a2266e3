/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events, one on each processor: they tick, and beside that tell what happens to address
 * spaces (perf_event_open(2): mmap2 with build-id, comm, fork, exit).
 */
#ifndef ENGINE_BPF_SIDEBAND_H
#define ENGINE_BPF_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum side_kind { SIDE_MAP, SIDE_EXEC, SIDE_FORK, SIDE_EXIT };

struct side_event {
	int64_t time_ns; /* monotonic */
	enum side_kind kind;
	uint32_t pid, ppid; /* processes; ppid: of SIDE_FORK */
	/* SIDE_MAP */
	uint64_t start, end, offset;
	bool writable;
	char *path;          /* "" for anonymous memory */
	char build_id[41];   /* "": not known, then */
	uint64_t dev, inode; /* tell which file it is */
};

struct sideband {
	struct sideband_cpu {
		int cpu, fd;
		void *ring; /* perf_event_mmap_page and data */
	} * cpus;
	size_t nr_cpus;
	size_t ring_size; /* bytes of data, a power of two */
	struct side_event *events;
	size_t nr, alloc;
	uint64_t lost;      /* events that found no room */
	uint64_t throttled; /* times that the kernel stopped a tick for its cost */
};

/*
 * Opens the events, not yet enabled; HZ ticks a second of CPU clock on each processor, 0: no ticks.
 * PROMPT: who polls the files hears of each, not just when much has come.
 * -1 and ERR when the kernel refuses.
 */
int sideband_open(struct sideband *sb, unsigned hz, bool prompt, struct strbuf *err);
/* At each tick runs the BPF program PROG_FD. */
int sideband_attach(struct sideband *sb, int prog_fd, struct strbuf *err);
void sideband_enable(struct sideband *sb, bool on);
void sideband_close(struct sideband *sb);

/*
 * Takes in what came; sb->events then holds all in the order of time that are older than this call.
 */
void sideband_read(struct sideband *sb);
/* Forgets the first NR events. */
void sideband_drop(struct sideband *sb, size_t nr);

#endif
