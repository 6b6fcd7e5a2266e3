/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events, one per CPU: the sampling clock, and side-band records of changes to address spaces
 * (perf_event_open(2): mmap2 with build-id, comm, fork, exit). If a CPU goes offline, the kernel
 * stops its events and does not start them again.
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
	uint32_t pid, ppid; /* processes; ppid is set for SIDE_FORK */
	/* SIDE_MAP */
	uint64_t start, end, offset;
	bool writable;
	char *path;          /* or "" for anonymous memory */
	char build_id[41];   /* hex, or "" if not known, see dev and inode */
	uint64_t dev, inode; /* if build_id is "" */
};

struct sideband {
	struct sideband_cpu {
		int cpu, fd;         /* fd is -1 if not open */
		void *ring;          /* perf_event_mmap_page and data, or NULL if not open */
		uint64_t enabled_ns; /* how long the event had been enabled at the last look */
		int64_t offline_ns;  /* when the CPU was last seen offline, or 0 */
	} * cpus;                    /* all possible CPUs */
	size_t nr_cpus;
	size_t ring_size; /* bytes of data, a power of two */
	unsigned hz;
	bool prompt, by_inode; /* before Linux 5.12 files are identified by device and inode */
	bool enabled;
	int program; /* to be run at each tick, or -1 */
	struct side_event *events;
	size_t nr, alloc;
	uint64_t lost; /* records dropped because the ring buffer was full */
};

struct sideband_options {
	size_t nr_cpus; /* all possible CPUs, online or not */
	unsigned hz;    /* ticks per second of the CPU clock, or 0 for none */
	bool prompt;    /* poll(2) returns at each record, not only when a buffer is half full */
};

/* Opens the events of all online CPUs, disabled. Returns -1 with ERR on error. */
int sideband_open(struct sideband *sb, const struct sideband_options *options, struct strbuf *err);
/* Runs the BPF program PROG_FD at each tick. */
int sideband_attach(struct sideband *sb, int prog_fd, struct strbuf *err);
/* Starts or stops all events. */
void sideband_enable(struct sideband *sb, bool on);
void sideband_close(struct sideband *sb);

/* Called before the events of CPU are started again. */
typedef void sideband_restarted(void *context, const struct sideband_cpu *cpu);

/*
 * Opens the events of CPUs that have come online, and opens events again that have stopped because
 * their CPU was offline. Records may be missing then, which counts as lost. ONLINE lists the online
 * CPUs like /sys/devices/system/cpu/online, or is NULL if they are not known. To be called about
 * once a second.
 */
void sideband_update(
	struct sideband *sb, const char *online, sideband_restarted *restarted, void *context);

/* Reads the ring buffers. sb->events then has all events older than this call, sorted by time. */
void sideband_read(struct sideband *sb);
/* Removes the first NR events. */
void sideband_drop(struct sideband *sb, size_t nr);

#endif
