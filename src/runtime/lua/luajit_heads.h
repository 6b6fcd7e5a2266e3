/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heads of LuaJIT's objects (GC64), as in lj_obj.h and lj_jit.h, the same in all builds. */
#ifndef RUNTIME_LUA_LUAJIT_HEADS_H
#define RUNTIME_LUA_LUAJIT_HEADS_H

#include <stddef.h>
#include <stdint.h>

struct luajit_head {
	uint64_t next;
	uint8_t marked, type, first, second; /* first, second and word depend on the type */
	uint32_t word;
};

struct luajit_string_head {
	struct luajit_head head;
	uint32_t hash, len;
};
_Static_assert(sizeof(struct luajit_string_head) == 0x18, "the text follows");

struct luajit_upvalue {
	struct luajit_head head;
	uint64_t value[2], v, hash;
};
_Static_assert(sizeof(struct luajit_upvalue) == 0x30, "GCupval");

struct luajit_thread_head {
	struct luajit_head head;
	uint64_t glref, gclist, base, top, maxstack, stack, open_upvalues, env, cframe;
	uint32_t stack_size;
};
_Static_assert(offsetof(struct luajit_thread_head, stack_size) == 0x58, "lua_State");

struct luajit_proto_head {
	struct luajit_head head;
	uint64_t unused, gclist, constants, upvalues;
	uint32_t nr_objects, nr_numbers, size;
	uint8_t nr_upvalues, flags;
	uint16_t trace;
	uint64_t chunkname;
	uint32_t first_line, nr_lines;
};
_Static_assert(offsetof(struct luajit_proto_head, chunkname) == 0x40, "GCproto");

struct luajit_function_head {
	struct luajit_head head; /* first is the ffid, second the number of upvalues */
	uint64_t env, gclist, pc;
};
enum { LUAJIT_PROTO_SIZE = 0x68 }; /* of a GCproto, which the bytecode follows */

struct luajit_trace_head {
	struct luajit_head head; /* first and second: number of snapshots; word: next instruction */
	uint64_t unused, gclist, ir;
	uint32_t constants, nr_snap_entries; /* constants is the first one, biased as word is */
	uint64_t snaps, snap_entries, proto, pc;
	uint32_t bytecode, code_size;
	uint64_t code;
	uint32_t code_loop;
	uint16_t nr_children, stack_adjust, number, link, root, next_root, next_side;
	uint8_t tags, top, link_type;
};
_Static_assert(offsetof(struct luajit_trace_head, number) == 0x68, "GCtrace");

struct luajit_table_head {
	struct luajit_head head;
	uint64_t array, gclist, metatable, node;
	uint32_t array_size, hash_mask;
	uint64_t freetop;
};
_Static_assert(sizeof(struct luajit_table_head) == 0x40, "GCtab");

struct luajit_userdata_head {
	struct luajit_head head;
	uint64_t env;
	uint32_t len, unused;
	uint64_t metatable, align;
};
_Static_assert(sizeof(struct luajit_userdata_head) == 0x30, "GCudata");

/* CTState and CType. */
struct luajit_ctype_state {
	uint64_t list;
	uint32_t nr, size; /* number of defined types, and of types for which there is room */
	uint64_t thread, global;
};

struct luajit_ctype {
	uint32_t info, size;
	uint16_t sibling, next;
	uint32_t unused;
	uint64_t name;
};
_Static_assert(sizeof(struct luajit_ctype) == 0x18, "CType");

#endif
