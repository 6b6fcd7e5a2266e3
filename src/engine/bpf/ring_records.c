/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring_records.h"
#include "lib/util.h"
#include "stack_copies.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

static int take_record(void *context, void *data, size_t size)
{
	struct ring_records *r = context;
	uint32_t type;

	if (size < sizeof(type))
		return 0;
	memcpy(&type, data, sizeof(type));
	if (type == RING_PAGE && size >= sizeof(struct ring_page)) {
		stack_copies_add_page(r->copies, data);
	} else if (type == RING_COPY && size >= sizeof(struct ring_copy)) {
		ALLOC_GROW(r->heads, r->nr_heads, r->heads_alloc);
		memcpy(&r->heads[r->nr_heads++], data, sizeof(*r->heads));
	} else if (type == RING_VM_FRAME && size >= sizeof(struct ring_vm_frame)) {
		ALLOC_GROW(r->frames, r->nr_frames, r->frames_alloc);
		memcpy(&r->frames[r->nr_frames++], &((struct ring_vm_frame *)data)->frame,
			sizeof(*r->frames));
	} else if (type == RING_VM_THREAD && size >= sizeof(struct ring_vm_thread)) {
		ALLOC_GROW(r->waiting, r->nr_waiting, r->waiting_alloc);
		memcpy(&r->waiting[r->nr_waiting++], data, sizeof(*r->waiting));
	} else if (type == RING_LABEL && size >= sizeof(struct ring_label)) {
		ALLOC_GROW(r->label_sets, r->nr_label_sets, r->label_sets_alloc);
		memcpy(&r->label_sets[r->nr_label_sets++], &((struct ring_label *)data)->set,
			sizeof(*r->label_sets));
	}
	return 0;
}

int ring_records_open(struct ring_records *r, int map, struct stack_copies *copies)
{
	*r = (struct ring_records){.copies = copies};
	r->ring = ring_buffer__new(map, take_record, r, NULL);
	return r->ring ? 0 : -1;
}

void ring_records_release(struct ring_records *r)
{
	ring_buffer__free(r->ring);
	free(r->heads);
	free(r->frames);
	free(r->waiting);
	free(r->label_sets);
	*r = (struct ring_records){0};
}

void ring_records_read(struct ring_records *r)
{
	ring_buffer__consume(r->ring);
}
