/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data exchanged between the BPF programs and the recorder in user space. */
#ifndef ENGINE_BPF_KERN_SHARED_H
#define ENGINE_BPF_KERN_SHARED_H

#include "label/label_layout.h"
#include "vm/vm_layout.h"
#include "unwind/jit_layout.h"
#include "unwind/walk.h"

#include <stdbool.h>

enum {
	CHUNK = 16,        /* frames in a node */
	COMM_LEN = 16,     /* TASK_COMM_LEN */
	SHARD = 256,       /* blocks in one map of the pool */
	SHARDS_MAX = 4096, /* 4 GiB */
	TABLES_MAX = 1 << 16,
	SPACES_MAX = 1 << 15,
	JIT_LAYOUTS_MAX = 1 << 12,
	RULE_CACHE_SIZE = 4096, /* entries per CPU; a power of two */
	TARGETS = 1 << 16,
	CGROUPS_MAX = 1 << 12, /* that are targets */
	COPY_PAGE = 4096,
	COPY_PAGES = 128,       /* of a stack, at most */
	COPY_QUOTAS_MAX = 4096, /* processes with a quota of stack copies */
	DELAYED_MAX = 1 << 14,
	KERNEL_DEPTH = 256,
	SPACE_MAPS = 64,   /* mappings in a leaf */
	SPACE_NODES = 512, /* leaves */
	VM_PROCESSES_MAX = 4096,
	VM_SENT_MAX = 1 << 16, /* frames remembered as sent */
	LABEL_PROCESSES_MAX = 4096,
	LABEL_SENT_MAX = 1 << 16, /* sets remembered as sent */
	LABEL_CACHE_SIZE = 256,   /* entries per CPU and lane; a power of two */
	OPTIONS_MAX = 16,         /* of a tool */
};

/* The executable mappings of a process: a leaf, or with height 1 a node over leaves. Unused:
 * INT64_MAX. */
struct space_leaf {
	uint64_t start[SPACE_MAPS]; /* ascending */
	struct space_map {
		uint64_t end, bias;
		uint32_t table, serial;
		uint64_t id_at, id; /* address and first 8 bytes of the file's build-id, 0: none */
	} map[SPACE_MAPS];
};

struct space_node {
	uint64_t start[SPACE_NODES]; /* first address of each leaf */
};

struct space {
	uint32_t root;       /* block: node or leaf */
	uint32_t leaves;     /* first leaf's block */
	uint32_t height;     /* 0, 1 */
	uint32_t unchecked;  /* exec_pages cannot be computed from /proc */
	uint64_t exec_pages; /* mm_struct.exec_vm when the mappings were read */
	uint32_t version;    /* unique for each list of mappings */
	uint32_t pad;
};

enum table_state { TABLE_NONE, TABLE_PENDING, TABLE_READY };

/* A cached lookup of a pc: most samples contain the same return addresses. */
struct cached_rule {
	uint64_t key; /* pc << 1 | whether it is a return address */
	uint32_t version;
	bool is_compiled; /* at run time: looked up again when the word at id_at is not id any more
			   */
	uint8_t saved;    /* registers, see unwind_saved_registers() */
	uint64_t frame;
	uint64_t id_at, id; /* as in struct space_map, or struct hotspot_blob */
	struct unwind_rule rule;
} __attribute__((aligned(64))); /* one cache line */

/* A table in the pool; level and rules are block numbers. */
struct table_desc {
	uint64_t base, size;
	uint32_t state; /* enum table_state */
	uint16_t height;
	bool is_final; /* no better table will follow */
	bool missed;   /* set by the programs: code that was hit has no rule */
	uint32_t level[UNWIND_LEVELS];
	uint32_t rules, nr_rules;
	uint32_t better; /* number of the table to use instead; 0: none */
};

/*
 * Stacks are stored as a tree of nodes, each up to CHUNK frames nearer to the leaf than its parent,
 * so that the map's lookup of keys finds equal stacks. A stack's number is that of its last node.
 */
struct node_key {
	uint64_t parent;       /* number of a node, or NODE_ROOT | enum walk_end */
	uint64_t frame[CHUNK]; /* leaf first; padded with 0 at the front */
};

#define NODE_ROOT (1ULL << 63)
#define NODE_KERNEL (1ULL << 62)
/*
 * A VM stack, whose frames are struct vm_words; bits 8 to 39 are the tgid, as frames are addresses
 * in that process. A stack without frames has one of type VM_NO_FRAME. Each frame's texts are sent
 * to user space once.
 */
#define NODE_VM (1ULL << 61)

_Static_assert(VM_DEPTH *VM_WORDS == WALK_DEPTH, "a VM stack fits into scratch.frame");

/* A stack whose number has this bit set is unwound in user space, from the copy of that number. */
#define STACK_COPY (1ULL << 63)

/*
 * In place of the number of a user stack: the task has none, and why; in the order of SAMPLE_… in
 * engine/samples.h.
 */
#define STACK_NONE (1ULL << 62)
enum no_stack { NO_STACK_KERNEL_THREAD, NO_STACK_EXITING, NO_STACK_EXECVE };

/*
 * What allocates numbers on one CPU: the programs at events, the iterator over all tasks, which
 * they may interrupt, and the probe at the end of what samples belong to, likewise. Numbers of
 * stacks and copies begin with CPU and lane, so that no synchronisation is needed.
 */
enum lane { LANE_EVENT, LANE_SCAN, LANE_END, LANES };
enum { NUMBER_BITS = 40 };

/* Samples; ends of what they belong to; the bytes of what is counted as a sample. */
enum row_event { ROW_SAMPLES, ROW_ENDS, ROW_BYTES, ROW_EVENTS };

struct row_key {
	uint64_t start; /* of the task, ns since boot */
	uint32_t tid, tgid;
	char comm[COMM_LEN];
	uint64_t user, kernel, vm; /* numbers of stacks, 0: none */
	uint32_t state;            /* TOOL_STATE or VM_STATE, or 0 if there is none */
	uint32_t slice;            /* of time, 0: none */
	uint32_t event;            /* enum row_event */
	uint32_t pad;
	uint64_t label_set; /* of a source's labels, see label_layout.h; 0: none */
};

/*
 * States of a task or of what a row counts, each a label: those of the tool and those of the
 * interpreter, by their numbers there.
 */
#define TOOL_STATE(i) ((i) + 1)
#define VM_STATE(i) (TOOL_STATES_MAX + (i))
enum { TOOL_STATES_MAX = 16, STATES_MAX = 32 };

struct row_value {
	uint64_t count, sum;
};

/* What is recorded; set before the programs are loaded. */
struct settings {
	bool user, kernel, vm, all, idle, pids, tids, children;
	bool vm_by_native;   /* the native stack tells where VM stacks begin */
	bool by_comm;        /* tasks whose name, or whose process's name, matches comm */
	bool by_cgroup;      /* tasks in target_cgroups and below */
	bool only_vm;        /* of tasks that may be targets those with an interpreter */
	bool state_arg;      /* sched_switch has the state as its last argument (since 5.18) */
	uint32_t label_keys; /* a bit for each label of the source; 0: none is recorded */
	uint32_t pid_ns;     /* inode of our PID namespace; 0: the initial one */
	uint64_t tick_ns;    /* between two ticks of the clock; 0: there is none */
	uint64_t comm[2], comm_mask[2]; /* as in struct comm_words */
	uint64_t option[OPTIONS_MAX];   /* values, in the order of the script's declarations */
};

/* What the recorder sets while the programs run; the only variable that is not constant. */
struct control {
	uint64_t until;         /* CLOCK_MONOTONIC, ns: later events are not recorded */
	uint32_t command;       /* is recorded from its next exec on, which sets this to 0 */
	uint32_t epoch;         /* which of the two maps of nodes and rows is written to */
	uint32_t cgroup_levels; /* a bit for each level at which there are target_cgroups */
	bool any_delayed;       /* set by the programs */
};

/* A span has begun and not ended, such as a wait or the life of an object. See span.h. */
struct span_key {
	uint64_t id; /* of the tool's choice, such as an address */
	uint32_t tgid;
	uint32_t pad;
};

enum { SPAN_WORDS = 3 };

struct span {
	struct row_key row;        /* that it adds to when it ends */
	uint64_t since;            /* CLOCK_MONOTONIC, ns */
	uint64_t word[SPAN_WORDS]; /* of the tool */
};

/* Stack copies of a process in the current second. */
struct copy_quota {
	uint64_t second;
	uint32_t nr;
	uint32_t pad;
};

/*
 * Backlog of a thread: ticks without unwind table whose stack could not be copied. Its next stacks
 * count for them; if there are none, the ticks become a stack that is cut at the pc of the first
 * one.
 */
struct delayed {
	uint64_t start; /* as in struct row_key */
	uint32_t tid, tgid;
	char comm[COMM_LEN];
	uint64_t pc;
	uint64_t count;
};

/*
 * Records in the ring buffer: pages of a stack, then its head; for VMs: a new frame, a waiting
 * thread; a new set of labels.
 */
enum ring_type { RING_PAGE, RING_COPY, RING_VM_FRAME, RING_VM_THREAD, RING_LABEL };

struct ring_page {
	uint32_t type;
	uint32_t index;
	uint64_t copy;
	unsigned char bytes[COPY_PAGE];
};

enum { COPY_RETURNS = 8 };

struct ring_copy {
	uint32_t type;
	uint32_t tgid;
	uint64_t copy;
	uint32_t nr_pages;
	bool remote;   /* not copied: to be read from the memory of the waiting thread */
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t exec_pages;
	uint64_t stack_end; /* where the stack ends that the thread began on */
	uint64_t reg[NR_REGS];
	uint64_t trampoline; /* see return_probes.h; 0: none */
	uint64_t nr_returns;
	struct {
		uint64_t at, pc; /* address of a return address, and its true value */
	} returns[COPY_RETURNS];
};

struct ring_vm_frame {
	uint32_t type;
	uint32_t pad;
	struct vm_new_frame frame;
};

/* A new set of labels. */
struct ring_label {
	uint32_t type;
	uint32_t pad;
	struct label_new_set set;
};

/* The number of a set, by a hash of what it was read from. */
struct cached_label {
	uint64_t hash, number;
};

/* A waiting thread, whose VM stack is walked in user space. */
struct ring_vm_thread {
	uint32_t type;
	uint32_t tgid;
	uint64_t copy;   /* number of the stack, as in struct ring_copy */
	uint64_t thread; /* its thread pointer */
	uint64_t sp;     /* its stack pointer, 0: not known */
};

/* Per CPU and lane. */
struct counters {
	uint64_t nodes, rows; /* that were new */
	uint64_t ticks;       /* all */
	uint64_t hits;        /* on the target */
	uint64_t tick_at;     /* CLOCK_MONOTONIC, ns: when the last tick was due; 0: none came */
	int64_t missed;       /* ticks that did not come before one that hit the target */
	uint64_t idle_task;   /* address of the processor's idle task; 0: not known yet */
	uint64_t idle_ended;  /* how often it had been switched out at the last tick */
	uint64_t rows_full;   /* lost: no room for a row */
	uint64_t nodes_full;  /* lost: no room for a stack */
	uint64_t copies;      /* begun */
	uint64_t copies_lost; /* ring buffer full, or the process's quota used up */
	uint64_t delayed;     /* ticks added to the backlog of their thread */
	uint64_t spans_full;  /* lost: no room for a span */
	uint64_t spans_lost;  /* likewise: the scratch was in use */
	uint64_t ends_lost;   /* not counted: another thread was being counted on this processor */
};

#endif
