/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables on their way into the pool, from the cache or from a builder. */
#include "bpf_test.h"
#include "engine/bpf/loader.h"
#include "symbol/elf/elffile.h"
#include "unwind/table_cache.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct processes ps;
static struct loader loader;
static struct pool pool; /* without room: tables stay in user space */
static char folder[] = "/tmp/flametap-loader.XXXXXX";
static uint32_t number; /* of this program */

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	processes_init(&ps);
	const struct process *p = processes_get(&ps, (uint32_t)getpid());
	const struct mapping *self = process_find(&ps, p, (uint64_t)(uintptr_t)&set_up);

	assert_non_null(self);
	loader_init(&loader, &ps);
	free(loader.cache);
	loader.cache = xstrdup(folder);
	loader.pool = &pool;
	loader.descs = xcalloc(TABLES_MAX, sizeof(*loader.descs));
	number = loader_number(&loader, self->object);
	return 0;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);

	(void)state;
	free(loader.descs);
	loader_release(&loader);
	processes_release(&ps);
	assert_int_equal(system(command), 0);
	free(command);
	return 0;
}

static void wait_for_table(void)
{
	struct pollfd fds[BUILDERS_MAX];

	while (loader_nr_pending(&loader)) {
		assert_int_equal(loader_poll(&loader, fds), loader.nr_builders);
		poll(fds, loader.nr_builders, 100);
		loader_receive(&loader);
	}
}

static void loader__builds_what_the_cache_lacks(void **state)
{
	const struct unwind_table *table;

	(void)state;
	assert_int_equal(loader_request(&loader, number, &table), TABLE_PENDING);
	assert_int_equal(loader_nr_pending(&loader), 1);
	assert_int_equal(loader_request(&loader, number, &table), TABLE_PENDING);
	assert_int_equal(loader_nr_pending(&loader), 1);
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_true(unwind_table_find(table, 0) != NULL);
}

static void loader__builds_nothing_that_is_cached(void **state)
{
	const struct object *o = &ps.objects[loader.files[number].object];
	const struct unwind_table *table;
	struct unwind_table built;

	(void)state;
	assert_int_equal(unwind_build(&built, o->elf, native_sources, false, NULL), 0);
	unwind_cache_put(folder, &built);
	unwind_table_release(&built);
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_int_equal(loader_nr_pending(&loader), 0);
	assert_true(table->mapped);
	assert_int_equal(loader.nr_unplaced, 1);
}

/* A function without call frame information. */
asm(".pushsection .text\n"
    ".balign 16\n"
    "without_rules: push %rbx\n"
    "xor %ebx,%ebx\n"
    "pop %rbx\n"
    "ret\n"
    ".balign 16\n"
    ".popsection");
extern const char without_rules[];

/* A sample has hit such code: once its file has been analysed, the new table replaces the first. */
static void loader__analyses_files_whose_code_lacks_rules(void **state)
{
	const struct process *p = processes_get(&ps, (uint32_t)getpid());
	const struct mapping *m = process_find(&ps, p, (uint64_t)(uintptr_t)without_rules);
	const struct object *o = &ps.objects[loader.files[number].object];
	const struct unwind_table *table;
	struct unwind_table cached;
	uint64_t address;

	(void)state;
	assert_true(elffile_mapped(o->elf, m->offset, m->end - m->start, &address));
	address += (uint64_t)(uintptr_t)without_rules - m->start;
	loader_request(&loader, number, &table);
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_int_equal(unwind_table_find(table, address)->cfa, UNWIND_CFA_NONE);
	loader_receive(&loader);
	assert_int_equal(loader_nr_pending(&loader), 0); /* it is not needed yet */
	loader_miss(&loader, number);
	loader_receive(&loader);
	assert_int_equal(loader_nr_pending(&loader), 1);
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_int_equal(unwind_table_find(table, address)->cfa, UNWIND_CFA_REG);
	assert_true(loader.descs[number].is_final);
	loader_miss(&loader, number);
	loader_receive(&loader);
	assert_int_equal(loader_nr_pending(&loader), 0); /* there is no better table */
	assert_int_equal(unwind_cache_get(folder, o->build_id, &cached), 0);
	assert_true(cached.header->analysed);
	unwind_table_release(&cached);
}

/* For pthread_atfork: makes new builders stop at once. */
static bool stop_builders;

static void stop_child(void)
{
	if (stop_builders)
		raise(SIGSTOP);
}

static void wait_until_late(void)
{
	while (!loader.files[number].nr_late) {
		usleep(10000);
		loader_receive(&loader);
	}
}

/* Requests a table while no builder runs, and a file may take 5 ms. */
static void request_late_table(void)
{
	const struct unwind_table *table;

	loader.file_ns = 5000000;
	for (uint32_t i = 0; i < loader.nr_builders; i++)
		kill(loader.builders[i].pid, SIGSTOP);
	assert_int_equal(loader_request(&loader, number, &table), TABLE_PENDING);
}

static void loader__tries_a_late_file_again(void **state)
{
	const struct unwind_table *table;

	(void)state;
	request_late_table();
	wait_until_late();
	loader.file_ns = 60000000000;
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_int_equal(loader.nr_bad, 0);
}

static void loader__gives_up_a_file_that_is_always_late(void **state)
{
	const struct unwind_table *table;

	(void)state;
	request_late_table();
	stop_builders = true;
	wait_for_table();
	stop_builders = false;
	assert_int_equal(loader_request(&loader, number, &table), TABLE_NONE);
	assert_int_equal(loader.nr_bad, 1);
}

/* The file is bad; files that waited for the same builder get another one. */
static void loader__replaces_a_builder_that_dies(void **state)
{
	const struct unwind_table *table;
	uint32_t others[3] = {0}, nr = 0;

	(void)state;
	for (size_t i = 0; i < ps.nr_objects && nr < ARRAY_LEN(others); i++)
		if (i != loader.files[number].object && ps.objects[i].elf &&
			elffile_fd(ps.objects[i].elf) >= 0)
			others[nr++] = loader_number(&loader, i);
	assert_true(nr > 0);
	while (loader.nr_builders > 1)
		builder_stop(&loader.builders[--loader.nr_builders]);
	kill(loader.builders[0].pid, SIGSTOP);
	assert_int_equal(loader_request(&loader, number, &table), TABLE_PENDING);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(loader_request(&loader, others[i], &table), TABLE_PENDING);
	kill(loader.builders[0].pid, SIGABRT);
	kill(loader.builders[0].pid, SIGCONT);
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_NONE);
	assert_int_equal(loader.nr_bad, 1);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(loader_request(&loader, others[i], &table), TABLE_READY);
}

/* No file is blamed. */
static void loader__replaces_a_builder_that_is_killed(void **state)
{
	const struct unwind_table *table;

	(void)state;
	request_late_table();
	loader.file_ns = 60000000000;
	for (uint32_t i = 0; i < loader.nr_builders; i++)
		kill(loader.builders[i].pid, SIGKILL);
	wait_for_table();
	assert_int_equal(loader_request(&loader, number, &table), TABLE_READY);
	assert_int_equal(loader.nr_bad, 0);
}

/* The last process that had the file mapped has ended; another one maps it later. */
static void loader__frees_what_is_not_needed(void **state)
{
	const struct unwind_table *table;
	size_t object = loader.files[number].object;

	(void)state;
	for (size_t i = 0; i < ps.nr_objects; i++)
		ps.objects[i].is_needed = false;
	assert_int_equal(loader_request(&loader, number, &table), TABLE_PENDING);
	loader_sweep(&loader);
	assert_int_equal(ps.objects[object].table, number); /* it is being built */
	wait_for_table();
	assert_true(loader.bytes > 0);
	loader_sweep(&loader);
	assert_int_equal(ps.objects[object].table, 0);
	assert_int_equal(loader.descs[number].state, TABLE_NONE);
	assert_int_equal(loader.bytes, 0);
	assert_int_equal(loader.rows, 0);
	uint32_t second = loader_number(&loader, object);

	assert_int_not_equal(second, number); /* a BPF program may still use the number */
	ps.objects[object].is_needed = true;
	loader_sweep(&loader);
	assert_int_equal(loader_number(&loader, object), second);
	assert_int_equal(loader_number(&loader, !object), number);
	assert_int_equal(loader_request(&loader, second, &table), TABLE_READY); /* it is cached */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			loader__builds_what_the_cache_lacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__builds_nothing_that_is_cached, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__analyses_files_whose_code_lacks_rules, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loader__tries_a_late_file_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__gives_up_a_file_that_is_always_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__replaces_a_builder_that_dies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__replaces_a_builder_that_is_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			loader__frees_what_is_not_needed, set_up, tear_down),
	};

	assert_int_equal(pthread_atfork(NULL, NULL, stop_child), 0);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
