/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytecodes of LuaJIT 2.1 (lj_bc.h) that the search for a function's name has to know. */
#ifndef RUNTIME_LUA_LUA_BYTECODE_H
#define RUNTIME_LUA_LUA_BYTECODE_H

#include <stdbool.h>
#include <stdint.h>

enum lua_op {
	LUA_OP_ISLT = 0,
	LUA_OP_ISTC = 12,
	LUA_OP_ISFC = 13,
	LUA_OP_MOV = 18,
	LUA_OP_UNM = 20,
	LUA_OP_LEN = 21,
	LUA_OP_ADDVN = 22,
	LUA_OP_MODVV = 36,
	LUA_OP_POW = 37,
	LUA_OP_CAT = 38,
	LUA_OP_KPRI = 43,
	LUA_OP_KNIL = 44,
	LUA_OP_UGET = 45,
	LUA_OP_FNEW = 51,
	LUA_OP_GGET = 54,
	LUA_OP_GSET = 55,
	LUA_OP_TGETV = 56,
	LUA_OP_TGETS = 57,
	LUA_OP_TGETR = 59,
	LUA_OP_TSETV = 60,
	LUA_OP_TSETM = 63,
	LUA_OP_CALLM = 65,
	LUA_OP_CALLT = 68,
	LUA_OP_ITERC = 69,
	LUA_OP_ITERN = 70,
	LUA_OP_RETM = 73,
	LUA_OP_FORI = 77,
	LUA_OP_JITERL = 84,
	LUA_OP_FUNCF = 89, /* this opcode and all later ones begin a function */
	LUA_OP_LAST = 96,
	LUA_OP_COMPILED = 256, /* no bytecode is executed, but the machine code of a trace */
};

static inline uint32_t lua_op(uint32_t ins)
{
	return ins & 0xff;
}

/* Gives a bytecode of 2.0 the opcode of 2.1. 2.0 lacks ISTYPE, ISNUM, TGETR and TSETR. */
static inline uint32_t lua_op_of_old(uint32_t ins)
{
	enum { OLD_MOV = 16, OLD_TSETV = 57, OLD_CALLM = 61 };
	uint32_t op = lua_op(ins), later = op < OLD_MOV ? 0 : 2;

	later += op >= OLD_TSETV;
	later += op >= OLD_CALLM;
	return (ins & ~0xffU) | ((op + later) & 0xff);
}

/* The operands of a bytecode are A, C and B, or A and D, which takes the place of C and B. */
static inline uint32_t lua_op_a(uint32_t ins)
{
	return ins >> 8 & 0xff;
}

static inline uint32_t lua_op_c(uint32_t ins)
{
	return ins >> 16 & 0xff;
}

static inline uint32_t lua_op_b(uint32_t ins)
{
	return ins >> 24;
}

static inline uint32_t lua_op_d(uint32_t ins)
{
	return ins >> 16;
}

static inline bool lua_op_is_call(uint32_t ins)
{
	return lua_op(ins) >= LUA_OP_CALLM && lua_op(ins) <= LUA_OP_ITERN;
}

static inline bool lua_op_is_iterator(uint32_t ins)
{
	return lua_op(ins) == LUA_OP_ITERC || lua_op(ins) == LUA_OP_ITERN;
}

/* Returns whether the bytecode writes to slot A and the slots above it. */
static inline bool lua_op_is_base(uint32_t ins)
{
	uint32_t op = lua_op(ins);

	return op == LUA_OP_KNIL || op == LUA_OP_TSETM ||
	       (op >= LUA_OP_CALLM && op <= LUA_OP_RETM) ||
	       (op >= LUA_OP_FORI && op <= LUA_OP_JITERL);
}

/* Returns whether the bytecode writes to slot A. */
static inline bool lua_op_is_dst(uint32_t ins)
{
	uint32_t op = lua_op(ins);

	return op == LUA_OP_ISTC || op == LUA_OP_ISFC || (op >= LUA_OP_MOV && op <= LUA_OP_KPRI) ||
	       op == LUA_OP_UGET || (op >= LUA_OP_FNEW && op <= LUA_OP_GGET) ||
	       (op >= LUA_OP_TGETV && op <= LUA_OP_TGETR);
}

#endif
