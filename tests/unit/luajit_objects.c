/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handmade objects of LuaJIT, in memory of our own. */
#include "lib/util.h"
#include "runtime/lua/luajit_heads.h"
#include "inspect/luajit_objects.h"
#include "runtime/lua/luajit_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

enum {
	PAGES = 256, /* more than a block */
	SIZE = PAGES * AREA_PAGE,
	GAP = 100 * AREA_PAGE, /* a page there does not belong to the process */
	THREAD = 0x380,
	GLOBAL = THREAD + 0x60,
	CURRENT = 0x170,
	STRINGS = 0x2000, /* the table, with SLOTS slots */
	SLOTS = 4,
	FIRST = 0x4000, /* objects */
	TOTAL = 100000,
};

static char *memory;
static size_t used;                 /* by objects */
static unsigned nr_reads, sweep_at; /* readings of pages; the collector sweeps after this one */
static bool sweeps;                 /* the next reading will see it */

static bool is_ours(uint64_t address, size_t len)
{
	uint64_t start = (uintptr_t)memory;

	return address >= start && address < start + SIZE && len <= start + SIZE - address;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	if (!is_ours(address, len))
		return false;
	memcpy(to, (const char *)address, len);
	if (address == (uintptr_t)memory + GLOBAL + 0x10 && sweeps) {
		((char *)to)[0x11] = 4;
		sweeps = false;
	}
	return true;
}

static struct memory_area *list_areas(void *context, uint64_t max, size_t *nr)
{
	struct memory_area *list = xcalloc(2, sizeof(*list));
	uint64_t start = (uintptr_t)memory;

	(void)context;
	(void)max;
	list[0] = (struct memory_area){start, start + GAP};
	list[1] = (struct memory_area){start + GAP + AREA_PAGE, start + SIZE};
	*nr = 2;
	return list;
}

static bool read_scattered(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	sweeps = ++nr_reads == sweep_at;
	for (size_t i = 0; i < nr; i++)
		if (!read_memory(context, addresses[i], (char *)to + i * size, size))
			memset((char *)to + i * size, 0, size);
	return true;
}

static const struct memory seam = {
	.read = read_memory, .areas = list_areas, .scattered = read_scattered};

/* ---- objects ---- */

static void put(uint64_t at, uint64_t word)
{
	memcpy(memory + at, &word, sizeof(word));
}

static void put32(uint64_t at, uint32_t word)
{
	memcpy(memory + at, &word, sizeof(word));
}

static uint64_t address_of(uint64_t at)
{
	return (uintptr_t)memory + at;
}

/* Makes an object of TYPE with SIZE bytes, whose next object is NEXT; returns its place. */
static uint64_t make(size_t size, enum luajit_type type, uint64_t next)
{
	uint64_t at = FIRST + used;

	used += (size + 7) / 8 * 8;
	put(at, next);
	memory[at + LUAJIT_GCT] = (char)type;
	return at;
}

static uint64_t make_string(const char *s, uint64_t next)
{
	uint64_t at = make(0x18 + strlen(s) + 4, LUAJIT_STRING, next);

	put32(at + 0x14, (uint32_t)strlen(s));
	memcpy(memory + at + 0x18, s, strlen(s));
	return at;
}

static void set_root(uint64_t at)
{
	put(GLOBAL + 0x28, address_of(at));
}

/* Makes a state whose main thread, of ten slots, is the last object. */
static int set_up(void **state)
{
	(void)state;
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	used = nr_reads = sweep_at = 0;
	sweeps = false;
	memory[THREAD + LUAJIT_GCT] = LUAJIT_THREAD;
	put(THREAD + LUAJIT_GLREF, address_of(GLOBAL));
	put32(THREAD + 0x58, 10);
	put(GLOBAL + LUAJIT_MAINTHREAD, address_of(THREAD));
	put(GLOBAL + 0x10, TOTAL);
	put(GLOBAL + 0x98, address_of(STRINGS));
	put32(GLOBAL + 0xa0, SLOTS - 1);
	set_root(THREAD);
	return memory == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(memory, SIZE);
}

static struct luajit_objects count(size_t top)
{
	struct luajit_layout layout = {.shape = {.current = CURRENT}};
	struct luajit_objects_request request = {
		.memory = &seam, .layout = &layout, .global = address_of(GLOBAL), .top = top};
	struct luajit_objects o;

	assert_true(luajit_objects_count(&request, &o));
	return o;
}

static void check_sum(
	const struct luajit_objects *o, enum luajit_use use, uint64_t nr, uint64_t bytes)
{
	assert_int_equal(o->sums[use].nr, nr);
	assert_int_equal(o->sums[use].bytes, bytes);
}

/* ---- tests ---- */

static void test_sizes(void **state)
{
	uint64_t table = make(0x40, LUAJIT_TABLE, address_of(THREAD));
	uint64_t function = make(0x38, LUAJIT_FUNCTION, address_of(table));
	uint64_t builtin = make(0x40, LUAJIT_FUNCTION, address_of(function));
	uint64_t variable = make(0x40, LUAJIT_CDATA, address_of(builtin)) + 8;
	uint64_t userdata = make(0x40, LUAJIT_USERDATA, address_of(variable));
	struct luajit_objects o;

	(void)state;
	memory[table + 0xb] = (char)-3; /* had three slots inside it */
	put32(table + 0x30, 100);       /* and has got other ones */
	put32(table + 0x34, 7);         /* hash slots, less one */
	memory[function + 0xb] = 2;     /* upvalues */
	memory[builtin + 0xa] = 5;      /* ffid */
	memory[builtin + 0xb] = 1;      /* upvalue */
	put(variable, address_of(builtin));
	memory[variable + 8] = (char)0x80; /* marked: of variable length */
	memory[variable + LUAJIT_GCT] = LUAJIT_CDATA;
	put(variable - 8, 50ULL << 32 | 24 << 16 | 8);
	put32(userdata + 0x18, 16);
	set_root(userdata);
	put(STRINGS + 16, address_of(make_string("hello", 0)) | 1);
	o = count(0);
	assert_int_equal(o.lost, 0);
	assert_true(o.is_steady);
	assert_int_equal(o.tries, 1);
	/* the negative number of slots, without its sign bit */
	check_sum(&o, LUAJIT_USE_TABLES, 1, 0x40 + (-3 & 0x7f) * 8);
	check_sum(&o, LUAJIT_USE_ARRAYS, 1, 800);
	check_sum(&o, LUAJIT_USE_HASHES, 1, 8 * 24);
	check_sum(&o, LUAJIT_USE_LUA_FUNCTIONS, 1, 0x28 + 16);
	check_sum(&o, LUAJIT_USE_C_FUNCTIONS, 1, 0x30 + 8);
	check_sum(&o, LUAJIT_USE_CDATA, 1, 74);
	check_sum(&o, LUAJIT_USE_USERDATA, 1, 0x30 + 16);
	check_sum(&o, LUAJIT_USE_STRINGS, 1, 0x18 + 8);
	check_sum(&o, LUAJIT_USE_STRING_TABLE, 1, SLOTS * 8);
	check_sum(&o, LUAJIT_USE_THREADS, 1, 0x60);
	check_sum(&o, LUAJIT_USE_STACKS, 1, 80);
	assert_int_equal(o.total, TOTAL);
	luajit_objects_release(&o);
}

static void test_ctypes(void **state)
{
	enum { TYPES = 0x3000, STATE = 0x3800 };
	uint64_t cdata = make(0x40, LUAJIT_CDATA, address_of(THREAD));
	struct luajit_objects o;

	(void)state;
	put(GLOBAL + CURRENT + 24, address_of(STATE)); /* as in the fork */
	put(STATE, address_of(TYPES));
	put32(STATE + 8, 3);
	put32(STATE + 12, 8);
	put(STATE + 0x18, address_of(GLOBAL));
	put32(TYPES + 24, 8U << 28 | 2); /* an attribute of the next one */
	put32(TYPES + 48, 1U << 28);     /* a struct */
	put32(TYPES + 52, 40);
	memory[cdata + 0xa] = 1;
	set_root(cdata);
	o = count(0);
	assert_int_equal(o.lost, 0);
	check_sum(&o, LUAJIT_USE_CDATA, 1, 0x10 + 40);
	luajit_objects_release(&o);
	/* an attribute of itself */
	put32(TYPES + 24, 8U << 28 | 1);
	o = count(0);
	check_sum(&o, LUAJIT_USE_CDATA, 1, 0x10 + 8);
	luajit_objects_release(&o);
}

/* Open upvalues are only in the lists of threads; objects that wait for their finalizers form a
 * circle. */
static void test_lists(void **state)
{
	uint64_t open = make(0x30, LUAJIT_UPVALUE, 0), a = make(0x30, LUAJIT_USERDATA, 0),
		 b = make(0x30, LUAJIT_USERDATA, address_of(a));
	struct luajit_objects o;

	(void)state;
	put(THREAD + 0x40, address_of(open));
	put(a, address_of(b));
	put(GLOBAL + 0x50, address_of(a));
	o = count(0);
	assert_int_equal(o.lost, 0);
	check_sum(&o, LUAJIT_USE_UPVALUES, 1, 0x30);
	check_sum(&o, LUAJIT_USE_USERDATA, 2, 0x60);
	luajit_objects_release(&o);
}

static void test_top(void **state)
{
	struct luajit_objects o;
	uint64_t next = 0;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		char text[64] = "\x1b@ \xc3\xa4";

		memset(text + 5, 'x', (i * 7) % 20);
		next = address_of(make_string(text, next));
	}
	put(STRINGS, next);
	o = count(3);
	assert_int_equal(o.nr_top, 3);
	assert_int_equal(o.top[0].use, LUAJIT_USE_THREADS);
	assert_string_equal(o.texts[0], "10 stack slots");
	assert_int_equal(o.top[1].bytes, 0x18 + 28);
	assert_true(o.top[1].address < o.top[2].address || o.top[1].bytes > o.top[2].bytes);
	assert_string_equal(o.texts[1], "\\x1b@ \xc3\xa4xxxxxxxxxxxxxxxxxxx");
	luajit_objects_release(&o);
}

/* References that lead nowhere end a list, and are counted. */
static void test_lost(void **state)
{
	uint64_t table = make(0x40, LUAJIT_TABLE, address_of(THREAD)), total = TOTAL;
	struct luajit_objects o;
	const uint64_t wrong[] = {
		address_of(table),                      /* a circle */
		address_of(table) + 4,                  /* not aligned */
		address_of(GAP),                        /* not in the process's memory */
		address_of(SIZE), address_of(SIZE - 8), /* its end is outside */
		UINT64_MAX - 7, address_of(0x1000),     /* no type */
	};

	(void)state;
	set_root(table);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		put(table, wrong[i]);
		o = count(0);
		assert_int_equal(o.lost, 1);
		check_sum(&o, LUAJIT_USE_TABLES, 1, 0x40);
		check_sum(&o, LUAJIT_USE_THREADS, 0, 0);
		luajit_objects_release(&o);
	}
	/* larger than all memory; the state lives on */
	put(table, address_of(THREAD));
	put32(table + 0x30, UINT32_MAX);
	o = count(0);
	assert_int_equal(o.lost, 1);
	check_sum(&o, LUAJIT_USE_TABLES, 0, 0);
	luajit_objects_release(&o);
	/* no table of strings */
	put32(table + 0x30, 0);
	put32(GLOBAL + 0xa0, UINT32_MAX - 1);
	o = count(0);
	assert_int_equal(o.lost, 1);
	assert_int_equal(o.total, total);
	luajit_objects_release(&o);
	/* threads as upvalues of threads */
	put32(GLOBAL + 0xa0, SLOTS - 1);
	put(THREAD + 0x40, address_of(THREAD));
	o = count(0);
	assert_int_equal(o.lost, 1);
	luajit_objects_release(&o);
}

/* A sweep also counts if it is over when all has been read. */
static void test_sweeping(void **state)
{
	struct luajit_objects o;

	(void)state;
	/* an object in another block, which is read separately */
	used = SIZE / 2;
	set_root(make(0x40, LUAJIT_TABLE, address_of(THREAD)));
	used = SIZE * 3 / 4;
	put(FIRST + SIZE / 2, address_of(make(0x40, LUAJIT_TABLE, address_of(THREAD))));
	sweep_at = 3;
	o = count(0);
	assert_true(o.is_steady);
	assert_int_equal(o.tries, 2);
	check_sum(&o, LUAJIT_USE_TABLES, 2, 0x80);
	luajit_objects_release(&o);
	memory[GLOBAL + 0x21] = 4;
	o = count(0);
	assert_true(o.is_steady); /* it does not run */
	luajit_objects_release(&o);
	memory[GLOBAL + 0x21] = 6; /* no phase */
	struct luajit_layout layout = {0};
	struct luajit_objects_request request = {
		.memory = &seam, .layout = &layout, .global = address_of(GLOBAL)};

	assert_false(luajit_objects_count(&request, &o));
}

static void test_limit(void **state)
{
	struct memory_copy c;

	(void)state;
	memory_copy_init(&c, &seam, SIZE / 2);
	assert_true(memory_copy_renew(&c));
	put(FIRST, 42);
	assert_int_equal(*(const uint64_t *)memory_copy_at(&c, address_of(FIRST), 8), 42);
	assert_false(c.is_full);
	assert_true(memory_copy_mark(&c, address_of(FIRST)));
	assert_false(memory_copy_mark(&c, address_of(FIRST)));
	assert_true(memory_copy_mark(&c, address_of(FIRST + 8)));
	assert_non_null(memory_copy_at(&c, address_of(GAP - 8), 8));
	assert_null(memory_copy_at(&c, address_of(SIZE - 8), 8));
	assert_true(c.is_full);
	assert_non_null(memory_copy_at(&c, address_of(FIRST), 8));
	assert_true(c.read <= SIZE / 2);
	/* not across the end of an area */
	assert_null(memory_copy_at(&c, address_of(GAP - 8), 16));
	assert_null(memory_copy_at(&c, address_of(GAP - 8), UINT64_MAX));
	memory_copy_release(&c);
}

/* Nothing that was read before is taken for current. */
static void test_renewal(void **state)
{
	struct memory_copy c;

	(void)state;
	memory_copy_init(&c, &seam, SIZE);
	for (uint64_t i = 1; i <= 16; i++) {
		assert_true(memory_copy_renew(&c));
		put(FIRST, i);
		assert_int_equal(*(const uint64_t *)memory_copy_at(&c, address_of(FIRST), 8), i);
		assert_true(memory_copy_mark(&c, address_of(FIRST)));
		assert_non_null(memory_copy_at(&c, address_of(SIZE - 8), 8));
		assert_false(c.is_full);
		assert_true(c.written <= 2 * SIZE);
	}
	memory_copy_release(&c);
}

/* With any memory contents, it ends and reads no other memory. */
static void test_garbage(void **state)
{
	enum { ROUNDS = 20, WORDS = 2000 };
	struct luajit_objects o;

	(void)state;
	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < WORDS; i++) {
			uint64_t at = FIRST + (uint64_t)random() % 4096 * 8;

			put(at, address_of(FIRST + (uint64_t)random() % 4096 * 8));
			memory[at + LUAJIT_GCT] = (char)(4 + random() % 9);
			memory[at + 8] = (char)random();
		}
		set_root(FIRST + (uint64_t)random() % 4096 * 8);
		put(THREAD + 0x40, address_of(FIRST + (uint64_t)random() % 4096 * 8));
		put(STRINGS, address_of(FIRST + (uint64_t)random() % 4096 * 8));
		put(GLOBAL + 0x50, address_of(FIRST + (uint64_t)random() % 4096 * 8));
		o = count(5);
		luajit_objects_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ctypes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_top, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sweeping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_renewal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_garbage, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
