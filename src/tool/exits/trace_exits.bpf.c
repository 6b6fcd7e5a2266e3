// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts how often LuaJIT's traces are left, and by which exit, with a uprobe on
 * lj_vm_exit_handler. Each exit stub pushes the low and then the high byte of its number and jumps
 * there.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf_helpers.h>

#include "trace_exits.h"
#include "runtime/lua/luajit_heads.h"

enum { REF_BASE = 0x8000, INSTRUCTION = 8 }; /* of a trace's intermediate code */

const volatile struct exits_settings settings;
/* the monotonic time in ns at which counting stops */
uint64_t until SEC(".data") = UINT64_MAX;
uint64_t lost; /* exits that could not be read or did not fit in the map */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, EXITS_MAX);
	__type(key, struct exit_key);
	__type(value, struct exit_value);
} exits SEC(".maps");

/*
 * The order is relaxed because clang 23 emits an instruction that needs Linux 5.12 for other
 * orders.
 */
static __always_inline void add_one(uint64_t *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static __always_inline bool read_user(void *to, uint32_t size, uint64_t address)
{
	return !bpf_probe_read_user(to, size, (const void *)address);
}

/* Returns the address of a trace's GCtrace, or 0 if it cannot be read. */
static __always_inline uint64_t trace_of(const struct exit_key *key)
{
	uint64_t list, trace;

	if (!settings.traces || !read_user(&list, sizeof(list), key->global + settings.traces) ||
		!read_user(&trace, sizeof(trace), list + key->trace * sizeof(trace)))
		return 0;
	return trace;
}

static __always_inline void describe(struct exit_value *value, uint64_t address)
{
	struct luajit_trace_head trace;
	uint16_t parent[2];

	if (!address || !read_user(&trace, sizeof(trace), address))
		return;
	value->proto = trace.proto;
	value->link = trace.link;
	value->link_type = trace.link_type;
	value->is_side = trace.root != 0;
	/*
	 * the first instruction of a side trace holds the numbers of its parent and of the parent's
	 * exit
	 */
	if (value->is_side &&
		read_user(parent, sizeof(parent), trace.ir + (uint64_t)REF_BASE * INSTRUCTION)) {
		value->parent = parent[0];
		value->parent_exit = parent[1];
	}
}

static __always_inline void count_new(const struct exit_key *key, uint64_t trace)
{
	struct exit_value value = {0}, *other;

	describe(&value, trace);
	value.count = 1;
	if (!bpf_map_update_elem(&exits, key, &value, BPF_NOEXIST))
		return;
	other = bpf_map_lookup_elem(&exits, key);
	add_one(other ? &other->count : &lost);
}

SEC("uprobe")
int on_trace_exit(struct pt_regs *regs)
{
	struct exit_key key = {.global = regs->r14 + settings.vmstate - settings.vmstate_at};
	struct exit_value *value;
	uint64_t pushed[2], trace;

	if (bpf_ktime_get_ns() > until)
		return 0;
	if (!read_user(pushed, sizeof(pushed), regs->rsp) ||
		!read_user(&key.trace, sizeof(key.trace), regs->r14 + settings.vmstate)) {
		add_one(&lost);
		return 0;
	}
	key.exit = (pushed[0] & 0xff) << 8 | (pushed[1] & 0xff);
	trace = trace_of(&key);
	if (trace)
		read_user(&key.pc, sizeof(key.pc),
			trace + __builtin_offsetof(struct luajit_trace_head, pc));
	value = bpf_map_lookup_elem(&exits, &key);
	if (value)
		add_one(&value->count);
	else
		count_new(&key, trace);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
