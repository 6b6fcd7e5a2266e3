/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program plays LuaJIT itself: it has its symbol, and handmade states. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "runtime/lua/lua_bytecode.h"
#include "runtime/lua/luajit_fast.h"
#include "runtime/lua/luajit_find.h"
#include "inspect/luajit_gc.h"
#include "runtime/lua/luajit_states.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

void luaJIT_setmode(void);
void luaJIT_setmode(void)
{
}

/* ---- memory ---- */

enum {
	PAGES = 16,
	SIZE = PAGES * AREA_PAGE,
	USUAL = 0x380,
	UPSTREAM = 0x60,
	FORK = 0x70,
	NARROW = 0x40
};

static char *memory;         /* of SIZE bytes; no other memory is searched */
static unsigned nr_searches; /* how often the areas were requested */
static size_t used;          /* by objects, from the last page down */
static struct processes ps;
static struct target target;

static bool read_memory(void *context, uint64_t address, void *to, size_t len)
{
	uint64_t start = (uintptr_t)memory;

	(void)context;
	if (address < start)
		return false;
	if (address >= start + SIZE) { /* the program itself */
		uint32_t pid = (uint32_t)getpid();
		struct memory own = memory_of_process(&pid);

		return memory_read(&own, address, to, len);
	}
	if (len > start + SIZE - address)
		return false;
	memcpy(to, (const char *)address, len);
	return true;
}

static struct memory_area *list_areas(void *context, uint64_t max, size_t *nr)
{
	struct memory_area *list = xcalloc(2, sizeof(*list));
	uint64_t start = (uintptr_t)memory;

	(void)context;
	(void)max;
	nr_searches++;
	list[0] = (struct memory_area){start, start + SIZE / 2};
	list[1] = (struct memory_area){start + SIZE / 2, start + SIZE};
	*nr = 2;
	return list;
}

static bool read_scattered(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	for (size_t i = 0; i < nr; i++)
		if (!read_memory(context, addresses[i], (char *)to + i * size, size))
			memset((char *)to + i * size, 0, size);
	return true;
}

static int set_up(void **state)
{
	(void)state;
	/* below the program, which is readable too */
	memory = mmap((void *)0x10000000, SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	used = nr_searches = 0;
	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)getpid()), NULL);
	target.memory = (struct memory){
		.read = read_memory, .areas = list_areas, .scattered = read_scattered};
	return memory == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	inspect_release(&target);
	processes_release(&ps);
	return munmap(memory, SIZE);
}

/* ---- states ---- */

static void put(uint64_t at, uint64_t word)
{
	memcpy((void *)at, &word, sizeof(word));
}

/* Makes a main state with a lua_State of LEN bytes at PLACE in the memory; returns its
 * global_State. */
static uint64_t make_state(size_t place, size_t len)
{
	uint64_t thread = (uintptr_t)memory + place, global = thread + len;

	*(char *)(thread + 9) = 6;
	put(thread + 0x10, global);
	put(global + 0xc0, thread);
	return global;
}

/* Makes it run THREAD; jit_State follows TRACES words that are not examined. */
static void make_running(uint64_t global, uint64_t thread, size_t current, size_t k64)
{
	put(global + current, thread);
	put(global + k64, 0x4338000000000000);
	put(global + k64 + 8, 0x43f0000000000000);
	put(global + k64 + 16, 0xc3f0000000000000);
}

static void put_ref(uint64_t at, uint64_t ref)
{
	uint32_t narrow = (uint32_t)ref;

	memcpy((void *)at, &narrow, sizeof(narrow));
}

/* Like make_state, with 32-bit references; the main thread is at MAIN in the global_State. */
static uint64_t make_narrow_state(size_t place, size_t main)
{
	uint64_t thread = (uintptr_t)memory + place, global = thread + NARROW;

	*(char *)(thread + 5) = 6;
	put_ref(thread + 8, global);
	put_ref(thread + 0xc, 0x12345678); /* another object, behind the reference */
	put_ref(global + main, thread);
	return global;
}

/* Makes a trace with that number at ADDRESS, and the list TRACES that contains it. */
static void make_narrow_trace(uint64_t traces, uint64_t address, unsigned number)
{
	put_ref(traces + 4ULL * number, address);
	*(char *)(address + 5) = 9;
	*(char *)(address + 0x50) = (char)number;
}

/* Returns the number of states, and sets *FIRST. */
static size_t search_states(uint64_t *first)
{
	struct luajit_states found = luajit_states_search(&target.memory);

	*first = found.nr ? found.list[0] : 0;
	free(found.list);
	return found.nr;
}

static void states__none(void **state)
{
	uint64_t first;

	(void)state;
	assert_int_equal(search_states(&first), 0);
}

static void states__where_the_allocator_has_them(void **state)
{
	uint64_t low = make_state(USUAL, UPSTREAM), high = make_state(9 * AREA_PAGE + USUAL, FORK);
	uint64_t first;

	(void)state;
	assert_int_equal(search_states(&first), 2);
	assert_int_equal(first, high); /* mapped first */
	put(high + 0xc0, low);
	assert_int_equal(search_states(&first), 1);
	assert_int_equal(first, low);
}

static void states__elsewhere_in_a_page(void **state)
{
	uint64_t global = make_state(3 * AREA_PAGE - 16, UPSTREAM);
	uint64_t first;

	(void)state;
	make_state(5 * AREA_PAGE + 8, FORK);
	assert_int_equal(search_states(&first), 2);
	assert_int_equal(first, global);
}

static void states__not_what_looks_similar(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM), first;

	(void)state;
	*(memory + USUAL + 9) = 7; /* no thread */
	assert_int_equal(search_states(&first), 0);
	make_state(USUAL, UPSTREAM);
	assert_int_equal(luajit_state_at(&target.memory, global), LUAJIT_GC64);
	assert_int_equal(luajit_state_at(&target.memory, global + 8), LUAJIT_NONE);
	assert_int_equal(luajit_state_at(&target.memory, 0), LUAJIT_NONE);
	make_state(2 * AREA_PAGE + USUAL, 0x68); /* a lua_State of another size */
	assert_int_equal(search_states(&first), 1);
}

static void states__with_narrow_references(void **state)
{
	uint64_t global = make_narrow_state(USUAL, 0x8c), first;

	(void)state;
	assert_int_equal(search_states(&first), 1);
	assert_int_equal(first, global);
	assert_int_equal(luajit_state_at(&target.memory, global), LUAJIT_GC32);
	put_ref(global + 0x8c, 0);
	put_ref(global + 0x94, global - NARROW);
	assert_int_equal(luajit_state_at(&target.memory, global), LUAJIT_2_0);
	put_ref(global + 0x94, global);
	assert_int_equal(luajit_state_at(&target.memory, global), LUAJIT_NONE);
	assert_int_equal(search_states(&first), 0);
}

/* The memory is full of pointers that look like states: the search ends, whatever it finds. */
static void states__of_hostile_memory(void **state)
{
	uint64_t first;

	(void)state;
	for (size_t at = 0; at < SIZE; at += 8)
		put((uintptr_t)memory + at, (uintptr_t)memory + at + UPSTREAM - 0x10);
	assert_int_equal(search_states(&first), 0);
}

/* ---- layout ---- */

static struct luajit_layout find(const struct luajit_layout *like)
{
	struct luajit_layout layout;

	assert_int_equal(luajit_find(&target, like, &layout, NULL), 0);
	return layout;
}

static void find__offsets_are_learnt(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM), thread = global - UPSTREAM,
		 traces = (uintptr_t)memory + 4 * AREA_PAGE, trace = traces + AREA_PAGE;
	struct luajit_layout l;

	(void)state;
	make_running(global, thread, 0x178, 0x410);
	put(global + 0x410 + 80, traces);
	put(global + 0x410 + 88, 3ULL << 32);
	put(traces + 8, trace);
	*(char *)(trace + 9) = 9;
	*(char *)(trace + 0x68) = 1;
	l = find(NULL);
	assert_int_equal(l.nr_states, 1);
	assert_int_equal(l.state, global);
	assert_int_equal(l.shape.current, 0x178);
	assert_int_equal(l.shape.jit_base, 0x180);
	assert_true(l.has_traces);
	assert_int_equal(l.shape.traces, 0x410 + 80);
	assert_int_equal(l.shape.nr_traces, 0x410 + 92);
	assert_int_equal(l.shape.cframe, 0x50);
	assert_false(l.fork);
	*(char *)(trace + 0x68) = 2; /* another trace's number */
	l = find(NULL);
	assert_int_equal(l.nr_states, 1);
	assert_false(l.has_traces);
}

/* Upstream has changed the order of the constants before the list of traces. */
static void find__constants_in_either_order(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM);

	(void)state;
	make_running(global, global - UPSTREAM, 0x178, 0x410);
	put(global + 0x408, 0xc3f0000000000000);
	put(global + 0x420, 0x40);
	assert_int_equal(find(NULL).shape.traces, 0x420 + 56);
}

static void find__narrow_references(void **state)
{
	uint64_t global = make_narrow_state(USUAL, 0x8c),
		 traces = (uintptr_t)memory + 4 * AREA_PAGE;
	struct luajit_layout l;

	(void)state;
	put_ref(global + 0x128, global - NARROW);
	put(global + 0x310, 0xc3f0000000000000);
	put(global + 0x318, 0x4338000000000000);
	put(global + 0x320, 0x43f0000000000000);
	put(global + 0x360, traces);
	put(global + 0x368, 8ULL << 32);
	make_narrow_trace(traces, traces + AREA_PAGE, 7);
	l = find(NULL);
	assert_int_equal(l.nr_states, 1);
	assert_int_equal(l.state, global);
	assert_int_equal(l.shape.refs, 4);
	assert_int_equal(l.shape.current, 0x128);
	assert_int_equal(l.shape.jit_base, 0x12c);
	assert_true(l.has_traces);
	assert_int_equal(l.shape.traces, 0x360);
	assert_int_equal(l.shape.nr_traces, 0x36c);
	put_ref(global + 0x128, 0); /* the trace has ended */
	assert_int_equal(find(&l).nr_states, 0);
}

static void find__version_2_0(void **state)
{
	uint64_t global = make_narrow_state(USUAL, 0x94),
		 traces = (uintptr_t)memory + 4 * AREA_PAGE;
	struct strbuf text = STRBUF_INIT;
	struct luajit_layout l;

	(void)state;
	put(global + 0x2c8, traces);
	put(global + 0x2d0, 2ULL << 32);
	make_narrow_trace(traces, traces + AREA_PAGE, 1);
	l = find(NULL);
	assert_int_equal(l.state, global);
	assert_int_equal(l.shape.current, 0);
	assert_int_equal(l.shape.jit_base, 0xf8);
	assert_int_equal(l.shape.snaps, 0);
	assert_int_equal(l.shape.old_ops, 1);
	assert_true(l.has_traces);
	luajit_describe(&l, "x", 7, &text);
	assert_string_equal(text.buf, "LuaJIT 2.0 in 'x' of process 7, 32-bit references, 1 state");
	strbuf_release(&text);
	assert_int_equal(find(&l).state, global);
}

/* A state that is being made has no running thread yet. */
static void find__a_state_that_is_not_ready(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM);
	struct luajit_layout l = find(NULL);

	(void)state;
	assert_int_equal(l.nr_states, 0);
	assert_int_equal(l.state, 0);
	assert_int_equal(l.shape.base, 0x20);
	make_running(global, global - UPSTREAM, 0x170, 0x408);
	l.search.due_ns = INT64_MAX;
	l = find(&l);
	assert_int_equal(l.nr_states, 1);
	assert_int_equal(l.state, global);
	assert_int_equal(nr_searches, 1);
}

static void find__again(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM), other;
	struct luajit_layout l, again;

	(void)state;
	make_running(global, global - UPSTREAM, 0x170, 0x408);
	l = find(NULL);
	l.search.due_ns = INT64_MAX;
	again = find(&l);
	assert_int_equal(again.state, global);
	assert_int_equal(nr_searches, 1);

	put(global + 0xc0, 0); /* it was closed, and another one was made */
	other = make_state(2 * AREA_PAGE + USUAL, UPSTREAM);
	make_running(other, other - UPSTREAM, 0x170, 0x408);
	again = find(&l);
	assert_int_equal(again.state, other);
	assert_int_equal(nr_searches, 2);

	l = again;
	l.search.process++; /* of another process */
	again = find(&l);
	assert_int_equal(again.state, other);
	assert_int_equal(nr_searches, 3);
}

static void find__several_states(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM);
	struct luajit_layout l;

	(void)state;
	make_running(global, global - UPSTREAM, 0x170, 0x408);
	l = find(NULL);
	assert_int_equal(l.nr_states, 1);
	global = make_state(2 * AREA_PAGE + USUAL, UPSTREAM);
	make_running(global, global - UPSTREAM, 0x170, 0x408);
	l.search.due_ns = 0;
	l = find(&l);
	assert_int_equal(l.nr_states, 2);
	assert_int_equal(l.state, 0);
}

static void find__not_without_its_file(void **state)
{
	struct luajit_layout l;

	(void)state;
	target.nr_files = 0;
	assert_int_equal(luajit_find(&target, NULL, &l, NULL), 1);
}

static bool read_nothing(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	(void)address;
	(void)to;
	(void)len;
	return false;
}

static void find__unreadable_memory(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct luajit_layout l;

	(void)state;
	target.memory.read = read_nothing;
	assert_int_equal(luajit_find(&target, NULL, &l, &err), -1);
	assert_non_null(strstr(err.buf, "the memory of the process that runs LuaJIT in '"));
	strbuf_release(&err);
}

/* ---- bytecode ---- */

static void bytecode__of_version_2_0(void **state)
{
	(void)state;
	assert_int_equal(lua_op_of_old(0x01020300), 0x01020300 | LUA_OP_ISLT);
	assert_int_equal(lua_op_of_old(13), LUA_OP_ISFC);
	assert_int_equal(lua_op_of_old(16), LUA_OP_MOV);
	assert_int_equal(lua_op_of_old(43), LUA_OP_UGET);
	assert_int_equal(lua_op_of_old(52), LUA_OP_GGET);
	assert_int_equal(lua_op_of_old(55), LUA_OP_TGETS);
	assert_int_equal(lua_op_of_old(57), LUA_OP_TSETV);
	assert_int_equal(lua_op_of_old(60), LUA_OP_TSETM);
	assert_int_equal(lua_op_of_old(61), LUA_OP_CALLM);
	assert_int_equal(lua_op_of_old(66), LUA_OP_ITERN);
	assert_int_equal(lua_op_of_old(85), LUA_OP_FUNCF);
}

/* ---- names ---- */

static uint64_t make_object(size_t size, unsigned type)
{
	used += (size + 15) & ~15ULL;
	uint64_t at = (uintptr_t)memory + SIZE - used;

	*(char *)(at + 9) = (char)type;
	return at;
}

static uint64_t value_of(uint64_t object, unsigned type)
{
	return (uint64_t)~type << 47 | object;
}

static uint64_t make_string(const char *s)
{
	uint64_t at = make_object(0x18 + 48, 4);
	uint32_t len = (uint32_t)strlen(s);

	memcpy((void *)(at + 0x14), &len, sizeof(len));
	memcpy((void *)(at + 0x18), s, len);
	return value_of(at, 4);
}

static uint64_t make_function(unsigned char ffid)
{
	uint64_t at = make_object(0x30, 8);

	*(unsigned char *)(at + 0xa) = ffid;
	return value_of(at, 8);
}

/* Makes a table of four entries, of which the first ones are used. */
static uint64_t make_table(void)
{
	uint64_t at = make_object(0x40, 11), nodes = make_object(4 * 24, 0);

	memset((void *)nodes, 0xff, (size_t)4 * 24);
	put(at + 0x28, nodes);
	put(at + 0x30, 3ULL << 32);
	return value_of(at, 11);
}

static void set(uint64_t table, const char *key, uint64_t value)
{
	uint64_t node;

	memcpy(&node, (void *)((table & ((1ULL << 47) - 1)) + 0x28), sizeof(node));
	while (*(int64_t *)(node + 8) != -1)
		node += 24;
	put(node, value);
	put(node + 8, make_string(key));
}

/* Makes a state with a registry. */
static uint64_t make_registry(uint64_t *loaded)
{
	uint64_t global = make_state(USUAL, UPSTREAM), registry = make_table();

	make_running(global, global - UPSTREAM, 0x170, 0x408);
	put(global + 0xf8, UINT64_MAX);
	put(global + 0x100, UINT64_MAX);
	put(global + 0x110, registry);
	*loaded = make_table();
	set(registry, "_LOADED", *loaded);
	return global;
}

static struct target_file file_named(const char *path)
{
	struct target_file file = target.files[0];

	file.path = path;
	return file;
}

static void fast__names_of_libraries(void **state)
{
	uint64_t loaded, global = make_registry(&loaded), string = make_table(),
			 globals = make_table(), jit = make_table();
	struct target_file file = file_named("libraries");
	const struct luajit_fast *f;

	(void)state;
	set(loaded, "string", string);
	set(loaded, "_G", globals);
	set(loaded, "jit", jit);
	set(jit, "version", make_string("LuaJIT 2.1.7"));
	set(string, "gsub", make_function(90));
	set(string, "format", make_function(91));
	set(string, "own", make_function(1)); /* a C function of the program */
	set(globals, "pcall", make_function(21));
	set(globals, "f", make_function(91)); /* local f = string.format */
	set(globals, "pairs", make_function(5));
	set(globals, "ipairs", make_function(7));
	f = luajit_fast_learn(&file, &target.memory, global);
	assert_string_equal(luajit_fast_name(f, 90), "string.gsub");
	assert_string_equal(luajit_fast_name(f, 91), "string.format");
	assert_string_equal(luajit_fast_name(f, 21), "pcall");
	assert_string_equal(luajit_fast_name(f, 6), "ipairs_aux");
	assert_string_equal(luajit_fast_version(f), "LuaJIT 2.1.7");
	assert_null(luajit_fast_name(f, 1));
	assert_null(luajit_fast_name(f, 92));
	assert_null(luajit_fast_name(f, 256));
	assert_null(luajit_fast_name(NULL, 90));
}

/* Tables that contain each other, and names that are too long. */
static void fast__of_hostile_memory(void **state)
{
	uint64_t loaded, global = make_registry(&loaded), string = make_table();
	struct target_file file = file_named("hostile");
	const struct luajit_fast *f;

	(void)state;
	set(loaded, "string", string);
	set(loaded, "_G", loaded);
	set(loaded, "string.buffer", string);
	set(string, "a.name.of.thirty.two.characters_", make_function(200));
	set(string, "a name of more than thirty-two characters", make_function(201));
	set(string, "a\nline", make_function(202));
	set(string, "new", value_of(string & ((1ULL << 47) - 1), 8)); /* not a function */
	f = luajit_fast_learn(&file, &target.memory, global);
	assert_string_equal(luajit_fast_name(f, 200), "string.a.name.of.thirty.two.characters_");
	assert_null(luajit_fast_name(f, 201));
	assert_null(luajit_fast_name(f, 202));
	put((string & ((1ULL << 47) - 1)) + 0x30, (uint64_t)UINT32_MAX << 32); /* entries */
	put((loaded & ((1ULL << 47) - 1)) + 0x28, 8);
	assert_non_null(luajit_fast_learn(&file, &target.memory, global));
}

/* ---- collector ---- */

static void gc__is_read(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM);
	struct luajit_gc gc;

	(void)state;
	put(global + 0x10, 5000);
	put(global + 0x18, 6000);
	*(char *)(global + 0x21) = 4;
	put(global + 0x58, 70);
	put(global + 0x60, 3000);
	put(global + 0x68, 200ULL << 32 | 150);
	put(global + 0xa0, 41ULL << 32 | 255);
	assert_true(luajit_gc_read(&target.memory, global, &gc));
	assert_string_equal(gc.phase, "sweep");
	assert_int_equal(gc.total, 5000);
	assert_int_equal(gc.threshold, 6000);
	assert_int_equal(gc.debt, 70);
	assert_int_equal(gc.estimate, 3000);
	assert_int_equal(gc.stepmul, 150);
	assert_int_equal(gc.pause, 200);
	assert_int_equal(gc.strings, 41);
	assert_int_equal(gc.slots, 256);
	*(char *)(global + 0x21) = 6;
	assert_false(luajit_gc_read(&target.memory, global, &gc));
	assert_false(luajit_gc_read(&target.memory, 8, &gc));
}

static unsigned nr_changes; /* the phase changes in this many readings */

static bool read_changing(void *context, uint64_t address, void *to, size_t len)
{
	if (nr_changes) {
		nr_changes--;
		memory[USUAL + UPSTREAM + 0x21] ^= 1;
		memory[USUAL + UPSTREAM + 0x10]++;
	}
	return read_memory(context, address, to, len);
}

static void gc__changes_meanwhile(void **state)
{
	uint64_t global = make_state(USUAL, UPSTREAM);
	struct luajit_gc gc;

	(void)state;
	target.memory.read = read_changing;
	nr_changes = 5;
	assert_true(luajit_gc_read(&target.memory, global, &gc));
	assert_int_equal(nr_changes, 0);
	assert_int_equal(gc.total, 5);
	nr_changes = UINT_MAX;
	assert_false(luajit_gc_read(&target.memory, global, &gc));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(states__none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			states__where_the_allocator_has_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states__elsewhere_in_a_page, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states__not_what_looks_similar, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states__with_narrow_references, set_up, tear_down),
		cmocka_unit_test_setup_teardown(states__of_hostile_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__offsets_are_learnt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__constants_in_either_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__narrow_references, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__version_2_0, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__a_state_that_is_not_ready, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__several_states, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__not_without_its_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__unreadable_memory, set_up, tear_down),
		cmocka_unit_test(bytecode__of_version_2_0),
		cmocka_unit_test_setup_teardown(fast__names_of_libraries, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fast__of_hostile_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gc__is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gc__changes_meanwhile, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
