/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where PUC Lua keeps what a walk needs: offsets in its structures (lstate.h, lobject.h) and its
 * opcodes (lopcodes.h), x86-64, for user space and the BPF programs.
 */
#ifndef VM_LUA_PUC_SHAPE_H
#define VM_LUA_PUC_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Opcodes; 0xff: this version does not have it. */
struct puc_ops {
	uint8_t move, loadnil, loadk, getupval, getglobal, gettabup, gettable, getfield, self;
	uint8_t jmp, forloop, forprep, call, tailcall, tforcall;
	uint64_t sets[2]; /* bit mask by opcode: writes to the register A */
};

struct puc_shape {
	uint8_t minor; /* of the version: 1, 3, 4 */
	/* In lua_State; base_ci: 5.1: pointer to the outermost CallInfo, else that one itself. */
	uint16_t status, global, ci, base_ci, levels;
	uint8_t levels_size; /* of the number of nested C calls: 2 or 4 bytes */
	uint16_t mainthread; /* in global_State */
	/* In CallInfo; previous: 0: they are an array, of elements of ci_size. */
	uint16_t func, previous, ci_size, savedpc;
	uint16_t state_pc; /* in lua_State: savedpc of the innermost function; 0: as others */
	/* Two bytes of flags; 5.1: the number of tail calls. */
	uint16_t callstatus, tail, not_called; /* mask: was not called by the frame below */
	uint16_t fresh; /* mask: began a run of the interpreter; 0: this version has no such flag */
	uint16_t proto, c_function; /* in LClosure, CClosure */
	/* In Proto. */
	uint16_t code, constants, lineinfo, locvars, upvalues, source, linedefined;
	uint16_t sizecode, sizelocvars, abslineinfo, sizeabslineinfo;
	uint8_t upvalue_size; /* of an entry of the list of upvalues, which begins with its name */
	struct puc_ops op;
};

/* Type tags; of functions, in the low six bits of a value's type. */
enum {
	PUC_OBJECT_TYPE = 8, /* offset in collectable objects; the value's is the same */
	PUC_IS_THREAD = 8,
	PUC_STRING = 4,
	PUC_FUNCTION = 6,
	PUC_LIGHT_C = 0x16,
	PUC_C_CLOSURE = 0x26,
	PUC_IS_C = 10, /* 5.1: offset in a closure */
	PUC_TEXT = 0x18,
	PUC_VALUE_SIZE = 16,
	PUC_LOCVAR_SIZE = 16,
};

/* The shape of version 5.MINOR.RELEASE; NULL: not known. */
const struct puc_shape *puc_shape(unsigned minor, unsigned release);

#endif
