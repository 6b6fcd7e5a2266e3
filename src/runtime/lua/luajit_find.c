/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "luajit_fast.h"
#include "luajit_states.h"
#include "symbol/elf/elffacts.h"
#include "runtime/target_facts.h"

#include <inttypes.h>
#include <stdlib.h>

static const char setmode[] = LUAJIT_SYMBOL, setexdata[] = "lua_setexdata";

/*
 * Searches take at most a tenth of the time until a state with libraries is found, then at most a
 * hundredth, as a process may create more states later. Once they have taken SEARCH_MAX_NS in all,
 * no further search is made unless the state that was found disappears.
 */
enum {
	FIRST_SHARE = 10,
	LATER_SHARE = 100,
	SEARCH_MIN_NS = 1000000, /* counted for a search in addition to its pages */
	SEARCH_MAX_NS = 300000000,
};

enum {
	GLOBAL_BYTES = 0x800, /* from the global_State on, which contain all that is learnt */
	CURRENT_FIRST = 0x140,
	CURRENT_END = 0x1a0,
	CURRENT_FIRST_32 = 0xe0,
	CURRENT_END_32 = 0x160,
	TRACES_2_0 = 0x2c8,
	NR_TRACES = 0xc,     /* in jit_State, from the pointer to the traces on */
	TRACE_NUMBER = 0x68, /* in GCtrace */
	TRACE_NUMBER_32 = 0x50,
	TRACES_MAX = 65536,
	TRACES_CHECKED = 64,
	TRIES = 3, /* as the process runs while it is read */
};

/* The offsets that are equal in all builds of GC64. */
static const struct luajit_shape common = {
	.refs = 8,
	.gct = LUAJIT_GCT,
	.frame_results = 8,
	.frame_thread = 0x10,
	.frame_pc = 0x18,
	.glref = LUAJIT_GLREF,
	.base = 0x20,
	.maxstack = 0x30,
	.stack = 0x38,
	.cframe = 0x50,
	.vmstate = LUAJIT_VMSTATE,
	.mainthread = LUAJIT_MAINTHREAD,
	.nr_snaps = 0xa,
	.ir = 0x20,
	.snaps = 0x30,
	.snap_map = 0x38,
	.code_size = 0x54,
	.code = 0x58,
	.ffid = 0xa,
	.pc = 0x20,
	.c = 0x28,
	.proto = 0x68,
	.sizebc = 0xc,
	.constants = 0x20,
	.chunkname = 0x40,
	.firstline = 0x48,
	.numline = 0x4c,
	.lineinfo = 0x50,
	.uvinfo = 0x58,
	.varinfo = 0x60,
	.text = 0x18,
	.text_len = 0x14,
};

/* The offsets that are equal in all known builds with 32-bit references. */
#define COMMON_32                                                                                  \
	.refs = 4, .gct = LUAJIT_GCT_32, .frame_results = 0x10, .frame_thread = 0x18,              \
	.frame_pc = 0x1c, .glref = LUAJIT_GLREF_32, .base = 0x10, .maxstack = 0x20, .stack = 0x24, \
	.cframe = 0x30, .nr_snaps = 6, .ir = 0x10, .snap_map = 0x28, .code_size = 0x3c,            \
	.code = 0x40, .ffid = 6, .pc = 0x10, .c = 0x18, .proto = 0x40, .sizebc = 8,                \
	.constants = 0x10, .chunkname = 0x28, .firstline = 0x2c, .numline = 0x30,                  \
	.lineinfo = 0x34, .uvinfo = 0x38, .varinfo = 0x3c

static const struct luajit_shape gc32 = {
	COMMON_32,
	.vmstate = 0x88,
	.mainthread = LUAJIT_MAINTHREAD_32,
	.snaps = 0x20,
	.text = 0x14,
	.text_len = 0x10,
};

static const struct luajit_shape before_2_1 = {
	COMMON_32,
	.old_ops = 1,
	.vmstate = 0xe8,
	.mainthread = LUAJIT_MAINTHREAD_2_0,
	.jit_base = 0xf8,
	.text = 0x10,
	.text_len = 0xc,
};

static enum luajit_build build_of(const struct luajit_shape *s)
{
	if (s->refs == 8)
		return LUAJIT_GC64;
	return s->old_ops ? LUAJIT_2_0 : LUAJIT_GC32;
}

/* ---- file ---- */

static void ask_files(const struct target *t)
{
	static const char *const names[] = {setmode, setexdata, NULL};

	target_facts_ask(t, names, NULL);
}

const struct target_file *luajit_file(const struct target *t)
{
	struct elf_variable unused;

	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, setmode, &unused))
			return &t->files[i];
	return NULL;
}

/* ---- shape ---- */

static uint64_t word_at(const uint64_t *global, size_t offset)
{
	return global[offset / sizeof(*global)];
}

static uint64_t ref_at(const void *from, size_t offset, uint16_t size)
{
	uint64_t ref = 0;

	memcpy(&ref, (const char *)from + offset, size);
	return ref;
}

/*
 * Finds cur_L, which is the last field in its range that refers to a thread; jit_base follows it.
 * 2.0 has no cur_L. Returns false if it is not found.
 */
static bool learn_current(
	const struct memory *m, uint64_t at, const uint64_t *global, struct luajit_shape *shape)
{
	enum luajit_build build = build_of(shape);
	uint16_t first = build == LUAJIT_GC64 ? CURRENT_FIRST : CURRENT_FIRST_32,
		 offset = build == LUAJIT_GC64 ? CURRENT_END : CURRENT_END_32;

	if (build == LUAJIT_2_0)
		return true;
	while (offset > first) {
		offset -= shape->refs;
		if (luajit_thread_is_at(m, build, ref_at(global, offset, shape->refs), at)) {
			shape->current = offset;
			shape->jit_base = offset + shape->refs;
			return true;
		}
	}
	return false;
}

/* Returns whether ADDRESS is an array of NR references to traces, each with its index as number. */
static bool are_traces(
	const struct memory *m, const struct luajit_shape *shape, uint64_t address, uint32_t nr)
{
	char traces[TRACES_CHECKED * sizeof(uint64_t)];
	size_t at = shape->refs == 8 ? TRACE_NUMBER : TRACE_NUMBER_32;

	if (!nr)
		return !address;
	if (nr > TRACES_CHECKED)
		nr = TRACES_CHECKED;
	if (!memory_read(m, address, traces, nr * (size_t)shape->refs))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t address_of = ref_at(traces, i * (size_t)shape->refs, shape->refs);
		unsigned char trace[TRACE_NUMBER + 2];
		uint16_t number;

		if (!address_of)
			continue;
		if (!memory_read(m, address_of, trace, at + sizeof(number)))
			return false;
		memcpy(&number, trace + at, sizeof(number));
		if (trace[shape->gct] != LUAJIT_TRACE || number != i)
			return false;
	}
	return true;
}

/*
 * Returns the offset of the pointer to the traces in GLOBAL, or 0 if it is not found. It is
 * recognized by the members before it in jit_State: the constants k64, which are set once, and then
 * seven words from irbuf to retryrec. One of the constants is first in some builds and last in
 * others.
 */
static uint16_t traces_offset(const uint64_t *global)
{
	static const uint64_t k64[] = {0x4338000000000000, 0x43f0000000000000, 0xc3f0000000000000};
	enum { BETWEEN = 7, ALWAYS = 2 };
	size_t nr = GLOBAL_BYTES / sizeof(*global) - BETWEEN - 2;

	for (size_t i = 1; i + ARRAY_LEN(k64) <= nr; i++) {
		if (memcmp(global + i, k64, ALWAYS * sizeof(*k64)))
			continue;
		if (global[i + ALWAYS] == k64[ALWAYS])
			return (uint16_t)((i + ARRAY_LEN(k64) + BETWEEN) * sizeof(*global));
		if (global[i - 1] == k64[ALWAYS])
			return (uint16_t)((i + ALWAYS + BETWEEN) * sizeof(*global));
	}
	return 0;
}

static void learn_traces(const struct memory *m, const uint64_t *global, struct luajit_layout *l)
{
	uint16_t offset = build_of(&l->shape) == LUAJIT_2_0 ? TRACES_2_0 : traces_offset(global);
	uint32_t nr;

	if (!offset)
		return;
	memcpy(&nr, (const char *)global + offset + NR_TRACES, sizeof(nr));
	if (nr > TRACES_MAX || !are_traces(m, &l->shape, word_at(global, offset), nr))
		return;
	l->shape.traces = offset;
	l->shape.nr_traces = offset + NR_TRACES;
	l->has_traces = true;
}

/* Learns offsets from the state AT. Returns false if it is not initialised. */
static bool learn(const struct memory *m, uint64_t at, struct luajit_layout *l)
{
	uint64_t global[GLOBAL_BYTES / sizeof(uint64_t)];
	bool done = false;

	for (int i = 0; i < TRIES && (!done || !l->has_traces); i++) {
		if (!memory_read(m, at, global, sizeof(global)))
			return false;
		done |= learn_current(m, at, global, &l->shape);
		learn_traces(m, global, l);
	}
	return done;
}

/* ---- states ---- */

/* Sets the initial shape for the build of the state, unless the shape is for this build already. */
static void take_build(const struct memory *m, struct luajit_layout *l)
{
	enum luajit_build build = luajit_state_at(m, l->search.state);

	if (build == LUAJIT_NONE || build == build_of(&l->shape))
		return;
	l->shape = build == LUAJIT_GC64 ? common : build == LUAJIT_GC32 ? gc32 : before_2_1;
	l->has_traces = false;
}

/* Searches for states, and reads the names of fast functions again, as a state may get more. */
static void search(const struct target *t, const struct target_file *file, struct luajit_layout *l)
{
	struct luajit_states found = luajit_states_search(&t->memory);
	int64_t share = FIRST_SHARE;

	l->search.nr = (uint32_t)found.nr;
	l->search.state = found.nr ? found.list[0] : 0;
	if (found.nr)
		take_build(&t->memory, l);
	if (found.nr) {
		l->fast = luajit_fast_learn(file, &t->memory, l->search.state);
		share = luajit_fast_version(l->fast) ? LATER_SHARE : FIRST_SHARE;
	}
	free(found.list);
	l->search.took_ns += SEARCH_MIN_NS + found.work_ns;
	l->search.due_ns = monotonic_ns() + l->search.took_ns * share;
	if (l->search.took_ns > SEARCH_MAX_NS)
		l->search.due_ns = INT64_MAX;
}

/* Returns whether the state that was found is initialised; learns offsets that are not known. */
static bool is_ready(const struct memory *m, struct luajit_layout *l)
{
	uint64_t global = l->search.state, thread;

	if (!l->shape.jit_base || !l->has_traces)
		return learn(m, global, l);
	if (!l->shape.current)
		return true;
	return memory_pointer(m, global + l->shape.current, &thread) &&
	       luajit_thread_is_at(
		       m, build_of(&l->shape), ref_at(&thread, 0, l->shape.refs), global);
}

static void find_states(
	const struct target *t, const struct target_file *file, struct luajit_layout *l)
{
	if (!t->process || l->search.process != t->process)
		/* the times are of another process, such as the parent of a fork */
		l->search.took_ns = l->search.due_ns = 0;
	l->search.process = t->process;
	if (l->search.state && luajit_state_at(&t->memory, l->search.state) == LUAJIT_NONE)
		l->search.due_ns = 0;
	if (monotonic_ns() >= l->search.due_ns)
		search(t, file, l);
	l->nr_states = l->search.state && is_ready(&t->memory, l) ? l->search.nr : 0;
	l->state = l->nr_states == 1 ? l->search.state : 0;
}

static bool memory_is_readable(const struct target *t, const struct target_file *file)
{
	struct elf_variable function;
	unsigned char byte;

	return elffacts_variable(file->elf, setmode, &function) &&
	       memory_read(&t->memory, function.address + file->bias, &byte, 1);
}

int luajit_find(const struct target *t, const struct luajit_layout *like,
	struct luajit_layout *layout, struct strbuf *err)
{
	const struct target_file *file;
	struct elf_variable unused;

	ask_files(t);
	file = luajit_file(t);
	*layout = like ? *like : (struct luajit_layout){.shape = common};
	if (!file)
		return 1;
	if (!memory_is_readable(t, file))
		return target_refuse(file, "LuaJIT", err);
	layout->fork = elffacts_variable(file->elf, setexdata, &unused);
	layout->shape.exdata = layout->fork ? 0x60 : 0;
	find_states(t, file, layout);
	return 0;
}

void luajit_describe(
	const struct luajit_layout *l, const char *path, uint32_t pid, struct strbuf *out)
{
	const char *version = luajit_fast_version(l->fast);

	strbuf_addf(out, "%s in '%s' of process %" PRIu32 ", %s, %" PRIu32 " state%s",
		version            ? version
		: l->shape.old_ops ? "LuaJIT 2.0"
				   : "LuaJIT 2.1",
		path, pid,
		l->fork              ? "OpenResty's fork"
		: l->shape.refs == 4 ? "32-bit references"
				     : "upstream",
		l->nr_states, l->nr_states == 1 ? "" : "s");
}
