/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name and the location of a Lua frame from the target's memory while the thread does not
 * run. The same code runs in the kernel (BPF) and in user space. Include it after lua_step.h and
 * also define VM_READ_STRING, see vm_walk.h, and
 *
 *	void LUA_SEARCH_NAME(struct lua_walk *w, const struct luajit_shape *s)
 *
 * which calls lua_search_step() until it returns true, at most LUA_SEARCH_STEPS times.
 *
 * As in lj_debug.c, a function has the name that the caller's bytecode has for it: the name of the
 * variable or field that was last copied to the slot of the call.
 */
#ifndef RUNTIME_LUA_LUA_TEXT_H
#define RUNTIME_LUA_LUA_TEXT_H

#include "lua_bytecode.h"
#include "lua_frame.h"
#include "lua_layout.h"

#include "puc_text.h"

enum { LUA_SEARCH_STEPS = 1024 };

enum lua_search_step { LUA_SEARCH_LOCALS, LUA_SEARCH_CODE, LUA_SEARCH_UPVALUES };

/*
 * An entry whose first byte is below this is a variable without a name, such as a loop's, or if it
 * is 0 the end of the list.
 */
enum { LUA_VARIABLE_NAMES = 7 };

static inline uint64_t lua_code(const struct lua_search *f, const struct luajit_shape *s)
{
	return f->proto + s->proto;
}

/* Reads the bytecode AT, with the opcode that it has in 2.1. */
static inline int lua_read_op(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t *ins, uint64_t at)
{
	if (VM_READ(w, ins, sizeof(*ins), at))
		return -1;
	if (s->old_ops)
		*ins = lua_op_of_old(*ins);
	return 0;
}

/* Begins the search for a local variable in f->slot whose scope includes f->at. */
static inline void lua_search_locals(struct lua_walk *w, const struct luajit_shape *s)
{
	struct lua_search *f = &w->search;

	f->step = LUA_SEARCH_LOCALS;
	f->matches = f->slot;
	f->place = 0;
	if (lua_read_ref(w, s, &f->list, f->proto + s->varinfo) || !f->list)
		f->step = LUA_SEARCH_CODE;
}

/* Returns the index of the first NUL in w->bytes, or LUA_BYTES if there is none. */
static inline uint32_t lua_find_nul(const struct lua_walk *w)
{
	uint32_t at = 0;

	while (at < LUA_BYTES && w->bytes.byte[at & (LUA_BYTES - 1)])
		at++;
	return at;
}

/* Returns the ULEB128 number at *AT in w->bytes and moves *AT behind it. */
static inline uint32_t lua_uleb(const struct lua_walk *w, uint32_t *at)
{
	uint32_t value = 0, byte;

	for (int shift = 0; shift < 28; shift += 7) {
		byte = w->bytes.byte[(*at)++ & (LUA_BYTES - 1)];
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

/* Examines the next local variable; returns true if the search has ended. */
static inline bool lua_search_local(struct lua_walk *w, const struct luajit_shape *s)
{
	struct lua_search *f = &w->search;
	uint32_t place = (uint32_t)((f->at - lua_code(f, s)) / 4), next = 1, end;

	f->step = LUA_SEARCH_CODE;
	if (VM_READ(w, &w->bytes, LUA_BYTES, f->list) || !w->bytes.byte[0])
		return false;
	uint32_t first = w->bytes.byte[0];

	if (first >= LUA_VARIABLE_NAMES)
		next = lua_find_nul(w) + 1;
	if (next > LUA_BYTES - 8)
		return false;
	f->place += lua_uleb(w, &next);
	end = f->place + lua_uleb(w, &next);
	if (f->place > place)
		return false;
	if (place < end && !f->matches--) {
		f->text = first >= LUA_VARIABLE_NAMES ? f->list : 0;
		f->how = LUA_LOCAL;
		return true;
	}
	f->list += next;
	f->step = LUA_SEARCH_LOCALS;
	return false;
}

/* Sets the text to the constant string NUMBER of the prototype. */
static inline bool lua_take_constant(
	struct lua_walk *w, const struct luajit_shape *s, uint32_t number, enum lua_named how)
{
	struct lua_search *f = &w->search;
	uint64_t constants, string;

	if (lua_read_ref(w, s, &constants, f->proto + s->constants) ||
		lua_read_ref(w, s, &string, constants - (uint64_t)s->refs * (number + 1)))
		return true;
	f->text = (string & VM_ADDRESS) + s->text;
	f->how = (uint8_t)how;
	return true;
}

/*
 * Returns whether INS loads a method: then the bytecode before f->at copies the object whose field
 * INS loads.
 */
static inline bool lua_is_method(struct lua_walk *w, const struct luajit_shape *s, uint32_t ins)
{
	uint32_t before;

	return w->search.at > lua_code(&w->search, s) &&
	       !lua_read_op(w, s, &before, w->search.at - 4) && lua_op(before) == LUA_OP_MOV &&
	       lua_op_a(before) == lua_op_a(ins) + 2 && lua_op_d(before) == lua_op_b(ins);
}

/*
 * Continues with the bytecode INS, which has written the function to its slot. Returns true if the
 * search has ended.
 */
static inline bool lua_take_origin(struct lua_walk *w, const struct luajit_shape *s, uint32_t ins)
{
	struct lua_search *f = &w->search;

	switch (lua_op(ins)) {
	case LUA_OP_MOV:
		f->slot = lua_op_d(ins);
		lua_search_locals(w, s);
		return false;
	case LUA_OP_GGET:
		return lua_take_constant(w, s, lua_op_d(ins), LUA_GLOBAL);
	case LUA_OP_TGETS:
		return lua_take_constant(
			w, s, lua_op_c(ins), lua_is_method(w, s, ins) ? LUA_METHOD : LUA_FIELD);
	case LUA_OP_UGET:
		f->slot = lua_op_d(ins);
		f->step = LUA_SEARCH_UPVALUES;
		return lua_read_ref(w, s, &f->list, f->proto + s->uvinfo) || !f->list;
	default:
		return true;
	}
}

/* Examines the bytecode before f->at; returns true if the search has ended. */
static inline bool lua_search_bytecode(struct lua_walk *w, const struct luajit_shape *s)
{
	struct lua_search *f = &w->search;
	uint32_t ins;

	f->at -= 4;
	if (f->at <= lua_code(f, s) || lua_read_op(w, s, &ins, f->at))
		return true;
	if (lua_op_is_base(ins))
		return f->slot >= lua_op_a(ins) &&
		       (lua_op(ins) != LUA_OP_KNIL || f->slot <= lua_op_d(ins));
	return lua_op_is_dst(ins) && lua_op_a(ins) == f->slot && lua_take_origin(w, s, ins);
}

/* Takes the name of an upvalue if it is the wanted one, else skips it. */
static inline bool lua_search_upvalue(struct lua_walk *w)
{
	struct lua_search *f = &w->search;

	if (!f->slot) {
		f->text = f->list;
		f->how = LUA_UPVALUE;
		return true;
	}
	if (VM_READ(w, &w->bytes, LUA_BYTES, f->list))
		return true;
	uint32_t len = lua_find_nul(w);

	f->slot--;
	f->list += len + 1;
	return len == LUA_BYTES;
}

static inline bool lua_search_step(struct lua_walk *w, const struct luajit_shape *s)
{
	switch (w->search.step) {
	case LUA_SEARCH_LOCALS:
		return lua_search_local(w, s);
	case LUA_SEARCH_CODE:
		return lua_search_bytecode(w, s);
	default:
		return lua_search_upvalue(w);
	}
}

/* Reads the name that the caller, with the frame BELOW, has for the function of the frame F. */
static inline void lua_read_name(struct lua_walk *w, const struct luajit_shape *s,
	const struct vm_frame *f, const struct vm_frame *below, struct lua_texts *t)
{
	struct lua_search *search = &w->search;
	uint32_t call;
	int len;

	t->how = LUA_UNNAMED;
	if (!f->with || lua_frame_type(below->what) != LUA_FUNCTION ||
		lua_read_op(w, s, &call, f->with - 4))
		return;
	t->op = (uint8_t)lua_op(call);
	if (!lua_op_is_call(call)) {
		t->how = LUA_META;
		return;
	}
	*search = (struct lua_search){.proto = below->what & VM_ADDRESS, .at = f->with - 4};
	search->slot = lua_op_a(call) - (lua_op_is_iterator(call) ? 3 : 0);
	lua_search_locals(w, s);
	LUA_SEARCH_NAME(w, s);
	if (!search->text)
		return;
	len = VM_READ_STRING(w, t->name, LUA_NAME_MAX, search->text);
	t->name_len = len > 0 ? (uint32_t)len : 0;
	t->how = len > 0 ? search->how : LUA_UNNAMED;
}

/* Reads the line of the bytecode before AT in the prototype PROTO, as lj_debug_line() does. */
static inline int lua_read_line(struct lua_walk *w, const struct luajit_shape *s, uint64_t proto,
	uint64_t at, struct lua_texts *t)
{
	uint32_t numline, sizebc, line = 0;
	uint64_t list, place = (at - proto - s->proto) / 4 - 1;

	t->line = 0;
	if (VM_READ(w, &t->first_line, 4, proto + s->firstline) ||
		VM_READ(w, &numline, 4, proto + s->numline) ||
		VM_READ(w, &sizebc, 4, proto + s->sizebc) ||
		lua_read_ref(w, s, &list, proto + s->lineinfo))
		return -1;
	t->is_stripped = !list;
	t->is_main = !t->first_line && numline;
	if (!list || !at || (place > sizebc && place + 1))
		return 0;
	t->line = t->first_line;
	if (place == sizebc)
		t->line += numline;
	if (place - 1 >= sizebc - 1U) /* this includes the first bytecode, which has no entry */
		return 0;
	uint32_t size = numline < 256 ? 1 : numline < 65536 ? 2 : 4;
	uint64_t entry = list + (place - 1) * size;

	if (size == 1       ? VM_READ(w, &line, 1, entry)
		: size == 2 ? VM_READ(w, &line, 2, entry)
			    : VM_READ(w, &line, 4, entry))
		return -1;
	t->line += line;
	return 0;
}

/* Reads the texts of FRAME, whose caller's frame is BELOW. */
static inline void lua_read_texts(struct lua_walk *w, const struct lua_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *t)
{
	const struct luajit_shape *s = &l->jit.shape;
	uint64_t proto = frame->what & VM_ADDRESS, chunk;
	int len;

	if (l->kind == LUA_PUC) {
		puc_read_texts(w, &l->puc.shape, frame, below, t);
		return;
	}
	t->named = true;
	t->is_main = t->is_stripped = false;
	t->line = t->first_line = t->chunk_len = t->name_len = 0;
	lua_read_name(w, s, frame, below, t);
	if (lua_frame_type(frame->what) != LUA_FUNCTION)
		return;
	t->named = false;
	if (lua_read_line(w, s, proto, frame->at & VM_ADDRESS, t) ||
		lua_read_ref(w, s, &chunk, proto + s->chunkname))
		return;
	len = VM_READ_STRING(w, t->chunk, LUA_TEXT_MAX, (chunk & VM_ADDRESS) + s->text);
	t->chunk_len = len > 0 ? (uint32_t)len : 0;
	t->named = len >= 0;
}

#endif
