/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the lists of the garbage collector in a copy of the process's memory. */
#ifndef INSPECT_LUAJIT_OBJECT_WALK_H
#define INSPECT_LUAJIT_OBJECT_WALK_H

#include "luajit_gc.h"
#include "runtime/lua/luajit_heads.h"
#include "luajit_objects.h"
#include "runtime/memory_copy.h"

struct object_walk {
	struct memory_copy *copy;
	const struct luajit_layout *layout;
	uint64_t global;
	struct luajit_gc_state gc; /* as it was before the copy */
	struct luajit_ctype_state types;
	uint64_t thread_size; /* of a lua_State */
	uint64_t size_max;    /* of an object; anything larger is taken for garbage */
	struct luajit_objects *objects;
	size_t top_max;
};

/* Adds up all objects, and collects the largest ones, unsorted. Each object is counted once. */
void object_walk(struct object_walk *w);

/* Returns the C type ID without its attributes, or NULL if there is none. */
const struct luajit_ctype *object_walk_ctype(struct object_walk *w, uint32_t id);

#endif
