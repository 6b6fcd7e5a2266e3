/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks PHP's stacks, one call per step. The same code runs in the kernel (BPF) and in user space.
 * It finds the frames that debug_backtrace() reports. There is no recursion, and every read may
 * fail. The includer defines VM_READ, see vm_walk.h. The rules come from
 * zend_fetch_debug_backtrace() and zend_generator_check_placeholder_frame().
 */
#ifndef RUNTIME_PHP_PHP_STEP_H
#define RUNTIME_PHP_PHP_STEP_H

#include "php_frame.h"
#include "php_layout.h"

/* ---- statements ---- */

static inline int php_read_word(struct php_walk *w, uint64_t *to, uint64_t address)
{
	return VM_READ(w, to, sizeof(*to), address);
}

/*
 * Returns the opline that the innermost frame executes. The interpreter keeps it in a register, and
 * stores it only before what may throw.
 */
static inline uint64_t php_leaf_opline(
	struct php_walk *w, const struct php_shape *s, uint64_t func, uint64_t opline)
{
	uint64_t opcodes;
	uint32_t last;

	if (php_read_word(w, &opcodes, func + s->opcodes) ||
		VM_READ(w, &last, sizeof(last), func + s->last))
		return opline;
	for (uint32_t i = VM_NATIVE_REGS; i--;) {
		uint64_t at = w->vm.native.reg[i & (VM_NATIVE_REGS - 1)] - opcodes;

		if (at < (uint64_t)last * PHP_OP_SIZE && !(at % PHP_OP_SIZE))
			return opcodes + at;
	}
	return opline;
}

/* Returns the line of *OPLINE. If an exception is being handled, *OPLINE is where it was thrown. */
static inline uint32_t php_line(struct php_walk *w, uint64_t *opline)
{
	struct {
		uint32_t line;
		uint8_t code, types[3];
	} op = {0, 0, {0}};

	if (!*opline || VM_READ(w, &op, sizeof(op), *opline + PHP_OP_LINE))
		return 0;
	if (op.code == PHP_HANDLE_EXCEPTION &&
		(php_read_word(w, opline, *opline - sizeof(*opline)) || !*opline ||
			VM_READ(w, &op, sizeof(op), *opline + PHP_OP_LINE)))
		return 0;
	return op.line;
}

/* Takes the opcode of OPLINE, at which the innermost frame of code is, as the operator. */
static inline void php_take_operator(struct php_walk *w, uint64_t opline)
{
	uint8_t code;

	w->vm.with_op = false;
	if (opline && !VM_READ(w, &code, sizeof(code), opline + PHP_OP_CODE))
		w->vm.op = VM_OP(code);
}

/* ---- frames ---- */

/* Returns the type of the frame of a call whose function is in func, or 0 if it has none. */
static inline uint32_t php_type_of(const struct php_walk *w, uint64_t next)
{
	uint8_t type = w->func[PHP_FUNC_TYPE] & 0xff;
	bool named = w->func[PHP_FUNC_NAME / 8];

	if (type == PHP_INTERNAL_FUNCTION) /* the outermost call of a fiber has no name */
		return named ? PHP_IN_C : 0;
	if (type == PHP_EVAL_CODE)
		return PHP_EVAL;
	return named ? PHP_FUNCTION : next ? PHP_FILE : PHP_MAIN;
}

/*
 * Returns a number that tells the statements of a class or file from statements that had the same
 * addresses before. The compiler has computed the hashes of the names of files.
 */
static inline uint64_t php_owner(
	struct php_walk *w, const struct php_shape *s, uint64_t func, uint32_t type)
{
	uint64_t file, hash;

	if (type == PHP_FUNCTION)
		return w->func[PHP_FUNC_SCOPE / 8];
	if (php_read_word(w, &file, func + s->filename) ||
		php_read_word(w, &hash, file + PHP_STRING_HASH))
		return 0;
	return hash;
}

/* Sets the frame to the call in data and func. NEXT is the next outer call. */
static inline void php_take_frame(struct php_walk *w, const struct php_shape *s, uint64_t next)
{
	uint64_t func = w->data[PHP_DATA_FUNC / 8], opline, hash;
	uint32_t type = php_type_of(w, next);

	w->vm.found = type;
	w->vm.frame =
		(struct vm_frame){VM_WHAT(type), func, w->func[PHP_FUNC_SCOPE / 8] & VM_ADDRESS};
	if (type < PHP_MAIN)
		w->vm.frame.what |= w->func[PHP_FUNC_NAME / 8] & VM_ADDRESS;
	if (w->data[PHP_DATA_INFO / 8] & s->top && type != PHP_IN_C)
		w->vm.frame.what |= PHP_TOP;
	if (type == PHP_IN_C)
		return;
	opline = w->data[PHP_DATA_OPLINE / 8];
	if (w->is_leaf)
		opline = php_leaf_opline(w, s, func, opline);
	hash = (php_line(w, &opline) ^ php_owner(w, s, func, type)) * 0x9e3779b97f4a7c15ULL;
	w->vm.frame.at = (opline & VM_ADDRESS) | hash >> PHP_OPLINE << PHP_OPLINE;
	if (w->vm.with_op)
		php_take_operator(w, opline);
}

/* Reads the call at CALL and its function, if it has one. Returns -1 if that is not a call. */
static inline int php_read_call(struct php_walk *w, uint64_t call)
{
	uint64_t func;
	uint8_t type;

	if (call & 7 || VM_READ(w, w->data, sizeof(w->data), call))
		return -1;
	func = w->data[PHP_DATA_FUNC / 8];
	if (!func)
		return 0;
	if (func & 7 || VM_READ(w, w->func, sizeof(w->func), func))
		return -1;
	type = w->func[PHP_FUNC_TYPE] & 0xff;
	return type == PHP_INTERNAL_FUNCTION || type == PHP_USER_FUNCTION || type == PHP_EVAL_CODE
		       ? 0
		       : -1;
}

/* ---- generators ---- */

/*
 * Offsets in struct _zend_generator, by the offset of its fake call: the one of the delegate's
 * address, or 0 if there is no such version.
 */
static inline uint32_t php_parent_at(uint64_t fake)
{
	switch (fake) {
	case 248: /* 7.0 to 7.2 */
	case 200: /* 7.3, 7.4 */
		return 160;
	case 192:
	case 184: /* 8.0 and later */
		return 152;
	default:
		return 0;
	}
}

enum { PHP_PARENT_AFTER_CALL = 96 }; /* offset of the delegate, less the offset of the call */

/*
 * Returns whether the call at CALL, which is in data and has no function, is a generator's fake
 * call. Then the search for the generators between it and the running generator begins.
 */
static inline bool php_is_fake(struct php_walk *w, uint64_t call, uint64_t next)
{
	uint64_t object = w->data[PHP_DATA_THIS / 8];

	if ((w->data[PHP_DATA_INFO / 8] & 0xff) != PHP_IS_OBJECT)
		return false;
	w->parent_at = php_parent_at(call - object);
	if (!w->parent_at)
		return false;
	w->after = next;
	w->outer = w->seen = object;
	w->inner = 0;
	return true;
}

/*
 * Goes on with the search for the generator that is next: the one whose delegate is `inner`, or at
 * first the one whose delegate has no delegate, as that one is running.
 */
static inline int php_search_generator(struct php_walk *w, const struct php_shape *s)
{
	uint64_t delegate, further = 0, call;

	w->vm.found = false;
	if (php_read_word(w, &delegate, w->seen + w->parent_at) || !delegate)
		return VM_INCONSISTENT;
	if (!w->inner && php_read_word(w, &further, delegate + w->parent_at))
		return VM_INCONSISTENT;
	if (w->inner ? delegate != w->inner : further != 0) {
		w->seen = delegate;
		return VM_ON;
	}
	if (php_read_word(w, &call, w->seen + w->parent_at - PHP_PARENT_AFTER_CALL) ||
		php_read_call(w, call) || !w->data[PHP_DATA_FUNC / 8])
		return VM_INCONSISTENT;
	php_take_frame(w, s, 1);
	w->inner = w->seen;
	w->seen = w->outer;
	if (w->inner != w->outer)
		return VM_ON;
	w->outer = 0;
	return w->at ? VM_ON : VM_WHOLE;
}

/* ---- walk ---- */

/* Begins the walk W, whose native is set, in a thread with its globals at GLOBALS. */
static inline int php_begin(struct php_walk *w, const struct php_layout *l, uint64_t globals)
{
	w->vm.found = false;
	w->is_leaf = true;
	w->outer = 0;
	if (php_read_word(w, &w->at, globals + l->current))
		return VM_INCONSISTENT;
	return w->at ? VM_ON : VM_NOT_RUNNING;
}

/*
 * Takes the next step. Returns VM_ON, or how the walk has ended; in either case w->vm.found tells
 * whether there is a frame.
 */
static inline int php_step(struct php_walk *w, const struct php_layout *l)
{
	const struct php_shape *s = &l->shape;
	uint64_t call = w->at, next;

	if (w->outer)
		return php_search_generator(w, s);
	w->vm.found = false;
	if (php_read_call(w, call))
		return VM_INCONSISTENT;
	next = w->data[s->prev / 8 & (PHP_DATA_WORDS - 1)];
	w->at = next;
	if (w->data[PHP_DATA_FUNC / 8])
		php_take_frame(w, s, next);
	else if (php_is_fake(w, call, next))
		return VM_ON;
	w->is_leaf = false;
	return next ? VM_ON : VM_WHOLE;
}

#endif
