/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels of the current task in the BPF programs. The owner of a sample is searched for while its
 * stack is walked, and the set of its labels gets a number.
 */
#ifndef LABEL_LABEL_BPF_H
#define LABEL_LABEL_BPF_H

#include "label_hash_bpf.h"

#define LABEL_LIST_BPF
#include "label_list.h"
#undef LABEL_LIST_BPF

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LABEL_PROCESSES_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct label_layout);
} label_layouts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LABEL_SENT_MAX);
	__type(key, uint64_t); /* label_set_id() */
	__type(value, uint32_t);
} label_sent SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LABEL_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct cached_label);
} label_cache SEC(".maps");

/* Begins the search, if the process has a source. */
__noinline int begin_label(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	uint32_t tgid = s->row.tgid;
	const struct label_layout *layout = bpf_map_lookup_elem(&label_layouts, &tgid);

	s->label.on = s->label.searching = layout;
	s->label.leaf = false;
	s->label.nr_passed = 0;
	s->label.place = 1;
	s->label.found = 0;
	s->label.owner = 0;
	if (layout)
		s->label.layout = *layout;
	return 0;
}

/* Searches the frames that were passed since the last call. Returns 0 if the search has ended. */
__noinline int search_label(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s || !s->label.searching)
		return 0;
	switch (s->label.layout.kind) {
#define LABEL_SEARCH(KIND, name)                                                                   \
	case LABEL_##KIND:                                                                         \
		name##_search_here(s, lane);                                                       \
		break;
		LABEL_LIST(LABEL_SEARCH)
	}
	s->label.nr_passed = 0;
	return s->label.searching;
}

/* Returns the set of the texts and of the process. */
__noinline uint64_t hash_label(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	const uint64_t *word = (const uint64_t *)&s->label.record.set.texts;
	uint64_t hash =
		label_hash(s->row.tgid, word, sizeof(s->label.record.set.texts) / sizeof(*word)) >>
		LABEL_KIND_BITS;

	if (hash <= LABEL_PLACES_MAX)
		hash += LABEL_PLACES_MAX + 1;
	return label_set_id(s->label.layout.kind, hash);
}

/*
 * Reads the texts of the owner that was found. Returns their set, which is sent if it is new.
 */
__noinline uint64_t new_label(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);
	uint32_t yes = 1;

	if (!s)
		return 0;
	switch (s->label.layout.kind) {
#define LABEL_TEXTS_HERE(KIND, name)                                                               \
	case LABEL_##KIND:                                                                         \
		name##_texts_here(s, lane, &s->label.id.name);                                     \
		break;
		LABEL_LIST(LABEL_TEXTS_HERE)
	}
	struct label_new_set *set = &s->label.record.set;

	set->tgid = s->row.tgid;
	set->id = hash_label(lane);
	if (!bpf_map_lookup_elem(&label_sent, &set->id)) {
		s->label.record.type = RING_LABEL;
		if (!bpf_ringbuf_output(&ring, &s->label.record, sizeof(s->label.record), 0))
			bpf_map_update_elem(&label_sent, &set->id, &yes, BPF_ANY);
	}
	return set->id;
}

/*
 * Identifies the owner that was found. Returns a hash of its identity, or 0 if that cannot be read.
 */
__noinline uint64_t identify_label(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);
	uint64_t hash;

	if (!s)
		return 0;
	__builtin_memset(&s->label.id, 0, sizeof(s->label.id));
	switch (s->label.layout.kind) {
#define LABEL_IDENTIFY(KIND, name)                                                                 \
	case LABEL_##KIND:                                                                         \
		if (!name##_key_here(s, &s->label.id.name))                                        \
			return 0;                                                                  \
		break;
		LABEL_LIST(LABEL_IDENTIFY)
	default:
		return 0;
	}
	hash = s->row.tgid;
	for (uint64_t i = 0; i < LABEL_ID_WORDS; i++)
		hash = (hash ^ s->label.id.word[i]) * 0x9e3779b97f4a7c15ULL;
	return hash | 1;
}

/* Returns the set of labels of the owner that was found, or 0. */
__noinline uint64_t label_of_owner(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);
	uint64_t hash = identify_label(lane);
	uint32_t at = slot_in(hash, LABEL_CACHE_SIZE, bpf_get_smp_processor_id() * LANES + lane);
	struct cached_label *cached = bpf_map_lookup_elem(&label_cache, &at);

	if (!s || !hash || !cached)
		return 0;
	/* user space may have forgotten a set, which is then sent again */
	if (cached->hash != hash || !bpf_map_lookup_elem(&label_sent, &cached->set)) {
		cached->set = new_label(lane);
		cached->hash = hash;
	}
	return cached->set;
}

/*
 * Sets the row's labels to the labels of the owner that ends, at ADDRESS in this process. Returns 0
 * if no owner ends there.
 */
__noinline int take_end(uint32_t lane, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	begin_label(lane);
	if (!s || !s->label.on)
		return 0;
	switch (s->label.layout.kind) {
#define LABEL_ENDS(KIND, name)                                                                     \
	case LABEL_##KIND:                                                                         \
		if (!name##_ends_here(s, address))                                                 \
			return 0;                                                                  \
		break;
		LABEL_LIST(LABEL_ENDS)
	default:
		return 0;
	}
	s->label.found = address;
	s->row.label_set = label_of_owner(lane);
	return 1;
}

#endif
