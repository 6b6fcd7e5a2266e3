// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * block: takes stacks when threads put requests to disks into a queue, and measures the time until
 * the device gets them, and until it has completed them.
 */
#include "block.h"

#define SPANS_MAX BLOCK_REQUESTS_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* requests are merged into others */
#include "disks_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"

static __always_inline struct span_key key_of(const void *address, enum request_part part)
{
	return (struct span_key){.id = (uint64_t)address, .part = part};
}

/* The lowest bits of a request's flags, see REQ_OP_… in linux/blk_types.h. */
enum {
	OP_READ,
	OP_WRITE,
	OP_FLUSH,
	OP_DISCARD,
	OP_SECURE_ERASE = 5,
	OP_WRITE_SAME_OR_ZONE_APPEND = 7, /* before and since 5.18 */
	OP_WRITE_ZEROES = 9,
	OP_ZONE_APPEND_BEFORE_5_18 = 13,
	OP_MASK = 255,
};

static __always_inline enum block_op op_of(uint32_t flags)
{
	uint32_t op = flags & OP_MASK;

	if (op == OP_READ)
		return BLOCK_READ;
	if (op == OP_WRITE || op == OP_WRITE_SAME_OR_ZONE_APPEND ||
		op == OP_ZONE_APPEND_BEFORE_5_18)
		return BLOCK_WRITE;
	if (op == OP_FLUSH)
		return BLOCK_FLUSH;
	if (op == OP_DISCARD || op == OP_SECURE_ERASE)
		return BLOCK_DISCARD;
	return op == OP_WRITE_ZEROES ? BLOCK_ZERO : BLOCK_OTHER;
}

static __always_inline bool is_wanted(enum block_op op)
{
	return settings.option[BLOCK_OPTION_OP] >> op & 1;
}

/* Returns the value of REQUEST's rows. */
static __always_inline uint32_t value_of(struct request___kernel *request)
{
	uint32_t flags = BPF_CORE_READ(request, cmd_flags);

	return op_of(flags) | (HAS_FLAG(flags, __REQ_SYNC) ? BLOCK_SYNC : 0) |
	       (HAS_FLAG(flags, __REQ_META) ? BLOCK_META : 0) |
	       (HAS_FLAG(flags, __REQ_RAHEAD) ? BLOCK_AHEAD : 0) |
	       disk_number(disk_of(request)) << BLOCK_DISK_SHIFT;
}

/*
 * Begins the span of KEY with the stacks of the current thread. WORD is set, but for
 * REQUEST_ISSUED.
 */
static __always_inline void begin_span(
	void *ctx, const struct span_key *key, uint64_t start, uint64_t what)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	uint64_t now = bpf_ktime_get_ns();
	struct ids ids = my_ids();

	if (!count || !s || now > control.until || !is_target(current_task(), ids))
		return;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return;
	}
	take_task(s, ids);
	if (take_stacks(ctx, s, false, count)) {
		s->span.word[REQUEST_START] = start;
		s->span.word[REQUEST_ISSUED] = 0;
		s->span.word[REQUEST_WHAT] = what;
		span_begin(s, key, start && start < now ? start : now, count);
	}
	release_scratch(s);
}

/*
 * Begins the span of KEY, which is REQUEST, with the stacks of the thread that asked for it if
 * another thread, of the kernel, issues it: a flush, and what is written after a flush. Returns
 * false if there is no such thread.
 */
static __always_inline bool adopt(
	struct request___kernel *request, const struct span_key *key, uint64_t start, uint64_t what)
{
	struct counters *count = my_counters(LANE_EVENT);
	bool is_flush = (what >> 32 & BLOCK_OP) == BLOCK_FLUSH;
	struct span_key from = is_flush ? key_of(BPF_CORE_READ(request, q), PART_FLUSH)
					: key_of(BPF_CORE_READ(request, bio), PART_BIO);
	struct span *asked = from.id ? span_find(&from) : NULL;

	if (!asked || !count)
		return false;
	asked->word[REQUEST_START] = start;
	asked->word[REQUEST_WHAT] = what;
	asked->since = start ? start : bpf_ktime_get_ns();
	if (bpf_map_update_elem(&spans, key, asked, BPF_ANY))
		count->spans_full++;
	if (!is_flush)
		span_drop(&from);
	return true;
}

/*
 * Returns the span of REQUEST, or NULL if it has none. The memory of requests is used again and
 * again; a span that is another request's is forgotten.
 */
static __always_inline struct span *span_of(
	struct request___kernel *request, const struct span_key *key)
{
	struct span *span = span_find(key);

	if (!span || span->word[REQUEST_START] == BPF_CORE_READ(request, start_time_ns))
		return span;
	span_drop(key);
	return NULL;
}

/* Begins the span of REQUEST, which is put into a queue or issued, unless it has begun. */
static __always_inline void begin_request(void *ctx, struct request___kernel *request)
{
	struct span_key key = key_of(request, PART_REQUEST);

	if (span_of(request, &key) || !is_wanted(op_of(BPF_CORE_READ(request, cmd_flags))))
		return;
	uint64_t start = BPF_CORE_READ(request, start_time_ns), what = (uint64_t)value_of(request)
								       << 32;

	if (!adopt(request, &key, start, what))
		begin_span(ctx, &key, start, what);
}

static __always_inline int insert(void *ctx, struct request___kernel *request)
{
	begin_request(ctx, request);
	return 0;
}

static __always_inline int issue(void *ctx, struct request___kernel *request)
{
	struct span_key key = key_of(request, PART_REQUEST);

	begin_request(ctx, request);
	struct span *span = span_find(&key);

	if (span)
		span->word[REQUEST_ISSUED] = bpf_ktime_get_ns();
	return 0;
}

/* The device did not take the request, which goes on in the queue. */
static __always_inline int requeue(void *ctx, struct request___kernel *request)
{
	struct span_key key = key_of(request, PART_REQUEST);
	struct span *span = span_find(&key);

	if (span)
		span->word[REQUEST_ISSUED] = 0;
	return 0;
}

/* The request becomes a part of another one. */
static __always_inline int merge(void *ctx, struct request___kernel *request)
{
	struct span_key key = key_of(request, PART_REQUEST);

	span_drop(&key);
	return 0;
}

/*
 * A thread asks for BIO to be written with a flush. A kernel thread issues the flush, and what is
 * written after it.
 */
static __always_inline int ask(void *ctx, struct bio *bio)
{
	uint32_t flags = BPF_CORE_READ(bio, bi_opf);

	if (!HAS_FLAG(flags, __REQ_PREFLUSH) && !HAS_FLAG(flags, __REQ_FUA))
		return 0;
	struct span_key flush = key_of(queue_of(bio), PART_FLUSH), data = key_of(bio, PART_BIO);

	span_drop(&flush); /* of a thread that may be recorded when the current one is not */
	if (!is_wanted(BLOCK_FLUSH) && !is_wanted(op_of(flags)))
		return 0;
	begin_span(ctx, &flush, 0, 0);
	struct span *asked = span_find(&flush);

	if (asked && BPF_CORE_READ(bio, bi_iter.bi_size))
		bpf_map_update_elem(&spans, &data, asked, BPF_ANY);
	return 0;
}

/* Defines the program at a tracepoint, also for kernels that have the queue as first argument. */
#define PROGRAM(name, tracepoint, type)                                                            \
	SEC("raw_tp/" tracepoint)                                                                  \
	int on_##name(struct bpf_raw_tracepoint_args *ctx)                                         \
	{                                                                                          \
		return name(ctx, (type *)ctx->args[0]);                                            \
	}                                                                                          \
	SEC("raw_tp/" tracepoint)                                                                  \
	int old_##name(struct bpf_raw_tracepoint_args *ctx)                                        \
	{                                                                                          \
		return name(ctx, (type *)ctx->args[1]);                                            \
	}

PROGRAM(insert, "block_rq_insert", struct request___kernel)
PROGRAM(issue, "block_rq_issue", struct request___kernel)
PROGRAM(requeue, "block_rq_requeue", struct request___kernel)
PROGRAM(merge, "block_rq_merge", struct request___kernel)
PROGRAM(ask, "block_getrq", struct bio)

/* Returns the error of a row: ERROR is a negative errno, or a status (since 5.16). */
static __always_inline uint32_t error_of(int error)
{
	if (error > 0)
		return (error & 255) | BLOCK_STATUS;
	return error >= -BLOCK_ERROR_MAX ? -error : BLOCK_ERROR_MAX;
}

/* Adds the time of SPAN, which ends with ERROR, in the queue and in the device, and its bytes. */
static __always_inline void add_request(
	struct span *span, uint32_t error, uint64_t now, struct counters *count)
{
	uint64_t issued = request_issued(span, now), what = span->word[REQUEST_WHAT];

	span->row.event = ROW_SAMPLES;
	span->row.state = TOOL_VALUE(what >> 32);
	add_row(&span->row, 1, issued - span->since, count);
	span->row.state = TOOL_VALUE(what >> 32 | BLOCK_DEVICE | error << BLOCK_ERROR_SHIFT);
	add_row(&span->row, 1, now - issued, count);
	span->row.event = ROW_BYTES;
	add_row(&span->row, 1, (uint32_t)what, count);
}

SEC("raw_tp/block_rq_complete")
int on_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct request___kernel *request = (void *)ctx->args[0];
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = key_of(request, PART_REQUEST);
	struct span *span = span_of(request, &key);
	uint32_t bytes = ctx->args[2];
	uint64_t now = bpf_ktime_get_ns();

	if (!span || !count)
		return 0;
	span->word[REQUEST_WHAT] += bytes;
	if (bytes < BPF_CORE_READ(request, __data_len))
		return 0;
	if (now <= control.until && now >= span->since &&
		request_counts(&settings, now - span->since))
		add_request(span, error_of(ctx->args[1]), now, count);
	span_drop(&key);
	return 0;
}
