/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offsets in LuaJIT's structures (lj_obj.h, lj_jit.h) that a walk needs and that differ between
 * builds, as X(name). An offset that is not known is 0.
 */
#ifndef RUNTIME_LUA_LUAJIT_SHAPE_H
#define RUNTIME_LUA_LUAJIT_SHAPE_H

#include <stdint.h>

/* Properties of the whole build. */
#define LUAJIT_SHAPE_BUILD(X)                                                                      \
	X(refs)    /* bytes of a reference: 8, or 4 (before GC64) */                               \
	X(gct)     /* type of an object, in every object */                                        \
	X(old_ops) /* 1 if it has the bytecodes of 2.0 */

/* Offsets in the interpreter's frame. */
#define LUAJIT_SHAPE_FRAME(X)                                                                      \
	X(frame_results) /* negative for lj_vm_cpcall: minus its offset in the Lua stack */        \
	X(frame_thread)                                                                            \
	X(frame_pc)

/* Offsets in lua_State. */
#define LUAJIT_SHAPE_THREAD(X)                                                                     \
	X(glref)                                                                                   \
	X(base)                                                                                    \
	X(maxstack)                                                                                \
	X(stack)                                                                                   \
	X(cframe)                                                                                  \
	X(exdata)

/* Offsets in global_State; traces and nr_traces are in the jit_State behind it. */
#define LUAJIT_SHAPE_GLOBAL(X)                                                                     \
	X(vmstate)                                                                                 \
	X(mainthread)                                                                              \
	X(current) /* the running lua_State: cur_L */                                              \
	X(jit_base)                                                                                \
	X(traces) /* pointers to GCtrace by number */                                              \
	X(nr_traces)

/* Offsets in GCtrace; snaps is 0 if the snapshots do not tell where in the code they belong. */
#define LUAJIT_SHAPE_TRACE(X)                                                                      \
	X(nr_snaps)                                                                                \
	X(ir)                                                                                      \
	X(snaps)                                                                                   \
	X(snap_map)                                                                                \
	X(code_size)                                                                               \
	X(code)

/* Offsets in GCfunc, GCproto and GCstr. */
#define LUAJIT_SHAPE_FUNCTION(X)                                                                   \
	X(ffid)                                                                                    \
	X(pc)     /* address of the first bytecode, which is behind the prototype */               \
	X(c)      /* address of a C function */                                                    \
	X(proto)  /* size of a GCproto */                                                          \
	X(sizebc) /* number of bytecodes */                                                        \
	X(constants)                                                                               \
	X(chunkname)                                                                               \
	X(firstline)                                                                               \
	X(numline)                                                                                 \
	X(lineinfo)                                                                                \
	X(uvinfo)                                                                                  \
	X(varinfo)                                                                                 \
	X(text) /* in a GCstr */                                                                   \
	X(text_len)

#define LUAJIT_SHAPE_ALL(X)                                                                        \
	LUAJIT_SHAPE_BUILD(X)                                                                      \
	LUAJIT_SHAPE_FRAME(X)                                                                      \
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
