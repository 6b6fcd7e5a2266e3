/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void stacks_init(struct stacks *s, struct profile *p, const struct label_filter *tasks)
{
	*s = (struct stacks){.p = p, .tasks = tasks, .leaves_mask = 1023};
	s->leaves = xcalloc(s->leaves_mask + 1, sizeof(*s->leaves));
}

void stacks_release(struct stacks *s)
{
	free(s->frames);
	free(s->leaves);
}

uint32_t stacks_note(struct stacks *s, const char *name)
{
	return note_frame(s->p, name, strlen(name)) | ENTRY_UNCOUNTED |
	       (note_is_cut(name) ? ENTRY_MARKED : 0) | (note_is_broken(name) ? ENTRY_BROKEN : 0);
}

static bool push_too_deep(struct stacks *s)
{
	bool first = !s->deep;

	s->deep = true;
	s->account.cut = true;
	s->frames[s->nr - 1] = note_frame(s->p, "[truncated]", 11);
	return !first;
}

static void push_frame(struct stacks *s, uint32_t frame)
{
	ALLOC_GROW(s->frames, s->nr, s->alloc);
	s->frames[s->nr++] = frame;
}

bool stacks_push(struct stacks *s, uint32_t entry)
{
	if (s->nr >= STACKS_DEPTH_MAX)
		return push_too_deep(s);
	push_frame(s, entry & ENTRY_FRAME);
	s->account.named += !(entry & (ENTRY_UNNAMED | ENTRY_UNCOUNTED));
	s->account.unnamed += (entry & ENTRY_UNNAMED) != 0;
	s->account.cut |= (entry & (ENTRY_CUT | ENTRY_MARKED)) != 0;
	s->account.broken |= (entry & ENTRY_BROKEN) != 0;
	if (entry & ENTRY_CUT)
		push_frame(s, note_frame(s->p, "[truncated]", 11));
	return true;
}

void stacks_pop(struct stacks *s, uint32_t entry)
{
	s->nr--;
	s->account.named -= !(entry & (ENTRY_UNNAMED | ENTRY_UNCOUNTED));
	s->account.unnamed -= (entry & ENTRY_UNNAMED) != 0;
}

void stacks_set_kind(struct stacks *s, size_t from, size_t to, enum frame_kind kind)
{
	for (size_t i = from; i < to; i++) {
		struct frame frame = s->p->frames[s->frames[i]];

		if (frame.kind == FRAME_NOTE || frame.kind == FRAME_WAKER)
			continue;
		frame.kind = kind;
		s->frames[i] = profile_add_frame(s->p, &frame);
	}
}

static bool is_entry_name(const char *name)
{
	static const char *const names[] = {"__primary_switched", "__secondary_switched",
		"asm_common_interrupt", "common_startup_64", "el0_irq", "el0_svc", "el0_sync",
		"el1_irq", "el1_sync", "error_entry", "ret_fast_syscall", "ret_from_fork",
		"ret_from_fork_asm", "start_secondary", "x86_64_start_kernel",
		"x86_64_start_reservations"};
	static const char *const beginnings[] = {"asm_exc_", "asm_sysvec_", "el0t_", "el1h_",
		"entry_INT80_", "entry_SYSCALL_", "entry_SYSENTER_", "secondary_startup_64"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

bool stacks_is_entry(const struct stacks *s, size_t frame)
{
	return s->p->frames[s->frames[frame]].kind == FRAME_KERNEL ||
	       is_entry_name(profile_name(s->p, s->frames[frame], NULL));
}

static void note_process(struct stacks *s, uint32_t comm, uint64_t pid)
{
	if (!s->first_comm) {
		s->first_comm = comm;
		s->first_pid = pid;
	}
	s->several |= pid && s->first_pid ? pid != s->first_pid : comm != s->first_comm;
}

uint32_t stacks_task(struct stacks *s, const struct task *task, uint64_t id)
{
	struct strbuf name = STRBUF_INIT;

	if (s->tasks && !task_filter_matches(s->tasks, task))
		return STACKS_OTHER_TASK;
	if (task->len)
		strbuf_add(&name, task->comm, task->len);
	else
		strbuf_adds(&name, "[unknown]");
	note_process(s, strpool_add(&s->p->names, name.buf, name.len), task->pid);
	if (id)
		strbuf_addf(&name, "/%" PRIu64, id);

	uint32_t frame = profile_frame(s->p, FRAME_TASK, name.buf, name.len, NULL, 0);

	strbuf_release(&name);
	return frame;
}

void stacks_forget(struct stacks *s)
{
	s->nr = 0;
	s->account = (struct stack_account){0};
	s->deep = false;
}

static uint32_t hash_stack(const struct stacks *s)
{
	uint64_t h = s->nr;

	for (size_t i = 0; i < s->nr; i++)
		h = hash_pair(h, s->frames[i]);
	return (uint32_t)h;
}

/*
 * Whether NODE is the leaf of the stack. The nodes of a stack are consecutive in memory, so walking
 * up the tree is faster than a lookup from the root.
 */
static bool is_leaf_of(const struct stacks *s, uint32_t node)
{
	const struct profile_node *nodes = s->p->nodes;

	for (size_t i = 0; i < s->nr; i++) {
		if (!node || nodes[node].frame != s->frames[i])
			return false;
		node = nodes[node].parent;
	}
	return !node;
}

static void insert_leaf(struct stacks_leaf *leaves, uint32_t mask, const struct stacks_leaf *leaf)
{
	uint32_t i = leaf->hash & mask;

	while (leaves[i].node)
		i = (i + 1) & mask;
	leaves[i] = *leaf;
}

static void add_leaf(struct stacks *s, uint32_t hash, uint32_t node)
{
	if (s->nr_leaves >= s->leaves_mask / 2) {
		uint32_t mask = s->leaves_mask * 2 + 1;
		struct stacks_leaf *leaves = xcalloc((size_t)mask + 1, sizeof(*leaves));

		for (uint32_t i = 0; i <= s->leaves_mask; i++)
			if (s->leaves[i].node)
				insert_leaf(leaves, mask, &s->leaves[i]);
		free(s->leaves);
		s->leaves = leaves;
		s->leaves_mask = mask;
	}
	insert_leaf(s->leaves, s->leaves_mask, &(struct stacks_leaf){hash, node});
	s->nr_leaves++;
}

static uint32_t leaf_of_stack(struct stacks *s)
{
	uint32_t hash = hash_stack(s), node = 0;

	for (uint32_t i = hash & s->leaves_mask; s->leaves[i].node; i = (i + 1) & s->leaves_mask)
		if (s->leaves[i].hash == hash && is_leaf_of(s, s->leaves[i].node))
			return s->leaves[i].node;
	for (size_t i = s->nr; i--;)
		node = profile_child(s->p, node, s->frames[i]);
	add_leaf(s, hash, node);
	return node;
}

/* Finds the frames that say where and why the stack is truncated or broken. */
static void find_cut(struct stacks *s)
{
	struct stack_account cut = {0};

	for (size_t i = s->nr; i--;)
		stack_account_add_frame(&cut, s->p, s->frames[i]);
	s->account.note = cut.note;
	s->account.outermost = cut.outermost;
}

void stacks_add(struct stacks *s, uint32_t root, uint64_t weight)
{
	if (root == STACKS_OTHER_TASK || (s->tasks && !root)) {
		add_capped(&s->p->account.left_out, weight);
		stacks_forget(s);
		return;
	}
	if (!s->nr)
		stacks_push(s, stacks_note(s, "[no stack]"));
	if (root)
		push_frame(s, root);
	if (weight) {
		uint32_t node = leaf_of_stack(s); /* first, because the nodes may move */

		add_capped(&s->p->nodes[node].self, weight);
		if (s->account.cut || s->account.broken)
			find_cut(s);
		account_add_stack(s->p, &s->account, weight);
	}
	stacks_forget(s);
}
