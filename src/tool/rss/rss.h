/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growth of resident memory, as shared by the BPF programs and user space. */
#ifndef TOOL_RSS_RSS_H
#define TOOL_RSS_RSS_H

#include "engine/bpf/kern/shared.h"

/* Index of the option in the tool's header. The kinds are bits. */
enum { RSS_OPTION_KIND };

/* The kinds of pages that the kernel counts, by MM_… of linux/mm_types_task.h. */
enum rss_kind { RSS_FILE, RSS_ANON, RSS_SWAP, RSS_SHMEM, RSS_KINDS };

enum {
	RSS_MEMORIES_MAX = 1 << 15, /* address spaces at a time */
	RSS_PARTS_MAX = 1 << 16     /* parts of their counters, one for each processor */
};

/* What is known of an address space: the pages that its counters had at the last change. */
struct rss_memory {
	uint64_t since; /* when it was first seen, which tells it from an earlier one */
	int64_t pages[RSS_KINDS];
	bool is_whole; /* it existed when the recording began, and its counters have been read */
	uint8_t pad[7];
};

/* Since Linux 6.2 each processor has a part of the counters. */
struct rss_part_key {
	uint64_t mm; /* address of the mm_struct */
	uint32_t cpu;
	uint32_t pad;
};

struct rss_part {
	uint64_t since; /* of the address space */
	int64_t pages[RSS_KINDS];
};

#endif
