/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records that the BPF programs write to the ring buffer, by kind. */
#ifndef ENGINE_BPF_RING_RECORDS_H
#define ENGINE_BPF_RING_RECORDS_H

#include "kern/shared.h"

#include <stddef.h>

struct ring_buffer;
struct stack_copies;

/* Lists of records. The caller empties them when it has taken their contents. */
struct ring_records {
	struct ring_buffer *ring;
	struct stack_copies *copies; /* takes the pages at once */
	struct ring_copy *heads;
	size_t nr_heads, heads_alloc;
	struct vm_new_frame *frames; /* of interpreters */
	size_t nr_frames, frames_alloc;
	struct ring_vm_thread *waiting; /* threads with an interpreter's stack to be walked */
	size_t nr_waiting, waiting_alloc;
	struct label_new_set *label_sets;
	size_t nr_label_sets, label_sets_alloc;
};

/* Opens the ring buffer MAP, a file descriptor. Returns -1 with errno on error. */
int ring_records_open(struct ring_records *r, int map, struct stack_copies *copies);
void ring_records_release(struct ring_records *r);

/* Adds all records in the buffer to the lists. */
void ring_records_read(struct ring_records *r);

#endif
