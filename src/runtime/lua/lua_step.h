/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the stack of LuaJIT, one frame or one entry of a snapshot per step. The same code runs in
 * the kernel (BPF) and in user space. puc_step.h walks the stack of PUC Lua. There is no recursion,
 * and every read may fail. The includer defines VM_READ, see vm_walk.h, and
 *
 *	struct lua_cached_trace *LUA_CACHED_TRACE(struct lua_walk *w, uint64_t pc)
 *
 * which returns the cache entry for the trace that contains the pc, or NULL if there is no cache.
 *
 * The structures and the rules come from LuaJIT's lj_frame.h, lj_debug.c and lj_snap.c. A frame has
 * two references below its arguments: the function, and the link. The link is the address of the
 * bytecode after the call, or the distance to the frame below with one of the types FRAME_* in its
 * low bits. Function and link take two slots, or one slot if references have 32 bits.
 *
 * Functions that are inlined in the machine code of a trace have no frames; the last snapshot
 * before the pc has their slots, as constants. With 32-bit references the links follow the
 * snapshot's entries. LuaJIT 2.0 does not record where in the code a snapshot belongs.
 */
#ifndef RUNTIME_LUA_LUA_STEP_H
#define RUNTIME_LUA_LUA_STEP_H

#include "lua_bytecode.h"
#include "lua_frame.h"
#include "lua_layout.h"

enum { LUA_IS_THREAD = 6, LUA_IS_PROTO = 7, LUA_IS_FUNCTION = 8 };

/* The low bits of a frame's link. */
enum {
	LUA_LINK_LUA = 0,
	LUA_LINK_C = 1,
	LUA_LINK_CONT = 2, /* two more references are below: continuation and bytecode */
	LUA_LINK_VARG = 3,
	LUA_LINK_CP = 5,
	LUA_LINK_TYPE = 7,
};
enum { LUA_CONT_CALLBACK = 1 }; /* the continuation of a function that C called through the FFI */

/* Bytes of a lua_State that the walk reads, with 32-bit and with 64-bit references. */
enum { LUA_THREAD_32 = 0x38, LUA_THREAD_64 = 0x58 };

/* Offset in the interpreter's frame, and its size. */
enum {
	LUA_CFRAME_PREVIOUS = 0x20,
	LUA_CFRAME_SIZE = 0x50,
};

/* The ffids that all functions in Lua and all other functions in C share. */
enum { LUA_FF_LUA, LUA_FF_C };

/*
 * A bound for the size of GG_State, which holds the bytecode of all of LuaJIT's own functions. It
 * is larger than GG_State, so bytecode of functions in Lua may lie within it, too.
 */
enum { LUA_STATE_SIZE = 0x4000 };

/* The largest number of traces that are searched in all, and in one step. */
enum { LUA_TRACES_MAX = 1 << 14, LUA_TRACES_STEP = 4 };
/*
 * The largest number of snapshots of a trace, as a power of two; the sizes of a snapshot and of an
 * IR instruction; the first IR reference that is not a constant.
 */
enum { LUA_SNAPS_MAX = 16, LUA_SNAP_SIZE = 12, LUA_IR_SIZE = 8, LUA_IR_CONSTANTS = 0x8000 };
enum { LUA_WIDE_BASE = 2 };         /* first slot of the arguments of a trace's outermost frame */
enum { LUA_ENTRY_FRAME = 1 << 16 }; /* flag of a snapshot's entry that is a frame's link */
enum { LUA_STACK_MAX = 1 << 20 };   /* bytes between rsp and the interpreter's frame */
enum { LUA_CODE_MAX = 1 << 16 };    /* bytes that are searched for a function's first bytecode */

static inline int lua_read_word(struct lua_walk *w, uint64_t *to, uint64_t address)
{
	return VM_READ(w, to, sizeof(*to), address);
}

static inline bool lua_is_narrow(const struct luajit_shape *s)
{
	return s->refs == 4;
}

/* Reads a reference. It reads 8 bytes also for 32-bit references, which never end an object. */
static inline int lua_read_ref(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t *to, uint64_t address)
{
	if (VM_READ(w, to, sizeof(*to), address))
		return -1;
	if (lua_is_narrow(s))
		*to = (uint32_t)*to;
	return 0;
}

/*
 * Reads two slots of the thread's stack from AT on, together with the slots below. Frames are near
 * each other, and an outer frame has the lower address, so the next reads find it in the buffer.
 */
static inline int lua_read_slots(struct lua_walk *w, uint64_t *pair, uint64_t at)
{
	uint64_t in = at - w->slots_at, first = w->bottom - 8;

	if (in & 7 || in >= w->slots_len) {
		if (at - first > LUA_SLOTS - 16)
			first = at - (LUA_SLOTS - 16);
		in = at - first;
		w->slots_at = first;
		w->slots_len = (uint32_t)in + 8;
		if (in & 7 || in > LUA_SLOTS - 16 ||
			VM_READ(w, w->slots, (uint32_t)in + 16, first)) {
			w->slots_len = 0;
			return VM_READ(w, pair, 16, at);
		}
	}
	pair[0] = w->slots[in / 8 & (LUA_SLOTS / 8 - 1)];
	pair[1] = w->slots[(in / 8 + 1) & (LUA_SLOTS / 8 - 1)];
	return 0;
}

/*
 * Reads the pair of references whose second one is in SLOT: the function and the link of a frame,
 * or the continuation and the bytecode below them.
 */
static inline int lua_read_pair(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t *pair, uint64_t slot)
{
	if (!lua_is_narrow(s))
		return lua_read_slots(w, pair, slot - 8);
	if (VM_READ(w, pair, 8, slot))
		return -1;
	pair[1] = pair[0] >> 32;
	pair[0] = (uint32_t)pair[0];
	return 0;
}

/* Returns the slots of such a pair. A trace's outermost frame has as many below its arguments. */
static inline uint32_t lua_pair_slots(const struct luajit_shape *s)
{
	return s->refs / 4U;
}

static inline uint64_t lua_pointer_at(const struct lua_walk *w, uint32_t offset)
{
	return w->bytes.pointer[offset / 8 & (LUA_BYTES / 8 - 1)];
}

static inline uint64_t lua_ref_at(
	const struct lua_walk *w, const struct luajit_shape *s, uint32_t offset)
{
	return lua_is_narrow(s) ? w->bytes.number[offset / 4 & (LUA_BYTES / 4 - 1)]
				: lua_pointer_at(w, offset);
}

static inline bool lua_is_address(uint64_t address)
{
	return address >= 0x1000 && address <= VM_ADDRESS;
}

/* Records in the frame that the bytecode before LINK called it. */
static inline void lua_set_caller(struct lua_walk *w, uint64_t link)
{
	w->vm.frame.with = link;
	w->vm.frame.at = (w->vm.frame.at & VM_ADDRESS) | (link * 0x9e3779b97f4a7c15ULL >> LUA_PC)
								 << LUA_PC;
}

/*
 * Takes the bytecode that the innermost function in Lua executes as the operator. It is before the
 * frame's. MASK has the bits of a bytecode that are its opcode.
 */
static inline void lua_take_op(struct lua_walk *w, const struct vm_frame *f, uint8_t mask)
{
	uint8_t op;

	if (!w->vm.with_op || lua_frame_type(f->what) != LUA_FUNCTION)
		return;
	w->vm.with_op = false;
	if (f->at && !VM_READ(w, &op, sizeof(op), (f->at & VM_ADDRESS) - 4))
		w->vm.op = VM_OP(op & mask);
}

#include "puc_step.h"

/* ---- threads ---- */

/* Makes the interpreter's frame at ADDRESS the one that runs the next frame, and reads it. */
static inline int lua_enter_cframe(struct lua_walk *w, uint64_t address)
{
	w->cframe = address;
	w->is_new = true;
	return VM_READ(w, &w->frame, LUA_CFRAME_SIZE, address);
}

/* Returns the reference at OFFSET in the interpreter's frame. */
static inline uint64_t lua_cframe_ref(
	const struct lua_walk *w, const struct luajit_shape *s, uint32_t offset)
{
	return lua_is_narrow(s) ? (uint32_t)w->frame.number[offset / 4 & (LUA_FRAME_BYTES / 4 - 1)]
				: w->frame.pointer[offset / 8 & (LUA_FRAME_BYTES / 8 - 1)];
}

/*
 * Makes THREAD the one that is walked. Returns false if it is not a thread, or if w->cframe is not
 * its innermost frame of the interpreter.
 */
static inline bool lua_enter_thread(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t thread)
{
	uint64_t own, global;

	if (!lua_is_address(thread) || thread & 7 ||
		VM_READ(w, &w->bytes, lua_is_narrow(s) ? LUA_THREAD_32 : LUA_THREAD_64, thread) ||
		w->bytes.byte[s->gct & (LUA_BYTES - 1)] != LUA_IS_THREAD)
		return false;
	own = w->bytes.thread[s->cframe / 8 & (LUA_THREAD_BYTES / 8 - 1)];
	global = lua_ref_at(w, s, s->glref);
	w->bottom = lua_ref_at(w, s, s->stack) + 8ULL * (lua_pair_slots(s) - 1);
	w->saved_base = lua_pointer_at(w, s->base);
	w->stack_end = lua_ref_at(w, s, s->maxstack);
	if (w->nr_threads++ && global != w->global)
		return false;
	w->thread = thread;
	w->global = global;
	w->resumed = 0;
	return lua_is_address(global) && (own & ~3ULL) == w->cframe;
}

/* Continues at the base that the thread has saved, with the pc from the interpreter's frame. */
static inline int lua_take_base(struct lua_walk *w, const struct luajit_shape *s)
{
	w->pc = lua_cframe_ref(w, s, s->frame_pc);
	w->slot = w->saved_base - 8;
	w->pc_is_guess = true;
	return VM_ON;
}

/* Returns whether the walked thread is a coroutine: another thread has resumed it. */
static inline bool lua_is_coroutine(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t main = w->main;

	return (main || !lua_read_ref(w, s, &main, w->global + s->mainthread)) && w->thread != main;
}

/* Returns the interpreter's frame of the next thread in the native stack, or 0 if not known. */
static inline uint64_t lua_resumer(const struct lua_walk *w)
{
	for (int i = 0; i < VM_NATIVE_THREADS; i++)
		if (w->vm.native.threads[i] > w->resumed)
			return w->vm.native.threads[i];
	return 0;
}

/*
 * Continues, at the end of a thread's stack, with the thread that has resumed it, or ends the walk.
 * The resumer's interpreter frame is right above, but if a function in C has resumed the thread,
 * only the native stack tells where it is.
 */
static inline int lua_leave_thread(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t native = lua_resumer(w), thread;

	if (!w->resumed)
		return VM_WHOLE;
	if (w->nr_threads >= LUA_THREADS_MAX)
		return VM_CUT;
	if (lua_enter_cframe(w, w->resumed + LUA_CFRAME_SIZE))
		return VM_INCONSISTENT;
	thread = lua_cframe_ref(w, s, s->frame_thread);
	if (thread != w->thread && lua_enter_thread(w, s, thread))
		return lua_take_base(w, s);
	if (!native || lua_enter_cframe(w, native) ||
		!lua_enter_thread(w, s, lua_cframe_ref(w, s, s->frame_thread)))
		return VM_WHOLE;
	return lua_take_base(w, s);
}

/* ---- frames ---- */

/* Sets the frame to the function at FUNCTION; returns -1 if no function is there. */
static inline int lua_take_function(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t function)
{
	struct vm_frame *f = &w->vm.frame;
	uint8_t ffid;

	if (!lua_is_address(function) || VM_READ(w, &w->bytes, 48, function) ||
		w->bytes.byte[s->gct & (LUA_BYTES - 1)] != LUA_IS_FUNCTION)
		return -1;
	ffid = w->bytes.byte[s->ffid & (LUA_BYTES - 1)];
	*f = (struct vm_frame){w->compiled ? LUA_COMPILED : 0, 0, 0};
	if (ffid == LUA_FF_LUA) {
		f->what |=
			VM_WHAT(LUA_FUNCTION) | ((lua_ref_at(w, s, s->pc) - s->proto) & VM_ADDRESS);
		f->at = w->pc & VM_ADDRESS;
	} else if (ffid == LUA_FF_C) {
		f->what |= VM_WHAT(LUA_C) | (lua_pointer_at(w, s->c) & VM_ADDRESS);
	} else {
		f->what |= VM_WHAT(LUA_FAST) | ffid;
	}
	w->vm.found = true;
	return 0;
}

/*
 * Checks a pc that came from a register or that the interpreter has saved: it may be outside of the
 * frame's function.
 */
static inline void lua_check_pc(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t proto = w->vm.frame.what & VM_ADDRESS;
	uint32_t size;

	w->pc_is_guess = false;
	if (lua_frame_type(w->vm.frame.what) != LUA_FUNCTION || !w->vm.frame.at)
		return;
	if (VM_READ(w, &size, sizeof(size), proto + s->sizebc) ||
		w->vm.frame.at - proto - s->proto > 4ULL * size)
		w->vm.frame.at = w->is_leaf ? proto + s->proto + 4 : 0; /* it is being entered */
}

/* Takes the pc of the innermost frame from rbx, where the interpreter keeps it. */
static inline void lua_guess_pc(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t pc = w->vm.native.base;

	w->pc = lua_is_narrow(s) ? (uint32_t)pc : pc;
	w->pc_is_guess = true;
	w->is_leaf = w->vm.native.leaf;
}

/*
 * Marks the frame as called from C, and moves to the previous frame of the interpreter, which runs
 * the Lua frame below.
 */
static inline int lua_leave_cframe(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t previous;

	w->vm.frame.what |= LUA_FROM_C;
	w->pc = 0;
	if (!w->cframe)
		return 0;
	w->pc_is_guess = true;
	previous = w->frame.pointer[LUA_CFRAME_PREVIOUS / 8] & ~3ULL;
	if (!previous) {
		w->resumed = w->cframe;
		w->cframe = 0;
		return 0;
	}
	if (lua_enter_cframe(w, previous))
		return -1;
	w->pc = lua_cframe_ref(w, s, s->frame_pc);
	return 0;
}

/*
 * lua_cpcall() has a frame of the interpreter, but no frame in the Lua stack. Leaves w->cframe and
 * returns true if it is such a frame that was entered above w->slot.
 */
static inline bool lua_leave_protected(struct lua_walk *w, const struct luajit_shape *s)
{
	int32_t results = w->frame.number[s->frame_results / 4 & (LUA_FRAME_BYTES / 4 - 1)];

	w->is_new = false;
	if (!w->cframe || results >= 0 || w->slot >= w->bottom + (uint64_t) - (int64_t)results)
		return false;
	w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT), 0, 0};
	w->vm.found = w->vm.mixed;
	return !lua_leave_cframe(w, s);
}

/* Returns the bytes from a frame with LINK to the frame below, or 0 if they cannot be read. */
static inline uint64_t lua_distance(struct lua_walk *w, const struct luajit_shape *s, uint64_t link)
{
	uint8_t a;

	if ((link & 3) != LUA_LINK_LUA)
		return link & ~7ULL;
	return VM_READ(w, &a, 1, link - 3) ? 0 : 8ULL * (lua_pair_slots(s) + a);
}

/* Sets the pc of the frame below the frame at SLOT, whose link is LINK. */
static inline int lua_take_caller(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t slot, uint64_t link)
{
	uint64_t cont[2];

	w->pc = 0;
	if ((link & 3) == LUA_LINK_LUA) {
		lua_set_caller(w, link);
		w->pc = link;
		return 0;
	}
	if ((link & 3) == LUA_LINK_C)
		return lua_leave_cframe(w, s);
	if ((link & LUA_LINK_TYPE) != LUA_LINK_CONT)
		return 0;
	if (lua_read_pair(w, s, cont, slot - 8ULL * lua_pair_slots(s)))
		return -1;
	if (cont[0] == LUA_CONT_CALLBACK)
		return lua_leave_cframe(w, s);
	lua_set_caller(w, cont[1]);
	w->pc = cont[1];
	return 0;
}

/*
 * Omits a function in C from a mixed walk, since the native stack shows it. Splicing only needs to
 * know whether it was called from C.
 */
static inline void lua_leave_native(struct lua_walk *w)
{
	uint64_t from_c = w->vm.frame.what & LUA_FROM_C;

	if (w->vm.found && lua_frame_type(w->vm.frame.what) != LUA_C)
		return;
	w->vm.found = from_c;
	w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT) | from_c, 0, 0};
}

/* Takes the frame at w->slot and moves to the one below. */
static inline int lua_take_frame(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t slot = w->slot, pair[2], function, distance;
	int failed;

	if (w->is_new && lua_leave_protected(w, s))
		return VM_ON;
	if (slot <= w->bottom)
		return lua_leave_thread(w, s);
	if (lua_read_pair(w, s, pair, slot))
		return VM_INCONSISTENT;
	function = pair[0] & VM_ADDRESS;
	distance = lua_distance(w, s, pair[1]);
	if (!distance || distance > slot - w->bottom)
		return VM_INCONSISTENT;
	w->slot = slot - distance;
	if ((pair[1] & LUA_LINK_TYPE) == LUA_LINK_VARG)
		return VM_ON; /* the function's own frame is below */
	if (function != w->thread && lua_take_function(w, s, function) && !w->is_leaf)
		return VM_INCONSISTENT;
	if (!w->vm.found) /* lua_cpcall(), or a leaf whose results have replaced its function */
		w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT), 0, 0};
	if (w->pc_is_guess)
		lua_check_pc(w, s);
	lua_take_op(w, &w->vm.frame, 0xff);
	w->compiled = w->is_leaf = false;
	failed = lua_take_caller(w, s, slot, pair[1]);
	if (w->vm.mixed)
		lua_leave_native(w);
	return failed ? VM_INCONSISTENT : VM_ON;
}

/* ---- snapshots ---- */

/*
 * Reads the constant reference that ENTRY of a snapshot stands for; returns -1 if it is not a
 * constant. A 64-bit reference follows its IR instruction, a 32-bit reference is within it.
 */
static inline int lua_constant(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t entry, uint64_t *value)
{
	uint32_t ref = entry & 0xffff;

	return ref >= LUA_IR_CONSTANTS
		       ? -1
		       : lua_read_ref(w, s, value,
				 w->ir + LUA_IR_SIZE * (ref + lua_pair_slots(s) - 1ULL));
}

/*
 * Puts a frame for trace NUMBER, 0 if the number is not known, in place of the inlined frames that
 * cannot be read.
 */
static inline int lua_miss_trace(struct lua_walk *w, uint32_t number)
{
	w->nr_entries = w->nr_traces = 0;
	w->code = w->pc = 0;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(LUA_TRACE) | LUA_COMPILED | number, 0, 0};
	return VM_ON;
}

/* Reads the next of the links that follow the entries of a snapshot with 32-bit references. */
static inline int lua_next_link(struct lua_walk *w, uint64_t *link)
{
	uint32_t value;

	if (VM_READ(w, &value, sizeof(value), w->links))
		return -1;
	w->links += sizeof(value);
	*link = value;
	return 0;
}

/* Continues with the caller of an inlined frame, whose link is LINK. */
static inline int lua_leave_inlined(struct lua_walk *w, const struct luajit_shape *s, uint64_t link)
{
	w->continued = 0;
	w->pc = 0;
	if ((link & 3) == LUA_LINK_LUA) {
		lua_set_caller(w, link);
		w->pc = link;
	} else if ((link & LUA_LINK_TYPE) == LUA_LINK_CONT) {
		if (!lua_is_narrow(s))
			w->continued = w->base - 3;
		else if (lua_next_link(w, &w->pc))
			return VM_INCONSISTENT;
	}
	w->base -= (uint32_t)(lua_distance(w, s, link) / 8);
	return VM_ON;
}

/* Returns whether the bytecode at PC belongs to a function that LuaJIT implements in assembly. */
static inline bool lua_is_in_assembly(struct lua_walk *w, uint64_t pc)
{
	uint8_t op;

	return !VM_READ(w, &op, sizeof(op), pc) && op > LUA_OP_LAST;
}

/*
 * Takes an inlined frame whose function is not a constant of the trace. If its pc is in the state,
 * it is one of LuaJIT's own functions, and then the iterator of string.gmatch() or the function of
 * coroutine.wrap(): only for these does the compiler ignore which closure is called
 * (rec_call_specialize() in lj_record.c). Otherwise the trace has created the closure itself, and
 * the function is searched for by its bytecode.
 */
static inline int lua_take_variable(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t in_state = w->pc - w->global;

	if (!w->pc)
		return lua_miss_trace(w, 0);
	if (in_state >= LUA_STATE_SIZE ||
		(in_state > s->jit_base && !lua_is_in_assembly(w, w->pc))) {
		w->code = w->pc;
		return VM_ON;
	}
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){
		VM_WHAT(LUA_FAST) | LUA_COMPILED | (in_state < s->jit_base ? LUA_GMATCH : LUA_WRAP),
		0, 0};
	return lua_leave_inlined(w, s, w->link);
}

/*
 * Takes the inlined frame with the function PAIR[0] and the link PAIR[1]. With 32-bit references
 * the link is behind the entries instead.
 */
static inline int lua_take_inlined(
	struct lua_walk *w, const struct luajit_shape *s, const uint32_t *pair)
{
	uint64_t function, distance;

	if (lua_is_narrow(s) ? lua_next_link(w, &w->link) : lua_constant(w, s, pair[1], &w->link))
		return lua_miss_trace(w, 0);
	distance = lua_distance(w, s, w->link) / 8;
	if (!distance || distance > w->base - lua_pair_slots(s))
		return VM_INCONSISTENT;
	if ((w->link & LUA_LINK_TYPE) == LUA_LINK_VARG) {
		w->base -= (uint32_t)distance;
		return VM_ON;
	}
	if (lua_constant(w, s, pair[0], &function))
		return lua_take_variable(w, s);
	if (lua_take_function(w, s, function & VM_ADDRESS))
		return VM_INCONSISTENT;
	if (w->vm.mixed)
		lua_leave_native(w); /* a function in C that the trace calls at its end */
	return lua_leave_inlined(w, s, w->link);
}

/* Returns whether CODE is the first bytecode of the prototype that contains w->pc. */
static inline bool lua_is_first(struct lua_walk *w, const struct luajit_shape *s, uint64_t code)
{
	uint64_t proto = code - s->proto;
	uint32_t size;
	uint8_t type;

	return !VM_READ(w, &type, 1, proto + s->gct) && type == LUA_IS_PROTO &&
	       !VM_READ(w, &size, sizeof(size), proto + s->sizebc) && w->pc - code <= 4ULL * size;
}

/* Searches the bytecode before w->code for the beginning of the function that contains w->pc. */
static inline int lua_search_code(struct lua_walk *w, const struct luajit_shape *s)
{
	uint32_t at = LUA_BYTES / 4;

	if (w->pc - w->code > LUA_CODE_MAX || VM_READ(w, &w->bytes, LUA_BYTES, w->code - LUA_BYTES))
		return lua_miss_trace(w, 0);
	while (at && (w->bytes.number[(at - 1) & (LUA_BYTES / 4 - 1)] & 0xff) < LUA_OP_FUNCF)
		at--;
	if (!at) {
		w->code -= LUA_BYTES;
		return VM_ON;
	}
	w->code -= LUA_BYTES - 4 * (at - 1);
	if (!lua_is_first(w, s, w->code))
		return VM_ON;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){
		VM_WHAT(LUA_FUNCTION) | LUA_COMPILED | ((w->code - s->proto) & VM_ADDRESS), 0,
		w->pc & VM_ADDRESS};
	w->code = 0;
	return lua_leave_inlined(w, s, w->link);
}

/*
 * Takes the bytecode that a metamethod returns to, or the next frame, if the entries PAIR of the
 * snapshot have it.
 */
static inline int lua_take_slots(
	struct lua_walk *w, const struct luajit_shape *s, const uint32_t *pair)
{
	uint32_t slot = pair[1] >> 24;

	if (w->continued && slot <= w->continued) {
		if (slot < w->continued || lua_constant(w, s, pair[1], &w->pc))
			w->pc = 0;
		w->continued = 0;
	}
	if (w->base <= LUA_WIDE_BASE || slot != w->base - 1)
		return VM_ON;
	return pair[0] >> 24 == w->base - 2 ? lua_take_inlined(w, s, pair) : VM_INCONSISTENT;
}

/*
 * Does with 32-bit references what lua_take_slots() does with others. Only its entry tells the base
 * of the innermost frame.
 */
static inline int lua_take_slot(
	struct lua_walk *w, const struct luajit_shape *s, const uint32_t *pair)
{
	uint32_t slot = pair[1] >> 24;

	if (!w->base && pair[1] & LUA_ENTRY_FRAME)
		w->base = slot + 1;
	return slot && w->base == slot + 1 ? lua_take_inlined(w, s, pair + 1) : VM_ON;
}

/* Examines the last entries of the snapshot that are left: they may be a frame. */
static inline int lua_take_entry(struct lua_walk *w, const struct luajit_shape *s)
{
	uint32_t pair[2], lowest = lua_pair_slots(s);
	bool narrow = lua_is_narrow(s);

	if (w->nr_entries < lowest || (w->base && w->base <= lowest && !w->continued)) {
		w->nr_entries = 0;
		return w->base <= lowest ? VM_ON : lua_miss_trace(w, 0);
	}
	if (VM_READ(w, pair, sizeof(pair), w->entry - 8))
		return VM_INCONSISTENT;
	w->entry -= 4;
	w->nr_entries--;
	return narrow ? lua_take_slot(w, s, pair) : lua_take_slots(w, s, pair);
}

/* Finds the last of the NR snapshots at SNAPS that is not behind OFFSET in the trace's code. */
static inline int lua_find_snap(
	struct lua_walk *w, uint64_t snaps, uint32_t nr, uint32_t offset, uint64_t *snap)
{
	uint32_t low = 0;
	uint16_t code;

	for (int i = LUA_SNAPS_MAX - 1; i >= 0; i--) {
		uint32_t at = low + (1U << i);

		if (at >= nr)
			continue;
		if (VM_READ(w, &code, sizeof(code), snaps + at * LUA_SNAP_SIZE + 6))
			return -1;
		if (code <= offset)
			low = at;
	}
	*snap = snaps + low * LUA_SNAP_SIZE;
	return 0;
}

/* Begins with the inlined frames in the snapshot SNAP of the trace TRACE. */
static inline int lua_take_snap(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t trace, uint64_t snap)
{
	uint64_t map, place;

	if (VM_READ(w, &w->bytes, LUA_SNAP_SIZE, snap))
		return -1;
	uint32_t first = w->bytes.number[0], nr = w->bytes.byte[10];

	if (lua_read_word(w, &map, trace + s->snap_map) || lua_read_word(w, &w->ir, trace + s->ir))
		return -1;
	w->entry = map + 4ULL * (first + nr);
	if (lua_read_word(w, &place, w->entry))
		return -1;
	w->nr_entries = nr;
	w->continued = 0;
	if (lua_is_narrow(s)) {
		w->base = 0;
		w->pc = (uint32_t)place;
		w->links = w->entry + 4;
	} else {
		w->base = (place & 0xff) + LUA_WIDE_BASE;
		w->pc = place >> 8;
	}
	return 0;
}

/* Returns the offset of w->vm.native.pc in the code of TRACE, or -1 if the pc is elsewhere. */
static inline int64_t lua_trace_offset(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t trace)
{
	uint64_t code, offset;
	uint32_t size;

	if (!lua_is_address(trace) || lua_read_word(w, &code, trace + s->code))
		return -1;
	offset = w->vm.native.pc - code;
	if (offset > UINT32_MAX || VM_READ(w, &size, sizeof(size), trace + s->code_size))
		return -1;
	return offset < size ? (int64_t)offset : -1;
}

/* Continues with the frames inlined in trace NUMBER, which is at TRACE, if the pc is in it. */
static inline bool lua_take_trace(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t number, uint64_t trace)
{
	int64_t offset = lua_trace_offset(w, s, trace);
	struct lua_cached_trace *seen = LUA_CACHED_TRACE(w, w->vm.native.pc);
	uint64_t snaps, snap;
	uint16_t nr;

	if (offset >= 0 && !s->snaps) {
		lua_miss_trace(w, number);
		return true;
	}
	if (offset < 0 || VM_READ(w, &nr, sizeof(nr), trace + s->nr_snaps) ||
		lua_read_word(w, &snaps, trace + s->snaps) ||
		lua_find_snap(w, snaps, nr, (uint32_t)offset, &snap) ||
		lua_take_snap(w, s, trace, snap))
		return false;
	if (seen)
		*seen = (struct lua_cached_trace){w->vm.native.pc, w->vm.owner, number};
	return true;
}

/* Does the same for trace NUMBER, if it exists. Inlined because BPF programs have little stack. */
static inline __attribute__((always_inline)) bool lua_take_numbered(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t number)
{
	uint64_t trace;

	return !lua_read_ref(w, s, &trace, w->traces + (uint64_t)s->refs * number) &&
	       lua_take_trace(w, s, number, trace);
}

/*
 * Begins a walk in the machine code of a trace. It is trace NUMBER, unless a side trace has been
 * entered from there or the garbage collector runs; then the next steps search all traces.
 */
static inline int lua_enter_trace(
	struct lua_walk *w, const struct luajit_layout *l, uint32_t number)
{
	const struct luajit_shape *s = &l->shape;
	struct lua_cached_trace *seen = LUA_CACHED_TRACE(w, w->vm.native.pc);
	uint64_t base;

	if (!l->has_traces || lua_read_ref(w, s, &base, w->global + s->jit_base) || !base ||
		lua_read_word(w, &w->traces, w->global + s->traces) ||
		VM_READ(w, &w->nr_traces, sizeof(w->nr_traces), w->global + s->nr_traces))
		return VM_INCONSISTENT;
	w->slot = base - 8;
	w->compiled = true;
	if (!w->vm.native.compiled) { /* the trace is about to be entered, or is being left */
		w->vm.state = LUA_STATE_EXIT;
		w->compiled = false;
		w->nr_traces = 0;
		lua_guess_pc(w, s);
		return VM_ON;
	}
	if (w->vm.with_op)
		w->vm.op = VM_OP(LUA_OP_COMPILED);
	w->vm.with_op = false;
	if ((number < w->nr_traces && lua_take_numbered(w, s, number)) ||
		(seen && seen->pc == w->vm.native.pc && seen->owner == w->vm.owner &&
			seen->number < w->nr_traces && lua_take_numbered(w, s, seen->number)))
		w->nr_traces = 0;
	else if (w->nr_traces > LUA_TRACES_MAX)
		return lua_miss_trace(w, number);
	return VM_ON;
}

/* Examines the last traces that are left. There is no trace 0. */
static inline int lua_search_trace(struct lua_walk *w, const struct luajit_shape *s)
{
	for (int i = 0; i < LUA_TRACES_STEP && w->nr_traces; i++)
		if (lua_take_numbered(w, s, --w->nr_traces)) {
			w->nr_traces = 0;
			return VM_ON;
		}
	return w->nr_traces ? VM_ON : lua_miss_trace(w, 0);
}

/* ---- start ---- */

/* Sets w->vm.state from vmstate, which is a trace's number or the complement of LuaJIT's enum. */
static inline void lua_take_state(struct lua_walk *w, int32_t vmstate)
{
	if (vmstate >= 0)
		w->vm.state = LUA_STATE_JIT;
	else if (vmstate >= -7)
		w->vm.state = (uint32_t)-vmstate;
	else
		w->vm.state = LUA_STATE_NONE;
}

/* Begins with the frame whose base is in the register BASE, if that points into the stack. */
static inline int lua_take_registers(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t base)
{
	if (lua_is_narrow(s))
		base = (uint32_t)base;
	if (base & 7 || base <= w->bottom || base > w->stack_end)
		return lua_take_base(w, s);
	w->slot = base - 8;
	lua_guess_pc(w, s);
	return VM_ON;
}

/* Enters the innermost frame of the interpreter and its thread; returns false if there is none. */
static inline bool lua_begin_thread(struct lua_walk *w, const struct luajit_layout *l)
{
	const struct luajit_shape *s = &l->shape;
	struct vm_native *n = &w->vm.native;
	uint64_t thread, cframe;

	w->nr_threads = 0;
	if (n->frame)
		return !lua_enter_cframe(w, n->frame) &&
		       lua_enter_thread(w, s, lua_cframe_ref(w, s, s->frame_thread));
	if (n->whole || !l->state || !s->current ||
		lua_read_ref(w, s, &thread, l->state + s->current) ||
		lua_read_word(w, &cframe, thread + s->cframe) ||
		(cframe & ~3ULL) - n->sp >= LUA_STACK_MAX)
		return false;
	return !lua_enter_cframe(w, cframe & ~3ULL) && lua_enter_thread(w, s, thread);
}

/* Reads vmstate, and with it the main thread, which is next to it in most builds. */
static inline int lua_read_state(struct lua_walk *w, const struct luajit_shape *s, int32_t *vmstate)
{
	uint32_t to_main = (uint32_t)s->mainthread - s->vmstate;

	if (VM_READ(w, &w->bytes, 16, w->global + s->vmstate))
		return -1;
	*vmstate = (int32_t)w->bytes.number[0];
	w->main = to_main <= 8 ? lua_ref_at(w, s, to_main) : 0;
	return 0;
}

/* Begins the walk W, whose mixed and native are set. Returns what lua_step() returns. */
static inline int lua_begin(struct lua_walk *w, const struct lua_layout *layout)
{
	const struct luajit_layout *l = &layout->jit;
	int32_t vmstate;

	w->vm.found = false;
	w->vm.op = 0;
	if (layout->kind == LUA_PUC)
		return puc_begin(w);
	w->compiled = w->pc_is_guess = w->is_leaf = false;
	w->code = w->pc = w->slots_len = 0;
	w->nr_entries = w->nr_traces = 0;
	w->vm.state = LUA_STATE_NONE;
	if (!lua_begin_thread(w, l))
		return w->vm.native.frame || (w->vm.native.walked && !w->vm.native.whole)
			       ? VM_INCONSISTENT
			       : VM_NOT_RUNNING;
	if (lua_read_state(w, &l->shape, &vmstate))
		return VM_INCONSISTENT;
	lua_take_state(w, vmstate);
	if (w->vm.native.walked && !w->vm.native.frame && w->vm.state != LUA_STATE_C)
		return VM_INCONSISTENT; /* the thread's Lua stack may be elsewhere */
	if (vmstate >= 0 || w->vm.native.compiled)
		return lua_enter_trace(w, l, vmstate >= 0 ? (uint32_t)vmstate : 0);
	if (w->vm.state != LUA_STATE_INTERP)
		return lua_take_base(w, &l->shape);
	/* functions that the interpreter calls without saving its state leave its base in rbp */
	return lua_take_registers(
		w, &l->shape, w->vm.native.leaf ? w->vm.native.third : w->vm.native.fp);
}

/*
 * Takes the next step. Returns VM_ON, or how the walk ended; in either case w->vm.found tells
 * whether there is a frame.
 */
static inline int lua_step(struct lua_walk *w, const struct lua_layout *l)
{
	w->vm.found = false;
	if (l->kind == LUA_PUC)
		return PUC_STEP(w, &l->puc.shape);
	if (w->nr_traces)
		return lua_search_trace(w, &l->jit.shape);
	if (w->code)
		return lua_search_code(w, &l->jit.shape);
	return w->nr_entries ? lua_take_entry(w, &l->jit.shape) : lua_take_frame(w, &l->jit.shape);
}

#endif
