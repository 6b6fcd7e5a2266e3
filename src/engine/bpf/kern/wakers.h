/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has woken a thread: the stacks of the waker, of the thread that had woken that one, and so
 * on. */
#ifndef ENGINE_BPF_KERN_WAKERS_H
#define ENGINE_BPF_KERN_WAKERS_H

#include "interrupt.h"
#include "span.h"

/* Takes the stacks of the current thread, which wakes another one. Returns the number of its node.
 */
static __always_inline uint64_t take_waker(
	struct bpf_raw_tracepoint_args *ctx, struct scratch *s, struct counters *count)
{
	bool is_new;

	take_task(s, my_ids());
	if (!take_stacks(ctx, s, false, count))
		return 0;
	/* the kernel stack tells */
	if (!settings.kernel && is_interrupted(ctx))
		s->row.kernel = kernel_stack(ctx, s);
	__builtin_memset(s->key.frame, 0, sizeof(s->key.frame));
	s->key.parent = NODE_ROOT | NODE_WAKER;
	s->key.frame[WAKER_USER] = s->row.user;
	s->key.frame[WAKER_KERNEL] = s->row.kernel;
	s->key.frame[WAKER_VM] = s->row.vm;
	__builtin_memcpy(&s->key.frame[WAKER_COMM], s->row.comm, COMM_LEN);
	return node_number(s, LANE_EVENT, &is_new);
}

/*
 * Sets the wakers of WAIT to the node WAKER and up to DEPTH - 1 nodes of the waker's own wakers,
 * which are in OWN unless that is NULL.
 */
static __always_inline void set_wakers(
	struct span *wait, uint64_t waker, const struct span *own, uint32_t depth)
{
	wait->wakers[0] = waker;
	for (uint32_t i = 1; i < WAKERS_MAX; i++)
		wait->wakers[i] = own && i < depth ? own->wakers[i - 1] : 0;
}

/* Returns the number that stands for the wakers of WAIT, or 0 if there are none. */
static __always_inline uint64_t wakers_number(const struct span *wait, struct scratch *s)
{
	bool is_new;

	if (!wait->wakers[1])
		return wait->wakers[0];
	__builtin_memset(s->key.frame, 0, sizeof(s->key.frame));
	s->key.parent = NODE_ROOT | NODE_WAKERS;
	__builtin_memcpy(s->key.frame, wait->wakers, sizeof(wait->wakers));
	return node_number(s, LANE_EVENT, &is_new);
}

#endif
