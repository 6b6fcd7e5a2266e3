/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of perf.data that linux/perf_event.h does not have, or has only in later versions; see
 * perf.data-file-format.txt in tools/perf of Linux.
 */
#ifndef INPUT_PERFDATA_PERFDATA_FORMAT_H
#define INPUT_PERFDATA_PERFDATA_FORMAT_H

#include <stdint.h>

#define PERFDATA_MAGIC "PERFILE2"

/* Kinds of records. */
enum perfdata_kind {
	PERFDATA_MMAP = 1,
	PERFDATA_LOST,
	PERFDATA_COMM,
	PERFDATA_EXIT,
	PERFDATA_THROTTLE,
	PERFDATA_FORK = 7,
	PERFDATA_SAMPLE = 9,
	PERFDATA_MMAP2,
	PERFDATA_LOST_SAMPLES = 13,
	PERFDATA_KSYMBOL = 17,
	PERFDATA_CGROUP = 19,
	PERFDATA_DEFERRED = 22, /* the user half of a call chain */
	/* from here on, the records of perf itself, which have no trailer of fields of samples */
	PERFDATA_OWN = 64,
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_TIME_CONV,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED,
	PERFDATA_COMPRESSED2 = 83,
};

/* Flags of struct perf_event_header's misc. */
enum {
	PERFDATA_MODE = 7, /* mask of enum perfdata_mode */
	PERFDATA_MMAP_DATA = 1 << 13,
	PERFDATA_COMM_EXEC = 1 << 13,
	PERFDATA_MMAP_BUILD_ID = 1 << 14,
	PERFDATA_BUILD_ID_SIZE = 1 << 15,
};

/* A branch has its source, its target, and flags. */
enum {
	PERFDATA_BRANCH_WORDS = 3,
	PERFDATA_BRANCH_MISPREDICTED = 1,
	PERFDATA_BRANCH_SPEC = 3 << 24, /* mask */
	PERFDATA_BRANCH_WRONG_PATH = 1 << 24,
};

/* Where a sample was taken. */
enum perfdata_mode {
	PERFDATA_MODE_UNKNOWN,
	PERFDATA_KERNEL,
	PERFDATA_USER,
	PERFDATA_HYPERVISOR,
	PERFDATA_GUEST_KERNEL,
	PERFDATA_GUEST_USER,
};

/* Marks in call chains: what follows them. */
#define PERFDATA_MARK_HYPERVISOR ((uint64_t)-32)
#define PERFDATA_MARK_KERNEL ((uint64_t)-128)
#define PERFDATA_MARK_USER ((uint64_t)-512)
#define PERFDATA_MARK_DEFERRED ((uint64_t)-640) /* a cookie in place of the user half */
#define PERFDATA_MARK_GUEST ((uint64_t)-2048)
#define PERFDATA_MARK_GUEST_KERNEL ((uint64_t)-2176)
#define PERFDATA_MARK_GUEST_USER ((uint64_t)-2560)
#define PERFDATA_MARKS ((uint64_t)-4095) /* the lowest mark */

/* Sections behind the data, and their numbers in pipes. */
enum perfdata_feature {
	PERFDATA_HAS_TRACING = 1,
	PERFDATA_HAS_BUILD_IDS,
	PERFDATA_HAS_HOST,
	PERFDATA_HAS_RELEASE,
	PERFDATA_HAS_VERSION,
	PERFDATA_HAS_ARCH,
	PERFDATA_HAS_CPUS,
	PERFDATA_HAS_COMMAND = 11,
	PERFDATA_HAS_EVENTS,
	PERFDATA_HAS_DIR_FORMAT = 24,
	PERFDATA_FEATURES = 256,
};

/* What a folder in place of a file has (PERFDATA_HAS_DIR_FORMAT). */
enum perfdata_dir_format {
	PERFDATA_DIR_SINGLE, /* one file, "data" */
	PERFDATA_DIR_PARTS,  /* the records are in files of their own, data.0, data.1 … */
};

struct perfdata_section {
	uint64_t offset, size;
};

struct perfdata_header {
	char magic[8];
	uint64_t size; /* of the header; smaller in pipes */
	uint64_t attr_size;
	struct perfdata_section attrs, data, event_types;
	uint64_t features[PERFDATA_FEATURES / 64];
};

/* What perf record --off-cpu adds up until the end has times from here on, which are none. */
#define PERFDATA_NO_TIME (UINT64_MAX << 32)

enum { PERFDATA_PIPE_HEADER = 16, PERFDATA_ID_MAX = 20 };

#endif
