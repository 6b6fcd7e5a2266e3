/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools in a real map. The pools of this process are made as nginx makes them. */
#include "bpf_test.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/drain.h"
#include "lib/strbuf.h"
#include "process/process.h"
#include "process/reader.h"

#include <sys/wait.h>

enum { BLOCK = 512, SECOND = 1000000000, NOW = 100 };

static struct samples samples;
static struct drain drain;
static struct processes ps;
static struct programs programs;
static struct tool_run pools;
static uint32_t epoch;

static int make(void **state)
{
	(void)state;
	samples_init(&samples);
	processes_init(&ps);
	processes_get(&ps, (uint32_t)getpid());
	drain = (struct drain){.samples = &samples,
		.epoch = &epoch,
		.spans = make_hash(sizeof(struct span_key), sizeof(struct span), 64),
		.nr_spans = 64};
	drain_init(&drain);
	drain.events[ROW_SAMPLES] = samples_event(
		&samples, &(struct sample_event){"pools", "pools", "monotonic", 0, 1});
	programs = (struct programs){.tool = &pools_tool};
	tool_run_begin(&pools, &programs, &ps, &drain);
	return 0;
}

static int release(void **state)
{
	(void)state;
	close(drain.spans);
	tool_run_release(&pools);
	drain_release(&drain);
	processes_release(&ps);
	samples_release(&samples);
	reader_end();
	return 0;
}

/* A block as nginx has it: last, end, and no others. */
static void *make_pool(void)
{
	char *block = aligned_alloc(16, BLOCK);
	char *const word[2] = {block + 80, block + BLOCK};

	memset(block, 0, BLOCK);
	memcpy(block, word, sizeof(word));
	return block;
}

static void create(const void *pool, uint32_t pid, uint64_t since)
{
	struct span_key key = {(uint64_t)(uintptr_t)pool, pid, 0};
	struct span value = {
		.row = {.tid = pid, .tgid = pid, .comm = "nginx"}, .since = since * SECOND};

	put(drain.spans, &key, &value);
}

static void destroy(const void *pool)
{
	struct span_key key = {(uint64_t)(uintptr_t)pool, (uint32_t)getpid(), 0};

	assert_int_equal(bpf_map_delete_elem(drain.spans, &key), 0);
}

static bool is_in_map(const void *pool, uint32_t pid)
{
	struct span_key key = {(uint64_t)(uintptr_t)pool, pid, 0};
	struct span value;

	return !bpf_map_lookup_elem(drain.spans, &key, &value);
}

/* Returns the sum of the rows of EVENT with the age AGE, or with any age if it is NULL. */
static uint64_t sum_of(const char *event, const char *age)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < samples.nr_rows; i++) {
		const struct sample_row *row = &samples.rows[i];
		const char *its =
			strpool_get(&samples.strings, samples.labels[row->key.labels].value);

		if (!strcmp(samples.events[row->key.event].name, event) &&
			(!age || !strcmp(its, age)))
			sum += row->sum;
	}
	return sum;
}

static void pools__of_this_process(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	void *young = make_pool(), *old = make_pool();
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	create(young, pid, NOW - 2);
	create(old, pid, NOW - 61);
	tool_run_stop(&pools);
	tool_run_stopped(&pools);
	tool_run_add_open(&pools, (uint64_t)NOW * SECOND);
	assert_int_equal(sum_of("pools", NULL), 2);
	assert_int_equal(sum_of("pools", "1s"), 1);
	assert_int_equal(sum_of("pools", "1m"), 1);
	assert_int_equal(sum_of("bytes", NULL), 2 * BLOCK);
	pools.facet.ops->note(&pools.facet, &notes);
	assert_int_equal(notes.len, 0);
	strbuf_release(&notes);
	free(young);
	free(old);
}

static void pools__of_some_age(void **state)
{
	void *pool[] = {make_pool(), make_pool(), make_pool()};

	(void)state;
	programs.settings.option[0] = 1; /* second, at least */
	for (size_t i = 0; i < ARRAY_LEN(pool); i++)
		create(pool[i], (uint32_t)getpid(), NOW - i);
	tool_run_stop(&pools);
	tool_run_stopped(&pools);
	tool_run_add_open(&pools, (uint64_t)NOW * SECOND);
	assert_int_equal(sum_of("pools", NULL), 2);
	for (size_t i = 0; i < ARRAY_LEN(pool); i++)
		free(pool[i]);
}

/* While sizes are read, one is destroyed, and another one at whose place there is a new one. */
static void pools__that_end_meanwhile(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	void *destroyed = make_pool(), *replaced = make_pool(), *kept = make_pool();

	(void)state;
	create(destroyed, pid, NOW - 5);
	create(replaced, pid, NOW - 5);
	create(kept, pid, NOW - 61);
	tool_run_stop(&pools);
	destroy(destroyed);
	destroy(replaced);
	create(replaced, pid, NOW - 1);
	tool_run_stopped(&pools);
	tool_run_add_open(&pools, (uint64_t)NOW * SECOND);
	assert_int_equal(sum_of("pools", NULL), 1);
	assert_int_equal(sum_of("pools", "1m"), 1);
	free(destroyed);
	free(replaced);
	free(kept);
}

static void pools__of_ended_processes(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	void *pool = make_pool();
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	create(pool, pid, NOW - 61);
	create(pool, (uint32_t)child, NOW - 5);
	tool_run_stop(&pools);
	tool_run_stopped(&pools);
	tool_run_add_open(&pools, (uint64_t)NOW * SECOND);
	assert_int_equal(sum_of("pools", NULL), 1);
	assert_int_equal(sum_of("pools", "1m"), 1);
	pools.facet.ops->ended(&pools.facet, (uint32_t)child);
	assert_true(is_in_map(pool, pid));
	assert_false(is_in_map(pool, (uint32_t)child));
	free(pool);
}

static void pools__without_sizes(void **state)
{
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	create((void *)16, (uint32_t)getpid(), NOW - 5);
	tool_run_stop(&pools);
	tool_run_stopped(&pools);
	tool_run_add_open(&pools, (uint64_t)NOW * SECOND);
	assert_int_equal(sum_of("pools", NULL), 1);
	assert_int_equal(sum_of("bytes", NULL), 0);
	pools.facet.ops->note(&pools.facet, &notes);
	assert_string_equal(notes.buf, "the sizes of 1 pools could not be read completely: they "
				       "have more bytes than shown\n");
	strbuf_release(&notes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(pools__##name, make, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_this_process),
		TEST(of_some_age),
		TEST(that_end_meanwhile),
		TEST(of_ended_processes),
		TEST(without_sizes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
