/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks Ruby's stacks, one control frame per step. The same code runs in the kernel (BPF) and in
 * user space. It finds the frames that Ruby's caller_locations() reports. Every read may fail. The
 * includer defines VM_READ, see vm_walk.h, and
 *
 *	struct ruby_cached *RUBY_CACHED(struct ruby_walk *w, uint64_t iseq, uint64_t pc)
 *
 * which returns a cache entry, or NULL if there is no cache. The structures and the rules come from
 * Ruby's vm_core.h, vm_backtrace.c and vm_insnhelper.c (rb_vm_frame_method_entry).
 */
#ifndef RUNTIME_RUBY_RUBY_STEP_H
#define RUNTIME_RUBY_RUBY_STEP_H

#include "ruby_frame.h"
#include "ruby_layout.h"

/* Words of struct rb_control_frame_struct. */
enum { RUBY_PC, RUBY_ISEQ = 2, RUBY_EP = 4 };

/* Kinds of control frames, in the word at ep, and its flags. */
enum ruby_magic {
	RUBY_MAGIC_METHOD = 0x1111,
	RUBY_MAGIC_BLOCK = 0x2222,
	RUBY_MAGIC_CLASS = 0x3333,
	RUBY_MAGIC_TOP = 0x4444,
	RUBY_MAGIC_CFUNC = 0x5555,
	RUBY_MAGIC_IFUNC = 0x6666,
	RUBY_MAGIC_EVAL = 0x7777,
	RUBY_MAGIC_RESCUE = 0x7888,
	RUBY_MAGIC_DUMMY = 0x7999,
};
enum { RUBY_ENV_LOCAL = 2, RUBY_FRAME_FINISH = 0x20 };

/* Objects: struct RBasic, whose flags have the type, and T_IMEMO's kinds. */
enum {
	RUBY_TYPE = 0x1f,
	RUBY_T_CLASS = 2,
	RUBY_T_MODULE = 3,
	RUBY_T_STRING = 5,
	RUBY_T_ARRAY = 7,
	RUBY_T_IMEMO = 0x1a,
	RUBY_USHIFT = 12,
	RUBY_IMEMO = 0xf,
	RUBY_IMEMO_SVAR = 2,
	RUBY_IMEMO_MENT = 6,
	RUBY_ISEQ_BODY = 16,
	RUBY_ME_DEF = 16, /* rb_method_entry_t: its definition, whose type is in the lowest bits */
	RUBY_METHOD_TYPE = 0xf,
	RUBY_METHOD_ISEQ = 0,
};

/* Reads the beginning of the object at ADDRESS into w->words. Returns its flags, or 0. */
static inline uint64_t ruby_read_object(struct ruby_walk *w, uint64_t address)
{
	/* small numbers, symbols, nil and the like are no addresses */
	if (address & 7 || address < 4096 || VM_READ(w, w->words, sizeof(w->words), address))
		return 0;
	return w->words[0];
}

static inline bool ruby_is_imemo(uint64_t flags, uint64_t kind)
{
	return (flags & RUBY_TYPE) == RUBY_T_IMEMO && (flags >> RUBY_USHIFT & RUBY_IMEMO) == kind;
}

/* Returns the method entry that WORD of an environment is or has, or 0. */
static inline uint64_t ruby_entry(struct ruby_walk *w, uint64_t word)
{
	uint64_t flags = ruby_read_object(w, word);

	if (ruby_is_imemo(flags, RUBY_IMEMO_SVAR)) {
		word = w->words[1];
		flags = ruby_read_object(w, word);
	}
	return ruby_is_imemo(flags, RUBY_IMEMO_MENT) ? word : 0;
}

static inline int ruby_read_env(struct ruby_walk *w, uint64_t ep)
{
	return VM_READ(w, w->env, sizeof(w->env), ep - 2 * sizeof(uint64_t));
}

/* Returns the method entry of the environment in w->env or of one around it, or 0. */
static inline uint64_t ruby_method(struct ruby_walk *w)
{
	for (int i = 0; i < RUBY_ENVS_MAX; i++) {
		uint64_t method = ruby_entry(w, w->env[0]);

		if (method || w->env[2] & RUBY_ENV_LOCAL)
			return method;
		if (ruby_read_env(w, w->env[1] & ~3ULL))
			return 0;
	}
	return 0;
}

/*
 * Returns PC if it is in ISEQ, or 0. Code that YJIT has compiled sets the program counter only
 * before it calls something, so a new frame may have an older frame's.
 */
static inline uint64_t ruby_place(struct ruby_walk *w, uint64_t iseq, uint64_t pc)
{
	uint64_t body, head[2]; /* type and size, iseq_encoded */

	if (VM_READ(w, &body, sizeof(body), iseq + RUBY_ISEQ_BODY) ||
		VM_READ(w, head, sizeof(head), body))
		return 0;
	return pc - head[1] <= (head[0] >> 32) * sizeof(uint64_t) ? pc : 0;
}

/* Makes w->vm.frame the frame of code that is in w->frame and w->env. */
static inline void ruby_take_code(struct ruby_walk *w)
{
	uint64_t iseq = w->frame[RUBY_ISEQ], pc = w->frame[RUBY_PC], env = w->env[0], at, method;
	struct ruby_cached *seen = RUBY_CACHED(w, iseq, pc);

	if (seen && seen->iseq == iseq && seen->pc == pc && seen->env == env &&
		seen->owner == w->vm.owner) {
		at = seen->at;
		method = seen->method;
	} else {
		at = ruby_place(w, iseq, pc);
		method = ruby_method(w);
		if (seen)
			*seen = (struct ruby_cached){iseq, pc, env, w->vm.owner, 0, method, at};
	}
	w->vm.frame = (struct vm_frame){VM_WHAT(RUBY_CODE) | (iseq & VM_ADDRESS), method, at};
}

/*
 * Returns whether the control frame of a method is complete. Until 3.0 it becomes the innermost one
 * before it is written, so that it is an older frame for some instructions, but its environment is
 * the new one.
 */
static inline bool ruby_is_written(struct ruby_walk *w)
{
	uint64_t method = ruby_entry(w, w->env[0]), at, definition[2]; /* and its iseq */

	return method && !VM_READ(w, &at, sizeof(at), method + RUBY_ME_DEF) &&
	       !VM_READ(w, definition, sizeof(definition), at) &&
	       ((definition[0] & RUBY_METHOD_TYPE) != RUBY_METHOD_ISEQ ||
		       definition[1] == w->frame[RUBY_ISEQ]);
}

/*
 * Handles code. A clause, of rescue or ensure, has a frame in front of the frame that it is a part
 * of. It takes that frame's place, as Ruby has it since 3.4.
 */
static inline int ruby_found_code(struct ruby_walk *w, uint64_t flags, bool is_clause)
{
	if (w->clause.what)
		w->vm.frame = w->clause;
	else
		ruby_take_code(w);
	w->vm.frame.what |= flags;
	w->vm.found = !is_clause;
	w->clause.what = is_clause ? w->vm.frame.what : 0;
	w->clause.with = w->vm.frame.with;
	w->clause.at = w->vm.frame.at;
	return VM_ON;
}

static inline int ruby_found_cfunc(struct ruby_walk *w, uint64_t flags)
{
	uint64_t method = ruby_entry(w, w->env[0]);

	if (!method)
		return VM_INCONSISTENT;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(RUBY_CFUNC) | flags | (method & VM_ADDRESS), 0, 0};
	return VM_ON;
}

/*
 * Takes the next step. Returns VM_ON, or how the walk ended; in either case w->vm.found tells
 * whether there is a frame.
 */
static inline int ruby_step(struct ruby_walk *w, const struct ruby_layout *l)
{
	bool is_innermost = w->is_innermost;
	uint64_t flags;

	w->vm.found = w->is_innermost = false;
	if (w->cfp >= w->end)
		return w->cfp == w->end ? VM_WHOLE : VM_INCONSISTENT;
	if (VM_READ(w, w->frame, sizeof(w->frame), w->cfp) || ruby_read_env(w, w->frame[RUBY_EP]))
		return VM_INCONSISTENT;
	w->cfp += l->shape.cfp_size;
	flags = w->env[2] & RUBY_FRAME_FINISH ? RUBY_FROM_C : 0;
	switch (w->env[2] & 1 ? w->env[2] >> 16 & 0x7fff : 0) {
	case RUBY_MAGIC_METHOD:
		if (is_innermost && l->shape.pushed_first && !ruby_is_written(w))
			return VM_ON;
		return ruby_found_code(w, flags, false);
	case RUBY_MAGIC_BLOCK:
	case RUBY_MAGIC_CLASS:
	case RUBY_MAGIC_TOP:
	case RUBY_MAGIC_EVAL:
		return ruby_found_code(w, flags, false);
	case RUBY_MAGIC_RESCUE:
		return ruby_found_code(w, flags, true);
	case RUBY_MAGIC_CFUNC:
		return ruby_found_cfunc(w, flags);
	case RUBY_MAGIC_IFUNC: /* a block in C, which Ruby does not report */
	case RUBY_MAGIC_DUMMY:
		return VM_ON;
	default:
		return VM_INCONSISTENT;
	}
}

/* Sets w->vm.found and the frame if the garbage collector runs, whose flags are at GC. */
static inline void ruby_find_gc(struct ruby_walk *w, const struct ruby_layout *l, uint64_t gc)
{
	uint8_t flags;

	if (VM_READ(w, &flags, sizeof(flags), gc + l->gc_flags) || !(flags & l->during_gc))
		return;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(RUBY_GC), 0, 0};
}

/* Begins the walk W of the execution context EC. Returns what ruby_step() returns. */
static inline int ruby_begin(struct ruby_walk *w, uint64_t ec)
{
	uint64_t head[3]; /* vm_stack, its size in words, cfp */

	w->vm.found = false;
	w->clause.what = 0;
	w->is_innermost = true;
	if (VM_READ(w, head, sizeof(head), ec))
		return VM_INCONSISTENT;
	if (!head[0] || !head[2])
		return VM_NOT_RUNNING;
	w->cfp = head[2];
	w->end = head[0] + head[1] * sizeof(uint64_t);
	return w->cfp > head[0] && w->cfp <= w->end ? VM_ON : VM_INCONSISTENT;
}

#endif
