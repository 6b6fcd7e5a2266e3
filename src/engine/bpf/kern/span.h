/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A span begins under a key at one probe and ends at another. It is recorded with the stack of its
 * beginning and with the time or amount that is known at its end. User space adds the spans that
 * have not ended when the recording ends. A program may define SPANS_MAX, the number of
 * spans at a time, before it includes this file. If spans may remain that nobody ends, it also
 * defines SPANS_TYPE as BPF_MAP_TYPE_LRU_HASH, with which new spans replace the oldest ones.
 */
#ifndef ENGINE_BPF_KERN_SPAN_H
#define ENGINE_BPF_KERN_SPAN_H

#include "core.h"

#ifndef SPANS_MAX
#define SPANS_MAX (1 << 17)
#endif

#ifndef SPANS_TYPE
#define SPANS_TYPE BPF_MAP_TYPE_HASH
#endif

struct {
	__uint(type, SPANS_TYPE);
	__uint(max_entries, SPANS_MAX);
	__type(key, struct span_key);
	__type(value, struct span);
} spans SEC(".maps");

/* Returns the span of KEY, or NULL if none has begun. */
static __always_inline struct span *span_find(const struct span_key *key)
{
	return bpf_map_lookup_elem(&spans, key);
}

/*
 * Begins s->span with the row s->row. An earlier span under KEY has ended unseen and is replaced.
 */
static __always_inline void span_begin(
	struct scratch *s, const struct span_key *key, uint64_t now, struct counters *count)
{
	s->span.row = s->row;
	s->span.since = now;
	if (bpf_map_update_elem(&spans, key, &s->span, BPF_ANY))
		count->spans_full++;
}

/* Forgets the span of KEY without a row. */
static __always_inline void span_drop(const struct span_key *key)
{
	bpf_map_delete_elem(&spans, key);
}

/* Ends the span of KEY, if it has begun: its time is added to its row. */
static __always_inline void span_end(
	const struct span_key *key, uint64_t now, struct counters *count)
{
	struct span *span = span_find(key);

	if (!span)
		return;
	add_time(&span->row, span->since, now, count);
	span_drop(key);
}

#endif
