/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are mapped for a while during a long recording. */
#include "process/objects.h"
#include "lib/util.h"
#include "process/mappings.h"
#include "symbol/elf/elffile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct processes ps;
static struct process *self;
static size_t object; /* of this program */
static char path[4096];

static int set_up(void **state)
{
	(void)state;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	processes_init(&ps);
	self = processes_get(&ps, (uint32_t)getpid());
	object = process_find(&ps, self, (uint64_t)(uintptr_t)&set_up)->object;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	processes_release(&ps);
	return 0;
}

/* Ends all mappings at TIME_NS; none of them is used. */
static void end_all(int64_t time_ns)
{
	bool *used = xcalloc(ps.nr_maps + 1, sizeof(*used));

	process_ended(&ps, self, time_ns);
	processes_sweep(&ps, used, time_ns + 1);
	free(used);
}

static size_t nr_named(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < ps.nr_objects; i++)
		nr += ps.objects[i].path != NULL;
	return nr;
}

static void objects__remain_while_they_are_mapped(void **state)
{
	size_t nr = nr_named();

	(void)state;
	objects_mark(&ps, monotonic_ns(), 0);
	objects_sweep(&ps);
	assert_int_equal(nr_named(), nr);
	assert_true(elffile_fd(ps.objects[object].elf) >= 0);
}

static void objects__the_last_ones_remain_a_while(void **state)
{
	size_t nr = nr_named();
	int64_t now = monotonic_ns();

	(void)state;
	objects_mark(&ps, now, nr);
	end_all(now);
	objects_mark(&ps, now + 1, nr);
	objects_sweep(&ps);
	assert_int_equal(nr_named(), nr);
	objects_mark(&ps, now + 1, 0);
	ps.objects[object].table = 1;
	objects_sweep(&ps);
	assert_int_equal(nr_named(), 1);
	assert_string_equal(ps.objects[object].path, path);
	ps.objects[object].table = 0;
	objects_sweep(&ps);
	assert_int_equal(nr_named(), 0);
	assert_int_equal(ps.nr_unused_objects, nr);
}

static void objects__numbers_are_used_again(void **state)
{
	size_t nr = ps.nr_objects;
	uint64_t id = ps.objects[object].id;

	(void)state;
	end_all(monotonic_ns());
	objects_mark(&ps, monotonic_ns(), 0);
	objects_sweep(&ps);
	self = processes_get(&ps, (uint32_t)getpid());
	const struct object *o =
		&ps.objects[process_find(&ps, self, (uint64_t)(uintptr_t)&set_up)->object];

	assert_string_equal(o->path, path);
	assert_non_null(o->elf);
	assert_true(o->id > id);
	assert_true(ps.nr_objects <= nr);
}

/* Stacks refer to the file, so the facts from its head are kept. */
static void objects__used_ones_are_shut_and_opened_again(void **state)
{
	int64_t now = monotonic_ns();
	char *id = xstrdup(elffile_build_id(ps.objects[object].elf));

	(void)state;
	assert_true(*id);
	process_ended(&ps, self, now);
	objects_mark(&ps, now + 1, 0);
	objects_sweep(&ps);
	const struct elffile *elf = ps.objects[object].elf;
	uint64_t address;

	assert_true(elffile_is_shut(elf));
	assert_int_equal(elffile_fd(elf), -1);
	assert_string_equal(elffile_build_id(elf), id);
	assert_true(elffile_mapped(elf, 0, 4096, &address));
	ps.list[0].start--; /* another process with this PID */
	self = processes_get(&ps, (uint32_t)getpid());
	assert_int_equal(process_find(&ps, self, (uint64_t)(uintptr_t)&set_up)->object, object);
	assert_false(elffile_is_shut(ps.objects[object].elf));
	assert_true(elffile_fd(ps.objects[object].elf) >= 0);
	assert_string_equal(elffile_build_id(ps.objects[object].elf), id);
	free(id);
}

#define TEST(name) cmocka_unit_test_setup_teardown(objects__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(remain_while_they_are_mapped),
		TEST(the_last_ones_remain_a_while),
		TEST(numbers_are_used_again),
		TEST(used_ones_are_shut_and_opened_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
