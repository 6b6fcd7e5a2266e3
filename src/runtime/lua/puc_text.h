/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name and the location of a frame of PUC Lua, as lua_text.h does for LuaJIT. lua_text.h
 * includes this file; its includer also defines
 *
 *	void PUC_SEARCH(struct lua_walk *w, const struct puc_shape *s)
 *
 * which calls puc_search_step() until it returns true, at most LUA_SEARCH_STEPS times.
 *
 * As in ldebug.c, a function has the name that the caller's bytecode has for it: the name of the
 * variable or field that was last copied to the register of the call.
 */
#ifndef RUNTIME_LUA_PUC_TEXT_H
#define RUNTIME_LUA_PUC_TEXT_H

#include "lua_frame.h"
#include "lua_layout.h"

enum { PUC_NOWHERE = 0xffffffff };
enum { PUC_CODE_STEP = 8, PUC_LINES_STEP = 8 }; /* bytecodes and bytes of lineinfo per step */
enum { PUC_ABS_LINES = 128 };                   /* most bytecodes between two absolute lines */

enum puc_search_step {
	PUC_SEARCH_LOCALS,
	PUC_SEARCH_CODE,
	PUC_SEARCH_ORIGIN,
	PUC_SEARCH_ABS_LINES,
	PUC_SEARCH_LINES,
};

/* Operands of a bytecode. */
struct puc_ins {
	uint32_t op, a, b, c, bx;
	int32_t jump;
	bool c_is_constant; /* c is the index of a constant, not a register */
};

static __always_inline struct puc_ins puc_decode(const struct puc_shape *s, uint32_t ins)
{
	struct puc_ins i;

	if (s->minor >= 4) {
		i.op = ins & 0x7f;
		i.a = ins >> 7 & 0xff;
		i.b = ins >> 16 & 0xff;
		i.c = ins >> 24;
		i.bx = ins >> 15;
		i.jump = (int32_t)(ins >> 7) - 0xffffff;
		i.c_is_constant = i.op == s->op.self && s->minor == 4 ? ins >> 15 & 1
								      : i.op != s->op.gettable;
	} else {
		i.op = ins & 0x3f;
		i.a = ins >> 6 & 0xff;
		i.b = ins >> 23;
		i.c = ins >> 14 & 0x1ff;
		i.bx = ins >> 14;
		i.jump = (int32_t)i.bx - 0x1ffff;
		i.c_is_constant = i.c & 0x100;
		i.c &= i.c_is_constant ? 0xff : 0x1ff;
	}
	return i;
}

/*
 * Begins the search for a local variable in SLOT that is in scope at pc, and then for the bytecode
 * that has written SLOT.
 */
static inline bool puc_search_slot(
	struct lua_walk *w, const struct puc_shape *s, uint32_t slot, bool wants_string)
{
	struct puc_search *f = &w->puc.search;

	f->slot = f->matches = slot;
	f->wants_string = wants_string;
	f->at = 0;
	f->step = PUC_SEARCH_LOCALS;
	return VM_READ(w, &f->nr, sizeof(f->nr), f->proto + s->sizelocvars) ||
	       lua_read_word(w, &f->list, f->proto + s->locvars);
}

/* Examines the next local variable; returns true if the search has ended. */
static inline bool puc_search_local(struct lua_walk *w)
{
	struct puc_search *f = &w->puc.search;
	struct {
		uint64_t name;
		uint32_t first, end;
	} local;

	if (f->at >= f->nr ||
		VM_READ(w, &local, sizeof(local), f->list + PUC_LOCVAR_SIZE * (uint64_t)f->at) ||
		local.first > f->pc) {
		f->step = PUC_SEARCH_CODE;
		f->at = f->target = 0;
		f->setter = PUC_NOWHERE;
		return false;
	}
	f->at++;
	if (f->pc >= local.end || f->matches--)
		return false;
	f->text = f->wants_string ? 0 : local.name;
	return true;
}

/* Returns whether the bytecode writes to the slot. */
static inline bool puc_writes(
	const struct puc_search *f, const struct puc_shape *s, const struct puc_ins *i)
{
	if (i->op == s->op.loadnil)
		return f->slot >= i->a && f->slot <= (s->minor == 1 ? i->b : i->a + i->b);
	if (i->op == s->op.tforcall)
		return f->slot >= i->a + 2;
	if (i->op == s->op.call || i->op == s->op.tailcall)
		return f->slot >= i->a;
	if (s->minor == 1 && i->op == s->op.self && f->slot == i->a + 1)
		return true;
	return s->op.sets[i->op >> 6 & 1] >> (i->op & 63) & 1 && i->a == f->slot;
}

/* Examines the bytecode at f->at. Follows a jump in 5.1; in later versions records its target. */
static inline void puc_search_bytecode(
	struct puc_search *f, const struct puc_shape *s, const struct puc_ins *i)
{
	uint32_t target = f->at + 1 + (uint32_t)i->jump;
	bool jumps = i->op == s->op.jmp || i->op == s->op.forloop || i->op == s->op.forprep;

	if (puc_writes(f, s, i))
		f->setter = f->at < f->target ? PUC_NOWHERE : f->at;
	f->at++;
	if (!jumps || i->jump <= 0 || target > f->pc)
		return;
	if (s->minor == 1)
		f->at = target;
	else if (target > f->target)
		f->target = target;
}

static inline bool puc_search_code(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_search *f = &w->puc.search;

	for (uint64_t k = 0; k < PUC_CODE_STEP; k++) {
		uint32_t ins;

		if (f->at >= f->pc) {
			f->step = PUC_SEARCH_ORIGIN;
			break;
		}
		if (VM_READ(w, &ins, sizeof(ins), f->code + 4ULL * f->at))
			return true;
		struct puc_ins i = puc_decode(s, ins);

		puc_search_bytecode(f, s, &i);
	}
	return false;
}

/* Sets the text to the constant NUMBER if it is a string. */
static inline bool puc_take_constant(struct lua_walk *w, const struct puc_shape *s, uint32_t number)
{
	uint64_t constants, value[2];

	if (!lua_read_word(w, &constants, w->puc.search.proto + s->constants) &&
		!VM_READ(w, value, sizeof(value), constants + PUC_VALUE_SIZE * (uint64_t)number) &&
		(value[1] & 0xf) == PUC_STRING)
		w->puc.search.text = value[0];
	return true;
}

/* Takes the name of a field whose key is in register or constant c. */
static inline bool puc_take_key(
	struct lua_walk *w, const struct puc_shape *s, const struct puc_ins *i)
{
	if (i->c_is_constant)
		return puc_take_constant(w, s, i->c);
	if (s->minor == 1)
		return true;
	w->puc.search.pc = w->puc.search.setter;
	return puc_search_slot(w, s, i->c, true);
}

static inline bool puc_take_upvalue(struct lua_walk *w, const struct puc_shape *s, uint32_t number)
{
	uint64_t list;

	if (lua_read_word(w, &list, w->puc.search.proto + s->upvalues) || !list ||
		lua_read_word(w, &w->puc.search.text, list + s->upvalue_size * (uint64_t)number))
		w->puc.search.text = 0;
	return true;
}

/* Continues with the bytecode that has written the slot; returns true if the search has ended. */
static inline bool puc_take_origin(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_search *f = &w->puc.search;
	uint32_t ins;

	if (f->setter == PUC_NOWHERE || VM_READ(w, &ins, sizeof(ins), f->code + 4ULL * f->setter))
		return true;
	struct puc_ins i = puc_decode(s, ins);

	if (f->wants_string)
		return i.op != s->op.loadk || puc_take_constant(w, s, i.bx);
	if (i.op == s->op.move) {
		if (i.b >= i.a)
			return true;
		if (s->minor > 1)
			f->pc = f->setter;
		return puc_search_slot(w, s, i.b, false);
	}
	if (i.op == s->op.getglobal)
		return puc_take_constant(w, s, i.bx);
	if (i.op == s->op.getupval)
		return puc_take_upvalue(w, s, i.b);
	if (i.op == s->op.gettabup || i.op == s->op.gettable || i.op == s->op.getfield ||
		i.op == s->op.self)
		return puc_take_key(w, s, &i);
	return true;
}

/* Examines the next absolute line; returns true if the search has ended. */
static inline bool puc_search_abs_line(struct lua_walk *w, const struct puc_shape *s)
{
	struct puc_search *f = &w->puc.search;
	uint32_t pair[2]; /* bytecode, line */

	if (f->at < f->nr && !VM_READ(w, pair, sizeof(pair), f->list + 8ULL * f->at) &&
		pair[0] <= f->pc) {
		f->target = pair[0] + 1;
		f->line = pair[1];
		f->at++;
		return false;
	}
	f->step = PUC_SEARCH_LINES;
	f->at = f->target;
	return lua_read_word(w, &f->list, f->proto + s->lineinfo);
}

/* Adds some of the differences between lines from f->at to the bytecode f->pc. */
static inline bool puc_search_lines(struct lua_walk *w)
{
	struct puc_search *f = &w->puc.search;

	for (uint64_t k = 0; k < PUC_LINES_STEP; k++) {
		int8_t difference;

		if (f->at > f->pc)
			return true;
		if (VM_READ(w, &difference, 1, f->list + f->at)) {
			f->line = 0;
			return true;
		}
		f->line += (uint32_t)difference;
		f->at++;
	}
	return false;
}

static inline bool puc_search_step(struct lua_walk *w, const struct puc_shape *s)
{
	switch (w->puc.search.step) {
	case PUC_SEARCH_LOCALS:
		return puc_search_local(w);
	case PUC_SEARCH_CODE:
		return puc_search_code(w, s);
	case PUC_SEARCH_ORIGIN:
		return puc_take_origin(w, s);
	case PUC_SEARCH_ABS_LINES:
		return puc_search_abs_line(w, s);
	default:
		return puc_search_lines(w);
	}
}

/* Begins a search in PROTO at the bytecode before AT; returns false if AT is not in PROTO. */
static inline bool puc_begin_search(
	struct lua_walk *w, const struct puc_shape *s, uint64_t proto, uint64_t at)
{
	struct puc_search *f = &w->puc.search;
	uint32_t size;

	*f = (struct puc_search){.proto = proto};
	if (lua_read_word(w, &f->code, proto + s->code) ||
		VM_READ(w, &size, sizeof(size), proto + s->sizecode))
		return false;
	f->pc = (uint32_t)((at - f->code) / 4);
	f->pc -= f->pc > 0; /* a function that has not begun is at its first bytecode */
	return at >= f->code && f->pc < size;
}

/*
 * Reads the characters of a string, at most MAX with the NUL byte. A long string of 5.5 has a
 * pointer to them. Returns their number with the NUL byte, or a negative number if they cannot be
 * read.
 */
static inline int puc_read_string(
	struct lua_walk *w, const struct puc_shape *s, uint64_t string, char *to, uint32_t max)
{
	uint64_t text = string + PUC_TEXT;
	int8_t len;

	if (s->minor >= 5 && (VM_READ(w, &len, 1, string + PUC_SHORT_LEN) ||
				     (len < 0 && lua_read_word(w, &text, text))))
		return -1;
	return VM_READ_STRING(w, to, max, text);
}

/* Reads the name that the caller, with the frame BELOW, has for the function of the frame F. */
static inline void puc_read_name(struct lua_walk *w, const struct puc_shape *s,
	const struct vm_frame *f, const struct vm_frame *below, struct lua_texts *t)
{
	uint32_t call;
	int len;

	if (!f->with || lua_frame_type(below->what) != LUA_FUNCTION ||
		!puc_begin_search(w, s, below->what & VM_ADDRESS, f->with) ||
		VM_READ(w, &call, sizeof(call), f->with - 4))
		return;
	struct puc_ins i = puc_decode(s, call);

	t->op = (uint8_t)i.op;
	if (i.op != s->op.call && i.op != s->op.tailcall) {
		t->how = LUA_META; /* or an iterator */
		return;
	}
	if (puc_search_slot(w, s, i.a, false))
		return;
	PUC_SEARCH(w, s);
	if (!w->puc.search.text)
		return;
	len = puc_read_string(w, s, w->puc.search.text, t->name, LUA_NAME_MAX);
	if (len <= 0 || t->name[0] == '(') /* a hidden variable of a loop */
		return;
	t->name_len = (uint32_t)len;
	t->how = LUA_FIELD; /* or any other kind of variable with a name */
}

/* Reads the line of the bytecode before AT in the prototype PROTO. */
static inline int puc_read_line(struct lua_walk *w, const struct puc_shape *s, uint64_t proto,
	uint64_t at, struct lua_texts *t)
{
	struct puc_search *f = &w->puc.search;
	uint64_t list;

	if (VM_READ(w, &t->first_line, 4, proto + s->linedefined) ||
		lua_read_word(w, &list, proto + s->lineinfo))
		return -1;
	t->is_stripped = !list;
	t->is_main = !t->first_line;
	if (!list || !puc_begin_search(w, s, proto, at))
		return 0;
	if (s->minor < 4)
		return VM_READ(w, &t->line, 4, list + 4ULL * f->pc) ? -1 : 0;
	f->line = t->first_line;
	f->at = f->pc / PUC_ABS_LINES;
	f->at -= f->at > 0;
	f->step = PUC_SEARCH_ABS_LINES;
	if (VM_READ(w, &f->nr, 4, proto + s->sizeabslineinfo) ||
		lua_read_word(w, &f->list, proto + s->abslineinfo))
		return -1;
	PUC_SEARCH(w, s);
	t->line = f->line;
	return 0;
}

/* Reads the texts of a frame of PUC Lua: see lua_read_texts(). */
static inline void puc_read_texts(struct lua_walk *w, const struct puc_shape *s,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *t)
{
	uint64_t proto = frame->what & VM_ADDRESS, chunk;
	int len;

	t->named = true;
	t->is_main = t->is_stripped = false;
	t->line = t->first_line = t->chunk_len = t->name_len = 0;
	t->how = LUA_UNNAMED;
	if (lua_frame_type(frame->what) != LUA_FUNCTION)
		return;
	puc_read_name(w, s, frame, below, t);
	t->named = false;
	if (puc_read_line(w, s, proto, frame->at & VM_ADDRESS, t) ||
		lua_read_word(w, &chunk, proto + s->source))
		return;
	if (!chunk) { /* stripped */
		t->chunk[0] = '=';
		t->chunk[1] = '?';
		t->chunk_len = 2;
		t->named = true;
		return;
	}
	len = puc_read_string(w, s, chunk, t->chunk, LUA_TEXT_MAX);
	t->chunk_len = len > 0 ? (uint32_t)len : 0;
	t->named = len >= 0;
}

#endif
