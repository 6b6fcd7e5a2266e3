// SPDX-License-Identifier: GPL-2.0-or-later
/* pools: stacks at which nginx creates pools of memory, until it destroys them. */
#define EQUAL_SAMPLES false
#include "core.h"
#include "ends.h"
#include "processes.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, POOLS_MAX);
	__type(key, struct pool_key);
	__type(value, struct created_pool);
} pools SEC(".maps");

/*
 * Remembers the pool at KEY with the stack of the current task. The memory may have been that of a
 * pool whose end was missed.
 */
static __always_inline void remember(
	void *ctx, struct scratch *s, const struct pool_key *key, struct counters *count)
{
	if (!take_stacks(ctx, s, true, count))
		return;
	s->pool.key = s->row;
	s->pool.since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&pools, key, &s->pool, BPF_ANY))
		count->pools_full++;
}

/* In ngx_create_pool(), where rax is what it will return. */
SEC("uprobe")
int on_pool_created(struct pt_regs *regs)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = my_ids();
	struct pool_key key = {regs->rax, ids.tgid, 0};

	if (!count || !s || !key.address || !is_target(current_task(), ids) ||
		bpf_ktime_get_ns() > control.until)
		return 0;
	if (!claim_scratch(s)) {
		count->pools_lost++;
		return 0;
	}
	count->hits++;
	take_task(s, ids);
	take_event_regs(regs, s);
	remember(regs, s, &key, count);
	release_scratch(s);
	return 0;
}

/* In ngx_destroy_pool(); after the end, too, until the pools have been read. */
SEC("uprobe")
int on_pool_destroyed(struct pt_regs *regs)
{
	struct pool_key key = {regs->rdi, my_ids().tgid, 0};

	bpf_map_delete_elem(&pools, &key);
	return 0;
}
