// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vfs: takes stacks when threads begin system calls that read and write files, and adds the bytes
 * and the time when the calls return. With io_uring, a thread submits a request, and the bytes and
 * the time are added when the request is complete.
 */
#include "vfs.h"

#define SPANS_MAX VFS_IO_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* threads may end in a call */
#include "arch/x86_64/syscall_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/file_names.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_cqe {
	int32_t res;
};

/* A request of io_uring. The file is known when the request is complete. */
struct io_kiocb {
	struct file___kernel *file;
	uint8_t opcode;
	struct io_cqe cqe;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VFS_CALLS);
	/* number of a system call, plus VFS_NUMBERS in 32-bit code; or VFS_URING plus an operation
	 */
	__type(key, uint32_t);
	__type(value, struct vfs_call);
} vfs_calls SEC(".maps");

static __always_inline struct span_key io_key(void)
{
	return (struct span_key){.id = (uint32_t)bpf_get_current_pid_tgid()};
}

/* Returns the number of the file whose descriptor is the ARGUMENT of the call NUMBER, or 0. */
static __always_inline uint32_t file_of_argument(
	const struct scratch *s, int8_t argument, uint32_t number)
{
	return argument < 0
		       ? 0
		       : file_number(syscall_argument(&s->regs, argument, number >= VFS_NUMBERS));
}

/*
 * Takes the stacks of the current thread and begins what it does under KEY. REGS are the registers
 * of its system call, in which the files are, or NULL if the files are not known yet.
 */
static __always_inline void begin_io(void *ctx, const struct span_key *key, uint32_t number,
	const struct vfs_call *call, const void *regs)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = my_ids();

	if (!count || !s || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until)
		return;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return;
	}
	take_task(s, ids);
	if (regs)
		bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs);
	count->hits++;
	if (take_stacks(ctx, s, regs != NULL, count)) {
		s->span.word[SPAN_IO_CALL] = number;
		s->span.word[SPAN_IO_FROM] = regs ? file_of_argument(s, call->from, number) : 0;
		s->span.word[SPAN_IO_TO] = regs ? file_of_argument(s, call->to, number) : 0;
		span_begin(s, key, bpf_ktime_get_ns(), count);
	}
	release_scratch(s);
}

/* Returns the number of a call in vfs_calls, or a number that is too large. */
static __always_inline uint32_t number_of_call(struct task_struct *task, uint64_t number)
{
	bool is_compat = BPF_CORE_READ(task, thread_info.status) & STATUS_COMPAT;

	if (number >= VFS_NUMBERS)
		return UINT32_MAX;
	return number + (is_compat ? VFS_NUMBERS : 0);
}

SEC("raw_tp/sys_enter")
int on_io(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t number = number_of_call(current_task(), ctx->args[1]);
	const struct vfs_call *call = bpf_map_lookup_elem(&vfs_calls, &number);
	struct span_key key = io_key();

	if (call && call->is_recorded)
		begin_io(ctx, &key, number, call, (const void *)ctx->args[0]);
	return 0;
}

static __always_inline uint32_t error_of(int64_t result)
{
	return result >= 0 || result < -4095 ? 0 : -result < IO_ERROR_MAX ? -result : IO_ERROR_MAX;
}

/* Adds what the call of SPAN did with a file: the bytes, and the time unless NS is 0. */
static __always_inline void add_io(
	struct span *span, uint32_t value, int64_t bytes, uint64_t ns, struct counters *count)
{
	span->row.state = TOOL_VALUE(value);
	span->row.event = ROW_SAMPLES;
	add_row(&span->row, 1, bytes > 0 ? bytes : 0, count);
	if (!ns)
		return;
	span->row.event = ROW_TIME;
	add_time(&span->row, span->since, span->since + ns, count);
}

/* Returns the number of the file that a call has opened, or whose path it was given in vain. */
static __always_inline uint32_t opened_file(const struct vfs_call *call,
	const struct pt_regs___kernel *regs, int64_t result, bool is_compat)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	uint32_t number;

	if (!s || !claim_scratch(s)) /* the memory for names is claimed with it */
		return 0;
	if (result >= 0)
		number = file_number(result);
	else
		number = call->path < 0 || bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs)
				 ? 0
				 : path_number(syscall_argument(&s->regs, call->path, is_compat));
	release_scratch(s);
	return number;
}

/*
 * Ends the call or request of SPAN, whose result is RESULT after NS. REGS are the registers at a
 * call's return.
 */
static __noinline int end_io(
	struct span *span, const struct pt_regs___kernel *regs, int64_t result, uint64_t ns)
{
	struct counters *count = my_counters(LANE_EVENT);
	uint32_t number = span ? span->word[SPAN_IO_CALL] : VFS_CALLS;
	const struct vfs_call *call = bpf_map_lookup_elem(&vfs_calls, &number);

	if (!span || !call || !count)
		return 0;
	uint32_t value = call->index | error_of(result) << IO_ERROR_SHIFT;
	uint32_t from = span->word[SPAN_IO_FROM], to = span->word[SPAN_IO_TO];
	bool moves = call->op == VFS_READ || call->op == VFS_WRITE;

	if (call->op == VFS_OPEN)
		from = opened_file(call, regs, result, number >= VFS_NUMBERS);
	if (call->from >= 0 || call->to < 0)
		add_io(span, value | from << IO_FILE_SHIFT, moves ? result : 0, ns, count);
	if (call->to >= 0)
		add_io(span, value | IO_TO | to << IO_FILE_SHIFT, moves ? result : 0,
			call->from >= 0 ? 0 : ns, count);
	return 0;
}

SEC("raw_tp/sys_exit")
int on_io_return(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t now = bpf_ktime_get_ns();
	struct span_key key = io_key();
	struct span *span = span_find(&key);

	if (!span)
		return 0;
	if (now <= control.until && span->row.start == my_start() &&
		within_bounds(&settings, VFS_OPTION_MIN, VFS_OPTION_MAX, elapsed(span->since, now)))
		end_io(span, (const void *)ctx->args[0], ctx->args[1], elapsed(span->since, now));
	span_drop(&key);
	return 0;
}

static __always_inline struct span_key request_key(const struct io_kiocb *request)
{
	return (struct span_key){.id = (uint64_t)request};
}

static __always_inline int submit(void *ctx, const struct io_kiocb *request)
{
	uint32_t number = VFS_URING + BPF_CORE_READ(request, opcode);
	const struct vfs_call *call = bpf_map_lookup_elem(&vfs_calls, &number);
	struct span_key key = request_key(request);

	if (call && call->is_recorded)
		begin_io(ctx, &key, number, call, NULL);
	return 0;
}

SEC("raw_tp/io_uring_submit_req")
int on_submit(struct bpf_raw_tracepoint_args *ctx)
{
	return submit(ctx, (const void *)ctx->args[0]);
}

/* The name before 6.3. */
SEC("raw_tp/io_uring_submit_sqe")
int old_submit(struct bpf_raw_tracepoint_args *ctx)
{
	return submit(ctx, (const void *)ctx->args[0]);
}

/* Sets the file of SPAN, which is REQUEST's. */
static __always_inline void set_file(struct span *span, const struct io_kiocb *request)
{
	struct file___kernel *file = BPF_CORE_READ(request, file);
	struct scratch *s = my_scratch(LANE_EVENT);

	if (!file || !s || !claim_scratch(s)) /* the memory for names is claimed with it */
		return;
	span->word[SPAN_IO_FROM] = span->word[SPAN_IO_TO] = number_of(file);
	release_scratch(s);
}

SEC("raw_tp/io_uring_complete")
int on_complete(struct bpf_raw_tracepoint_args *ctx)
{
	const struct io_kiocb *request = (const void *)ctx->args[1];
	struct span_key key = request_key(request);
	uint64_t now = bpf_ktime_get_ns();
	struct span *span = request ? span_find(&key) : NULL;

	if (!span)
		return 0;
	if (now <= control.until && within_bounds(&settings, VFS_OPTION_MIN, VFS_OPTION_MAX,
					    elapsed(span->since, now))) {
		set_file(span, request);
		end_io(span, NULL, BPF_CORE_READ(request, cqe.res), elapsed(span->since, now));
	}
	span_drop(&key);
	return 0;
}
