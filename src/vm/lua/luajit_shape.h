/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where LuaJIT 2.1 keeps what a walk needs: offsets in its structures (lj_obj.h, lj_jit.h), as they
 * differ between builds. X(name); 0: not known.
 */
#ifndef VM_LUA_LUAJIT_SHAPE_H
#define VM_LUA_LUAJIT_SHAPE_H

#include <stdint.h>

/* In lua_State. */
#define LUAJIT_SHAPE_THREAD(X)                                                                     \
	X(glref)                                                                                   \
	X(base)                                                                                    \
	X(maxstack)                                                                                \
	X(stack)                                                                                   \
	X(cframe)                                                                                  \
	X(exdata)

/* In global_State; traces and nr_traces are in the jit_State behind it. */
#define LUAJIT_SHAPE_GLOBAL(X)                                                                     \
	X(vmstate)                                                                                 \
	X(mainthread)                                                                              \
	X(current) /* the running lua_State: cur_L */                                              \
	X(jit_base)                                                                                \
	X(traces) /* pointers to GCtrace by number */                                              \
	X(nr_traces)

/* In GCtrace. */
#define LUAJIT_SHAPE_TRACE(X)                                                                      \
	X(nr_snaps)                                                                                \
	X(ir)                                                                                      \
	X(snaps)                                                                                   \
	X(snap_map)                                                                                \
	X(code_size)                                                                               \
	X(code)

/* In GCfunc and GCproto. */
#define LUAJIT_SHAPE_FUNCTION(X)                                                                   \
	X(ffid)                                                                                    \
	X(pc)     /* first bytecode, which is behind the prototype */                              \
	X(c)      /* address of a C function */                                                    \
	X(proto)  /* size of a GCproto */                                                          \
	X(sizebc) /* bytecodes */                                                                  \
	X(constants)                                                                               \
	X(chunkname)                                                                               \
	X(firstline)                                                                               \
	X(numline)                                                                                 \
	X(lineinfo)                                                                                \
	X(uvinfo)                                                                                  \
	X(varinfo)                                                                                 \
	X(text) /* of a GCstr */                                                                   \
	X(text_len)

#define LUAJIT_SHAPE_ALL(X)                                                                        \
	LUAJIT_SHAPE_THREAD(X)                                                                     \
	LUAJIT_SHAPE_GLOBAL(X)                                                                     \
	LUAJIT_SHAPE_TRACE(X)                                                                      \
	LUAJIT_SHAPE_FUNCTION(X)

struct luajit_shape {
#define LUAJIT_OFFSET(name) uint16_t name;
	LUAJIT_SHAPE_ALL(LUAJIT_OFFSET)
#undef LUAJIT_OFFSET
};

#endif
