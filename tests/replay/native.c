/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native.h"
#include "request.h"
#include "../right/tables_walk.h"

static struct tables tables;

/* Does what take_native() in runtime/vm_bpf.h does. */
static struct vm_native native_of(const struct walk *w, const struct user_regs_struct *r, int end)
{
	struct vm_native n = {.frame = w->vm.frame,
		.pc = w->vm.pc,
		.fp = w->vm.fp,
		.base = w->vm.base,
		.sp = r->rsp,
		.third = r->rdx,
		.reg = {r->rdi, r->rbx, r->rbp, r->r12, r->r13, r->r14, r->r15},
		.walked = true,
		.whole = end == WALK_ROOT,
		.leaf = w->vm.leaf,
		.compiled = w->vm.compiled};

	memcpy(n.threads, w->vm.threads, sizeof(n.threads));
	return n;
}

static void use_process(pid_t pid)
{
	if (pid != tables_pid) {
		if (tables_pid)
			tables_release(&tables);
		tables_init(&tables, pid);
	}
	tables.scanned = false;
}

struct vm_native native_stack(pid_t pid, const struct user_regs_struct *regs)
{
	const struct mapping *m;
	struct walk w;
	int end = WALK_ON;

	use_process(pid);
	walk_begin(&w, regs);
	while (end == WALK_ON && w.nr++ < WALK_DEPTH)
		end = tables_step(&tables, &w, &m);
	return native_of(&w, regs, end);
}

void native_frames(pid_t pid, const struct user_regs_struct *r, struct request_stack *stack)
{
	const struct mapping *m;
	struct walk w;
	int end = WALK_ON;

	use_process(pid);
	walk_begin(&w, r);
	*stack = (struct request_stack){
		.reg = {r->rip, r->rdi, r->rbx, r->rbp, r->r12, r->r13, r->r14, r->r15}};
	while (stack->nr < REQUEST_FRAMES) {
		end = tables_step(&tables, &w, &m);
		if (end != WALK_ON)
			break;
		stack->frames[stack->nr++] = (struct label_passed){
			.sp = w.reg[REG_SP], .pc = w.reg[REG_PC], .saved = tables.saved};
	}
	stack->whole = end == WALK_ROOT;
}
