/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the labels of the current thread's goroutine, in the BPF programs. Included by
 * label_list.h. The runtime of Go tells them, so the stack is not searched.
 */
#ifndef LABEL_GO_GO_LABELS_BPF_H
#define LABEL_GO_GO_LABELS_BPF_H

#include "label/label_hash_bpf.h"
#include "runtime/vm_read_bpf.h"

static __always_inline void go_labels_search_here(struct scratch *s, uint32_t lane)
{
	const struct go_labels_layout *l = &s->label.layout.go_labels;
	uint64_t goroutine, labels;

	(void)lane;
	s->label.leaf = true;
	s->label.searching = false;
	if (follow_path(&l->goroutine, &goroutine) == VM_ON &&
		!bpf_probe_read_user(
			&labels, sizeof(labels), (const void *)(goroutine + l->labels)))
		s->label.found = labels;
}

/* Goroutines are not counted. */
static __always_inline bool go_labels_ends_here(struct scratch *s, uint64_t address)
{
	(void)s;
	(void)address;
	return false;
}

/* Reads the string whose header is at ADDRESS, and at most MAX - 1 bytes of it, to TO. */
#define GO_READ_TEXT(to, max, address)                                                             \
	({                                                                                         \
		struct go_text text_ = {0};                                                        \
                                                                                                   \
		bpf_probe_read_user(&text_, sizeof(text_), (const void *)(address));               \
		uint64_t len_ = UNWIND_BELOW(text_.len < (max) ? text_.len : (max)-1, max);        \
                                                                                                   \
		if (len_)                                                                          \
			bpf_probe_read_user(to, len_, (const void *)text_.at);                     \
	})

/* Reads label NR, whose strings' headers are at NAME and VALUE. Returns how many it has read. */
__noinline int go_labels_add(uint32_t lane, uint64_t nr, uint64_t name, uint64_t value)
{
	struct scratch *s = label_scratch(lane);

	if (!s || nr >= GO_LABELS_MAX)
		return 0;
	struct go_label *to =
		&s->label.record.set.texts.go_labels.list[UNWIND_BELOW(nr, GO_LABELS_MAX)];

	GO_READ_TEXT(to->name, GO_NAME_MAX, name);
	GO_READ_TEXT(to->value, GO_VALUE_MAX, value);
	return to->name[0] != 0;
}

static __always_inline void go_labels_of_slice(uint32_t lane, uint64_t address)
{
	struct go_text slice = {0};
	uint64_t nr = 0;

	bpf_probe_read_user(&slice, sizeof(slice), (const void *)address);
	for (uint64_t i = 0; i < GO_LABELS_MAX && i < slice.len; i++, slice.at += GO_PAIR)
		nr += go_labels_add(lane, nr, slice.at, slice.at + sizeof(struct go_text));
}

static __always_inline void go_labels_of_map(uint32_t lane, uint64_t address)
{
	uint64_t map = 0, bucket = 0, nr = 0;
	uint8_t bits = 0, used;

	bpf_probe_read_user(&map, sizeof(map), (const void *)address);
	bpf_probe_read_user(&bits, sizeof(bits), (const void *)(map + GO_MAP_BITS));
	bpf_probe_read_user(&bucket, sizeof(bucket), (const void *)(map + GO_MAP_BUCKETS));
	for (uint64_t i = 0; i < GO_BUCKETS_MAX * GO_SLOTS; i++) {
		uint64_t slot = i % GO_SLOTS;

		if (i == GO_SLOTS && !bits)
			break;
		if (i == GO_SLOTS)
			bucket += GO_BUCKET;
		if (bpf_probe_read_user(&used, sizeof(used), (const void *)(bucket + slot)) ||
			used < GO_SLOT_USED)
			continue;
		slot *= sizeof(struct go_text);
		nr += go_labels_add(lane, nr, bucket + GO_BUCKET_NAMES + slot,
			bucket + GO_BUCKET_VALUES + slot);
	}
}

/* Reads the labels at ADDRESS. Returns their hash. */
__noinline uint64_t go_labels_read(uint32_t lane, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	const uint64_t *word = (const uint64_t *)&s->label.record.set.texts.go_labels;

	/* for so many bytes, compilers call memset(), which programs do not have */
	for (uint64_t i = 0; i < sizeof(struct go_labels_texts) / sizeof(*word); i++)
		((volatile uint64_t *)word)[i] = 0;
	if (s->label.layout.go_labels.is_map)
		go_labels_of_map(lane, address);
	else
		go_labels_of_slice(lane, address);
	return label_hash(1, word, sizeof(struct go_labels_texts) / sizeof(*word));
}

static __always_inline bool go_labels_key_here(struct scratch *s, struct go_labels_identity *id)
{
	id->hash = go_labels_read(LANE_EVENT, s->label.found);
	return true;
}

/* The labels were read with the identity. */
static __always_inline void go_labels_texts_here(
	struct scratch *s, uint32_t lane, const struct go_labels_identity *id)
{
	(void)s;
	(void)lane;
	(void)id;
}

#endif
