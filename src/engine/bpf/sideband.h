/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events, one per CPU: the sampling clock, and side-band records of changes to address spaces
 * (perf_event_open(2): mmap2 with build-id, comm, fork, exit).
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
	char *path;          /* "": anonymous memory */
	char build_id[41];   /* hex; "": unknown, see dev and inode */
	uint64_t dev, inode; /* if build_id is "" */
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
	uint64_t lost; /* records dropped because the ring buffer was full */
};

/*
 * Opens the events, disabled. HZ: ticks per second of the CPU clock, 0: none. PROMPT: poll(2)
 * returns at each record, not only when the ring buffer is half full. -1 and ERR on failure.
 */
int sideband_open(struct sideband *sb, unsigned hz, bool prompt, struct strbuf *err);
/* Runs the BPF program PROG_FD at each tick. */
int sideband_attach(struct sideband *sb, int prog_fd, struct strbuf *err);
/* Starts or stops all events. */
void sideband_enable(struct sideband *sb, bool on);
void sideband_close(struct sideband *sb);

/* Reads the ring buffers: sb->events then has all events older than this call, sorted by time. */
void sideband_read(struct sideband *sb);
/* Removes the first NR events. */
void sideband_drop(struct sideband *sb, size_t nr);

#endif
