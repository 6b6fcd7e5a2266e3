/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the context of the current thread, in the BPF programs. Included by label_list.h. A
 * thread-local variable tells it, so the stack is not searched.
 */
#ifndef LABEL_OTEL_OTEL_BPF_H
#define LABEL_OTEL_OTEL_BPF_H

#include "label/label_hash_bpf.h"
#include "runtime/vm_read_bpf.h"

static __always_inline void otel_search_here(struct scratch *s, uint32_t lane)
{
	const struct otel_layout *l = &s->label.layout.otel;
	uint64_t record;
	uint8_t valid;

	(void)lane;
	s->label.leaf = true;
	s->label.searching = false;
	if (follow_path(&l->record, &record) == VM_ON &&
		!bpf_probe_read_user(&valid, sizeof(valid), (const void *)(record + OTEL_VALID)) &&
		valid == 1)
		s->label.found = record;
}

/* Contexts are not counted. */
static __always_inline bool otel_ends_here(struct scratch *s, uint64_t address)
{
	(void)s;
	(void)address;
	return false;
}

static __always_inline bool otel_records(enum otel_key key)
{
	return recorded_keys(LABEL_OTEL) >> key & 1;
}

/* Reads the attributes of the record at ADDRESS. */
__noinline int otel_read_attributes(uint32_t lane, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	struct otel_texts *texts = &s->label.record.set.texts.otel;
	uint64_t size = otel_records(OTEL_ATTRIBUTES) ? texts->size : 0;

	if (size > OTEL_ATTRIBUTES_MAX)
		size = OTEL_ATTRIBUTES_MAX;
	size = UNWIND_BELOW(size, OTEL_ATTRIBUTES_MAX + 1);
	if (size &&
		bpf_probe_read_user(texts->attributes, size, (const void *)(address + OTEL_HEADER)))
		size = 0;
	texts->size = size;
	return 0;
}

/* Reads the record at ADDRESS. Returns its hash, or 0 if it cannot be read. */
__noinline uint64_t otel_read_record(uint32_t lane, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	struct otel_texts *texts = &s->label.record.set.texts.otel;
	uint64_t *word = (uint64_t *)texts;

	/* for so many bytes, compilers call memset(), which programs do not have */
	for (uint64_t i = 0; i < sizeof(*texts) / sizeof(*word); i++)
		((volatile uint64_t *)word)[i] = 0;
	if (bpf_probe_read_user(texts, OTEL_HEADER, (const void *)address))
		return 0;
	if (!otel_records(OTEL_TRACE))
		word[0] = word[1] = 0;
	if (!otel_records(OTEL_SPAN))
		word[2] = 0;
	texts->flags = 0;
	otel_read_attributes(lane, address);
	return label_hash(1, word, sizeof(*texts) / sizeof(*word)) | 1;
}

static __always_inline bool otel_key_here(struct scratch *s, struct otel_identity *id)
{
	id->hash = otel_read_record(LANE_EVENT, s->label.found);
	return id->hash;
}

/* The record was read with the identity. */
static __always_inline void otel_texts_here(
	struct scratch *s, uint32_t lane, const struct otel_identity *id)
{
	(void)s;
	(void)lane;
	(void)id;
}

#endif
