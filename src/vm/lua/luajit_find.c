/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "luajit_fast.h"
#include "luajit_states.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>

static const char setmode[] = LUAJIT_SYMBOL, setexdata[] = "lua_setexdata";

/*
 * Searches take at most a tenth of the time until a state with libraries is found, then a
 * hundredth, as a process may make more states later; and none begins after SEARCH_MAX_NS of them,
 * unless the state that was found is gone.
 */
enum {
	FIRST_SHARE = 10,
	LATER_SHARE = 100,
	SEARCH_MIN_NS = 1000000, /* whatever the number of pages */
	SEARCH_MAX_NS = 300000000,
};

enum {
	GLOBAL_BYTES = 0x800, /* that hold what is learnt */
	CURRENT_FIRST = 0x140,
	CURRENT_END = 0x1a0,
	NR_TRACES = 0xc,     /* in jit_State, from the pointer to the traces on */
	TRACE_NUMBER = 0x68, /* in GCtrace */
	TRACES_MAX = 65536,
	TRACES_CHECKED = 64,
	TRIES = 3, /* the process runs meanwhile */
};

/* Equal in all builds of GC64. */
static const struct luajit_shape common = {
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

/* ---- file ---- */

static void ask_files(const struct target *t)
{
	struct elf_question *list = xcalloc(t->nr_files * 2 + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_files; i++) {
		list[nr++] =
			(struct elf_question){t->files[i].elf, FACT_VARIABLE, setmode, 0, NULL};
		list[nr++] =
			(struct elf_question){t->files[i].elf, FACT_VARIABLE, setexdata, 0, NULL};
	}
	elffacts_ask(list, nr);
	free(list);
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

/* cur_L, the last field of that range that is a thread; jit_base is behind it. */
static bool learn_current(
	const struct memory *m, uint64_t at, const uint64_t *global, struct luajit_shape *shape)
{
	for (uint16_t offset = CURRENT_END; offset > CURRENT_FIRST;) {
		offset -= sizeof(*global);
		if (luajit_thread_is_at(m, word_at(global, offset), at)) {
			shape->current = offset;
			shape->jit_base = offset + sizeof(*global);
			return true;
		}
	}
	return false;
}

/* True if what is listed in the NR words at ADDRESS is traces of these numbers. */
static bool are_traces(const struct memory *m, uint64_t address, uint32_t nr)
{
	uint64_t traces[TRACES_CHECKED];

	if (!nr)
		return !address;
	if (nr > TRACES_CHECKED)
		nr = TRACES_CHECKED;
	if (!memory_read(m, address, traces, nr * sizeof(*traces)))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		unsigned char trace[TRACE_NUMBER + 2];
		uint16_t number;

		if (!traces[i])
			continue;
		if (!memory_read(m, traces[i], trace, sizeof(trace)))
			return false;
		memcpy(&number, trace + TRACE_NUMBER, sizeof(number));
		if (trace[LUAJIT_GCT] != LUAJIT_TRACE || number != i)
			return false;
	}
	return true;
}

/*
 * Where in GLOBAL the pointer to the traces is, by what is before it in jit_State: constants that
 * are set once, k64, then irbuf to retryrec, seven words. 0: not found.
 */
static uint16_t traces_offset(const uint64_t *global)
{
	static const uint64_t k64[] = {0x4338000000000000, 0x43f0000000000000, 0xc3f0000000000000};
	enum { BETWEEN = 7 };
	size_t nr = GLOBAL_BYTES / sizeof(*global) - BETWEEN - 2;

	for (size_t i = 0; i + ARRAY_LEN(k64) <= nr; i++)
		if (!memcmp(global + i, k64, sizeof(k64)))
			return (uint16_t)((i + ARRAY_LEN(k64) + BETWEEN) * sizeof(*global));
	return 0;
}

static void learn_traces(const struct memory *m, const uint64_t *global, struct luajit_layout *l)
{
	uint16_t offset = traces_offset(global);
	uint32_t nr;

	if (!offset)
		return;
	memcpy(&nr, (const char *)global + offset + NR_TRACES, sizeof(nr));
	if (nr > TRACES_MAX || !are_traces(m, word_at(global, offset), nr))
		return;
	l->shape.traces = offset;
	l->shape.nr_traces = offset + NR_TRACES;
	l->has_traces = true;
}

/* False: the state AT is not initialised. */
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

/* The fast functions that a state has may be more later, too. */
static void search(const struct target *t, const struct target_file *file, struct luajit_layout *l)
{
	struct luajit_states found = luajit_states_search(&t->memory);
	int64_t share = FIRST_SHARE;

	l->search.nr = (uint32_t)found.nr;
	l->search.state = found.nr ? found.list[0] : 0;
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

/* True if the state that was found is initialised; learns from it what is not known. */
static bool is_ready(const struct memory *m, struct luajit_layout *l)
{
	uint64_t global = l->search.state, thread;

	if (!l->shape.current || !l->has_traces)
		return learn(m, global, l);
	return memory_pointer(m, global + l->shape.current, &thread) &&
	       luajit_thread_is_at(m, thread, global);
}

static void find_states(
	const struct target *t, const struct target_file *file, struct luajit_layout *l)
{
	if (!t->process || l->search.process != t->process)
		/* of another process; but a fork has the states of its parent */
		l->search.took_ns = l->search.due_ns = 0;
	l->search.process = t->process;
	if (l->search.state && !luajit_state_is_at(&t->memory, l->search.state))
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
		return fail(err,
			"the memory of the process that runs LuaJIT in '%s' cannot be read: it is "
			"gone, or you need the right to trace it; run this as root",
			file->path);
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
		version ? version : "LuaJIT 2.1", path, pid,
		l->fork ? "OpenResty's fork" : "upstream", l->nr_states,
		l->nr_states == 1 ? "" : "s");
}
