// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alloc: takes stacks at the calls of functions that allocate memory. The programs run at the start
 * of these functions, one program for each list of arguments, and take samples by bytes.
 *
 * leaks: keeps the stacks until the blocks are freed. Its programs also run where these functions
 * return, as only then the address is known.
 */
#include "alloc.h"

#include "alloc_sampling.h"
#include "arch/x86_64/arguments.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/executed.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"
#include "tool/at/at_place_bpf.h"

#define SIZE_LIMIT (1ULL << 47) /* no process can have so much memory: the call fails */

/* By the thread's number in the initial namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ALLOC_CALLS_MAX);
	__type(key, uint32_t);
	__type(value, struct alloc_call);
} alloc_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct alloc_counts);
} alloc_counts SEC(".maps");

/* By the cookie of a mark's place. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ALLOC_MARKS_MAX);
	__type(key, uint32_t);
	__type(value, struct alloc_mark);
} alloc_marks SEC(".maps");

/* The arguments of a function, or of a mark, at which the block exists. */
struct request {
	uint64_t size;
	uint64_t moved; /* as in struct alloc_call, as the next one */
	uint64_t pointer_at;
	uint64_t block, weight; /* of a mark: the address, and the bytes that it stands for */
	bool is_outer;          /* it may call another function that allocates */
	bool is_mark;
};

/* The call that is taken as a sample. It is used with the scratch memory. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct request);
} alloc_taken SEC(".maps");

int on_taken(struct pt_regs *regs);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__array(values, int(struct pt_regs *));
} alloc_tail SEC(".maps") = {.values = {&on_taken}};

static __always_inline struct request *my_taken(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&alloc_taken, &zero);
}

static __always_inline struct alloc_counts *my_alloc_counts(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&alloc_counts, &zero);
}

static __always_inline void add_to(uint64_t *sum, uint64_t number)
{
	__atomic_fetch_add(sum, number, __ATOMIC_RELAXED);
}

static __always_inline uint32_t my_thread(void)
{
	return (uint32_t)bpf_get_current_pid_tgid();
}

static __always_inline bool keeps_blocks(void)
{
	return settings.option[LEAKS_OPTION_BLOCKS];
}

static __always_inline struct span_key block_key(uint64_t address, enum block_part part)
{
	return (struct span_key){address, my_ids().tgid, part};
}

/* Moves the span of FROM to TO. Returns false if there is none. */
static __noinline bool move_block(const struct span_key *from, const struct span_key *to)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct span *span = span_find(from);

	if (!span || !count)
		return false;
	if (bpf_map_update_elem(&spans, to, span, BPF_ANY))
		count->spans_full++;
	span_drop(from);
	return true;
}

/* Returns whether the recording goes on. */
static __always_inline bool is_on(void)
{
	return bpf_ktime_get_ns() <= control.until;
}

/* Counts a call for SIZE bytes. Returns whether it is taken as a sample. */
static __noinline bool is_sampled(uint64_t size)
{
	uint64_t every = settings.option[ALLOC_OPTION_EVERY], length = sample_length(size);
	struct alloc_counts *c = my_alloc_counts();

	if (!c || !is_on())
		return false;
	add_to(&c->calls, 1);
	add_to(&c->bytes, size);
	if (every > 1 && c->left > length) {
		c->left -= length;
		return false;
	}
	c->left = every; /* until take_sample() draws it */
	return true;
}

/* Adds the row in the scratch memory with the weight of a block, or begins its span under KEY. */
static __always_inline void record_block(struct scratch *s, const struct span_key *key,
	uint64_t size, const struct sample_weight *weight, struct counters *count)
{
	if (!keeps_blocks()) {
		add_row(&s->row, weight->calls, weight->bytes, count);
		return;
	}
	s->span.word[BLOCK_BYTES] = weight->bytes;
	s->span.word[BLOCK_CALLS] = weight->calls;
	s->span.word[BLOCK_SIZE] = size;
	span_begin(s, key, bpf_ktime_get_ns(), count);
}

/* Sets WEIGHT for the call R, and draws the next sample of this processor. */
static __noinline int weigh(
	struct alloc_counts *c, const struct request *r, struct sample_weight *weight)
{
	uint64_t random = (uint64_t)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();
	uint64_t every = settings.option[ALLOC_OPTION_EVERY];

	if (!c || !r || !weight)
		return 0;
	if (r->is_mark) {
		sample_take_weight(weight, r->size, r->weight, every, random);
		return 0;
	}
	c->left = sample_distance(every, bpf_get_prandom_u32()) + 1;
	sample_weigh(weight, r->size, every, random);
	return 0;
}

/*
 * Records the call R of the current thread, whose registers are in the scratch memory. Returns 0 if
 * there is no room.
 */
static __noinline int take_sample(const struct request *r)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct alloc_counts *c = my_alloc_counts();
	struct span_key key =
		r->is_mark ? block_key(r->block, BLOCK_HELD) : block_key(my_thread(), BLOCK_BEGUN);
	struct sample_weight weight;

	if (!s || !count || !c)
		return 0;
	count->hits++;
	weigh(c, r, &weight);
	take_task(s, my_ids());
	if (!take_stacks(NULL, s, true, count))
		return 0;
	add_to(&c->taken, 1);
	add_to(&c->bytes_error, weight.bytes_error);
	record_block(s, &key, r->size, &weight, count);
	return 1;
}

/* Returns whether the current thread is inside of another function that allocates. */
static __always_inline bool is_inner(uint64_t sp)
{
	uint32_t thread = my_thread();
	const struct alloc_call *call = bpf_map_lookup_elem(&alloc_calls, &thread);

	if (!call)
		return false;
	if (call->start == my_start() && sp <= call->sp)
		return true;
	bpf_map_delete_elem(&alloc_calls, &thread); /* it was left by a jump */
	return false;
}

/* Remembers the call until it returns. */
static __noinline int begin_call(const struct request *r, uint64_t sp, bool is_taken)
{
	struct span_key held = block_key(r->moved, BLOCK_HELD);
	struct span_key moved = block_key(my_thread(), BLOCK_MOVED);
	struct alloc_counts *c = my_alloc_counts();
	bool has_moved = keeps_blocks() && r->moved && is_on() && move_block(&held, &moved);
	uint32_t thread = my_thread();
	struct alloc_call call = {.start = my_start(),
		.sp = sp,
		.pointer_at = r->pointer_at,
		.size = r->size,
		.moved = r->moved,
		.is_taken = is_taken,
		.has_moved = has_moved};

	if ((r->is_outer || is_taken || has_moved) &&
		bpf_map_update_elem(&alloc_calls, &thread, &call, BPF_ANY) && c)
		add_to(&c->calls_full, 1);
	return 0;
}

/*
 * Goes on with the program that takes samples, which the verifier so checks only once, and does not
 * return. Returns if the call cannot be recorded.
 */
static __always_inline void take_call(struct pt_regs *regs, const struct request *r)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct request *taken = my_taken();

	if (!s || !count || !taken)
		return;
	if (claim_scratch(s)) {
		*taken = *r;
		regs_take(&s->regs, regs);
		bpf_tail_call(regs, &alloc_tail, 0);
		release_scratch(s);
	}
	count->spans_lost++;
}

static __always_inline int begin_alloc(struct pt_regs *regs, struct request r)
{
	if (!is_target(current_task(), my_ids()) || r.size >= SIZE_LIMIT ||
		is_inner(PT_REGS_SP(regs)))
		return 0;
	bool is_freed = r.moved && !r.size; /* realloc(P, 0) */

	if (!is_freed && is_sampled(r.size))
		take_call(regs, &r);
	if (r.is_outer)
		begin_call(&r, PT_REGS_SP(regs), false);
	return 0;
}

/* Takes a sample for take_call(). */
SEC("uprobe")
int on_taken(struct pt_regs *regs)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	const struct request *taken = my_taken();

	if (!s || !taken)
		return 0;
	struct request r = *taken;
	bool is_taken = take_sample(&r);

	release_scratch(s);
	if (r.is_outer || (is_taken && keeps_blocks() && !r.is_mark))
		begin_call(&r, PT_REGS_SP(regs), is_taken);
	return 0;
}

/* malloc(SIZE), and functions with more arguments behind it, which call no other such function */
SEC("uprobe")
int on_malloc(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = PT_REGS_PARM1(regs)});
}

/* the same for those that may call another one: valloc(SIZE) */
SEC("uprobe")
int on_valloc(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = PT_REGS_PARM1(regs), .is_outer = true});
}

static __always_inline uint64_t product(uint64_t a, uint64_t b)
{
	return a >= SIZE_LIMIT || b >= SIZE_LIMIT || (a && b && a > SIZE_LIMIT / b) ? SIZE_LIMIT
										    : a * b;
}

/* calloc(NUMBER, SIZE) */
SEC("uprobe")
int on_calloc(struct pt_regs *regs)
{
	return begin_alloc(
		regs, (struct request){.size = product(PT_REGS_PARM1(regs), PT_REGS_PARM2(regs))});
}

/* the same if it may call another function */
SEC("uprobe")
int on_outer_calloc(struct pt_regs *regs)
{
	return begin_alloc(
		regs, (struct request){.size = product(PT_REGS_PARM1(regs), PT_REGS_PARM2(regs)),
			      .is_outer = true});
}

/* realloc(POINTER, SIZE) */
SEC("uprobe")
int on_realloc(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = PT_REGS_PARM2(regs),
					 .moved = PT_REGS_PARM1(regs),
					 .is_outer = true});
}

/* reallocarray(POINTER, NUMBER, SIZE) */
SEC("uprobe")
int on_reallocarray(struct pt_regs *regs)
{
	return begin_alloc(
		regs, (struct request){.size = product(PT_REGS_PARM2(regs), PT_REGS_PARM3(regs)),
			      .moved = PT_REGS_PARM1(regs),
			      .is_outer = true});
}

/* memalign(ALIGNMENT, SIZE) */
SEC("uprobe")
int on_memalign(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = PT_REGS_PARM2(regs), .is_outer = true});
}

/* posix_memalign(POINTER_AT, ALIGNMENT, SIZE) */
SEC("uprobe")
int on_posix_memalign(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = PT_REGS_PARM3(regs),
					 .pointer_at = PT_REGS_PARM1(regs),
					 .is_outer = true});
}

/*
 * Returns the argument that is the size of a function of the program's own. The registers are read
 * one by one, as the verifier knows only constant offsets.
 */
static __always_inline uint64_t own_size(const struct pt_regs *regs)
{
	const uint64_t arguments[] = {PT_REGS_PARM1(regs), PT_REGS_PARM2(regs), PT_REGS_PARM3(regs),
		PT_REGS_PARM4(regs), PT_REGS_PARM5(regs), regs->r9};
	uint64_t size = arguments[0];

	for (uint32_t i = 1; i < REGISTER_ARGUMENTS; i++) {
		uint64_t argument = arguments[i];

		barrier_var(argument);
		if (settings.option[ALLOC_OPTION_SIZE] == i + 1)
			size = argument;
	}
	return size;
}

/* A function of the program's own */
SEC("uprobe")
int on_own(struct pt_regs *regs)
{
	return begin_alloc(regs, (struct request){.size = own_size(regs), .is_outer = true});
}

/* Returns the address of the block that a call has allocated, or 0. */
static __always_inline uint64_t block_of(const struct alloc_call *call, uint64_t result)
{
	uint64_t block = 0;

	if (!call->pointer_at)
		return result;
	if (!(uint32_t)result)
		bpf_probe_read_user(&block, sizeof(block), (const void *)call->pointer_at);
	return block;
}

/* Ends the CALL of the current thread, which has allocated BLOCK, or 0 if it failed. */
static __noinline int end_call(const struct alloc_call *call, uint64_t block)
{
	struct span_key held = block_key(block, BLOCK_HELD);
	struct span_key begun = block_key(my_thread(), BLOCK_BEGUN);
	struct span_key moved = block_key(my_thread(), BLOCK_MOVED);

	if (call->has_moved && !block && call->size) {
		struct span_key back = block_key(call->moved, BLOCK_HELD);

		move_block(&moved, &back);
	} else if (call->has_moved) {
		span_drop(&moved);
	}
	if (call->is_taken && block)
		move_block(&begun, &held);
	else if (call->is_taken)
		span_drop(&begun);
	return 0;
}

/* Runs where a function has returned: the return address has been popped. */
SEC("uprobe")
int on_returned(struct pt_regs *regs)
{
	uint32_t thread = my_thread();
	const struct alloc_call *call = bpf_map_lookup_elem(&alloc_calls, &thread);

	if (!call || call->start != my_start() ||
		call->sp != PT_REGS_SP(regs) - RETURN_ADDRESS_SIZE)
		return 0;
	if (keeps_blocks())
		end_call(call, block_of(call, PT_REGS_RC(regs)));
	bpf_map_delete_elem(&alloc_calls, &thread);
	return 0;
}

/* free(POINTER). What is freed after the end of the recording was held at its end. */
SEC("uprobe")
int on_freed(struct pt_regs *regs)
{
	struct span_key key = block_key(PT_REGS_PARM1(regs), BLOCK_HELD);

	if (key.id && is_on())
		span_drop(&key);
	return 0;
}

/* Returns where the arguments of the mark are, or NULL. Before Linux 5.15 there are no cookies. */
static __always_inline const struct alloc_mark *my_mark(void *ctx)
{
	uint32_t number = 0;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie))
		number = bpf_get_attach_cookie(ctx);
	return bpf_map_lookup_elem(&alloc_marks, &number);
}

/* Reads argument NUMBER of the mark. Returns 0 if it cannot be read, which is counted. */
static __noinline int read_argument(
	const void *ctx, const struct alloc_mark *mark, uint32_t number, uint64_t *value)
{
	struct alloc_counts *c = my_alloc_counts();

	if (!mark || !value || number >= ALLOC_NUMBERS || !c)
		return 0;
	if (at_read_place(ctx, &mark->number[number], (int64_t *)value))
		return 1;
	add_to(&c->unread, 1);
	return 0;
}

/* The mark otel_memory:alloc(POINTER, SIZE, WEIGHT) */
SEC("uprobe")
int on_mark(struct pt_regs *regs)
{
	const struct alloc_mark *mark = my_mark(regs);
	struct request r = {.is_mark = true};

	if (mark && is_target(current_task(), my_ids()) && is_on() &&
		read_argument(regs, mark, 0, &r.block) && read_argument(regs, mark, 1, &r.size) &&
		read_argument(regs, mark, 2, &r.weight))
		take_call(regs, &r);
	return 0;
}

/* The mark otel_memory:free(POINTER) */
SEC("uprobe")
int on_mark_freed(struct pt_regs *regs)
{
	const struct alloc_mark *mark = my_mark(regs);
	uint64_t block = 0;

	if (mark && is_on() && read_argument(regs, mark, 0, &block)) {
		struct span_key key = block_key(block, BLOCK_HELD);

		span_drop(&key);
	}
	return 0;
}

/* A thread may end inside of a function. */
SEC("raw_tp/sched_process_exit")
int on_alloc_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct span_key begun = block_key(my_thread(), BLOCK_BEGUN);
	struct span_key moved = block_key(my_thread(), BLOCK_MOVED);
	uint32_t thread = my_thread();

	(void)ctx;
	if (bpf_map_delete_elem(&alloc_calls, &thread) || !keeps_blocks())
		return 0;
	span_drop(&begun);
	span_drop(&moved);
	return 0;
}
