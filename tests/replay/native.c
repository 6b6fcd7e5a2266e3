/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native.h"
#include "../right/tables_walk.h"

static struct tables tables;

/* As take_native() in vm/vm_bpf.h. */
static struct vm_native native_of(const struct walk *w, const struct user_regs_struct *r, int end)
{
	struct vm_native n = {.frame = w->vm.frame,
		.pc = w->vm.pc,
		.fp = w->vm.fp,
		.bx = w->vm.bx,
		.sp = r->rsp,
		.dx = r->rdx,
		.reg = {r->rdi, r->rbx, r->rbp, r->r12, r->r13, r->r14, r->r15},
		.walked = true,
		.whole = end == WALK_ROOT,
		.leaf = w->vm.leaf,
		.compiled = w->vm.compiled};

	memcpy(n.threads, w->vm.threads, sizeof(n.threads));
	return n;
}

struct vm_native native_stack(pid_t pid, const struct user_regs_struct *regs)
{
	const struct mapping *m;
	struct walk w;
	int end = WALK_ON;

	if (pid != tables_pid) {
		if (tables_pid)
			tables_release(&tables);
		tables_init(&tables, pid);
	}
	tables.scanned = false;
	walk_begin(&w, regs);
	while (end == WALK_ON && w.nr++ < WALK_DEPTH)
		end = tables_step(&tables, &w, &m);
	return native_of(&w, regs, end);
}
