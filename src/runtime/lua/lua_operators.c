/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_operators.h"
#include "lib/util.h"
#include "lua_bytecode.h"

/* clang-format off */
static const char *const luajit_names[] = {
	"ISLT", "ISGE", "ISLE", "ISGT", "ISEQV", "ISNEV", "ISEQS", "ISNES", "ISEQN", "ISNEN",
	"ISEQP", "ISNEP", "ISTC", "ISFC", "IST", "ISF", "ISTYPE", "ISNUM", "MOV", "NOT", "UNM",
	"LEN", "ADDVN", "SUBVN", "MULVN", "DIVVN", "MODVN", "ADDNV", "SUBNV", "MULNV", "DIVNV",
	"MODNV", "ADDVV", "SUBVV", "MULVV", "DIVVV", "MODVV", "POW", "CAT", "KSTR", "KCDATA",
	"KSHORT", "KNUM", "KPRI", "KNIL", "UGET", "USETV", "USETS", "USETN", "USETP", "UCLO",
	"FNEW", "TNEW", "TDUP", "GGET", "GSET", "TGETV", "TGETS", "TGETB", "TGETR", "TSETV",
	"TSETS", "TSETB", "TSETM", "TSETR", "CALLM", "CALL", "CALLMT", "CALLT", "ITERC", "ITERN",
	"VARG", "ISNEXT", "RETM", "RET", "RET0", "RET1", "FORI", "JFORI", "FORL", "IFORL",
	"JFORL", "ITERL", "IITERL", "JITERL", "LOOP", "ILOOP", "JLOOP", "JMP", "FUNCF", "IFUNCF",
	"JFUNCF", "FUNCV", "IFUNCV", "JFUNCV", "FUNCC", "FUNCCW",
};
_Static_assert(ARRAY_LEN(luajit_names) == LUA_OP_LAST + 1, "all bytecodes have names");

static const char *const puc_names_5_1[] = {
	"MOVE", "LOADK", "LOADBOOL", "LOADNIL", "GETUPVAL", "GETGLOBAL", "GETTABLE", "SETGLOBAL",
	"SETUPVAL", "SETTABLE", "NEWTABLE", "SELF", "ADD", "SUB", "MUL", "DIV", "MOD", "POW",
	"UNM", "NOT", "LEN", "CONCAT", "JMP", "EQ", "LT", "LE", "TEST", "TESTSET", "CALL",
	"TAILCALL", "RETURN", "FORLOOP", "FORPREP", "TFORLOOP", "SETLIST", "CLOSE", "CLOSURE",
	"VARARG",
};

static const char *const puc_names_5_2[] = {
	"MOVE", "LOADK", "LOADKX", "LOADBOOL", "LOADNIL", "GETUPVAL", "GETTABUP", "GETTABLE",
	"SETTABUP", "SETUPVAL", "SETTABLE", "NEWTABLE", "SELF", "ADD", "SUB", "MUL", "DIV", "MOD",
	"POW", "UNM", "NOT", "LEN", "CONCAT", "JMP", "EQ", "LT", "LE", "TEST", "TESTSET", "CALL",
	"TAILCALL", "RETURN", "FORLOOP", "FORPREP", "TFORCALL", "TFORLOOP", "SETLIST", "CLOSURE",
	"VARARG", "EXTRAARG",
};

static const char *const puc_names_5_3[] = {
	"MOVE", "LOADK", "LOADKX", "LOADBOOL", "LOADNIL", "GETUPVAL", "GETTABUP", "GETTABLE",
	"SETTABUP", "SETUPVAL", "SETTABLE", "NEWTABLE", "SELF", "ADD", "SUB", "MUL", "MOD", "POW",
	"DIV", "IDIV", "BAND", "BOR", "BXOR", "SHL", "SHR", "UNM", "BNOT", "NOT", "LEN", "CONCAT",
	"JMP", "EQ", "LT", "LE", "TEST", "TESTSET", "CALL", "TAILCALL", "RETURN", "FORLOOP",
	"FORPREP", "TFORCALL", "TFORLOOP", "SETLIST", "CLOSURE", "VARARG", "EXTRAARG",
};

/* 5.4 and 5.5 have the same bytecodes in front of the shifts by constants, and behind them. */
#define PUC_NAMES_BEFORE_SHIFTS \
	"MOVE", "LOADI", "LOADF", "LOADK", "LOADKX", "LOADFALSE", "LFALSESKIP", "LOADTRUE", \
	"LOADNIL", "GETUPVAL", "SETUPVAL", "GETTABUP", "GETTABLE", "GETI", "GETFIELD", \
	"SETTABUP", "SETTABLE", "SETI", "SETFIELD", "NEWTABLE", "SELF", "ADDI", "ADDK", "SUBK", \
	"MULK", "MODK", "POWK", "DIVK", "IDIVK", "BANDK", "BORK", "BXORK"
#define PUC_NAMES_AFTER_SHIFTS \
	"ADD", "SUB", "MUL", "MOD", "POW", "DIV", "IDIV", "BAND", "BOR", "BXOR", "SHL", "SHR", \
	"MMBIN", "MMBINI", "MMBINK", "UNM", "BNOT", "NOT", "LEN", "CONCAT", "CLOSE", "TBC", \
	"JMP", "EQ", "LT", "LE", "EQK", "EQI", "LTI", "LEI", "GTI", "GEI", "TEST", "TESTSET", \
	"CALL", "TAILCALL", "RETURN", "RETURN0", "RETURN1", "FORLOOP", "FORPREP", "TFORPREP", \
	"TFORCALL", "TFORLOOP", "SETLIST", "CLOSURE", "VARARG"

static const char *const puc_names_5_4[] = {
	PUC_NAMES_BEFORE_SHIFTS, "SHRI", "SHLI", PUC_NAMES_AFTER_SHIFTS, "VARARGPREP", "EXTRAARG",
};

static const char *const puc_names_5_5[] = {
	PUC_NAMES_BEFORE_SHIFTS, "SHLI", "SHRI", PUC_NAMES_AFTER_SHIFTS, "GETVARG", "ERRNNIL",
	"VARARGPREP", "EXTRAARG",
};
/* clang-format on */

static const char *luajit_name(const struct luajit_shape *s, uint32_t opcode)
{
	if (opcode == LUA_OP_COMPILED)
		return "[compiled]";
	if (s->old_ops)
		opcode = lua_op_of_old(opcode);
	return opcode < ARRAY_LEN(luajit_names) ? luajit_names[opcode] : NULL;
}

/* Returns the name of a bytecode of PUC Lua 5.MINOR. */
static const char *puc_name(unsigned minor, uint32_t opcode)
{
	static const struct {
		const char *const *names;
		uint32_t nr;
	} versions[] = {{NULL, 0}, {puc_names_5_1, ARRAY_LEN(puc_names_5_1)},
		{puc_names_5_2, ARRAY_LEN(puc_names_5_2)},
		{puc_names_5_3, ARRAY_LEN(puc_names_5_3)},
		{puc_names_5_4, ARRAY_LEN(puc_names_5_4)},
		{puc_names_5_5, ARRAY_LEN(puc_names_5_5)}};

	return minor < ARRAY_LEN(versions) && opcode < versions[minor].nr
		       ? versions[minor].names[opcode]
		       : NULL;
}

const char *lua_operator_name(const struct lua_layout *l, uint32_t opcode)
{
	return l->kind == LUA_JIT ? luajit_name(&l->jit.shape, opcode)
				  : puc_name(l->puc.shape.minor, opcode);
}
