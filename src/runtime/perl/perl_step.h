/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks Perl's stacks, one context per step. The same code runs in the kernel (BPF) and in user
 * space. It finds the frames that perl's caller() reports. There is no recursion, and every read
 * may fail. The includer defines VM_READ, see vm_walk.h, and
 *
 *	struct perl_cached_sub *PERL_CACHED_SUB(struct perl_walk *w, uint64_t cv)
 *
 * which returns the cache entry for the sub, or NULL if there is no cache. The structures and the
 * rules come from perl's cop.h and pp_ctl.c (dopoptosub_at).
 */
#ifndef RUNTIME_PERL_PERL_STEP_H
#define RUNTIME_PERL_PERL_STEP_H

#include "perl_frame.h"
#include "perl_layout.h"

#define PERL_OP_TYPE 0x1ff /* mask of the bit field op_type */

static inline uint64_t perl_pointer_at(const struct perl_walk *w, uint32_t offset)
{
	return w->bytes.pointer[offset / 8 & (PERL_BYTES / 8 - 1)];
}

static inline uint32_t perl_number_at(const struct perl_walk *w, uint32_t offset)
{
	return w->bytes.number[offset / 4 & (PERL_BYTES / 4 - 1)];
}

/* Returns the number of 1, 2 or 4 bytes at OFFSET. */
static inline uint32_t perl_bits_at(const struct perl_walk *w, uint32_t offset, uint32_t size)
{
	uint32_t bits = w->bytes.half[offset / 2 & (PERL_BYTES / 2 - 1)];

	if (size == 1)
		return offset & 1 ? bits >> 8 : bits & 0xff;
	if (size > 2)
		bits |= (uint32_t)w->bytes.half[(offset / 2 + 1) & (PERL_BYTES / 2 - 1)] << 16;
	return bits;
}

static inline int perl_read(struct perl_walk *w, uint32_t size, uint64_t address)
{
	return size > PERL_BYTES ? -1 : VM_READ(w, &w->bytes, size, address);
}

static inline int perl_read_pointer(struct perl_walk *w, uint64_t *to, uint64_t address)
{
	return VM_READ(w, to, sizeof(*to), address);
}

/* ---- subs ---- */

static inline uint32_t perl_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Returns the number of bytes of a sub's body that are read. */
static inline uint32_t perl_cv_size(const struct perl_shape *s)
{
	uint32_t size = perl_larger(s->xcv_gv, s->xcv_stash);

	size = perl_larger(
		perl_larger(size, s->xcv_start), perl_larger(s->xcv_depth, s->xcv_flags));
	return size + 8;
}

/* Reads the flags and the body's address of the SV at SV. */
static inline int perl_read_sv(struct perl_walk *w, const struct perl_shape *s, uint64_t sv,
	uint32_t *flags, uint64_t *body)
{
	if (!sv || perl_read(w, perl_larger(s->sv_any + 8, s->sv_flags + 4), sv))
		return -1;
	*flags = perl_number_at(w, s->sv_flags);
	*body = perl_pointer_at(w, s->sv_any);
	return *body ? 0 : -1;
}

/* Reads the body of the sub CV into w->bytes, and its flags. Returns -1 if it is not a sub. */
static inline int perl_read_cv(
	struct perl_walk *w, const struct perl_shape *s, uint64_t cv, uint32_t *flags)
{
	uint32_t type;
	uint64_t body;

	if (perl_read_sv(w, s, cv, &type, &body))
		return -1;
	type &= PERL_SVTYPEMASK;
	if ((type != PERL_SVt_PVCV && type != PERL_SVt_PVFM) || perl_read(w, perl_cv_size(s), body))
		return -1;
	*flags = perl_bits_at(w, s->xcv_flags, s->xcv_flags_size);
	return 0;
}

/* Names the frame F after the sub whose body is in w->bytes. */
static inline void perl_take_name(
	const struct perl_walk *w, const struct perl_shape *s, uint32_t flags, struct vm_frame *f)
{
	uint64_t start = perl_pointer_at(w, s->xcv_start);

	f->what |= perl_pointer_at(w, s->xcv_gv) & VM_ADDRESS;
	f->with = flags & s->CVf_ISXSUB ? 0 : start;
	if (flags & s->CVf_NAMED) {
		f->what |= PERL_BY_KEY;
		f->with = perl_pointer_at(w, s->xcv_stash);
	}
	if (flags & s->CVf_LEXICAL)
		f->what |= PERL_LEXICAL;
}

/* Returns the statement COP as it is stored in a frame, or 0 if there is none. */
static inline uint64_t perl_cop(struct perl_walk *w, const struct perl_shape *s, uint64_t cop)
{
	uint64_t place;

	if (!cop || perl_read(w, s->cop_file + 16, cop))
		return 0;
	place = perl_number_at(w, s->cop_line) * 0x9e3779b97f4a7c15ULL ^
		perl_pointer_at(w, s->cop_file) * 0xbf58476d1ce4e5b9ULL ^
		perl_pointer_at(w, s->cop_file + 8) * 0x94d049bb133111ebULL; /* and cop_seq */
	return (cop & VM_ADDRESS) | (place >> PERL_COP) << PERL_COP;
}

/* ---- stacks and contexts ---- */

/*
 * Returns whether the subs and evals of a stack are chained by their indexes, as since 5.32. Then
 * the contexts between them need not be read, and an index is set only after its context is filled.
 */
static inline bool perl_is_chained(const struct perl_shape *s)
{
	return s->si_cxsubix != PERL_NONE && s->cx_oldsubix != PERL_NONE;
}

static inline int perl_enter_stack(
	struct perl_walk *w, const struct perl_shape *s, uint64_t stackinfo)
{
	int32_t top;

	if (w->nr_stacks++ >= PERL_STACKS_MAX || perl_read(w, s->si_type + 4, stackinfo))
		return VM_INCONSISTENT;
	w->contexts = perl_pointer_at(w, s->si_cxstack);
	w->below = perl_pointer_at(w, s->si_prev);
	w->type = (int32_t)perl_number_at(w, s->si_type);
	w->begun = false;
	top = (int32_t)perl_number_at(w, s->si_cxix);
	w->at = perl_is_chained(s) ? (int32_t)perl_number_at(w, s->si_cxsubix) : top;
	return w->at >= -1 && w->at <= top && top < PERL_CONTEXTS_MAX ? VM_ON : VM_INCONSISTENT;
}

/* Marks a context, not a frame, that may begin a run loop: a sort's block, code in a regex, try. */
static inline int perl_found_loop(struct perl_walk *w, uint64_t what)
{
	w->vm.found = w->vm.mixed;
	w->vm.frame = (struct vm_frame){VM_WHAT(PERL_LOOP) | what, 0, w->cop};
	return VM_ON;
}

static inline int perl_found_eval(struct perl_walk *w, const struct perl_shape *s, uint32_t kind)
{
	uint64_t from_c = perl_pointer_at(w, s->cx_eval_retop) ? 0 : PERL_FROM_C;

	if (kind & s->CXp_TRY)
		return perl_found_loop(w, 0);
	if (!w->cop)
		return VM_INCONSISTENT;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(PERL_EVAL) | from_c, 0, w->cop};
	w->cop = perl_cop(w, s, perl_pointer_at(w, s->cx_oldcop));
	w->begun = from_c;
	return VM_ON;
}

enum perl_call { PERL_RUNS, PERL_BEGINS_OR_RETURNS, PERL_NO_SUB };

/*
 * Reads the name of the sub CV. A sub has its context already when it is being entered and still
 * when it returns, but only while it runs is its depth greater than before the call.
 */
static inline enum perl_call perl_name_sub(struct perl_walk *w, const struct perl_shape *s,
	uint64_t cv, bool has_depth, int32_t old_depth)
{
	uint32_t flags;

	if (perl_read_cv(w, s, cv, &flags))
		return cv || !perl_is_chained(s) ? PERL_NO_SUB : PERL_BEGINS_OR_RETURNS;
	if (w->nr_contexts == 1 && has_depth && !(flags & s->CVf_ISXSUB) &&
		(int32_t)perl_number_at(w, s->xcv_depth) <= old_depth)
		return PERL_BEGINS_OR_RETURNS;
	perl_take_name(w, s, flags, &w->vm.frame);
	return PERL_RUNS;
}

static inline int perl_found_sub(struct perl_walk *w, const struct perl_shape *s, uint32_t kind)
{
	uint64_t cv = perl_pointer_at(w, s->cx_cv);
	uint64_t from_c = perl_pointer_at(w, s->cx_retop) ? 0 : PERL_FROM_C;
	uint64_t oldcop = perl_pointer_at(w, s->cx_oldcop);
	int32_t old_depth = (int32_t)perl_number_at(w, s->cx_olddepth);
	bool again = w->vm.mixed && kind & s->CXp_MULTICALL;
	struct perl_cached_sub *seen = PERL_CACHED_SUB(w, cv);
	enum perl_call call = PERL_RUNS;

	w->vm.frame = (struct vm_frame){VM_WHAT(PERL_SUB), 0, w->cop};
	if (!w->cop)
		return VM_INCONSISTENT;
	if (w->nr_contexts > 1 && seen && seen->cv == cv && seen->cop == w->cop &&
		seen->owner == w->vm.owner) {
		w->vm.frame.what = seen->what;
		w->vm.frame.with = seen->with;
	} else {
		call = perl_name_sub(w, s, cv, (kind & s->CXTYPEMASK) == s->CXt_SUB, old_depth);
		if (call == PERL_RUNS && seen)
			*seen = (struct perl_cached_sub){
				cv, w->cop, w->vm.owner, 0, w->vm.frame.what, w->vm.frame.with};
	}
	if (call == PERL_NO_SUB || (call == PERL_BEGINS_OR_RETURNS && w->nr_contexts > 1))
		return VM_INCONSISTENT;
	w->vm.frame.what |= from_c | (again ? PERL_AGAIN : 0);
	w->vm.found = call == PERL_RUNS;
	w->cop = perl_cop(w, s, oldcop);
	w->begun = from_c;
	return VM_ON;
}

/* Handles the context at w->at and moves to the context below. */
static inline int perl_take_context(struct perl_walk *w, const struct perl_shape *s)
{
	uint32_t kind, type;
	int32_t below = w->at - 1;

	if (w->nr_contexts++ >= PERL_CONTEXTS_MAX ||
		perl_read(w, s->cx_size, w->contexts + (uint64_t)w->at * s->cx_size))
		return VM_INCONSISTENT;
	kind = perl_bits_at(w, s->cx_kind, s->cx_kind_size);
	type = kind & s->CXTYPEMASK;
	if (type != s->CXt_SUB && type != s->CXt_FORMAT && type != s->CXt_EVAL) {
		w->at = below;
		return VM_ON;
	}
	if (perl_is_chained(s))
		below = (int32_t)perl_number_at(w, s->cx_oldsubix);
	if (below < -1 || below >= w->at)
		return VM_INCONSISTENT;
	w->at = below;
	if (type == s->CXt_EVAL)
		return perl_found_eval(w, s, kind);
	if (type == s->CXt_SUB && kind & s->CXp_SUB_RE_FAKE)
		return perl_found_loop(w, PERL_FROM_C);
	return perl_found_sub(w, s, kind);
}

/* Moves, at the end of a stack, to the stack below, or ends the walk. */
static inline int perl_leave_stack(struct perl_walk *w, const struct perl_shape *s)
{
	if (w->type == PERL_PERLSI_MAIN && w->cop) {
		w->vm.found = true;
		w->vm.frame = (struct vm_frame){VM_WHAT(PERL_MAIN) | PERL_FROM_C, 0, w->cop};
		return VM_WHOLE;
	}
	if (w->type == PERL_PERLSI_SORT && !w->begun) {
		w->begun = true;
		return perl_found_loop(w, PERL_FROM_C);
	}
	return w->cop && w->below ? perl_enter_stack(w, s, w->below) : VM_INCONSISTENT;
}

/*
 * Takes the next step. Returns VM_ON, or how the walk ended; in either case w->vm.found tells
 * whether there is a frame.
 */
static inline int perl_step(struct perl_walk *w, const struct perl_layout *l)
{
	w->vm.found = false;
	return w->at >= 0 ? perl_take_context(w, &l->shape) : perl_leave_stack(w, &l->shape);
}

/* ---- the current function in C ---- */

/* Returns the sub that a call of SV calls: SV itself, its referent, or the sub of the glob SV. */
static inline uint64_t perl_called_sub(struct perl_walk *w, const struct perl_shape *s, uint64_t sv)
{
	uint32_t flags, type;
	uint64_t body, u;

	if (perl_read_sv(w, s, sv, &flags, &body) || perl_read_pointer(w, &u, sv + s->sv_u))
		return 0;
	type = flags & PERL_SVTYPEMASK;
	if ((type == PERL_SVt_PVGV || type == PERL_SVt_PVLV) && flags & PERL_SVpgv_GP)
		return perl_read_pointer(w, &sv, u + s->gp_cv) ? 0 : sv;
	return flags & PERL_SVf_ROK ? u : sv;
}

/*
 * Sets w->vm.op to the type of PL_op, the operator that is executed. Between two calls of its
 * block, a sort has none.
 */
static inline void perl_take_op(
	struct perl_walk *w, const struct perl_layout *l, uint64_t interpreter)
{
	uint64_t op;

	if (perl_read_pointer(w, &op, interpreter + l->op))
		return;
	if (!op && w->type == PERL_PERLSI_SORT)
		w->vm.op = l->sort;
	else if (!perl_read(w, 2, op + l->shape.op_type))
		w->vm.op = VM_OP(w->bytes.half[0] & PERL_OP_TYPE);
}

/*
 * Finds the frame of a function in C, which has no context. While it runs, the current operator is
 * the call, and the called sub is the value that was popped last from the stack of values. If a sub
 * is still on top of the stack, the call may not have begun, and no frame is found.
 */
static inline void perl_find_xsub(
	struct perl_walk *w, const struct perl_layout *l, uint64_t interpreter)
{
	uint64_t sp, top, above;
	uint32_t flags;

	if (w->vm.op != VM_OP(l->shape.OP_ENTERSUB) ||
		perl_read_pointer(w, &sp, interpreter + l->stack_sp) ||
		perl_read_pointer(w, &top, sp) || perl_read_pointer(w, &above, sp + 8) ||
		!perl_read_cv(w, &l->shape, perl_called_sub(w, &l->shape, top), &flags) ||
		perl_read_cv(w, &l->shape, perl_called_sub(w, &l->shape, above), &flags) ||
		!(flags & l->shape.CVf_ISXSUB))
		return;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(PERL_XSUB) | PERL_FROM_C, 0, w->cop};
	perl_take_name(w, &l->shape, flags, &w->vm.frame);
}

/* ---- start ---- */

/* Begins the walk W, whose mixed is set, at INTERPRETER. Returns what perl_step() returns. */
static inline int perl_begin(struct perl_walk *w, const struct perl_layout *l, uint64_t interpreter)
{
	uint64_t stackinfo, cop;
	int end;

	w->vm.found = false;
	w->vm.op = 0;
	w->nr_stacks = w->nr_contexts = 0;
	if (perl_read_pointer(w, &cop, interpreter + l->curcop) ||
		perl_read_pointer(w, &stackinfo, interpreter + l->curstackinfo))
		return VM_INCONSISTENT;
	if (!cop || !stackinfo)
		return VM_NOT_RUNNING;
	w->cop = perl_cop(w, &l->shape, cop);
	end = perl_enter_stack(w, &l->shape, stackinfo);
	if (end == VM_ON && w->cop) {
		perl_take_op(w, l, interpreter);
		perl_find_xsub(w, l, interpreter);
	}
	return end;
}

#endif
