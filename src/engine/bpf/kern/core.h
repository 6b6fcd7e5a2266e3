/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common to all programs: selects tasks, takes stacks and adds rows. The types of the maps are in
 * shared.h. A program defines EQUAL_SAMPLES before it includes this file: true if each stack counts
 * 1, so that a thread's next stacks can count for stacks that could not be taken.
 */
#ifndef ENGINE_BPF_KERN_CORE_H
#define ENGINE_BPF_KERN_CORE_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "structs.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "backlog.h"

#define WALK_READ(w, to, size, at) read_stack(w, to, size, at)
#define WALK_READ_CODE(w, to, size, at) bpf_probe_read_user(to, size, (const void *)(at))
#define WALK_THREAD(w) thread_pointer()
#define WALK_STACK_END(w) own_stack_end((struct task_struct *)bpf_get_current_task())

enum {
	PAD = CHUNK,
	FRAMES = PAD + WALK_DEPTH,
	WINDOW = 512,          /* bytes of a stack that are read at once */
	STRIDE = LABEL_PASSED, /* steps of a walk per function call */
	VM_STRIDE = 128,       /* steps of a walk over a VM stack per function call */
	VM_NATIVE_DEPTH = 256, /* native frames up to an interpreter's frame, and below it */
	UNREAD_IDS = 64,       /* a power of two */
	UNREAD_TIMES = 255,
	PAGE = 4096,
};

/* The working memory of a program, which is too large for the BPF stack. */
struct scratch {
	struct walk walk; /* must be first: see read_stack() */
	uint64_t window[WINDOW / 8];
	uint64_t window_at;  /* address, or 0 if the window is empty */
	uint64_t checked_at; /* address of the build-id that was checked last */
	struct space space;
	bool is_current; /* the list of mappings is up to date */
	struct node_key key;
	struct row_key row;
	struct span span;
	struct ring_copy copy;
	struct pt_regs___kernel regs;
	union vm_walks vm;
	struct vm_layout vm_layout;
	bool in_use;    /* used by a program that may be preempted, see claim_scratch() */
	bool to_vm;     /* the native stack is walked only up to the interpreter's frame */
	uint32_t nr_vm; /* VM frames so far */
	int vm_end;
	struct ring_vm_frame vm_record;
	uint64_t with[VM_DEPTH]; /* of each VM frame */
	struct label_search label;
	struct label_layout label_layout;
	union label_identity label_id;
	struct ring_label label_record;
	uint64_t copied_to; /* address up to which the stack was copied */
	uint64_t copy_end;  /* address at which copying ends */
	bool end_is_known;  /* copy_end is the end of the stack, not just the limit of copies */
	bool ring_full;     /* the copy is incomplete */
	struct delayed first;
	uint64_t next_return; /* address of a struct return_instance, see return_probes.h, or 0 */
	bool delayed;         /* the next stacks of the thread count for this tick */
	uint32_t nr_new;      /* how many words at the leaf of the last stored stack are new */
	struct unwind_rule rule;        /* for compiled_code.h */
	uint32_t lane;                  /* lane of this scratch, for compiled_code.h */
	uint64_t frame[FRAMES + CHUNK]; /* PAD zeros, then a stack */
};

/* Reads memory on the stack: one or two words through the window, other sizes directly. */
static __always_inline int read_stack(struct walk *w, void *to, uint32_t size, uint64_t at)
{
	struct scratch *s = (struct scratch *)w;
	uint64_t in = at - s->window_at;

	if (size > 16 || at & 7)
		return bpf_probe_read_user(to, size, (void *)at);
	if (in > WINDOW - 16) {
		s->window_at = 0;
		if (bpf_probe_read_user(s->window, WINDOW, (void *)at))
			return bpf_probe_read_user(to, size, (void *)at);
		s->window_at = at;
		in = 0;
	}
	((uint64_t *)to)[0] = s->window[in / 8 & (WINDOW / 8 - 1)];
	if (size == 16)
		((uint64_t *)to)[1] = s->window[(in / 8 + 1) & (WINDOW / 8 - 1)];
	return 0;
}

static __always_inline uint64_t thread_pointer(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return BPF_CORE_READ(task, THREAD_POINTER);
}

/*
 * Returns the end of the stack that TASK began on. The main thread's stack ends at mm->start_stack;
 * other threads usually have their thread control block at the end (glibc, musl).
 */
static __always_inline uint64_t own_stack_end(struct task_struct *task)
{
	if (BPF_CORE_READ(task, pid) == BPF_CORE_READ(task, tgid))
		return BPF_CORE_READ(task, mm, start_stack);
	return BPF_CORE_READ(task, THREAD_POINTER);
}

const volatile struct settings settings;

struct control control;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TARGETS);
	__type(key, uint32_t);
	__type(value, uint32_t); /* with --children the number in the initial namespace */
} target_pids SEC(".maps"), target_tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CGROUPS_MAX);
	__type(key, uint64_t); /* ID */
	__type(value, uint32_t);
} target_cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPACES_MAX);
	__type(key, uint32_t);
	__type(value, struct space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TABLES_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct table_desc);
} tables SEC(".maps");

struct shard {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SHARD);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, UNWIND_BLOCK);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SHARDS_MAX);
	__type(key, uint32_t);
	__array(values, struct shard);
} pool SEC(".maps");

struct nodes {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct node_key);
	__type(value, uint64_t); /* number of the node */
} nodes_0 SEC(".maps"), nodes_1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__array(values, struct nodes);
} nodes SEC(".maps") = {.values = {&nodes_0, &nodes_1}};

struct rows {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct row_key);
	__type(value, struct row_value);
} rows_0 SEC(".maps"), rows_1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__array(values, struct rows);
} rows SEC(".maps") = {.values = {&rows_0, &rows_1}};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COPY_QUOTAS_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct copy_quota);
} copy_quotas SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DELAYED_MAX);
	__type(key, uint32_t); /* TID in the initial PID namespace */
	__type(value, struct delayed);
} delayed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LANES);
	__type(key, uint32_t); /* enum lane */
	__type(value, struct scratch);
} scratch SEC(".maps");

static __always_inline struct scratch *my_scratch(uint32_t lane)
{
	return bpf_map_lookup_elem(&scratch, &lane);
}

/*
 * Claims the scratch for a uprobe. Kernels with full or lazy preemption may switch to another
 * thread in the middle of a uprobe's program, and that thread may run such a program on the same
 * CPU. Returns false if the scratch is in use.
 */
static __always_inline bool claim_scratch(struct scratch *s)
{
	if (s->in_use)
		return false;
	s->in_use = true;
	barrier();
	return true;
}

static __always_inline void release_scratch(struct scratch *s)
{
	barrier();
	s->in_use = false;
}

static __always_inline struct counters *my_counters(uint32_t lane)
{
	uint32_t at = bpf_get_smp_processor_id() * LANES + lane;

	return bpf_map_lookup_elem(&counters, &at);
}

/* Returns a unique number. NR is how many numbers this lane has allocated before. */
static __always_inline uint64_t new_number(uint32_t lane, uint64_t nr)
{
	return (uint64_t)(bpf_get_smp_processor_id() * LANES + lane) << NUMBER_BITS | (nr + 1);
}

#include "tasks.h"
#include "return_probes.h"

static const void *block_at(uint32_t block)
{
	uint32_t shard = block / SHARD, at = block % SHARD;
	void *map = bpf_map_lookup_elem(&pool, &shard);

	return map ? bpf_map_lookup_elem(map, &at) : NULL;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RULE_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct cached_rule);
} rule_cache SEC(".maps");

/* Sets walk.map to the mapping of the walk's pc. Returns false if there is none. */
static __always_inline bool find_map(struct scratch *s)
{
	struct walk_map *m = &s->walk.map;
	uint64_t pc = walk_pc(&s->walk);
	uint32_t block = s->space.root;

	if (pc >= m->start && pc < m->end)
		return true;
	if (pc >= INT64_MAX) /* the start of unused entries */
		return false;
	if (s->space.height) {
		const struct space_node *node = block_at(block);

		if (!node)
			return false;
		block = s->space.leaves + UNWIND_SEARCH(node->start, SPACE_NODES, pc);
	}
	const struct space_leaf *leaf = block_at(block);

	if (!leaf)
		return false;
	uint64_t at = UNWIND_SEARCH(leaf->start, SPACE_MAPS, pc);

	if (pc < leaf->start[at] || pc >= leaf->map[at].end)
		return false;
	m->start = leaf->start[at];
	m->end = leaf->map[at].end;
	m->bias = leaf->map[at].bias;
	m->table = leaf->map[at].table;
	m->serial = leaf->map[at].serial;
	m->id_at = leaf->map[at].id_at;
	m->id = leaf->map[at].id;
	return true;
}

/* Returns the rule in the table for OFFSET from its base, or NULL if there is none. */
static __always_inline const struct unwind_rule *find_rule(
	const struct table_desc *t, uint64_t offset)
{
	uint32_t index = 0, start = 0;

	for (uint32_t level = UNWIND_LEVELS - 1; level > 0; level--) {
		if (level > t->height)
			continue;
		const struct unwind_node *node = block_at(t->level[level] + index);

		if (!node)
			return NULL;
		uint64_t at = UNWIND_SEARCH(node->start, UNWIND_FANOUT, offset);

		start = node->start[at];
		index = index * UNWIND_FANOUT + at;
	}
	const struct unwind_leaf *leaf = block_at(t->level[0] + index);

	if (!leaf)
		return NULL;
	uint64_t at = UNWIND_SEARCH(leaf->delta, UNWIND_FANOUT, offset - start);
	uint32_t number = leaf->rule[at];

	if (number >= t->nr_rules)
		return NULL;
	const struct unwind_rule *rules = block_at(t->rules + number / UNWIND_RULES);

	if (!rules)
		return NULL;
	return &rules[UNWIND_INDEX(number, UNWIND_RULES)];
}

/*
 * Returns the table of the walk's mapping or the better one that has replaced it, or NULL if there
 * is none.
 */
static __always_inline struct table_desc *table_of(const struct walk *w)
{
	struct table_desc *t = bpf_map_lookup_elem(&tables, &w->map.table);
	uint32_t better = t ? t->better : 0;

	return better ? bpf_map_lookup_elem(&tables, &better) : t;
}

/* Sets the rule in E for the walk's pc from the table of its mapping. */
static __always_inline int look_up_rule(const struct walk *w, struct cached_rule *e, uint64_t key)
{
	struct table_desc *t = table_of(w);
	const struct unwind_rule *rule = NULL;

	if (!t || t->state == TABLE_PENDING)
		return WALK_PENDING;
	if (t->state == TABLE_READY) {
		uint64_t offset = walk_pc(w) - w->map.bias - t->base;

		rule = offset < t->size ? find_rule(t, offset) : NULL;
	}
	e->rule = rule ? *rule : (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
	e->key = key;
	if (e->rule.cfa == UNWIND_CFA_NONE && !t->is_final) {
		t->missed = true;
		e->key = UINT64_MAX; /* to be looked up again */
	}
	return WALK_ON;
}

#include "compiled_code.h"

/* Looks up the frame and the rule for the walk's pc. */
static __always_inline int look_up(
	struct scratch *s, uint32_t lane, struct cached_rule *e, uint64_t key)
{
	struct walk *w = &s->walk;

	if (!find_map(s))
		return WALK_NO_MAP;
	e->key = UINT64_MAX; /* matches no pc until the entry is complete */
	e->version = s->space.version;
	e->frame = walk_frame(&w->map, w->reg[REG_PC], w->call);
	e->id_at = w->map.id_at;
	e->id = w->map.id;
	e->is_compiled = w->map.table == WALK_MEMORY;
	if (!e->is_compiled)
		return look_up_rule(w, e, key);
	if (look_up_layout(lane) || look_up_code(lane))
		e->rule = s->rule;
	else
		e->rule = jit_code_rule(search_code(lane));
	e->id_at = w->map.id_at; /* set again, as the layout may have found the code's id */
	e->id = w->map.id;
	e->key = key;
	return WALK_ON;
}

/*
 * Returns the index of KEY in array GROUP of consecutive arrays with NR slots each. NR is a power
 * of two up to 4096.
 */
static __always_inline uint32_t slot_in(uint64_t key, uint32_t nr, uint32_t group)
{
	uint32_t at = key * 0x9e3779b97f4a7c15ULL >> 52;

	return (at & (nr - 1)) + group * nr;
}

/* Returns the index of KEY in this CPU's array of NR slots. */
static __always_inline uint32_t cpu_slot(uint64_t key, uint32_t nr)
{
	return slot_in(key, nr, bpf_get_smp_processor_id());
}

static __always_inline struct cached_rule *rule_cache_slot(uint64_t key)
{
	uint32_t at = cpu_slot(key, RULE_CACHE_SIZE);

	return bpf_map_lookup_elem(&rule_cache, &at);
}

/* A build-id that could not be read lately. */
struct unread_id {
	uint64_t at;
	uint32_t version; /* of the space */
	uint32_t left;    /* how many times it is not read again */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNREAD_IDS);
	__type(key, uint32_t);
	__type(value, struct unread_id);
} unread_ids SEC(".maps");

/*
 * Returns whether the build-id in memory is the build-id of E's file. A process that was forked has
 * often not touched its page; as a read that fails costs more than a walk, it is then repeated
 * after UNREAD_TIMES walks only. Until then the result is true.
 */
static __always_inline bool has_same_id(const struct cached_rule *e)
{
	uint32_t slot = e->id_at / PAGE % UNREAD_IDS;
	struct unread_id *unread = bpf_map_lookup_elem(&unread_ids, &slot);
	uint64_t id;

	if (!unread)
		return true;
	if (unread->left && unread->at == e->id_at && unread->version == e->version) {
		unread->left--;
		return true;
	}
	if (!bpf_probe_read_user(&id, sizeof(id), (void *)e->id_at))
		return id == e->id;
	unread->at = e->id_at;
	unread->version = e->version;
	unread->left = UNREAD_TIMES;
	return true;
}

/*
 * Returns whether the entry is still valid, by comparing the build-id in memory. Another file may
 * have been mapped there (dlclose, dlopen) before its event was handled, or other code may have
 * been compiled there.
 */
static __always_inline bool is_same_file(struct scratch *s, const struct cached_rule *e)
{
	if (!e->id_at || e->id_at == s->checked_at)
		return true;
	s->checked_at = e->id_at;
	return has_same_id(e);
}

/* Keeps the data of the frame just left that the search for labels needs. */
static __always_inline void pass_frame(struct scratch *s)
{
	struct label_passed *p = &s->label.passed[s->label.nr_passed++ % LABEL_PASSED];

	p->sp = s->walk.reg[REG_SP];
	p->pc = s->walk.reg[REG_PC];
	p->saved = s->label.saved;
}

/*
 * Adds the frame of the walk's pc and steps to its caller. Returns false if it was the last frame,
 * see walk.end. Data that is not recorded costs nothing, because the verifier removes code that
 * depends on settings.
 */
static __always_inline bool take_frame(struct scratch *s, uint32_t lane)
{
	struct walk *w = &s->walk;
	uint64_t key = w->reg[REG_PC] << 1 | w->call;
	struct cached_rule *e = rule_cache_slot(key);
	uint32_t nr = w->nr;

	if (!e || nr >= WALK_DEPTH) {
		w->end = WALK_DEEP;
		return false;
	}
	bool known = e->key == key && e->version == s->space.version;

	if (!known || !is_same_file(s, e)) {
		w->end = known && !e->is_compiled ? WALK_PENDING : look_up(s, lane, e, key);
		if (w->end == WALK_ON && !is_same_file(s, e))
			w->end = WALK_PENDING;
		if (w->end != WALK_ON)
			return false;
		e->saved = unwind_saved_registers(&e->rule);
	}
	uint8_t nr_vm = w->vm.nr;

	if (settings.label_keys)
		s->label.saved = e->saved;
	s->frame[PAD + nr] = e->frame;
	w->nr = nr + 1;
	w->from = w->call ? w->reg[REG_PC] : 0;
	w->end = walk_by_rule(w, &e->rule);
	if (w->vm.nr != nr_vm)
		s->frame[PAD + nr] |= WALK_FRAME_VM;
	if (w->end == WALK_ON && w->reg[REG_PC] == w->trampoline && !restore_return(lane))
		w->end = WALK_PROBED;
	if (w->end != WALK_ON)
		return false;
	if (settings.label_keys && s->label.searching)
		pass_frame(s);
	return true;
}

/*
 * Long loops call global functions: the verifier checks these once, separately, and not in each
 * iteration, so that all kernels accept the loops, with or without bpf_loop. Their arguments are
 * integers, because kernels before 5.12 allow no pointers.
 */

/* Returns the layout if the mappings with compiled code change all the time, or else NULL. */
static __always_inline const struct jit_layout *restless_layout(struct scratch *s)
{
	const struct jit_layout *layout = my_layout(s);

	return layout && layout->is_restless ? layout : NULL;
}

/*
 * Adds the frame of code that has been compiled since the mappings were read. Returns false if
 * there is no such code.
 */
static __always_inline bool take_new_code(struct scratch *s, uint32_t lane)
{
	struct walk *w = &s->walk;
	uint32_t nr = w->nr;
	const struct jit_layout *layout =
		w->end == WALK_NO_MAP && nr < WALK_DEPTH ? restless_layout(s) : NULL;

	if (!layout)
		return false;
	s->frame[PAD + nr] = walk_frame(NULL, w->reg[REG_PC], w->call) | WALK_NEW_CODE;
	s->rule = layout->rule;
	w->end = step_by_runtime(lane);
	if (w->end != WALK_ON)
		w->end = WALK_NO_MAP;
	else
		w->nr = nr + 1;
	return w->end == WALK_ON;
}

/* Adds the next STRIDE frames. Returns 0 if there are more. */
__noinline int take_frames(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	for (int i = 0; s && i < STRIDE; i++)
		if ((!take_frame(s, lane) && !take_new_code(s, lane)) ||
			(settings.vm_by_native && s->to_vm && s->walk.vm.frame))
			return 1;
	return !s;
}

#include "label/label_bpf.h"

/*
 * Adds the next frames of the current task and searches them for labels. Returns 0 if there are
 * more.
 */
static __always_inline int walk_frames(void)
{
	int end = take_frames(LANE_EVENT);

	if (settings.label_keys)
		search_label(LANE_EVENT);
	return end;
}

#include "stack_store.h"
#include "copies.h"

/* Returns whether the executable mappings are unchanged since user space read them. */
static __always_inline bool space_is_current(const struct space *space, uint64_t exec_pages)
{
	return space->unchecked || space->exec_pages == exec_pages;
}

enum { TASK_EXITING = 0x4, TASK_KERNEL_THREAD = 0x200000 }; /* see PF_… in linux/sched.h */

/*
 * Returns the value that replaces the number of a task's user stack if the task has none, or 0 if
 * it has one. The arguments describe the task: its FLAGS, whether it has MEMORY, and whether its
 * program has STARTED; see tasks.h.
 */
static __always_inline uint64_t no_user_stack(uint32_t flags, bool memory, bool started)
{
	if (flags & TASK_KERNEL_THREAD)
		return STACK_NONE | NO_STACK_KERNEL_THREAD;
	if (!memory)
		return STACK_NONE |
		       (flags & TASK_EXITING ? NO_STACK_EXITING : NO_STACK_KERNEL_THREAD);
	/* the memory of the old program is gone, and the new program's registers are not yet set */
	return started ? 0 : STACK_NONE | NO_STACK_EXECVE;
}

/* Ends the walk over the user stack. Returns 0 if not all of its frames are known here. */
__noinline int finish_walk(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	if (!s || !s->walk.nr)
		return 0;
	walk_finish(&s->walk);
	if (s->is_current)
		return s->walk.end != WALK_PENDING;
	return s->walk.end == WALK_ROOT || s->walk.end == WALK_COROUTINE;
}

/*
 * Returns the number of the user stack with the registers s->regs, or 0 if there is no room or the
 * tick was delayed.
 */
static __always_inline uint64_t user_stack(struct scratch *s, struct counters *count)
{
	uint64_t exec_pages = my_exec_pages();
	uint32_t tgid = s->row.tgid, nr;
	const struct space *space = bpf_map_lookup_elem(&spaces, &tgid);

	/* kept in memory, or else the verifier checks the following code once for each value */
	s->is_current = space && space_is_current(space, exec_pages);
	take_regs(s, LANE_EVENT);
	/* a walk by old mappings counts only if it is whole */
	if (space && (s->is_current || restless_layout(s))) {
		s->space = *space;
		for (int i = 0; i <= WALK_DEPTH / STRIDE; i++)
			if (walk_frames())
				break;
		if (finish_walk(LANE_EVENT))
			return store(s, LANE_EVENT, s->walk.nr, NODE_ROOT | s->walk.end);
	}
	nr = s->walk.nr;
	s->row.user = 0;
	if (!EQUAL_SAMPLES || may_copy(tgid))
		copy_stack(LANE_EVENT);
	if (s->row.user)
		return s->row.user;
	count->copies_lost++;
	s->delayed = EQUAL_SAMPLES && delay(s, count);
	if (s->delayed)
		return 0;
	if (!nr)
		s->frame[PAD] = walk_frame(NULL, regs_pc(&s->regs), false);
	return store(s, LANE_EVENT, nr ? nr : 1, NODE_ROOT | WALK_BUSY); /* the frames so far */
}

/*
 * Reads the user-mode registers, which the kernel saves at the end of the task's stack on entry
 * (task_pt_regs()). Kernels without the helper
 * bpf_task_pt_regs() have them at the very end. Returns false if something else is there.
 */
static __always_inline bool take_saved_regs(struct scratch *s, struct task_struct *task)
{
	const void *at = (char *)BPF_CORE_READ(task, stack) + THREAD_SIZE - sizeof(s->regs);

	return !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), at) && regs_are_saved(&s->regs);
}

/* Reads the user-mode registers of the current task. */
static __always_inline bool take_my_saved_regs(struct scratch *s)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return take_saved_regs(s, current_task());
	return !bpf_probe_read_kernel(
		&s->regs, sizeof(s->regs), (void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
}

/*
 * Returns whether a thread that shares a process's memory never runs in user mode, because the
 * kernel has created it for its own use (io_uring, vhost). copy_thread() has then cleared its
 * registers.
 */
static __always_inline bool is_kernels_own(const struct scratch *s)
{
	return !regs_pc(&s->regs) && !regs_sp(&s->regs);
}

enum { USER_UNKNOWN, USER_REGS, USER_NONE };

/*
 * Reads the user-mode registers of the current task, which is in the kernel. Returns USER_REGS, or
 * USER_NONE + enum no_stack if it has no user stack. Not inlined, see take_probes().
 */
__noinline int look_at_user(uint32_t lane)
{
	uint64_t none = no_user_stack(my_flags(), have_memory(), program_has_started());
	struct scratch *s = my_scratch(lane);

	if (none)
		return USER_NONE + (int)(none & 3);
	if (!s || !take_my_saved_regs(s))
		return USER_UNKNOWN;
	return is_kernels_own(s) ? USER_NONE + NO_STACK_KERNEL_THREAD : USER_REGS;
}

/* Begins walk_to_vm(). Returns 0 if the process is not known. */
__noinline int begin_to_vm(uint32_t lane, uint32_t in_user)
{
	struct scratch *s = my_scratch(lane);

	if (!s)
		return 0;
	uint32_t tgid = s->row.tgid;
	const struct space *space = bpf_map_lookup_elem(&spaces, &tgid);

	s->walk.vm = (struct walk_vm){0};
	s->walk.end = WALK_PENDING;
	if ((!in_user && !take_my_saved_regs(s)) || !space)
		return 0;
	take_regs(s, lane);
	s->space = *space;
	return 1;
}

/*
 * Walks the user stack up to the innermost frame of an interpreter, without storing it. The
 * mappings need not be current: files are identified by their build-ids, and a pc outside of the
 * mappings may be in new code, whose frame is checked.
 */
static __always_inline void walk_to_vm(struct scratch *s, bool in_user)
{
	if (!begin_to_vm(LANE_EVENT, in_user))
		return;
	s->to_vm = true;
	s->walk.vm.stop = !settings.label_keys; /* labels are searched for in the other frames */
	for (int i = 0; i < VM_NATIVE_DEPTH / STRIDE; i++)
		if (walk_frames())
			break;
	s->to_vm = s->walk.vm.stop = false;
}

#include "runtime/vm_bpf.h"

/*
 * Looks for labels in the registers, and begins another walk if there was none or the stack was
 * copied, as the mappings need not be current for labels. Returns 1 if the walk has to go on.
 */
__noinline int begin_label_walk(uint32_t lane, uint32_t in_user)
{
	struct scratch *s = my_scratch(lane);

	if (!s || !s->label.on)
		return 0;
	if (s->walk.end == WALK_PENDING && !settings.user)
		begin_to_vm(lane, in_user);
	if (!s->label.leaf)
		search_label(lane);
	if (s->label.searching && settings.user && s->row.user & STACK_COPY)
		begin_to_vm(lane, in_user);
	return s->label.searching && s->walk.end == WALK_ON;
}

/* Sets s->row.label_set to the labels that were found. */
__noinline int end_label_walk(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	if (!s || !s->label.on)
		return 0;
	if (s->label.found)
		s->row.label_set = label_number(lane);
	else if (!s->label.searching || s->walk.end == WALK_ROOT)
		s->row.label_set = s->label.place;
	return 0;
}

/*
 * Sets s->row.label_set. Goes on with the walk if it has not reached the request or other owner of
 * the sample.
 */
static __always_inline void take_label(bool in_user)
{
	if (begin_label_walk(LANE_EVENT, in_user))
		for (int i = 0; i <= WALK_DEPTH / STRIDE; i++) {
			int end = take_frames(LANE_EVENT);

			if (!search_label(LANE_EVENT) || end)
				break;
		}
	end_label_walk(LANE_EVENT);
}

/* CTX is the program's, or NULL if the kernel takes the stack from here, with the program's frames.
 */
static __always_inline uint64_t kernel_stack(void *ctx, struct scratch *s)
{
	const uint32_t size = KERNEL_DEPTH * sizeof(uint64_t);
	/* older kernels do not know the other helper, and must not see its call */
	long bytes = ctx || !TASK_IS_TYPED ? bpf_get_stack(ctx, &s->frame[PAD], size, 0)
					   : bpf_get_task_stack(bpf_get_current_task_btf(),
						     &s->frame[PAD], size, 0);

	return bytes > 0 ? store(s, LANE_EVENT, bytes / sizeof(uint64_t), NODE_ROOT | NODE_KERNEL)
			 : 0;
}

/*
 * Takes all stacks of the current task into s->row. Returns false if there is no room or the tick
 * was delayed (s->delayed). IN_USER tells that s->regs is set.
 */
static __always_inline bool take_stacks(
	void *ctx, struct scratch *s, bool in_user, struct counters *count)
{
	int user = in_user ? USER_REGS : USER_UNKNOWN;
	uint64_t none = 0;

	s->delayed = false;
	s->walk.vm = (struct walk_vm){0};
	s->walk.end = WALK_PENDING;
	if (settings.label_keys)
		begin_label(LANE_EVENT);
	if (settings.user && !in_user)
		user = look_at_user(LANE_EVENT);
	if (user >= USER_NONE)
		none = STACK_NONE | (uint32_t)(user - USER_NONE);
	if (none) {
		s->row.user = settings.kernel ? 0 : none; /* the kernel stack alone is complete */
	} else if (settings.user && user == USER_REGS) {
		s->row.user = user_stack(s, count);
		if (!s->row.user)
			goto full;
	}
	if (settings.kernel && !in_user) {
		s->row.kernel = kernel_stack(ctx, s);
		if (!s->row.kernel)
			goto full;
	}
	if (settings.vm && !none && !vm_stack(s, in_user))
		goto full;
	if (settings.label_keys && !none)
		take_label(in_user);
	return true;
full:
	if (!s->delayed)
		count->nodes_full++;
	return false;
}

/* Adds NR events with the sum SUM to the row of KEY. */
static __always_inline void add_row(
	const struct row_key *key, uint64_t nr, uint64_t sum, struct counters *count)
{
	uint32_t which = control.epoch & 1;
	void *map = bpf_map_lookup_elem(&rows, &which);
	struct row_value first = {nr, sum};

	if (!map)
		return;
	struct row_value *known = bpf_map_lookup_elem(map, key);

	if (!known) {
		long error = bpf_map_update_elem(map, key, &first, BPF_NOEXIST);

		if (!error) {
			count->rows++;
			return;
		}
		known = bpf_map_lookup_elem(map, key);
		if (!known) {
			count->rows_full += nr;
			return;
		}
	}
	/* relaxed, because clang 23 emits an instruction that needs Linux 5.12 for other orders */
	__atomic_fetch_add(&known->count, nr, __ATOMIC_RELAXED);
	__atomic_fetch_add(&known->sum, sum, __ATOMIC_RELAXED);
}

/* Sets s->row to the current task, whose IDs are IDS, without stacks. */
static __always_inline void take_task(struct scratch *s, struct ids ids)
{
	s->row.start = my_start();
	s->row.tid = ids.tid;
	s->row.tgid = ids.tgid;
	s->row.user = s->row.kernel = s->row.vm = 0;
	s->row.state = s->row.slice = 0;
	s->row.event = ROW_SAMPLES;
	s->row.label_set = 0;
	bpf_get_current_comm(s->row.comm, sizeof(s->row.comm));
}

#include "select.h"

#endif
