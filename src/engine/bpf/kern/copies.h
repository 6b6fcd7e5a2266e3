/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies registers and stack, to be unwound in user space if that is not possible here, and keeps
 * the backlog of ticks without a copy.
 */
#ifndef ENGINE_BPF_KERN_COPIES_H
#define ENGINE_BPF_KERN_COPIES_H

#include "return_probes.h"

/*
 * Copies page INDEX of the stack. Returns 0 if it was the last one. A page below the stack's end
 * that cannot be read was never written to; it is left out because no rule refers to it.
 */
__noinline int copy_page(uint32_t lane, uint32_t index)
{
	struct scratch *s = my_scratch(lane);
	struct ring_page *page;
	uint64_t word;

	if (!s || s->copying.to >= s->copying.end)
		return 0;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)s->copying.to)) {
		s->copying.to += COPY_PAGE;
		return s->copying.end_is_known;
	}
	page = bpf_ringbuf_reserve(&ring, sizeof(*page), 0);
	if (!page) {
		s->copying.ring_full = true;
		return 0;
	}
	page->type = RING_PAGE;
	page->copy = s->copy.copy;
	page->index = index;
	if (bpf_probe_read_user(page->bytes, COPY_PAGE, (void *)s->copying.to)) {
		bpf_ringbuf_discard(page, 0);
		return 0;
	}
	bpf_ringbuf_submit(page, 0);
	s->copying.to += COPY_PAGE;
	s->copy.nr_pages = index + 1;
	return 1;
}

/* Starts a walk from s->regs in the scratch of LANE. */
static __always_inline void take_regs(struct scratch *s, uint32_t lane)
{
	regs_number(s->walk.reg, &s->regs);
	s->walk.known = (1 << NR_REGS) - 1;
	s->walk.base_at = 0;
	s->walk.call = false;
	s->walk.nr = 0;
	s->walk.from = 0;
	s->walk.home = 0;
	s->walk.end = WALK_ON;
	s->walk.map.start = s->walk.map.end = 0;
	s->walk.vm = (struct walk_vm){0};
	s->lane = lane;
	s->window_at = 0;
	s->checked_at = 0;
	take_probes(lane);
}

/* Returns a new number for a stack that user space unwinds. */
static __always_inline uint64_t copy_number(uint32_t lane, struct counters *count)
{
	return STACK_COPY | new_number(lane, count->copies++);
}

/* Fills the head of copy NUMBER, a copy of TASK's stack, from s->regs. */
static __always_inline void begin_copy(struct scratch *s, uint32_t lane, struct task_struct *task,
	uint64_t number, uint32_t tgid, uint64_t exec_pages)
{
	take_regs(s, lane);
	s->copy.type = RING_COPY;
	s->copy.copy = number;
	s->copy.tgid = tgid;
	s->copy.nr_pages = 0;
	s->copy.remote = false;
	s->copy.time = bpf_ktime_get_ns();
	s->copy.exec_pages = exec_pages;
	describe_copy(s, task);
	__builtin_memcpy(s->copy.reg, s->walk.reg, sizeof(s->copy.reg));
}

/*
 * Finds the end of the stack that contains SP, if it is known. The main thread's stack ends at
 * mm->start_stack; other threads usually have their thread control block at the end (glibc, musl).
 * A control block elsewhere is not in a stack, so nothing is cut off.
 */
static __always_inline void find_stack_end(struct scratch *s, uint64_t sp)
{
	struct task_struct *task = current_task();
	uint64_t limit = sp + (uint64_t)COPY_PAGES * COPY_PAGE;
	uint64_t first = BPF_CORE_READ(task, mm, start_stack),
		 block = BPF_CORE_READ(task, THREAD_POINTER);

	s->copying.end = limit;
	if (first > sp && first < s->copying.end)
		s->copying.end = first;
	if (block > sp && block < s->copying.end)
		s->copying.end = block;
	s->copying.end_is_known = s->copying.end < limit;
}

/*
 * Returns whether the process may send another copy. A process with many samples before its tables
 * are ready must not fill the ring buffer.
 */
static __always_inline bool may_copy(uint32_t tgid)
{
	struct copy_quota *known = bpf_map_lookup_elem(&copy_quotas, &tgid);
	struct copy_quota first = {0};

	if (known)
		return copy_quota_take(known, bpf_ktime_get_ns());
	return copy_quota_take(&first, bpf_ktime_get_ns()) &&
	       !bpf_map_update_elem(&copy_quotas, &tgid, &first, BPF_ANY);
}

/* Adds this tick to the backlog of its thread. Returns false if there is no room. */
static __always_inline bool delay(struct scratch *s, struct counters *count)
{
	uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	struct delayed *known = bpf_map_lookup_elem(&delayed, &tid);

	if (known && known->start != s->row.start)
		return false; /* an entry of a thread that has ended */
	if (known) {
		known->count++;
	} else {
		struct delayed *first = &s->first;

		first->start = s->row.start;
		first->tid = s->row.tid;
		first->tgid = s->row.tgid;
		first->pc = regs_pc(&s->regs);
		first->count = 1;
		__builtin_memcpy(first->comm, s->row.comm, COMM_LEN);
		if (bpf_map_update_elem(&delayed, &tid, first, BPF_NOEXIST))
			return false;
	}
	control.any_delayed = true;
	count->delayed++;
	return true;
}

/*
 * Removes the ticks from the backlog that the current stack also counts for, and returns their
 * number.
 */
static __always_inline uint64_t take_delayed(const struct scratch *s)
{
	uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	struct delayed *known = control.any_delayed ? bpf_map_lookup_elem(&delayed, &tid) : NULL;

	if (!known || known->start != s->row.start)
		return 0;
	uint64_t nr = backlog_take(known);

	if (!known->count)
		bpf_map_delete_elem(&delayed, &tid);
	return nr;
}

static __always_inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	return ((hash << 29 | hash >> 35) ^ word) * 0x9e3779b97f4a7c15ULL;
}

/* For comparing stacks; the scratch memory has no room for a page. */
struct hashing {
	struct copied_key key;
	bool is_valid;
	uint64_t page[COPY_PAGE / 8];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LANES);
	__type(key, uint32_t);
	__type(value, struct hashing);
} hashings SEC(".maps");

enum {
	ALIKE_PAGES = 16,      /* pages of stacks that are compared */
	HASH_WORDS = 64,       /* words that are hashed at once */
	ALIKE_NS = 1000000000, /* how long a copy counts again; less than SWEEP_S */
};

/* Returns the hash of HASH_WORDS words at WORD, in four parts that a processor computes at once. */
static __always_inline uint64_t hash_all(uint64_t hash, const uint64_t *word)
{
	uint64_t a = hash, b = ~hash, c = hash >> 1, d = ~hash >> 1;

	for (uint32_t i = 0; i < HASH_WORDS; i += 4) {
		a = hash_word(a, word[i]);
		b = hash_word(b, word[i + 1]);
		c = hash_word(c, word[i + 2]);
		d = hash_word(d, word[i + 3]);
	}
	return hash_word(hash_word(hash_word(a, b), c), d);
}

/*
 * Adds HASH_WORDS words of the page that was read from AT to the hash, from word FIRST on, without
 * what is below the stack pointer or beyond the stack's end. Not inlined, so that the verifier
 * checks it once.
 */
__noinline int hash_words(uint32_t lane, uint64_t at, uint32_t first)
{
	struct scratch *s = my_scratch(lane);
	struct hashing *h = bpf_map_lookup_elem(&hashings, &lane);

	if (!s || !h)
		return 0;
	uint64_t from = s->copy.reg[REG_SP], end = s->copying.end, hash = h->key.hash;
	const uint64_t *word = &h->page[first & (COPY_PAGE / 8 - HASH_WORDS)];

	at += 8 * (uint64_t)first;
	if (at >= from && at + 8 * HASH_WORDS <= end)
		hash = hash_all(hash, word);
	else
		for (uint32_t i = 0; i < HASH_WORDS; i++, at += 8)
			if (at + 8 > from && at < end)
				hash = hash_word(hash, word[i]);
	h->key.hash = hash;
	return 0;
}

/*
 * Adds the page at s->copying.to to the hash. Returns 0 if it was the last one.
 */
__noinline int hash_page(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	struct hashing *h = bpf_map_lookup_elem(&hashings, &lane);

	if (!s || !h || s->copying.to >= s->copying.end)
		return 0;
	uint64_t at = s->copying.to;

	s->copying.to += COPY_PAGE;
	if (bpf_probe_read_user(h->page, COPY_PAGE, (void *)at))
		return s->copying.end_is_known;
	for (uint32_t i = 0; i < COPY_PAGE / 8; i += HASH_WORDS)
		hash_words(lane, at, i);
	return 1;
}

/* Begins to copy the stack at s->copy.reg. */
static __always_inline void begin_copying(struct scratch *s)
{
	s->copying.to = s->copy.reg[REG_SP] & ~(COPY_PAGE - 1ULL);
	s->copying.ring_full = false;
}

/*
 * Sets H->key to the stack of the current thread and the registers s->copy.reg that functions
 * preserve. The others may differ between two samples of the same loop. The key is not valid if the
 * stack is too large, or has functions with return probes.
 */
static __always_inline void hash_stack(struct scratch *s, struct hashing *h, uint32_t lane)
{
	uint64_t hash = hash_word(settings.seed, s->copy.exec_pages);
	uint32_t pages = 0;

	hash = hash_word(hash_word(hash, s->copy.reg[REG_SP]), s->copy.reg[REG_PC]);
	hash = hash_word(hash_word(hash, s->copy.reg[REG_FP]), s->copy.reg[REG_BASE]);
	for (uint32_t i = 0; i < REGS_KEPT; i++)
		hash = hash_word(hash, s->copy.reg[REG_KEPT + i]);
	h->key = (struct copied_key){s->row.start, hash, s->row.tid, 0};
	begin_copying(s);
	while (pages < ALIKE_PAGES && hash_page(lane))
		pages++;
	h->is_valid = pages < ALIKE_PAGES && !s->copy.nr_returns;
}

/* Returns the number of a copy of the same stack, or 0. */
__noinline uint64_t copy_alike(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	struct hashing *h = bpf_map_lookup_elem(&hashings, &lane);

	if (!s || !h)
		return 0;
	hash_stack(s, h, lane);
	const struct copied *known = h->is_valid ? bpf_map_lookup_elem(&copied, &h->key) : NULL;

	return known && s->copy.time - known->time < ALIKE_NS ? known->copy : 0;
}

static __always_inline void remember_copy(struct scratch *s, uint32_t lane)
{
	const struct hashing *h = bpf_map_lookup_elem(&hashings, &lane);
	struct copied first = {s->copy.copy, s->copy.time};

	if (h && h->is_valid)
		bpf_map_update_elem(&copied, &h->key, &first, BPF_ANY);
}

/*
 * Copies registers and stack. Sets s->row.user to the number of the copy, which may be an earlier
 * one of the same stack, or to 0 if the ring buffer is full. Not inlined, see take_probes().
 */
__noinline int copy_stack(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	struct counters *count = my_counters(lane);

	if (!s || !count)
		return 0;
	begin_copy(s, lane, current_task(), copy_number(lane, count), s->row.tgid, my_exec_pages());
	find_stack_end(s, s->walk.reg[REG_SP]);
	s->row.user = copy_alike(lane);
	if (s->row.user)
		return 0;
	s->row.user = s->copy.copy;
	begin_copying(s);
	for (uint32_t i = 0; i < COPY_PAGES; i++)
		if (!copy_page(lane, i))
			break;
	/* frames of a VM may be in the ring buffer that have not woken the recorder */
	if (s->copying.ring_full || bpf_ringbuf_output(&ring, &s->copy, sizeof(s->copy),
					    recorded_vms() ? BPF_RB_FORCE_WAKEUP : 0))
		s->row.user = 0;
	else
		remember_copy(s, lane);
	return 0;
}

#endif
