/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where LuaJIT keeps what a walk needs: offsets in its structures (lj_obj.h, lj_jit.h), as they
 * differ between builds. X(name); 0: not known.
 */
#ifndef VM_LUA_LUAJIT_SHAPE_H
#define VM_LUA_LUAJIT_SHAPE_H

#include <stdint.h>

/* What builds differ in as a whole. */
#define LUAJIT_SHAPE_BUILD(X)                                                                      \
	X(refs)    /* bytes of a reference: 8, or 4 (before GC64) */                               \
	X(gct)     /* the type of an object, in each */                                            \
	X(old_ops) /* 1: the bytecodes of 2.0 */

/* In the interpreter's frame. */
#define LUAJIT_SHAPE_FRAME(X)                                                                      \
	X(frame_results) /* negative: of lj_vm_cpcall, the distance of its frames in the stack */  \
	X(frame_thread)                                                                            \
	X(frame_pc)

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

/* In GCtrace; no snaps: they do not tell where in the code they are. */
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
