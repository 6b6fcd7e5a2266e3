/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of kernel structures that the programs read; their offsets are relocated when the
 * programs are loaded (CO-RE).
 */
#ifndef ENGINE_BPF_KERN_STRUCTS_H
#define ENGINE_BPF_KERN_STRUCTS_H

#include "arch/x86_64/regs_bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct xol_area {
	unsigned long vaddr; /* address of the page with the instructions of probes */
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct return_instance {
	unsigned long stack; /* address of the return address on the stack */
	unsigned long orig_ret_vaddr;
	struct return_instance *next; /* the next outer call */
};

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr; /* address of the instruction that a probe replaced */
};

struct mm_struct {
	unsigned long exec_vm;
	unsigned long end_code; /* 0 while execve(2) is still setting it up */
	unsigned long start_stack, start_brk, brk;
	struct uprobes_state uprobes_state;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one per level, from 0 */
};

struct rq {
	struct task_struct *idle;
};

struct cfs_rq {
	struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED, as sched_entity.cfs_rq */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	uint64_t sum_exec_runtime; /* ns */
};

struct kernfs_node {
	uint64_t id;
};

struct cgroup {
	int level; /* 0 for the root */
	struct kernfs_node *kn;
	struct cgroup *ancestors[1]; /* one per level, up to itself */
};

struct cgroup___before_6_1 {
	uint64_t ancestor_ids[1];
};

struct css_set {
	struct cgroup *dfl_cgrp; /* in the v2 hierarchy */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags; /* PF_… */
	void *stack;
	unsigned int on_cpu; /* a byte since 7.2; libbpf adjusts the size of unsigned fields */
	int pid, tgid;
	char comm[16];
	struct mm_struct *mm;
	struct signal_struct *signal;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct css_set *cgroups;
	unsigned long long start_boottime;
	int *clear_child_tid;      /* futex that is released when the thread ends */
	struct uprobe_task *utask; /* NULL if no probe has hit */
	struct thread_struct thread;
	unsigned long nivcsw;
	struct sched_entity se;
};

struct task_struct___before_5_14 {
	long state;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
