/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over the stack of LuaJIT, one frame or one entry of a snapshot a step, the same code in
 * the kernel (BPF) and in user space; that of PUC Lua is in puc_step.h. No recursion; every read
 * may fail. The includer defines
 *
 *	int LUA_READ(struct lua_walk *w, void *to, uint32_t size, uint64_t address)
 *
 * which reads the target's memory and returns 0 if all of it could be read, and
 *
 *	struct lua_cached_trace *LUA_CACHED_TRACE(struct lua_walk *w, uint64_t pc)
 *
 * the cache entry for the trace of that pc, NULL: no cache.
 *
 * Structures and rules are those of LuaJIT's lj_frame.h, lj_debug.c and lj_snap.c. A frame has two
 * references below its arguments: the function, and the link, which is the bytecode behind the
 * call, or the distance to the frame below with one of the types FRAME_ in its low bits. They are
 * two slots, or, with 32-bit references, one. What runs in the machine code of a trace has no
 * frames for functions inlined in it; the last snapshot before the pc has their slots, as
 * constants. With 32-bit references the links are behind the snapshot's entries, and 2.0 does not
 * tell where a snapshot is in the code.
 */
#ifndef VM_LUA_LUA_STEP_H
#define VM_LUA_LUA_STEP_H

#include "lua_bytecode.h"
#include "lua_frame.h"
#include "lua_layout.h"

enum { LUA_IS_THREAD = 6, LUA_IS_PROTO = 7, LUA_IS_FUNCTION = 8 };

/* The low bits of a frame's link. */
enum {
	LUA_LINK_LUA = 0,
	LUA_LINK_C = 1,
	LUA_LINK_CONT = 2, /* below the frame are two more: continuation, bytecode */
	LUA_LINK_VARG = 3,
	LUA_LINK_CP = 5,
	LUA_LINK_TYPE = 7,
};
enum { LUA_CONT_CALLBACK = 1 }; /* a continuation: called by C through the FFI */

/* Bytes of a thread that matter, with 32-bit references and with others. */
enum { LUA_THREAD_32 = 0x38, LUA_THREAD_64 = 0x58 };

/* In the interpreter's frame. */
enum {
	LUA_CFRAME_PREVIOUS = 0x20,
	LUA_CFRAME_SIZE = 0x50,
};

/* ffid of functions without one of their own. */
enum { LUA_FF_LUA, LUA_FF_C };

/*
 * The state's GG_State, which has the code of all of LuaJIT's own functions, is smaller: functions
 * in Lua may be right behind it.
 */
enum { LUA_STATE_SIZE = 0x4000 };

/* Traces that are looked through, in all and per step. */
enum { LUA_TRACES_MAX = 1 << 14, LUA_TRACES_STEP = 4 };
/* Snapshots of a trace, as a power of two; their size, and that of an instruction. */
enum { LUA_SNAPS_MAX = 16, LUA_SNAP_SIZE = 12, LUA_IR_SIZE = 8, LUA_IR_CONSTANTS = 0x8000 };
enum { LUA_WIDE_BASE = 2 };         /* slot of the arguments that a trace was entered with */
enum { LUA_ENTRY_FRAME = 1 << 16 }; /* in an entry of a snapshot */
enum { LUA_STACK_MAX = 1 << 20 };   /* bytes between rsp and the interpreter's frame */
enum { LUA_CODE_MAX = 1 << 16 };    /* bytes of bytecode that are searched for a beginning */

static inline int lua_read_word(struct lua_walk *w, uint64_t *to, uint64_t address)
{
	return LUA_READ(w, to, sizeof(*to), address);
}

static inline bool lua_is_narrow(const struct luajit_shape *s)
{
	return s->refs == 4;
}

/* Reads a reference; one of 32 bits is no object's last word. */
static inline int lua_read_ref(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t *to, uint64_t address)
{
	if (LUA_READ(w, to, sizeof(*to), address))
		return -1;
	if (lua_is_narrow(s))
		*to = (uint32_t)*to;
	return 0;
}

/*
 * Reads two slots of the thread's stack from AT on. Frames are near each other, the outer one at
 * the lower address: what is below in the stack is read with them.
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
			LUA_READ(w, w->slots, (uint32_t)in + 16, first)) {
			w->slots_len = 0;
			return LUA_READ(w, pair, 16, at);
		}
	}
	pair[0] = w->slots[in / 8 & (LUA_SLOTS / 8 - 1)];
	pair[1] = w->slots[(in / 8 + 1) & (LUA_SLOTS / 8 - 1)];
	return 0;
}

/*
 * Reads the pair of references whose second one is in the slot SLOT: the function and the link of
 * a frame, or the continuation and the bytecode below.
 */
static inline int lua_read_pair(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t *pair, uint64_t slot)
{
	if (!lua_is_narrow(s))
		return lua_read_slots(w, pair, slot - 8);
	if (LUA_READ(w, pair, 8, slot))
		return -1;
	pair[1] = pair[0] >> 32;
	pair[0] = (uint32_t)pair[0];
	return 0;
}

/* Slots of such a pair; they are also those below the frame that a trace was entered in. */
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

/* The frame was called by the bytecode before LINK. */
static inline void lua_set_caller(struct lua_walk *w, uint64_t link)
{
	w->vm.frame.with = link;
	w->vm.frame.at = (w->vm.frame.at & VM_ADDRESS) | (link * 0x9e3779b97f4a7c15ULL >> LUA_PC)
								 << LUA_PC;
}

#include "puc_step.h"

/* ---- threads ---- */

/* The interpreter's frame at ADDRESS runs the next frame. */
static inline int lua_enter_cframe(struct lua_walk *w, uint64_t address)
{
	w->cframe = address;
	w->is_new = true;
	return LUA_READ(w, &w->frame, LUA_CFRAME_SIZE, address);
}

/* The reference at OFFSET in it. */
static inline uint64_t lua_cframe_ref(
	const struct lua_walk *w, const struct luajit_shape *s, uint32_t offset)
{
	return lua_is_narrow(s) ? (uint32_t)w->frame.number[offset / 4 & (LUA_FRAME_BYTES / 4 - 1)]
				: w->frame.pointer[offset / 8 & (LUA_FRAME_BYTES / 8 - 1)];
}

/*
 * Makes THREAD the one that is walked; false: it is none, or w->cframe is not its innermost frame
 * of the interpreter.
 */
static inline bool lua_enter_thread(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t thread)
{
	uint64_t own, global;

	if (!lua_is_address(thread) || thread & 7 ||
		LUA_READ(w, &w->bytes, lua_is_narrow(s) ? LUA_THREAD_32 : LUA_THREAD_64, thread) ||
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

/* The innermost slot of a thread that is not the running one's leaf. */
static inline int lua_take_base(struct lua_walk *w, const struct luajit_shape *s)
{
	w->pc = lua_cframe_ref(w, s, s->frame_pc);
	w->slot = w->saved_base - 8;
	w->pc_is_guess = true;
	return VM_ON;
}

/* Whether the thread that is walked is not the main one: another has resumed it. */
static inline bool lua_is_coroutine(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t main = w->main;

	return (main || !lua_read_ref(w, s, &main, w->global + s->mainthread)) && w->thread != main;
}

/* The interpreter's frame of the next thread in the native stack; 0: not known. */
static inline uint64_t lua_resumer(const struct lua_walk *w)
{
	for (int i = 0; i < VM_NATIVE_THREADS; i++)
		if (w->vm.native.threads[i] > w->resumed)
			return w->vm.native.threads[i];
	return 0;
}

/*
 * At the end of a thread's stack: goes on with the one that has resumed it, or ends. Its frame is
 * right above, or, if a function in C has resumed the thread, only the native stack has it.
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

/* The frame of the function at FUNCTION; -1: there is none. */
static inline int lua_take_function(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t function)
{
	struct vm_frame *f = &w->vm.frame;
	uint8_t ffid;

	if (!lua_is_address(function) || LUA_READ(w, &w->bytes, 48, function) ||
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

/* A pc from a register, or saved by the interpreter, may be outside of the function. */
static inline void lua_check_pc(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t proto = w->vm.frame.what & VM_ADDRESS;
	uint32_t size;

	w->pc_is_guess = false;
	if (lua_frame_type(w->vm.frame.what) != LUA_FUNCTION || !w->vm.frame.at)
		return;
	if (LUA_READ(w, &size, sizeof(size), proto + s->sizebc) ||
		w->vm.frame.at - proto - s->proto > 4ULL * size)
		w->vm.frame.at = w->is_leaf ? proto + s->proto + 4 : 0; /* it is being entered */
}

/* The pc of the innermost frame is in rbx, if the interpreter has set it. */
static inline void lua_guess_pc(struct lua_walk *w, const struct luajit_shape *s)
{
	uint64_t pc = w->vm.native.bx;

	w->pc = lua_is_narrow(s) ? (uint32_t)pc : pc;
	w->pc_is_guess = true;
	w->is_leaf = w->vm.native.leaf;
}

/* The frame was called from C: the one below runs in the previous frame of the interpreter. */
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
 * lua_cpcall() has a frame of the interpreter, but none in the Lua stack. If w->cframe is one that
 * was entered above w->slot, leaves it and returns true.
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

/* The distance in bytes from a frame with the link LINK to the one below; 0: cannot be read. */
static inline uint64_t lua_distance(struct lua_walk *w, const struct luajit_shape *s, uint64_t link)
{
	uint8_t a;

	if ((link & 3) != LUA_LINK_LUA)
		return link & ~7ULL;
	return LUA_READ(w, &a, 1, link - 3) ? 0 : 8ULL * (lua_pair_slots(s) + a);
}

/* Sets the pc of the frame below the one at SLOT; its link is LINK. */
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

/* For splicing, of functions in C only their being called from C matters. */
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
	if (!w->vm.found) /* of lua_cpcall, or a leaf whose results are in place of its function */
		w->vm.frame = (struct vm_frame){VM_WHAT(LUA_SEGMENT), 0, 0};
	if (w->pc_is_guess)
		lua_check_pc(w, s);
	w->compiled = w->is_leaf = false;
	failed = lua_take_caller(w, s, slot, pair[1]);
	if (w->vm.mixed)
		lua_leave_native(w);
	return failed ? VM_INCONSISTENT : VM_ON;
}

/* ---- snapshots ---- */

/*
 * The reference that ENTRY of a snapshot has as a constant: one of 64 bits is behind its
 * instruction, one of 32 bits is in it.
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

/* In place of the inlined frames of a trace that is gone: its NUMBER; 0: not known. */
static inline int lua_miss_trace(struct lua_walk *w, uint32_t number)
{
	w->nr_entries = w->nr_traces = 0;
	w->code = w->pc = 0;
	w->vm.found = true;
	w->vm.frame = (struct vm_frame){VM_WHAT(LUA_TRACE) | LUA_COMPILED | number, 0, 0};
	return VM_ON;
}

/* The next link behind the entries of a snapshot with 32-bit references. */
static inline int lua_next_link(struct lua_walk *w, uint64_t *link)
{
	uint32_t value;

	if (LUA_READ(w, &value, sizeof(value), w->links))
		return -1;
	w->links += sizeof(value);
	*link = value;
	return 0;
}

/* Goes on below an inlined frame, whose link is LINK: it was called there. */
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

/* Whether the bytecode at PC is of a function that LuaJIT has in assembly, not of one in Lua. */
static inline bool lua_is_in_assembly(struct lua_walk *w, uint64_t pc)
{
	uint8_t op;

	return !LUA_READ(w, &op, sizeof(op), pc) && op > LUA_OP_LAST;
}

/*
 * The frame in a trace of a function that is no constant. One of LuaJIT's own has its pc in the
 * state: it is an iterator or a coroutine's function, the only ones that traces are compiled for
 * whatever their upvalues are (rec_call_specialize() in lj_record.c). One that the trace has made
 * itself is searched for, by the bytecode.
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
 * The frame in a trace whose function is PAIR[0], and link PAIR[1], unless that is behind the
 * entries.
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
		lua_leave_native(w); /* that the trace ends with a call of */
	return lua_leave_inlined(w, s, w->link);
}

/* Whether the first bytecode of a prototype that also has w->pc is at CODE. */
static inline bool lua_is_first(struct lua_walk *w, const struct luajit_shape *s, uint64_t code)
{
	uint64_t proto = code - s->proto;
	uint32_t size;
	uint8_t type;

	return !LUA_READ(w, &type, 1, proto + s->gct) && type == LUA_IS_PROTO &&
	       !LUA_READ(w, &size, sizeof(size), proto + s->sizebc) && w->pc - code <= 4ULL * size;
}

/* Looks for the beginning of the function of w->pc before w->code. */
static inline int lua_search_code(struct lua_walk *w, const struct luajit_shape *s)
{
	uint32_t at = LUA_BYTES / 4;

	if (w->pc - w->code > LUA_CODE_MAX ||
		LUA_READ(w, &w->bytes, LUA_BYTES, w->code - LUA_BYTES))
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

/* The entries PAIR of a snapshot are those of a metamethod's bytecode, or of the next frame. */
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

/* The same with 32-bit references; the innermost frame's base is not known before its entry. */
static inline int lua_take_slot(
	struct lua_walk *w, const struct luajit_shape *s, const uint32_t *pair)
{
	uint32_t slot = pair[1] >> 24;

	if (!w->base && pair[1] & LUA_ENTRY_FRAME)
		w->base = slot + 1;
	return slot && w->base == slot + 1 ? lua_take_inlined(w, s, pair + 1) : VM_ON;
}

/* Looks at the last entries left of the snapshot: a frame's. */
static inline int lua_take_entry(struct lua_walk *w, const struct luajit_shape *s)
{
	uint32_t pair[2], lowest = lua_pair_slots(s);
	bool narrow = lua_is_narrow(s);

	if (w->nr_entries < lowest || (w->base && w->base <= lowest && !w->continued)) {
		w->nr_entries = 0;
		return w->base <= lowest ? VM_ON : lua_miss_trace(w, 0);
	}
	if (LUA_READ(w, pair, sizeof(pair), w->entry - 8))
		return VM_INCONSISTENT;
	w->entry -= 4;
	w->nr_entries--;
	return narrow ? lua_take_slot(w, s, pair) : lua_take_slots(w, s, pair);
}

/* The last of NR snapshots at SNAPS that is not behind OFFSET in the trace's code. */
static inline int lua_find_snap(
	struct lua_walk *w, uint64_t snaps, uint32_t nr, uint32_t offset, uint64_t *snap)
{
	uint32_t low = 0;
	uint16_t code;

	for (int i = LUA_SNAPS_MAX - 1; i >= 0; i--) {
		uint32_t at = low + (1U << i);

		if (at >= nr)
			continue;
		if (LUA_READ(w, &code, sizeof(code), snaps + at * LUA_SNAP_SIZE + 6))
			return -1;
		if (code <= offset)
			low = at;
	}
	*snap = snaps + low * LUA_SNAP_SIZE;
	return 0;
}

/* Begins with the frames that the snapshot at SNAP, of the trace TRACE, has. */
static inline int lua_take_snap(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t trace, uint64_t snap)
{
	uint64_t map, place;

	if (LUA_READ(w, &w->bytes, LUA_SNAP_SIZE, snap))
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

/* How far w->vm.native.pc is in the code of the trace at TRACE; -1: it is elsewhere. */
static inline int64_t lua_trace_offset(
	struct lua_walk *w, const struct luajit_shape *s, uint64_t trace)
{
	uint64_t code, offset;
	uint32_t size;

	if (!lua_is_address(trace) || lua_read_word(w, &code, trace + s->code))
		return -1;
	offset = w->vm.native.pc - code;
	if (offset > UINT32_MAX || LUA_READ(w, &size, sizeof(size), trace + s->code_size))
		return -1;
	return offset < size ? (int64_t)offset : -1;
}

/* Goes on with the frames inlined in trace NUMBER, which is at TRACE, if the pc is in it. */
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
	if (offset < 0 || LUA_READ(w, &nr, sizeof(nr), trace + s->nr_snaps) ||
		lua_read_word(w, &snaps, trace + s->snaps) ||
		lua_find_snap(w, snaps, nr, (uint32_t)offset, &snap) ||
		lua_take_snap(w, s, trace, snap))
		return false;
	if (seen)
		*seen = (struct lua_cached_trace){w->vm.native.pc, w->vm.owner, number};
	return true;
}

/* The same for the trace of that number, if there is one. Inlined, for the stack of BPF programs.
 */
static inline __attribute__((always_inline)) bool lua_take_numbered(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t number)
{
	uint64_t trace;

	return !lua_read_ref(w, s, &trace, w->traces + (uint64_t)s->refs * number) &&
	       lua_take_trace(w, s, number, trace);
}

/*
 * In the machine code of a trace: of NUMBER, unless a side trace of it has been entered or the
 * garbage collector runs. Then all traces are looked through, in the next steps.
 */
static inline int lua_enter_trace(
	struct lua_walk *w, const struct luajit_layout *l, uint32_t number)
{
	const struct luajit_shape *s = &l->shape;
	struct lua_cached_trace *seen = LUA_CACHED_TRACE(w, w->vm.native.pc);
	uint64_t base;

	if (!l->has_traces || lua_read_ref(w, s, &base, w->global + s->jit_base) || !base ||
		lua_read_word(w, &w->traces, w->global + s->traces) ||
		LUA_READ(w, &w->nr_traces, sizeof(w->nr_traces), w->global + s->nr_traces))
		return VM_INCONSISTENT;
	w->slot = base - 8;
	w->compiled = true;
	if (!w->vm.native.compiled) { /* it is about to be entered, or left */
		w->vm.state = LUA_STATE_EXIT;
		w->compiled = false;
		w->nr_traces = 0;
		lua_guess_pc(w, s);
		return VM_ON;
	}
	if ((number < w->nr_traces && lua_take_numbered(w, s, number)) ||
		(seen && seen->pc == w->vm.native.pc && seen->owner == w->vm.owner &&
			seen->number < w->nr_traces && lua_take_numbered(w, s, seen->number)))
		w->nr_traces = 0;
	else if (w->nr_traces > LUA_TRACES_MAX)
		return lua_miss_trace(w, number);
	return VM_ON;
}

/* Looks at the last traces left; the first one, 0, is none. */
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

/* Sets w->vm.state by the VM's state VMSTATE: a trace's number, or the complement of its enum. */
static inline void lua_take_state(struct lua_walk *w, int32_t vmstate)
{
	if (vmstate >= 0)
		w->vm.state = LUA_STATE_JIT;
	else if (vmstate >= -7)
		w->vm.state = (uint32_t)-vmstate;
	else
		w->vm.state = LUA_STATE_NONE;
}

/* Begins with the frame of BASE, a register, if that is set: a base on the thread's stack. */
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

/* The innermost frame of the interpreter; false: there is none. */
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

/* Reads the VM's state, and with it the main thread, which most builds have beside it. */
static inline int lua_read_state(struct lua_walk *w, const struct luajit_shape *s, int32_t *vmstate)
{
	uint32_t to_main = (uint32_t)s->mainthread - s->vmstate;

	if (LUA_READ(w, &w->bytes, 16, w->global + s->vmstate))
		return -1;
	*vmstate = (int32_t)w->bytes.number[0];
	w->main = to_main <= 8 ? lua_ref_at(w, s, to_main) : 0;
	return 0;
}

/* Begins the walk W, whose mixed and native are set; returns as lua_step. */
static inline int lua_begin(struct lua_walk *w, const struct lua_layout *layout)
{
	const struct luajit_layout *l = &layout->jit;
	int32_t vmstate;

	w->vm.found = false;
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
		return VM_INCONSISTENT; /* its stack may be elsewhere */
	if (vmstate >= 0 || w->vm.native.compiled)
		return lua_enter_trace(w, l, vmstate >= 0 ? (uint32_t)vmstate : 0);
	if (w->vm.state != LUA_STATE_INTERP)
		return lua_take_base(w, &l->shape);
	/* what the interpreter calls without saving its state has its base in rbp */
	return lua_take_registers(
		w, &l->shape, w->vm.native.leaf ? w->vm.native.dx : w->vm.native.fp);
}

/* The next step: VM_ON, or how the walk ended; both with or without a frame (w->vm.found). */
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
