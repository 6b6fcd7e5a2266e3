/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offsets in PUC Lua's structures (lstate.h, lobject.h) and the opcodes (lopcodes.h) that a
 * walk needs, on x86-64, for user space and the BPF programs.
 */
#ifndef RUNTIME_LUA_PUC_SHAPE_H
#define RUNTIME_LUA_PUC_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Opcodes, 0xff for one that this version does not have. */
struct puc_ops {
	uint8_t move, loadnil, loadk, getupval, getglobal, gettabup, gettable, getfield, self;
	uint8_t jmp, forloop, forprep, call, tailcall, tforcall;
	uint64_t sets[2]; /* bit mask of the opcodes that write to the register A */
};

struct puc_shape {
	uint8_t minor; /* minor version: 1 to 5 */
	/* Offsets in lua_State. base_ci is the outermost CallInfo, but in 5.1 a pointer to it. */
	uint16_t status, global, ci, base_ci, levels;
	uint8_t levels_size; /* bytes of the number of nested C calls: 2 or 4 */
	uint16_t mainthread; /* offset in global_State of a pointer to the main thread */
	uint16_t main;       /* offset in global_State of the main thread, if it is part of it */
	/* Offsets in CallInfo. If previous is 0, CallInfos are an array of elements of ci_size. */
	uint16_t func, previous, ci_size, savedpc;
	bool saves_pc; /* savedpc is up to date in the innermost function, too */
	/* Offset in lua_State of the innermost function's savedpc, or 0 if its CallInfo has it. */
	uint16_t state_pc;
	/*
	 * The offset in CallInfo of two bytes of flags, or in 5.1 of the number of tail calls, and
	 * the mask of a function that was not called by the frame below.
	 */
	uint16_t callstatus, not_called;
	uint16_t fresh; /* mask of a function that began a run, or 0 if there is no such flag */
	uint16_t proto, c_function; /* offsets in LClosure and CClosure */
	/* Offsets in Proto. */
	uint16_t code, constants, lineinfo, locvars, upvalues, source, linedefined;
	uint16_t sizecode, sizelocvars, abslineinfo, sizeabslineinfo;
	uint8_t upvalue_size; /* size of an upvalue's description, which begins with its name */
	struct puc_ops op;
};

/* Type tags. For functions they are in the low six bits of a value's type. */
enum {
	PUC_OBJECT_TYPE = 8, /* offset of the type in collectable objects and in values */
	PUC_IS_THREAD = 8,
	PUC_STRING = 4,
	PUC_FUNCTION = 6,
	PUC_LIGHT_C = 0x16,
	PUC_C_CLOSURE = 0x26,
	PUC_IS_C = 10,       /* offset in a closure of 5.1 */
	PUC_TEXT = 0x18,     /* offset of the characters of a string */
	PUC_SHORT_LEN = 0xb, /* in 5.5: offset of a string's length, negative if it is long */
	PUC_VALUE_SIZE = 16,
	PUC_LOCVAR_SIZE = 16,
};

/* Returns the shape of version 5.MINOR.RELEASE, or NULL if it is not known. */
const struct puc_shape *puc_shape(unsigned minor, unsigned release);

#endif
