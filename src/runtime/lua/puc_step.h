/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of PUC Lua 5.1 to 5.5, one frame or a few words of the native stack per step. The
 * same code runs in the kernel (BPF) and in user space. lua_step.h includes this file and describes
 * VM_READ.
 *
 * The interpreter keeps the pointer to its lua_State in a register or in a slot of its native
 * stack. Pointers there may lead to any thread. A thread with status 0 and a function is the
 * running thread, or one that has directly or indirectly resumed it. A thread that resumes another
 * one has fewer nested C calls than the other.
 */
#ifndef RUNTIME_LUA_PUC_STEP_H
#define RUNTIME_LUA_PUC_STEP_H

#include "lua_frame.h"
#include "lua_layout.h"

/* The bits of a bytecode that are its opcode. */
enum { PUC_OPCODE = 0x3f, PUC_OPCODE_5_4 = 0x7f };

enum {
	PUC_WORDS = LUA_BYTES / 8,
	PUC_SCAN_FIRST = 8192, /* bytes of the native stack that may refer to the running thread */
	PUC_SCAN_RESUMER = 65536 /* bytes above that may refer to the thread that resumed it */
};

/* ---- frames ---- */

/*
 * Sets next, except for its pc, to the function in C or in Lua that is the value in pair, or to
 * type 0 if the value is not a function.
 */
static inline void puc_take_function(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_walk *p = &w->puc;
	uint32_t type = p->pair[1] & 0x3f;
	uint8_t is_c = type == PUC_C_CLOSURE;

	p->next = (struct vm_frame){0, 0, 0};
	if (type == PUC_LIGHT_C && s->minor > 1) {
		p->next.what = VM_WHAT(LUA_C) | (p->pair[0] & VM_ADDRESS);
		return;
	}
	if ((type != PUC_FUNCTION && !is_c) ||
		(s->minor == 1 && VM_READ(w, &is_c, 1, p->pair[0] + PUC_IS_C)) ||
		lua_read_word(w, &p->pair[1], p->pair[0] + (is_c ? s->c_function : s->proto)))
		return;
	p->next.what = VM_WHAT(is_c ? LUA_C : LUA_FUNCTION) | (p->pair[1] & VM_ADDRESS);
}

/* Sets next to the frame of the CallInfo at CI. */
static inline int puc_take_ci(struct lua_walk *w, const struct puc_shape *s, uint64_t ci)
{
	struct puc_walk *p = &w->puc;
	uint64_t pc_at = p->is_leaf && s->state_pc ? w->thread + s->state_pc : ci + s->savedpc;

	p->ci = ci;
	if (!lua_is_address(ci) || lua_read_word(w, &p->pair[0], ci + s->func) ||
		VM_READ(w, p->pair, sizeof(p->pair), p->pair[0]) ||
		VM_READ(w, &p->status, sizeof(p->status), ci + s->callstatus))
		return -1;
	puc_take_function(w, s);
	p->from_c = p->status & s->not_called;
	if (lua_frame_type(p->next.what) == LUA_FUNCTION && lua_read_word(w, &p->next.at, pc_at))
		return -1;
	p->next.at &= VM_ADDRESS;
	return p->next.what ? 0 : -1;
}

/*
 * Finds the bytecodes of the function of the frame F. Returns false if they cannot be read or the
 * function is in C.
 */
static inline bool puc_code(struct lua_walk *w, const struct puc_shape *s, const struct vm_frame *f,
	uint64_t *code, uint64_t *end)
{
	uint64_t proto = f->what & VM_ADDRESS;
	uint32_t size;

	if (lua_frame_type(f->what) != LUA_FUNCTION || lua_read_word(w, code, proto + s->code) ||
		VM_READ(w, &size, sizeof(size), proto + s->sizecode))
		return false;
	*end = *code + 4ULL * size;
	return true;
}

/*
 * Returns the pc behind the bytecode that is executed, if PC is from a register. Builds of 5.1 may
 * keep there the address of the bytecode itself. Then another register, or memory, has the one
 * behind it.
 */
static inline uint64_t puc_pc_behind(
	const struct lua_walk *w, const struct puc_shape *s, uint64_t saved, uint64_t pc)
{
	bool is_before = saved == pc + 4;

	for (uint32_t i = 0; i < VM_NATIVE_REGS; i++)
		is_before |= w->vm.native.reg[i] == pc + 4;
	return s->minor == 1 && is_before ? pc + 4 : pc;
}

/*
 * Takes the pc of the innermost function from a register, where the interpreter keeps it. In memory
 * it is saved only before operations that need it there.
 */
static inline void puc_take_pc(struct lua_walk *w, const struct puc_shape *s)
{
	struct vm_frame *f = &w->puc.next;
	uint64_t code, end;

	if (s->saves_pc || !puc_code(w, s, f, &code, &end))
		return;
	for (uint32_t i = 0; i < VM_NATIVE_REGS; i++) {
		uint64_t pc = w->vm.native.reg[i & (VM_NATIVE_REGS - 1)];

		if (!(pc & 3) && pc > code && pc <= end) {
			f->at = puc_pc_behind(w, s, f->at, pc);
			return;
		}
	}
	if (f->at <= code || f->at > end)
		f->at = code + 4; /* the function is being entered */
}

/*
 * Returns whether a tail call is just replacing the function of the frame F. 5.1 and 5.3 first call
 * and then remove the caller's frame, which until then has the pc or the function of the callee.
 */
static inline bool puc_is_replaced(
	struct lua_walk *w, const struct puc_shape *s, const struct vm_frame *f)
{
	uint64_t code, end;

	return s->minor <= 3 && puc_code(w, s, f, &code, &end) && (f->at <= code || f->at > end);
}

/* ---- runs of the interpreter ---- */

/*
 * Returns whether the frame of this step runs in the same run of the interpreter as its caller, the
 * next frame. The caller's bytecode tells.
 */
static inline bool puc_shares_run(struct lua_walk *w, const struct puc_shape *s)
{
	const struct vm_frame *caller = &w->puc.next;
	uint32_t op;

	if (lua_frame_type(caller->what) != LUA_FUNCTION)
		return false;
	if (puc_is_replaced(w, s, caller))
		return true;
	if (VM_READ(w, &op, sizeof(op), caller->at - 4))
		return false;
	op &= PUC_OPCODE;
	return op == s->op.call || op == s->op.tailcall;
}

/* Marks, for splicing, that the frame of this step began a run, even if it is being replaced. */
static inline void puc_mark_run(struct lua_walk *w)
{
	if (lua_frame_type(w->vm.frame.what) != LUA_FUNCTION)
		return;
	if (!w->vm.found)
		w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT), 0, 0};
	w->vm.frame.what |= LUA_RUN;
	w->vm.found = true;
}

/* ---- threads ---- */

/* Returns whether GLOBAL is a global_State: then its main thread refers back to it. */
static inline bool puc_is_global(struct lua_walk *w, const struct puc_shape *s, uint64_t global)
{
	struct puc_walk *p = &w->puc;

	p->main = global + s->main;
	return lua_is_address(global) &&
	       (s->main || !lua_read_word(w, &p->main, global + s->mainthread)) &&
	       lua_is_address(p->main) && !VM_READ(w, p->pair, sizeof(p->pair), p->main) &&
	       (p->pair[1] & 0xff) == PUC_IS_THREAD &&
	       !lua_read_word(w, &p->pair[0], p->main + s->global) && p->pair[0] == global;
}

/* Sets seen to the thread at THREAD; returns false if it is not a thread or does not run. */
static inline bool puc_is_running(struct lua_walk *w, const struct puc_shape *s, uint64_t thread)
{
	struct puc_walk *p = &w->puc;
	struct puc_thread *t = &p->seen;

	if (VM_READ(w, p->pair, sizeof(p->pair), thread) || (p->pair[1] & 0xff) != PUC_IS_THREAD ||
		p->pair[1] >> (s->status - 8) * 8 & 0xff ||
		lua_read_word(w, &t->global, thread + s->global) ||
		lua_read_word(w, &t->ci, thread + s->ci) ||
		VM_READ(w, &t->levels, sizeof(t->levels), thread + s->levels))
		return false;
	t->base_ci = thread + s->base_ci;
	if (!s->previous && lua_read_word(w, &t->base_ci, thread + s->base_ci))
		return false;
	if (!t->ci || t->ci == t->base_ci || /* being made, or without a function */
		(w->thread && (t->global != w->global || t->levels >= p->levels)))
		return false;
	return w->thread || puc_is_global(w, s, t->global);
}

/* Continues with the thread at THREAD if it runs. */
static inline int puc_enter_thread(struct lua_walk *w, const struct puc_shape *s, uint64_t thread)
{
	struct puc_walk *p = &w->puc;

	if (!puc_is_running(w, s, thread))
		return VM_ON;
	p->is_leaf = !w->thread;
	w->vm.found = w->vm.mixed && !p->is_leaf;
	w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT), 0, 0};
	w->thread = thread;
	w->global = p->seen.global;
	p->base_ci = p->seen.base_ci;
	p->levels = p->seen.levels;
	p->at = PUC_WORDS;
	p->is_scanning = false;
	if (p->scan > w->vm.native.sp)
		p->scan -= LUA_BYTES; /* the resumer may be in the same words */
	p->scan_end = p->scan + PUC_SCAN_RESUMER;
	/* A CallInfo has no function yet when it has just become the innermost one. */
	if (puc_take_ci(w, s, p->seen.ci) && !p->is_leaf)
		return VM_INCONSISTENT;
	if (p->is_leaf) {
		w->vm.state =
			lua_frame_type(p->next.what) == LUA_C ? LUA_STATE_C : LUA_STATE_INTERP;
		puc_take_pc(w, s);
	}
	p->is_leaf = false;
	return VM_ON;
}

/* Examines some words that may point to a thread. */
static inline int puc_scan(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_walk *p = &w->puc;

	if (p->at >= PUC_WORDS) {
		if (p->scan >= p->scan_end || VM_READ(w, &w->bytes, LUA_BYTES, p->scan))
			return w->thread ? VM_WHOLE : VM_NOT_RUNNING;
		p->scan += LUA_BYTES;
		p->at = 0;
	}
	for (int i = 0; i < PUC_WORDS && p->at < PUC_WORDS; i++) {
		uint64_t word = w->bytes.pointer[p->at++ & (PUC_WORDS - 1)];

		if (word >= 0x10000 && word <= VM_ADDRESS && !(word & 7))
			return puc_enter_thread(w, s, word);
	}
	return VM_ON;
}

/* ---- walk ---- */

/* Begins the walk W, whose mixed and native are set. */
static inline int puc_begin(struct lua_walk *w)
{
	struct puc_walk *p = &w->puc;

	w->vm.state = LUA_STATE_NONE;
	w->thread = w->global = 0;
	p->next = (struct vm_frame){0, 0, 0};
	p->scan = w->vm.native.sp & ~7ULL;
	w->vm.native.sp = p->scan;
	p->scan_end = p->scan + PUC_SCAN_FIRST;
	p->levels = 0;
	p->is_scanning = true;
	p->is_leaf = p->from_c = false;
	p->at = 0;
	for (uint32_t i = 0; i < PUC_WORDS; i++)
		w->bytes.pointer[i] = w->vm.native.reg[i];
	return VM_ON;
}

/* Takes the next step; returns what lua_step() returns. */
static inline int puc_step(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_walk *p = &w->puc;
	bool from_c = p->from_c, is_run = p->status & s->fresh;

	if (p->is_scanning)
		return puc_scan(w, s);
	w->vm.found = p->next.what && !puc_is_replaced(w, s, &p->next);
	w->vm.frame = p->next;
	if (w->vm.found)
		lua_take_op(w, &w->vm.frame, s->minor > 3 ? PUC_OPCODE_5_4 : PUC_OPCODE);
	p->pair[0] = p->ci - s->ci_size;
	if (s->previous && lua_read_word(w, &p->pair[0], p->ci + s->previous))
		return VM_INCONSISTENT;
	if (p->pair[0] == p->base_ci) {
		p->is_scanning = true;
		if (w->vm.mixed)
			puc_mark_run(w);
		return w->thread == p->main ? VM_WHOLE : VM_ON;
	}
	if (puc_take_ci(w, s, p->pair[0]))
		return VM_INCONSISTENT;
	if (!from_c && lua_frame_type(w->vm.frame.what) == LUA_FUNCTION &&
		lua_frame_type(p->next.what) == LUA_FUNCTION)
		lua_set_caller(w, p->next.at);
	if (w->vm.mixed && (s->fresh ? is_run : !puc_shares_run(w, s)))
		puc_mark_run(w);
	return VM_ON;
}

#endif
