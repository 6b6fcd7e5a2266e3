// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp: takes stacks when threads connect, accept, send and receive. What is sent again has no
 * thread; it counts for the thread that has made the socket.
 */
#include "tcp.h"

#define SPANS_MAX SOCKETS_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* sockets stay open without being used */
#include "arch/x86_64/syscall_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"
#include "sockets_bpf.h"

/* The states of sockets, see net/tcp_states.h. */
enum { STATE_ESTABLISHED = 1, STATE_SYN_SENT, STATE_SYN_RECV, STATE_CLOSE = 7 };

enum { ERROR_CANCELED = 125 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TCP_NUMBERS);
	__type(key, uint32_t); /* number of a system call */
	__type(value, struct tcp_call);
} tcp_calls SEC(".maps");

/* When connections came that wait to be accepted. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SOCKETS_MAX);
	__type(key, uint64_t);   /* address of the socket */
	__type(value, uint64_t); /* CLOCK_MONOTONIC, ns */
} arrivals SEC(".maps");

/* The number of retransmits of sockets whose owners are not known. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} unowned SEC(".maps");

static __always_inline struct span_key key_of(const struct sock *sk, enum tcp_part part)
{
	return (struct span_key){.id = (uint64_t)sk, .part = part};
}

static __always_inline bool is_wanted(enum tcp_op op)
{
	return settings.option[TCP_OPTION_OP] >> op & 1;
}

static __always_inline bool port_is_wanted(struct sock *sk)
{
	uint64_t port = settings.option[TCP_OPTION_PORT];

	return !port || port == remote_port(sk) || port == local_port(sk);
}

static __always_inline uint32_t error_of(int64_t result)
{
	return result >= 0 || result < -4095 ? 0
	       : -result < TCP_ERROR_MAX     ? -result
					     : TCP_ERROR_MAX;
}

/* Returns the port of the server. If it is not known who connected, it is the smaller one. */
static __always_inline uint32_t server_port(
	struct sock *sk, enum tcp_op op, const struct span *owner)
{
	uint32_t remote = remote_port(sk), local = local_port(sk);

	if (owner)
		return owner->word[SPAN_PORT];
	if (op == TCP_CONNECT)
		return remote;
	return op == TCP_ACCEPT || local < remote ? local : remote;
}

/* Returns the value of a row. */
static __always_inline uint32_t value_of(
	struct sock *sk, enum tcp_op op, uint32_t error, uint32_t port)
{
	return op | error << TCP_ERROR_SHIFT | endpoints_number(sk, port) << TCP_ENDS_SHIFT;
}

/*
 * Takes the user stack of the current thread, whose registers in user mode may be in REGS. Threads
 * of the kernel have the kernel stack in its place.
 */
static __always_inline bool take_user_stacks(
	void *ctx, const void *regs, struct scratch *s, struct counters *count)
{
	bool in_user = regs ? !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs)
			    : look_at_user(LANE_EVENT) == USER_REGS;

	return take_stacks(ctx, s, in_user, count);
}

/*
 * Takes the task and the stacks of a thread that uses SK, into claimed memory. Returns NULL if the
 * thread is not recorded, or there is no room.
 */
static __always_inline struct scratch *take_use(
	void *ctx, const void *regs, struct sock *sk, struct counters *count)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = my_ids();

	if (!s || bpf_ktime_get_ns() > control.until || !is_target(current_task(), ids) ||
		!port_is_wanted(sk))
		return NULL;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return NULL;
	}
	take_task(s, ids);
	if (take_user_stacks(ctx, regs, s, count))
		return s;
	release_scratch(s);
	return NULL;
}

/* Adds OP of SK with BYTES, or an error, by the task of s->row. SINCE is when it began, or 0. */
static __always_inline void add_use(struct scratch *s, struct sock *sk, enum tcp_op op,
	int64_t result, uint64_t since, struct counters *count)
{
	struct span_key key = key_of(sk, PART_OWNER);
	const struct span *owner = span_find(&key);
	uint64_t now = bpf_ktime_get_ns();
	uint32_t port = server_port(sk, op, owner);

	if (!owner) {
		s->span.word[SPAN_PORT] = port;
		span_begin(s, &key, now, count);
	}
	if (!is_wanted(op))
		return;
	s->row.state = TOOL_VALUE(value_of(sk, op, error_of(result), port));
	add_row(&s->row, 1, result > 0 ? result : 0, count);
	if (!since)
		return;
	s->row.event = ROW_TIME;
	add_row(&s->row, 1, elapsed(since, now), count);
}

/*
 * The current thread has used SK. If only what is sent again is recorded, only the first use
 * matters, which makes the thread the owner.
 */
static __always_inline int use(
	void *ctx, const void *regs, struct sock *sk, uint32_t op, int64_t result)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = key_of(sk, PART_OWNER);
	uint64_t address = (uint64_t)sk;
	const uint64_t *since = op == TCP_ACCEPT ? bpf_map_lookup_elem(&arrivals, &address) : NULL;

	if (!count || !is_tcp(sk) ||
		(!is_wanted(op) && !(is_wanted(TCP_RETRANSMIT) && !span_find(&key))))
		return 0;
	struct scratch *s = take_use(ctx, regs, sk, count);

	if (!s)
		return 0;
	add_use(s, sk, op, op == TCP_ACCEPT ? 0 : result, since ? *since : 0, count);
	release_scratch(s);
	return 0;
}

/* Begins to connect SK. */
static __always_inline void begin_connect(void *ctx, struct sock *sk)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = key_of(sk, PART_CONNECT);
	struct scratch *s = count ? take_use(ctx, NULL, sk, count) : NULL;

	if (!s)
		return;
	s->span.word[SPAN_PORT] = remote_port(sk);
	span_begin(s, &key, bpf_ktime_get_ns(), count);
	release_scratch(s);
}

/* Ends to connect SK, which fails unless it gets the state ESTABLISHED. */
static __always_inline void end_connect(struct sock *sk, uint32_t state)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = key_of(sk, PART_CONNECT), owner = key_of(sk, PART_OWNER);
	struct span *span = span_find(&key);
	uint32_t error = state == STATE_ESTABLISHED ? 0 : BPF_CORE_READ(sk, sk_err);
	uint64_t now = bpf_ktime_get_ns();

	if (!span || !count)
		return;
	if (!error && state != STATE_ESTABLISHED)
		error = ERROR_CANCELED; /* the program closes it */
	if (is_wanted(TCP_CONNECT) && now <= control.until) {
		span->row.state = TOOL_VALUE(value_of(
			sk, TCP_CONNECT, error_of(-(int64_t)error), span->word[SPAN_PORT]));
		span->row.event = ROW_SAMPLES;
		add_row(&span->row, 1, 0, count);
		span->row.event = ROW_TIME;
		add_row(&span->row, 1, elapsed(span->since, now), count);
	}
	if (!error)
		bpf_map_update_elem(&spans, &owner, span, BPF_ANY);
	span_drop(&key);
}

SEC("raw_tp/inet_sock_set_state")
int on_state(struct bpf_raw_tracepoint_args *ctx)
{
	struct sock *sk = (void *)ctx->args[0];
	uint32_t before = ctx->args[1], state = ctx->args[2];
	struct span_key owner = key_of(sk, PART_OWNER);
	uint64_t address = (uint64_t)sk, now = bpf_ktime_get_ns();

	if (!is_tcp(sk))
		return 0;
	if (before == STATE_SYN_SENT)
		end_connect(sk, state);
	if (state == STATE_SYN_SENT)
		begin_connect(ctx, sk);
	if (before == STATE_SYN_RECV && state == STATE_ESTABLISHED && is_wanted(TCP_ACCEPT))
		bpf_map_update_elem(&arrivals, &address, &now, BPF_ANY);
	if (state == STATE_CLOSE) {
		bpf_map_delete_elem(&arrivals, &address);
		span_drop(&owner);
	}
	return 0;
}

SEC("raw_tp/tcp_retransmit_skb")
int on_retransmit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sock *sk = (void *)ctx->args[0];
	struct sk_buff *skb = (void *)ctx->args[1];
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key owner = key_of(sk, PART_OWNER), connect = key_of(sk, PART_CONNECT);
	const struct span *span = span_find(&owner);
	uint32_t zero = 0;
	uint64_t *nr_unowned = bpf_map_lookup_elem(&unowned, &zero);

	if (!count || !nr_unowned || bpf_ktime_get_ns() > control.until || !port_is_wanted(sk))
		return 0;
	if (!span)
		span = span_find(&connect);
	if (!span) {
		__atomic_fetch_add(nr_unowned, 1, __ATOMIC_RELAXED);
		return 0;
	}
	struct row_key row = span->row; /* which another processor may add to */

	row.event = ROW_SAMPLES;
	row.state = TOOL_VALUE(value_of(sk, TCP_RETRANSMIT, 0, span->word[SPAN_PORT]));
	add_row(&row, 1, BPF_CORE_READ(skb, len), count);
	return 0;
}

SEC("raw_tp/sock_send_length")
int on_send(struct bpf_raw_tracepoint_args *ctx)
{
	use(ctx, NULL, (void *)ctx->args[0], TCP_SEND, (int)ctx->args[1]);
	return 0;
}

SEC("raw_tp/sock_recv_length")
int on_receive(struct bpf_raw_tracepoint_args *ctx)
{
	use(ctx, NULL, (void *)ctx->args[0], TCP_RECEIVE, (int)ctx->args[1]);
	return 0;
}

/* Records accepted sockets and, on kernels before 6.3, the calls that send and receive. */
SEC("raw_tp/sys_exit")
int on_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct pt_regs___kernel *regs = (void *)ctx->args[0];
	int64_t result = ctx->args[1];
	struct task_struct *task = current_task();
	uint32_t number = syscall_number(regs);
	const struct tcp_call *call = bpf_map_lookup_elem(&tcp_calls, &number);

	if (!call || !call->is_recorded ||
		BPF_CORE_READ(task, thread_info.status) & STATUS_COMPAT ||
		(call->op == TCP_ACCEPT && result < 0))
		return 0;
	uint64_t fd = call->op == TCP_ACCEPT ? (uint64_t)result : syscall_first(regs);
	struct sock *sk = socket_at(fd);

	if (sk)
		use(ctx, regs, sk, call->op, result);
	return 0;
}
