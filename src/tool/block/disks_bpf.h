/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of requests to disks that the programs read, and numbers of disks. */
#ifndef TOOL_BLOCK_DISKS_BPF_H
#define TOOL_BLOCK_DISKS_BPF_H

#include "block.h"

#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/numbering.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major, first_minor;
	char disk_name[DISK_NAME];
	struct request_queue *queue;
};

struct request_queue {
	struct gendisk *disk; /* since 5.15 */
};

struct block_device {
	struct gendisk *bd_disk;
};

struct bvec_iter {
	unsigned int bi_size;
};

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
};

struct bio___before_5_12 {
	struct gendisk *bi_disk;
};

struct request___kernel {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len; /* bytes that are not transferred yet */
	struct bio *bio;
	uint64_t start_time_ns;
};

struct request___before_5_17 {
	struct gendisk *rq_disk;
};

#pragma clang attribute pop

/* Only the names count: the values are relocated. */
enum req_flag_bits { __REQ_SYNC, __REQ_META, __REQ_FUA, __REQ_PREFLUSH, __REQ_RAHEAD };

#define HAS_FLAG(flags, name) ((flags) >> bpf_core_enum_value(enum req_flag_bits, name) & 1)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DISKS_MAX);
	__type(key, uint32_t); /* number of the disk, from 1 */
	__type(value, struct disk_name);
} disk_names SEC(".maps");

static __always_inline struct gendisk *disk_of(struct request___kernel *request)
{
	struct request___before_5_17 *old = (void *)request;

	return bpf_core_field_exists(old->rq_disk) ? BPF_CORE_READ(old, rq_disk)
						   : BPF_CORE_READ(request, q, disk);
}

static __always_inline struct request_queue *queue_of(struct bio *bio)
{
	struct bio___before_5_12 *old = (void *)bio;

	return bpf_core_field_exists(bio->bi_bdev) ? BPF_CORE_READ(bio, bi_bdev, bd_disk, queue)
						   : BPF_CORE_READ(old, bi_disk, queue);
}

/* Returns the number of DISK, or 0 if there is none, or no room for its name. */
static __noinline uint32_t disk_number(struct gendisk *disk)
{
	struct disk_name first = {0};

	if (!disk)
		return 0;
	first.device = (uint64_t)BPF_CORE_READ(disk, major) << 20 |
		       (uint32_t)BPF_CORE_READ(disk, first_minor);
	bpf_core_read(first.name, sizeof(first.name), &disk->disk_name);
	return number_in(&disk_names, &first, 1, DISKS_MAX);
}

#endif
