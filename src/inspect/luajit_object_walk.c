/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_object_walk.h"
#include "lib/util.h"
#include "runtime/lua/luajit_states.h"

enum {
	VALUE = 8,
	NODE = 24,
	SLOTS_MAX = 1 << 28,
	TYPES_MAX = 1 << 16,
	CDATA_IS_VARIABLE = 0x80, /* flag in head.marked */
	CTYPE_SIZED_MAX = 5,      /* kinds of C types up to this one have a size */
	CTYPE_ATTRIBUTE = 8,
	ATTRIBUTES_MAX = 32, /* of a C type */
	CTYPE_STATE = 0x1d0, /* size of a CTState */
};

#define SIZE_LIMIT (1ULL << 40)

/* ---- the largest objects ---- */

static bool is_smaller(const struct luajit_object *a, const struct luajit_object *b)
{
	return a->bytes < b->bytes || (a->bytes == b->bytes && a->address > b->address);
}

/* Replaces the first entry, which is the smallest one of the heap. */
static void sift_down(struct luajit_object *top, size_t nr, struct luajit_object object)
{
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr && is_smaller(&top[child + 1], &top[child]))
			child++;
		if (!is_smaller(&top[child], &object))
			break;
		top[at] = top[child];
	}
	top[at] = object;
}

static void sift_up(struct luajit_object *top, size_t at, struct luajit_object object)
{
	for (; at && is_smaller(&object, &top[(at - 1) / 2]); at = (at - 1) / 2)
		top[at] = top[(at - 1) / 2];
	top[at] = object;
}

static void offer(struct object_walk *w, enum luajit_use use, uint64_t address, uint64_t bytes)
{
	struct luajit_objects *o = w->objects;
	struct luajit_object object = {address, bytes, use};

	if (o->nr_top < w->top_max)
		sift_up(o->top, o->nr_top++, object);
	else if (o->nr_top && is_smaller(&o->top[0], &object))
		sift_down(o->top, o->nr_top, object);
}

/* ---- sums ---- */

static void add_part(struct object_walk *w, enum luajit_use use, uint64_t address, uint64_t bytes)
{
	struct luajit_use_sum *s = &w->objects->sums[use];

	s->nr++;
	add_capped(&s->bytes, bytes);
	add_capped(&w->objects->bytes, bytes);
	if (bytes > s->largest) {
		s->largest = bytes;
		s->address = address;
	}
}

static void add(struct object_walk *w, enum luajit_use use, uint64_t address, uint64_t bytes)
{
	add_part(w, use, address, bytes);
	offer(w, use, address, bytes);
}

/* ---- lists ---- */

typedef bool take_object(struct object_walk *w, uint64_t address, const struct luajit_head *head);

/*
 * Walks a list from FIRST on while TAKE accepts its objects, to its end or, if it is a circle, back
 * to FIRST. The lowest bit of a reference is masked because it may tell how a string was hashed.
 */
static void walk_list(struct object_walk *w, uint64_t first, take_object *take, bool is_circle)
{
	for (uint64_t address = first & ~1ULL; address;) {
		const struct luajit_head *head =
			address % 8 ? NULL : memory_copy_at(w->copy, address, sizeof(*head));

		if (!head || !memory_copy_mark(w->copy, address) || !take(w, address, head)) {
			w->objects->lost++;
			return;
		}
		address = head->next & ~1ULL;
		if (is_circle && address == first)
			return;
	}
}

/* ---- objects: these functions return false if it is not an object of their type ---- */

static bool add_string(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_string_head *s = memory_copy_at(w->copy, address, sizeof(*s));
	uint64_t bytes;

	if (!s || head->type != LUAJIT_STRING)
		return false;
	bytes = sizeof(*s) + (((uint64_t)s->len + 4) & ~3ULL);
	if (bytes > w->size_max)
		return false;
	add(w, LUAJIT_USE_STRINGS, address, bytes);
	return true;
}

static bool add_proto(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_proto_head *p = memory_copy_at(w->copy, address, sizeof(*p));

	(void)head;
	if (!p || p->size < LUAJIT_PROTO_SIZE || p->size > w->size_max)
		return false;
	add(w, LUAJIT_USE_PROTOS, address, p->size);
	return true;
}

static bool add_function(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_function_head *f = memory_copy_at(w->copy, address, sizeof(*f));

	(void)head;
	if (!f)
		return false;
	if (f->head.first)
		add(w, LUAJIT_USE_C_FUNCTIONS, address,
			sizeof(*f) + sizeof(uint64_t) + (uint64_t)f->head.second * VALUE);
	else
		add(w, LUAJIT_USE_LUA_FUNCTIONS, address,
			sizeof(*f) + (uint64_t)f->head.second * sizeof(uint64_t));
	return true;
}

static bool add_trace(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	enum { INSTRUCTION = 8, SNAPSHOT = 12, ENTRY = 4 };
	const struct luajit_trace_head *t = memory_copy_at(w->copy, address, sizeof(*t));
	uint64_t bytes;

	(void)head;
	if (!t || t->head.word < t->constants)
		return false;
	bytes = sizeof(*t) + (uint64_t)(t->head.word - t->constants) * INSTRUCTION +
		(t->head.first | (uint64_t)t->head.second << 8) * SNAPSHOT +
		(uint64_t)t->nr_snap_entries * ENTRY;
	if (bytes > w->size_max)
		return false;
	add(w, LUAJIT_USE_TRACES, address, bytes);
	return true;
}

static bool add_table(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_table_head *t = memory_copy_at(w->copy, address, sizeof(*t));
	uint64_t bytes = sizeof(*t), array = 0, hash = 0;
	int8_t colocated;

	(void)head;
	if (!t)
		return false;
	colocated = (int8_t)t->head.second;
	/* the array slots allocated with the table itself, negative if they are not in use */
	bytes += (uint64_t)(colocated & 0x7f) * VALUE;
	if (colocated <= 0)
		array = (uint64_t)t->array_size * VALUE;
	if (t->hash_mask)
		hash = ((uint64_t)t->hash_mask + 1) * NODE;
	if (array + hash > w->size_max || (t->hash_mask & (t->hash_mask + 1)))
		return false;
	add_part(w, LUAJIT_USE_TABLES, address, bytes);
	if (array)
		add_part(w, LUAJIT_USE_ARRAYS, address, array);
	if (hash)
		add_part(w, LUAJIT_USE_HASHES, address, hash);
	offer(w, LUAJIT_USE_TABLES, address, bytes + array + hash);
	return true;
}

static bool add_userdata(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_userdata_head *u = memory_copy_at(w->copy, address, sizeof(*u));

	(void)head;
	if (!u || u->len > w->size_max)
		return false;
	add(w, LUAJIT_USE_USERDATA, address, sizeof(*u) + u->len);
	return true;
}

const struct luajit_ctype *object_walk_ctype(struct object_walk *w, uint32_t id)
{
	const struct luajit_ctype *type;

	for (int i = 0; i < ATTRIBUTES_MAX && id < w->types.nr; i++) {
		type = memory_copy_at(w->copy, w->types.list + id * sizeof(*type), sizeof(*type));
		if (!type || type->info >> 28 != CTYPE_ATTRIBUTE)
			return type;
		id = type->info & 0xffff;
	}
	return NULL;
}

static bool add_cdata(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	struct variable {
		uint16_t offset, extra;
		uint32_t len;
	} const *v;
	const struct luajit_ctype *type;
	uint64_t bytes;

	if (head->marked & CDATA_IS_VARIABLE) {
		v = memory_copy_at(w->copy, address - sizeof(*v), sizeof(*v));
		if (!v)
			return false;
		bytes = (uint64_t)v->len + v->extra;
	} else {
		type = object_walk_ctype(w, head->first | (uint32_t)head->second << 8);
		bytes = sizeof(*head) + (type && type->info >> 28 <= CTYPE_SIZED_MAX
							? type->size
							: sizeof(uint64_t));
	}
	if (bytes > w->size_max)
		return false;
	add(w, LUAJIT_USE_CDATA, address, bytes);
	return true;
}

static bool add_upvalue(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	if (head->type != LUAJIT_UPVALUE)
		return false;
	add(w, LUAJIT_USE_UPVALUES, address, sizeof(struct luajit_upvalue));
	return true;
}

static bool add_thread(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	const struct luajit_thread_head *t = memory_copy_at(w->copy, address, sizeof(*t));
	uint64_t stack;

	(void)head;
	if (!t || t->glref != w->global)
		return false;
	stack = (uint64_t)t->stack_size * VALUE;
	if (stack > w->size_max)
		return false;
	add_part(w, LUAJIT_USE_THREADS, address, w->thread_size);
	if (stack)
		add_part(w, LUAJIT_USE_STACKS, address, stack);
	offer(w, LUAJIT_USE_THREADS, address, w->thread_size + stack);
	walk_list(w, t->open_upvalues, add_upvalue, false);
	return true;
}

static bool add_any(struct object_walk *w, uint64_t address, const struct luajit_head *head)
{
	switch (head->type) {
	case LUAJIT_UPVALUE:
		return add_upvalue(w, address, head);
	case LUAJIT_THREAD:
		return add_thread(w, address, head);
	case LUAJIT_PROTO:
		return add_proto(w, address, head);
	case LUAJIT_FUNCTION:
		return add_function(w, address, head);
	case LUAJIT_TRACE:
		return add_trace(w, address, head);
	case LUAJIT_CDATA:
		return add_cdata(w, address, head);
	case LUAJIT_TABLE:
		return add_table(w, address, head);
	case LUAJIT_USERDATA:
		return add_userdata(w, address, head);
	default:
		return false;
	}
}

/* ---- strings ---- */

static void walk_strings(struct object_walk *w)
{
	uint64_t slots = (uint64_t)w->gc.string_mask + 1;

	if (slots > SLOTS_MAX || (slots & (slots - 1)) || w->gc.string_table % 8 ||
		!memory_copy_at(w->copy, w->gc.string_table, slots * sizeof(uint64_t))) {
		w->objects->lost++;
		return;
	}
	add_part(w, LUAJIT_USE_STRING_TABLE, w->gc.string_table, slots * sizeof(uint64_t));
	for (uint64_t i = 0; i < slots; i++) {
		const uint64_t *slot = memory_copy_at(
			w->copy, w->gc.string_table + i * sizeof(*slot), sizeof(*slot));

		walk_list(w, *slot, add_string, false);
	}
}

/* ---- C types ---- */

/*
 * Finds the CTState, which a word behind jit_base refers to. In OpenResty's fork there is one more
 * word before it.
 */
static void find_types(struct object_walk *w)
{
	enum { FIRST = 2, FIELDS = 4 };
	const struct luajit_ctype_state *state;
	uint64_t at = w->global + w->layout->shape.current, address;

	for (size_t i = FIRST; w->layout->shape.current && i < FIRST + FIELDS; i++) {
		if (!memory_pointer(w->copy->memory, at + i * sizeof(address), &address) ||
			address % 8)
			continue;
		state = memory_copy_at(w->copy, address, sizeof(*state));
		if (!state || state->global != w->global || state->size > TYPES_MAX ||
			state->nr > state->size || state->list % 8)
			continue;
		w->types = *state;
		add_part(w, LUAJIT_USE_CTYPES, address,
			CTYPE_STATE + state->size * sizeof(struct luajit_ctype));
		return;
	}
}

/* Adds the buffer for building strings, an SBuf: write position, end, start. */
static void add_buffer(struct object_walk *w)
{
	enum { BUFFER = 0xc8, USED = 0, END, START, FIELDS };
	uint64_t at[FIELDS];

	if (!memory_read(w->copy->memory, w->global + BUFFER, at, sizeof(at)) ||
		at[START] > at[USED] || at[USED] > at[END] || at[END] - at[START] > w->size_max ||
		at[START] == at[END])
		return;
	add_part(w, LUAJIT_USE_BUFFER, at[START], at[END] - at[START]);
}

void object_walk(struct object_walk *w)
{
	uint64_t thread;

	if (!memory_pointer(w->copy->memory, w->global + LUAJIT_MAINTHREAD, &thread)) {
		w->objects->lost++;
		return;
	}
	w->thread_size = w->global - thread;
	/* the process may have allocated more since gc was read */
	w->size_max = w->gc.total < SIZE_LIMIT ? w->gc.total + w->gc.total / 2 : SIZE_LIMIT;
	find_types(w);
	walk_list(w, w->gc.root, add_any, false);
	walk_list(w, w->gc.mmudata, add_any, true);
	walk_strings(w);
	add_buffer(w);
	w->objects->is_full = w->copy->is_full;
}
