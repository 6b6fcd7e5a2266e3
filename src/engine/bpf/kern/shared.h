/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data exchanged between the BPF programs and the recorder in user space. */
#ifndef ENGINE_BPF_KERN_SHARED_H
#define ENGINE_BPF_KERN_SHARED_H

#include "label/label_layout.h"
#include "runtime/jit_layout.h"
#include "runtime/vm_layout.h"
#include "unwind/walk.h"

#include <stdbool.h>

enum {
	CHUNK = 16,        /* frames in a node */
	COMM_LEN = 16,     /* TASK_COMM_LEN */
	SHARD = 256,       /* blocks in one map of the pool */
	SHARDS_MAX = 4096, /* 4 GiB */
	TABLES_MAX = 1 << 15,
	SPACES_MAX = 1 << 15,
	JIT_LAYOUTS_MAX = 1 << 12,
	RULE_CACHE_SIZE = 4096, /* entries per CPU; a power of two */
	TARGETS = 1 << 16,
	CGROUPS_MAX = 1 << 12, /* cgroups that are targets */
	COPY_PAGE = 4096,
	COPY_PAGES = 128,       /* of a stack at most */
	COPY_QUOTAS_MAX = 4096, /* processes with a quota of stack copies */
	COPIED_MAX = 4096,      /* stacks that are known to be copied */
	DELAYED_MAX = 1 << 14,
	KERNEL_DEPTH = 256,
	SPACE_MAPS = 64,   /* mappings in a leaf */
	SPACE_NODES = 512, /* leaves in a node */
	VM_PROCESSES_MAX = 4096,
	LABEL_PROCESSES_MAX = 4096,
	LABEL_SENT_MAX = 1 << 16, /* sets remembered as sent */
	LABEL_CACHE_SIZE = 256,   /* entries per CPU and lane; a power of two */
	OPTIONS_MAX = 16,         /* options of a tool */
};

/*
 * The executable mappings of a process: a leaf or, with height 1, a node over leaves. The start of
 * unused entries is INT64_MAX.
 */
struct space_leaf {
	uint64_t start[SPACE_MAPS]; /* ascending */
	struct space_map {
		uint64_t end, bias;
		uint32_t table, serial;
		uint64_t id_at, id; /* address and first 8 bytes of the file's build-id, or 0 */
	} map[SPACE_MAPS];
};

struct space_node {
	uint64_t start[SPACE_NODES]; /* first address of each leaf */
};

struct space {
	uint32_t root;       /* block of the node or leaf */
	uint32_t leaves;     /* block of the first leaf */
	uint32_t height;     /* 0 or 1 */
	uint32_t unchecked;  /* exec_pages cannot be computed from /proc */
	uint64_t exec_pages; /* mm_struct.exec_vm when the mappings were read */
	uint32_t version;    /* unique for each list of mappings */
	uint32_t pad;
};

enum table_state { TABLE_NONE, TABLE_PENDING, TABLE_READY };

/*
 * A cached lookup of a pc. The cache helps because most samples contain the same return addresses.
 */
struct cached_rule {
	uint64_t key; /* pc << 1 | whether it is a return address */
	uint32_t version;
	bool is_compiled; /* at run time; invalid if the word at id_at is no longer id */
	uint8_t saved;    /* saved registers, see unwind_saved_registers() */
	bool is_plain;    /* walk_is_plain() */
	uint64_t frame;
	uint64_t id_at, id; /* as in struct space_map, or of a word of the code */
	struct unwind_rule rule;
} __attribute__((aligned(64))); /* one cache line */

/* A table in the pool. The levels and rules are block numbers. */
struct table_desc {
	uint64_t base, size;
	uint32_t state; /* enum table_state */
	uint16_t height;
	bool is_final; /* no better table will follow */
	bool missed;   /* set by the programs if code that was hit has no rule */
	uint32_t level[UNWIND_LEVELS];
	uint32_t rules, nr_rules;
	uint32_t better; /* number of the table to use instead, or 0 */
};

/*
 * Stacks are stored as a tree of nodes. Each node has up to CHUNK frames, which are nearer to the
 * leaf than the frames of its parent, so that the map's lookup of keys finds equal stacks. The
 * number of a stack is the number of its last node.
 */
struct node_key {
	uint64_t parent;       /* number of a node, or NODE_ROOT | enum walk_end */
	uint64_t frame[CHUNK]; /* leaf first; padded with 0 at the front */
};

#define NODE_ROOT (1ULL << 63)
#define NODE_KERNEL (1ULL << 62)
/*
 * A VM stack, whose frames are struct vm_words. Bits 0 to 7 are enum vm_end, bits 8 to 39 the tgid,
 * as frames are addresses in that process, bits 40 to 47 enum vm_kind, which is VM_NONE if no
 * interpreter is known in the process, and bits 48 to 58 the generation of struct vm_layout. A
 * stack without frames has one frame of type VM_NO_FRAME.
 * The texts of each frame are sent to user space once.
 */
#define NODE_VM (1ULL << 61)
#define NODE_VM_ROOT(kind, generation, tgid, end)                                                  \
	(NODE_ROOT | NODE_VM | (uint64_t)(generation) << 48 | (uint64_t)(kind) << 40 |             \
		(uint64_t)(tgid) << 8 | (uint32_t)(end))
#define NODE_VM_GENERATION(root) ((uint32_t)((root) >> 48 & (VM_GENERATIONS - 1)))
#define NODE_VM_KIND(root) ((enum vm_kind)((root) >> 40 & 255))
#define NODE_VM_TGID(root) ((uint32_t)((root) >> 8))

/*
 * A node of one waker, with the words below; and a node of wakers that have woken each other, with
 * the numbers of their nodes, the last waker first. Their frames are not padded at the front.
 */
#define NODE_WAKER (1ULL << 60)
#define NODE_WAKERS (1ULL << 59)

enum waker_word {
	WAKER_USER, /* numbers of stacks, or 0 */
	WAKER_KERNEL,
	WAKER_VM,
	WAKER_COMM, /* two words */
};

enum { WAKERS_MAX = 4 }; /* that are kept of a thread */

_Static_assert(VM_DEPTH *VM_WORDS == WALK_DEPTH, "a VM stack fits into scratch.frame");

/*
 * A stack whose number has this bit set is unwound in user space, from the copy with that number.
 */
#define STACK_COPY (1ULL << 63)

/*
 * Replaces the number of a user stack if the task has none, with the reason. The reasons are in the
 * order of SAMPLE_… in engine/samples.h.
 */
#define STACK_NONE (1ULL << 62)
enum no_stack { NO_STACK_KERNEL_THREAD, NO_STACK_EXITING, NO_STACK_EXECVE };

/*
 * The contexts that allocate numbers on one CPU: the programs at events, the iterator over all
 * tasks, and the probe at the ends of requests and other owners of samples. The programs at events
 * may interrupt the other two. Numbers of stacks and copies begin with the CPU and the lane, so
 * that no synchronisation is needed.
 */
enum lane { LANE_EVENT, LANE_SCAN, LANE_END, LANES };
enum { NUMBER_BITS = 40 };

/*
 * The events of rows: samples, ends of the owners of samples, the bytes of the objects that are
 * counted as samples, and the time of what is counted.
 */
enum row_event { ROW_SAMPLES, ROW_ENDS, ROW_BYTES, ROW_TIME, ROW_EVENTS };

struct row_key {
	uint64_t start; /* start of the task, ns since boot */
	uint32_t tid, tgid;
	char comm[COMM_LEN];
	uint64_t user, kernel, vm; /* numbers of stacks, or 0 */
	uint64_t waker;            /* number of a node of one or more wakers, or 0 */
	uint32_t state;            /* TOOL_STATE, VM_STATE or TOOL_VALUE, or 0 if there is none */
	uint32_t slice;            /* number of the slice of time, from 1, or 0 without slices */
	uint32_t more;             /* the sum belongs in equal parts to this many further slices */
	uint16_t event : 4;        /* enum row_event */
	uint16_t op : 12;          /* VM_OP() of what the interpreter executes, or 0 */
	uint16_t range;            /* 1 + bucket of log_scale.h of each event's value, or 0 */
	uint64_t label_set;        /* set of a source's labels, see label_layout.h, or 0 */
};

/*
 * The states of a task or of the object that a row counts; each is a label. The tool and each
 * interpreter number their states independently.
 */
#define TOOL_STATE(i) ((i) + 1)
#define VM_STATE(kind, i) (TOOL_STATES_MAX + (kind)*VM_STATES_MAX + (i))
/* A value that the tool itself translates to labels, see struct bpf_tool. */
#define TOOL_VALUE(i) (STATES_MAX + (i))
enum {
	TOOL_STATES_MAX = 16,
	VM_STATES_MAX = 16,
	STATES_MAX = TOOL_STATES_MAX + VM_KINDS * VM_STATES_MAX,
};

struct row_value {
	uint64_t count, sum;
};

/* The selection of data that is recorded. To be set before the programs are loaded. */
struct settings {
	bool user, kernel, all, idle, pids, tids, children;
	uint32_t vm;           /* a bit VM_BIT() for each kind of VM whose stacks are recorded */
	uint32_t vm_by_native; /* the bits of these VMs whose walks the native stack begins */
	bool by_comm;          /* tasks whose name or process name matches comm */
	bool by_cgroup;        /* tasks in target_cgroups or below */
	bool vm_op;            /* rows have the operator that the interpreter executes */
	bool only_vm;          /* only targets with an interpreter */
	bool state_arg;        /* sched_switch has the state as its last argument (since 5.18) */
	bool labels;           /* of at least one source */
	uint32_t pid_ns;       /* inode of the recorder's PID namespace, or 0 for the initial one */
	uint64_t seed;         /* random, for hashes */
	uint64_t tick_ns;      /* time between two ticks of the clock, or 0 if there is no clock */
	uint64_t slice_ns;     /* length of a slice of time, or 0 without slices */
	uint64_t comm[2], comm_mask[2];   /* as in struct comm_words */
	uint64_t option[OPTIONS_MAX];     /* values, in the order of the script's declarations */
	uint32_t label_keys[LABEL_KINDS]; /* by kind of source, a bit for each recorded label */
	bool ranges; /* the rows of tools that take --distr are split by ranges of their values */
};

/*
 * Returns whether a time of NS is recorded, by the options MIN and MAX of the tool, which are in
 * us. A MAX of 0 is no limit.
 */
static inline bool within_bounds(const volatile struct settings *s, int min, int max, uint64_t ns)
{
	uint64_t longest = s->option[max];

	return ns >= s->option[min] * 1000 && (!longest || ns <= longest * 1000);
}

/* Set by the recorder while the programs run; all other variables are constant. */
struct control {
	uint64_t since;         /* CLOCK_MONOTONIC, ns; the first slice of time begins here */
	uint64_t until;         /* the same clock; later events are not recorded */
	uint32_t command;       /* process to record from its next exec on, which sets this to 0 */
	uint32_t epoch;         /* selects the maps of nodes and rows that are written to */
	uint32_t cgroup_levels; /* a bit for each level that has target_cgroups */
	uint32_t forgotten;     /* how often user space has forgotten VM frames that were sent */
	bool any_delayed;       /* set by the programs */
};

/* A span that has begun and not ended, such as a wait or the life of an object. See span.h. */
struct span_key {
	uint64_t id; /* chosen by the tool, such as an address */
	uint32_t tgid;
	uint32_t part; /* tells spans with the same id apart */
};

enum { SPAN_WORDS = 3 };

struct span {
	struct row_key row;        /* the row that the span is added to when it ends */
	uint64_t since;            /* CLOCK_MONOTONIC, ns */
	uint64_t word[SPAN_WORDS]; /* for use by the tool */
	/* nodes of the threads that have woken this one, and each other, the last one first, or 0
	 */
	uint64_t wakers[WAKERS_MAX];
};

/* The number of stack copies of a process in the current second. */
struct copy_quota {
	uint64_t second;
	uint32_t nr;
	uint32_t pad;
};

/* A thread's stack that was copied, which counts again when the stack is the same. */
struct copied_key {
	uint64_t start; /* as in struct row_key */
	uint64_t hash;  /* of the registers and the stack */
	uint32_t tid;
	uint32_t pad;
};

struct copied {
	uint64_t copy, time; /* its number, and CLOCK_MONOTONIC, ns */
};

/*
 * The backlog of a thread: ticks without an unwind table whose stack could not be copied. The
 * thread's next stacks count for them; if there are none, the ticks become a stack that is cut at
 * the pc of the first tick.
 */
struct delayed {
	uint64_t start; /* as in struct row_key */
	uint32_t tid, tgid;
	char comm[COMM_LEN];
	uint64_t pc;
	uint64_t count;
};

/*
 * Records in the ring buffer: the pages of a stack and then its head; for VMs, a new frame or a
 * waiting thread; and a new set of labels.
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
	bool remote;   /* not copied, but to be read from the memory of the waiting thread */
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t exec_pages;
	uint64_t stack_end; /* the end of the stack that the thread began on */
	uint64_t reg[NR_REGS];
	uint64_t trampoline; /* see return_probes.h, or 0 */
	uint64_t nr_returns;
	struct {
		uint64_t at, pc; /* address of a return address, and its true value */
	} returns[COPY_RETURNS];
};

/* A set of labels, by a hash of the data from which it was read. */
struct cached_label {
	uint64_t hash, set;
};

/* A waiting thread, whose VM stack is walked in user space. */
struct ring_vm_thread {
	uint32_t type;
	uint32_t tgid;
	uint64_t copy;   /* number of the stack, as in struct ring_copy */
	uint64_t thread; /* thread pointer */
	uint64_t sp;     /* stack pointer, or 0 if it is not known */
};

/* Counters for each CPU and lane. */
struct counters {
	uint64_t nodes, rows; /* how many were added */
	uint64_t ticks;       /* all ticks */
	uint64_t hits;        /* events that hit the target */
	uint64_t tick_at;     /* when the last tick was due, CLOCK_MONOTONIC, ns, or 0 at first */
	int64_t missed;       /* ticks that did not come before one that hit the target */
	uint64_t idle_task;   /* address of the processor's idle task, or 0 if not known yet */
	uint64_t idle_ended;  /* how often the idle task had been switched out at the last tick */
	uint64_t rows_full;   /* lost because there was no room for a row */
	uint64_t nodes_full;  /* lost because there was no room for a stack */
	uint64_t copies;      /* copies begun */
	uint64_t copies_lost; /* lost because the ring buffer was full or the quota used up */
	uint64_t delayed;     /* ticks added to the backlog of their thread */
	uint64_t spans_full;  /* lost because there was no room for a span */
	uint64_t spans_lost;  /* lost because the scratch was in use */
	uint64_t ends_lost;   /* not counted because another thread was being counted on this CPU */
};

#endif
