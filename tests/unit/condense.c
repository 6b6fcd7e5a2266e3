/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples that remain of a long recording. */
#include "engine/condense.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/mappings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	START = 0x1000,
	END = 0x5000,
	ENDED_NS = 10,
	NOW_NS = 100,
	GONE = 1 << 23, /* above all PIDs that Linux has */
	MAX = 8,
};

/* Indices of objects of ps. */
enum { LIBRARY, MEMORY };

static const struct condense_limits max = {MAX, 1000}, few_rows = {1000, 64};
static struct processes ps;
static struct samples samples;

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	ps.objects = xcalloc(2, sizeof(*ps.objects));
	ps.objects[LIBRARY] =
		(struct object){.path = xstrdup("/lib/a.so"), .build_id = xstrdup("")};
	ps.objects[MEMORY] = (struct object){.path = xstrdup(""), .build_id = xstrdup("")};
	ps.nr_objects = ps.objects_alloc = 2;
	samples_init(&samples);
	samples_event(&samples, &(struct sample_event){"on-cpu", "samples", "cpu", 1000, 1});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	samples_release(&samples);
	processes_release(&ps);
	return 0;
}

/* Adds a mapping of process PID, which has ended at TO_NS or still exists. */
static uint32_t map(uint32_t pid, size_t object, uint64_t start, uint64_t size, int64_t to_ns)
{
	const struct process p = {.pid = pid};
	const struct mapping m = {
		.start = start, .end = start + size, .object = object, .to_ns = to_ns};
	uint32_t number;

	assert_true(mappings_new(&ps, &p, &m, &number));
	return number;
}

static uint32_t stack_in(uint32_t mapping, uint64_t offset)
{
	const struct mapping *m = &ps.maps[mapping];
	const uint64_t frames[] = {samples_user_frame(m, m->start + offset, false),
		samples_user_frame(m, m->start + offset + 16, true)};

	return samples_stack(&samples, frames, 2, STACK_USER, WALK_ROOT);
}

static void add(uint32_t pid, uint32_t tid, const char *comm, uint32_t user, uint64_t count)
{
	const struct sample_key key = {
		.task = samples_task(&samples, pid, tid, 1, comm), .user = user};

	samples_add(&samples, &key, count, count);
}

/*
 * Condenses the samples to LIMITS, STEP rows at a time, as often as they are due again. *STACK
 * becomes its new number unless STACK is NULL.
 */
static void condense_to(struct condense_limits limits, size_t step, uint32_t *stack)
{
	struct condense c;

	do {
		condense_begin(&c, &samples, &ps, limits, NOW_NS);
		if (stack)
			*stack = condense_keep(&c, *stack);
		while (condense_step(&c, step))
			assert_non_null(c.to);
		condense_end(&c);
	} while (samples.rare_depth);
}

static void condense(void)
{
	condense_to(max, 1000, NULL);
}

static const struct rec_task *task_of_row(size_t row)
{
	return &samples.tasks[samples.rows[row].key.task];
}

static void assert_task(size_t row, uint32_t pid, uint32_t tid, const char *comm, uint64_t count)
{
	const struct rec_task *task = task_of_row(row);

	assert_int_equal(task->pid, pid);
	assert_int_equal(task->tid, tid);
	assert_int_equal(task->start, tid ? 1 : 0);
	assert_string_equal(strpool_get(&samples.strings, task->comm), comm);
	assert_int_equal(samples.rows[row].count, count);
	assert_int_equal(samples.rows[row].sum, count);
}

static uint64_t total(void)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < samples.nr_rows; i++)
		sum += samples.rows[i].count;
	return sum;
}

static void condense__few_ended_threads_remain(void **state)
{
	uint32_t stack = stack_in(map(GONE, LIBRARY, START, END - START, ENDED_NS), 0);

	(void)state;
	for (uint32_t i = 0; i < MAX; i++)
		add(GONE, GONE + i, "sh", stack, 1);
	condense();
	assert_int_equal(samples.nr_tasks, MAX);
	assert_int_equal(samples.nr_summed, 0);
	for (uint32_t i = 0; i < MAX; i++)
		assert_task(i + 1, GONE, GONE + i, "sh", 1);
}

static void condense__the_smallest_of_many_are_summed(void **state)
{
	uint32_t stack = stack_in(map(GONE, LIBRARY, START, END - START, ENDED_NS), 0);
	uint32_t me = (uint32_t)getpid();

	(void)state;
	add(me, me, "live", stack, 1);
	for (uint32_t i = 0; i < 1000; i++)
		add(GONE + i, GONE + i, i % 2 ? "sh" : "make", stack, i == 500 ? 7 : 1);
	uint64_t before = total();

	condense();
	assert_int_equal(samples.nr_tasks, 1 + MAX / 2 + 2);
	assert_int_equal(samples.nr_summed, 1000 - MAX / 2);
	assert_int_equal(total(), before);
	assert_task(1, me, me, "live", 1);
	assert_task(2, 0, 0, "make", 498);
	assert_task(3, 0, 0, "sh", 498);
	assert_task(4, GONE + 500, GONE + 500, "make", 7);
	assert_task(5, GONE + 997, GONE + 997, "sh", 1); /* the newest of equal tasks */
	for (uint32_t i = 0; i < 1000; i++)
		add(GONE + i, GONE + i, "sh", stack, 1);
	condense();
	assert_int_equal(samples.nr_tasks, 1 + MAX / 2 + 2);
	assert_int_equal(total(), before + 1000);
}

/* Otherwise a view of one process would show several. */
static void condense__sums_of_a_process_that_runs_are_its_own(void **state)
{
	uint32_t me = (uint32_t)getpid();

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		add(me, GONE + i, "thread", 0, 1);
	condense();
	assert_int_equal(samples.nr_tasks, 1 + MAX / 2);
	assert_task(1, me, 0, "thread", 100 - MAX / 2);
}

/* A thread may change its name all the time: the names are bounded, too. */
static void condense__a_thread_with_many_names(void **state)
{
	uint32_t me = (uint32_t)getpid();
	char comm[16];

	(void)state;
	for (int round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < 100; i++) {
			snprintf(comm, sizeof(comm), "%d-%u", round, i);
			add(me, me, comm, 0, 1);
		}
		condense();
		assert_true(samples.nr_tasks <= 1 + MAX / 2 + MAX + 1);
		assert_true(samples.strings.nr <= 40);
		assert_int_equal(total(), 100 * (round + 1));
	}
	uint64_t unnamed = 0;

	for (size_t i = 1; i < samples.nr_rows; i++)
		if (!task_of_row(i)->comm)
			unnamed += samples.rows[i].count;
	assert_true(unnamed > 300);
}

/* Many rows of few threads are condensed, too. */
static void condense__many_rows_of_ended_threads(void **state)
{
	uint32_t m = map(GONE, LIBRARY, START, END - START, ENDED_NS);

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t k = 0; k < 12; k++)
			add(GONE, GONE + i, "a", stack_in(m, 32 * k), i + 1);
	condense();
	assert_int_equal(samples.nr_summed, 2);
	assert_int_equal(samples.nr_rows - 1, 24);
	assert_int_equal(total(), 12 * (1 + 2 + 3));
}

static void condense__equal_stacks_of_ended_processes_are_one(void **state)
{
	enum { SIZE = END - START };

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		add(GONE + i, GONE + i, "a",
			stack_in(map(GONE + i, LIBRARY, START + i * 4096, SIZE, ENDED_NS), 8), 1);
	add(GONE, GONE, "a", stack_in(map(GONE, LIBRARY, START, SIZE, INT64_MAX), 8), 1);
	add(GONE, GONE, "a", stack_in(map(GONE, LIBRARY, START, 2 * SIZE, ENDED_NS), 8), 1);
	condense();
	assert_int_equal(samples.nr_stacks - 1, 3);

	bool *used = xcalloc(ps.nr_maps, sizeof(*used));

	samples_mark_mappings(&samples, used, ps.nr_maps);
	processes_sweep(&ps, used, NOW_NS);
	assert_int_equal(ps.nr_maps - ps.nr_free, 3);
	for (size_t i = 0; i < ps.nr_maps; i++)
		assert_true(!ps.maps[i].end || used[i]);
	free(used);

	uint32_t merged = (uint32_t)(samples.frames[0] >> 41) - 1;

	assert_int_equal(ps.maps[merged].pid, 0);
	assert_int_equal(ps.maps[merged].end - ps.maps[merged].start, SIZE);
	assert_int_equal(samples.frames[0] & 0xffff, 8);
	assert_int_equal(samples.frames[1] >> 40 & 1, 1);
	add(GONE + 20, GONE + 20, "a",
		stack_in(map(GONE + 20, LIBRARY, 9 * START, SIZE, ENDED_NS), 8), 1);
	condense();
	assert_int_equal(samples.nr_stacks - 1, 3);
}

/* Addresses in memory without names are useless, and an attacker can make any number of them. */
static void condense__memory_that_has_ended(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		add(GONE + i, GONE + i, "a",
			stack_in(map(GONE + i, MEMORY, START, START * (i + 1), ENDED_NS), 8 * i),
			1);
	condense();
	assert_int_equal(samples.nr_stacks - 1, 1);
	assert_int_equal(samples.stacks[1].nr, 2);
}

static void condense__memory_with_a_perf_map(void **state)
{
	(void)state;
	processes_get(&ps, (uint32_t)getpid()); /* lives, and may still write a map */
	for (uint32_t i = 0; i < 10; i++)
		add(1, 1, "a",
			stack_in(map((uint32_t)getpid(), MEMORY, START, START, ENDED_NS), 8 * i),
			1);
	condense();
	assert_int_equal(samples.nr_stacks - 1, 10);
}

static void condense__pending_stacks(void **state)
{
	uint32_t stack = stack_in(map(GONE, LIBRARY, START, END - START, ENDED_NS), 0);
	uint32_t came = samples_pending(&samples), comes = samples_pending(&samples);
	struct condense c;

	(void)state;
	add(1, 1, "a", stack, 1);
	add(1, 1, "a", came, 2);
	add(1, 1, "a", comes, 4);
	samples_set_pending(&samples, came, stack);
	condense_begin(&c, &samples, &ps, max, NOW_NS);
	comes = condense_keep(&c, comes);
	stack = condense_keep(&c, stack);
	assert_int_equal(condense_keep(&c, came), stack);
	assert_int_equal(condense_keep(&c, 0), 0);
	condense_end(&c);
	assert_int_equal(samples.nr_rows - 1, 2);
	assert_int_equal(samples.rows[1].count, 3);
	assert_int_equal(samples.rows[1].key.user, stack);
	assert_int_equal(samples.rows[2].key.user, comes);
	assert_int_equal(samples_actual(&samples, comes), 0);
	samples_set_pending(&samples, comes, stack);
	condense();
	assert_int_equal(samples.nr_rows - 1, 1);
	assert_int_equal(samples.rows[1].count, 7);
}

/* Adds NR different kernel stacks of DEPTH frames, which differ at the leaf. */
static void add_deep(uint32_t user, uint32_t nr, uint32_t depth, uint64_t count)
{
	uint64_t frames[64];

	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < depth; k++)
			frames[k] = 0xffffffff81000000 + (k < 4 ? i << (4 - k) : 0) + k;
		struct sample_key key = {.task = samples_task(&samples, 1, 1, 1, "a"),
			.user = user,
			.kernel = samples_stack(&samples, frames, depth, STACK_KERNEL, 0)};

		samples_add(&samples, &key, count, count);
	}
}

static const struct sample_stack *only_short(uint64_t count)
{
	const struct sample_stack *found = NULL;

	for (size_t i = 1; i < samples.nr_rows; i++) {
		const struct sample_key *key = &samples.rows[i].key;
		const struct sample_stack *s =
			&samples.stacks[key->kernel ? key->kernel : key->user];

		if (samples.frames[s->first] != SAMPLE_RARE)
			continue;
		assert_null(found);
		assert_int_equal(samples.rows[i].count, count);
		found = s;
	}
	assert_non_null(found);
	return found;
}

static void condense__rare_stacks_lose_their_leaves(void **state)
{
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	add_deep(0, 5, 20, 9);
	add_deep(0, 1000, 30, 1);
	condense_to(few_rows, 100, NULL);
	assert_int_equal(total(), 5 * 9 + 1000);
	assert_int_equal(samples.nr_rows - 1, 6);
	const struct sample_stack *s = only_short(1000);

	assert_int_equal(
		s->nr, 1 + 16); /* of 30 frames, the largest power of two without the leaf */
	for (uint32_t i = 1; i < s->nr; i++)
		assert_int_equal(samples.frames[s->first + i], 0xffffffff81000000 + 30 - 17 + i);
	condense_note(&samples, &notes);
	assert_non_null(strstr(notes.buf, "1000 samples have stacks without"));
	strbuf_release(&notes);

	add_deep(0, 1000, 30, 1); /* again; they are added to the same stack */
	condense_to(few_rows, 100, NULL);
	assert_int_equal(samples.nr_rows - 1, 6);
	assert_ptr_equal(only_short(2000), &samples.stacks[samples.nr_stacks - 1]);
}

/* The depth of a user stack below them counts, too. */
static void condense__rare_stacks_of_two_parts(void **state)
{
	uint32_t user = stack_in(map(GONE, LIBRARY, START, END - START, INT64_MAX), 0);

	(void)state;
	add_deep(user, 1000, 19, 1);
	condense_to(few_rows, 10, &user);
	assert_int_equal(samples.nr_rows - 1, 1);
	assert_int_equal(samples.rows[1].key.user, user);
	assert_int_equal(only_short(1000)->nr, 1 + 14);

	add_deep(user, 1000, 4, 1); /* they differ in all frames except for the user stack */
	condense_to(few_rows, 100, NULL);
	assert_int_equal(total(), 2000);
	for (size_t i = 1; i < samples.nr_rows; i++)
		if (!samples.rows[i].key.kernel)
			assert_int_equal(samples.stacks[samples.rows[i].key.user].nr, 1 + 2);
	assert_true(samples.nr_rows - 1 <= 64);
}

/* The number of different stacks is not limited. */
static void condense__random_stacks(void **state)
{
	uint64_t frames[40], random = 1;

	(void)state;
	for (int round = 1; round <= 5; round++) {
		for (uint32_t i = 0; i < 2000; i++) {
			uint32_t nr = 1 + i % 40;

			for (uint32_t k = 0; k < nr; k++) {
				random = random * 6364136223846793005 + 1442695040888963407;
				frames[k] = samples_user_frame(
					NULL, k + 1 < nr ? random >> 20 : START, false);
			}
			add(1, 1, "a", samples_stack(&samples, frames, nr, STACK_USER, i % 3), 1);
		}
		condense_to(few_rows, 100, NULL);
		assert_true(samples.nr_rows - 1 <= few_rows.rows);
		assert_true(samples.nr_stacks - 1 <= few_rows.rows);
		assert_int_equal(total(), 2000 * round);
	}
}

/* Adds NR random stacks of several kinds, each to one of three threads, two of which have ended. */
static void add_random(uint64_t *random, uint32_t nr, uint32_t ended)
{
	const struct mapping *m = &ps.maps[ended];

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t depth = 1 + i % 30;
		uint64_t frames[30];

		for (uint32_t k = 0; k < depth; k++) {
			*random = *random * 6364136223846793005 + 1442695040888963407;
			frames[k] = samples_user_frame(
				m, m->start + (k + 1 < depth ? *random >> 62 << 8 : 0), k);
		}
		add(1 + i % 3, 1 + i % 3, "a",
			samples_stack(&samples, frames, depth, STACK_USER, i % 2), 1 + i % 7 / 6);
	}
}

/* Adds what is condensed by the following tests. Returns a mapping that has ended. */
static uint32_t add_mixture(uint64_t *random)
{
	uint32_t ended = map(GONE, LIBRARY, START, END - START, ENDED_NS);

	for (int i = 0; i < 2; i++) /* equal stacks in two mappings become one */
		add_random(&(uint64_t){7}, 300,
			i ? ended : map(GONE + 1, LIBRARY, END, END - START, ENDED_NS));
	add_random(random, 1000, ended);
	return ended;
}

/* Returns whether the rows A and B, of the samples OF_A and OF_B, have equal keys. */
static bool equal_keys(const struct samples *of_a, const struct samples *of_b,
	const struct sample_key *a, const struct sample_key *b)
{
	const struct sample_stack *s = &of_a->stacks[a->user], *t = &of_b->stacks[b->user];

	return of_a->tasks[a->task].tid == of_b->tasks[b->task].tid && s->nr == t->nr &&
	       s->end == t->end &&
	       !memcmp(of_a->frames + s->first, of_b->frames + t->first,
		       s->nr * sizeof(*of_a->frames));
}

/* Checks that A and B have the same rows, in any order. */
static void assert_same_rows(const struct samples *a, const struct samples *b)
{
	assert_int_equal(a->nr_rows, b->nr_rows);
	for (size_t i = 1; i < a->nr_rows; i++) {
		size_t k = 1;

		while (k < b->nr_rows && !equal_keys(a, b, &a->rows[i].key, &b->rows[k].key))
			k++;
		assert_in_range(k, 1, b->nr_rows - 1);
		assert_int_equal(a->rows[i].count, b->rows[k].count);
		assert_int_equal(a->rows[i].sum, b->rows[k].sum);
	}
}

/* Checks that A and B have the same rows, in the same order. */
static void assert_equal_rows(const struct samples *a, const struct samples *b)
{
	assert_int_equal(a->nr_rows, b->nr_rows);
	for (size_t i = 1; i < a->nr_rows; i++) {
		assert_memory_equal(&a->rows[i].key, &b->rows[i].key, sizeof(a->rows[i].key));
		assert_int_equal(a->rows[i].next, b->rows[i].next);
		assert_int_equal(a->rows[i].count, b->rows[i].count);
		assert_int_equal(a->rows[i].sum, b->rows[i].sum);
	}
}

/* Takes the samples away, so that others can be made. The caller releases them. */
static struct samples take_samples(void)
{
	struct samples taken = samples;

	samples_init(&samples);
	samples_event(&samples, &taken.events[0]);
	return taken;
}

/* How many rows are condensed at once makes no difference. */
static void condense__step_by_step(void **state)
{
	const struct condense_limits limits[] = {{1000, 5000}, few_rows};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		add_mixture(&(uint64_t){1});
		uint64_t before = total();

		condense_to(limits[i], SIZE_MAX, NULL);
		struct samples at_once = take_samples();

		add_mixture(&(uint64_t){1});
		condense_to(limits[i], 1, NULL);
		assert_int_equal(total(), before);
		assert_int_equal(samples.nr_stacks, at_once.nr_stacks);
		assert_int_equal(samples.nr_frames, at_once.nr_frames);
		assert_equal_rows(&samples, &at_once);
		assert_memory_equal(samples.frames, at_once.frames,
			samples.nr_frames * sizeof(*samples.frames));
		samples_release(&at_once);
		samples_release(&samples);
		samples_init(&samples);
		samples_event(
			&samples, &(struct sample_event){"on-cpu", "samples", "cpu", 1000, 1});
	}
}

/* Samples that are added between two steps are as good as the ones that were added before. */
static void condense__samples_between_steps(void **state)
{
	const struct condense_limits many_rows = {1000, 5000};
	uint64_t random = 1;
	struct condense c;

	(void)state;
	uint32_t ended = add_mixture(&random);

	condense_begin(&c, &samples, &ps, many_rows, NOW_NS);
	for (uint64_t again = 1; condense_step(&c, 100);) {
		add_random(&again, 50, ended); /* stacks that were added before */
		add_random(&random, 50, ended);
	}
	condense_end(&c);
	condense_to(many_rows, 100, NULL);
	assert_null(c.to);
	struct samples between = take_samples();

	random = 1;
	ended = add_mixture(&random);
	size_t nr = (samples.nr_rows - 2) / 100;

	for (uint64_t again = 1; nr; nr--) {
		add_random(&again, 50, ended);
		add_random(&random, 50, ended);
	}
	condense_to(many_rows, SIZE_MAX, NULL);
	assert_same_rows(&between, &samples);
	samples_release(&between);
}

static void condense__pending_stacks_between_steps(void **state)
{
	uint32_t stack = stack_in(map(GONE, LIBRARY, START, END - START, ENDED_NS), 0);
	uint32_t comes = samples_pending(&samples), lost = samples_pending(&samples);
	struct condense c;

	(void)state;
	add(1, 1, "a", stack, 1);
	add(1, 1, "a", comes, 2);
	add(1, 1, "a", lost, 4);
	condense_begin(&c, &samples, &ps, max, NOW_NS);
	comes = condense_keep(&c, comes);
	assert_true(condense_step(&c, 1));
	samples_set_pending(&samples, comes, samples.rows[1].key.user);
	assert_true(condense_step(&c, 1));
	add(1, 1, "a", comes, 8);
	condense_end(&c);
	condense();
	assert_int_equal(total(), 15);
	assert_int_equal(samples.nr_rows - 1, 2);
	assert_int_equal(samples.rows[1].count, 11);
	assert_int_equal(samples_actual(&samples, samples.rows[2].key.user), 0);
}

static void condense__what_is_not_copied_is_released(void **state)
{
	struct condense c;

	(void)state;
	add_mixture(&(uint64_t){1});
	condense_begin(&c, &samples, &ps, max, NOW_NS);
	assert_true(condense_step(&c, 10));
	condense_release(&c);
	condense_release(&c);
	assert_int_equal(samples.nr_rows - 1, 10);
}

static void condense__names_labels_and_losses_remain(void **state)
{
	const struct sample_name name = {.what = 5,
		.function = strpool_adds(&samples.strings, "f"),
		.file = strpool_adds(&samples.strings, "f.pl"),
		.line = 3};
	uint32_t first = samples_label(&samples, 0, "state", "S");
	uint32_t both = samples_label(&samples, first, "uri", "/");
	const uint64_t number = samples_name(&samples, &name);
	struct sample_key key = {.task = samples_task(&samples, 1, 1, 1, "a"),
		.vm = samples_stack(&samples, &number, 1, STACK_PERL, 0),
		.labels = both};

	(void)state;
	strpool_adds(&samples.strings, "nothing refers to it");
	samples_add(&samples, &key, 1, 9);
	samples.lost[LOST_SKIPPED] = 3;
	condense();
	assert_int_equal(samples.strings.nr - 1, 7);
	assert_int_equal(samples.labels[both].others, first);
	assert_string_equal(strpool_get(&samples.strings, samples.labels[both].value), "/");
	assert_string_equal(strpool_get(&samples.strings, samples.names[number].file), "f.pl");
	assert_int_equal(samples.rows[1].key.labels, both);
	assert_int_equal(samples.rows[1].sum, 9);
	assert_int_equal(samples.frames[0], number);
	assert_int_equal(samples.lost[LOST_SKIPPED], 3);
	assert_string_equal(samples.events[0].name, "on-cpu");
	assert_int_equal(samples_label(&samples, first, "uri", "/"), both);
	assert_int_equal(
		samples_name(&samples, &(struct sample_name){.what = 5,
					       .function = strpool_adds(&samples.strings, "f"),
					       .file = strpool_adds(&samples.strings, "f.pl"),
					       .line = 3}),
		number);
}

/* Wakers keep their stacks and names, also stacks that are still pending. */
static void condense__wakers(void **state)
{
	uint32_t library = map(1, LIBRARY, START, 0x1000, INT64_MAX);
	uint32_t pending = samples_pending(&samples);
	uint32_t near = samples_waker(&samples, stack_in(library, 0x10), 0, 0, "near");
	uint32_t far = samples_waker(&samples, pending, 0, 0, "far");
	struct sample_key key = {.task = samples_task(&samples, 1, 1, 1, "a"),
		.user = stack_in(library, 0x20),
		.waker = samples_wakers(&samples, (uint32_t[]){near, far}, 2)};

	(void)state;
	samples_add(&samples, &key, 1, 9);
	condense_to(max, 1, &pending);
	samples_set_pending(&samples, pending, stack_in(library, 0x30));

	const struct sample_stack *wakers = &samples.stacks[samples.rows[1].key.waker];

	assert_int_equal(wakers->kind, STACK_WAKER);
	assert_int_equal(wakers->nr, 2);
	const struct sample_stack *first = &samples.stacks[samples.frames[wakers->first]];
	const struct sample_stack *second = &samples.stacks[samples.frames[wakers->first + 1]];

	assert_int_equal(samples.frames[first->first + SAMPLE_WAKER_USER], stack_in(library, 0x10));
	assert_int_equal(samples_actual(&samples,
				 (uint32_t)samples.frames[second->first + SAMPLE_WAKER_USER]),
		stack_in(library, 0x30));
	assert_string_equal(
		strpool_get(&samples.strings,
			samples.names[samples.frames[second->first + SAMPLE_WAKER_COMM]].function),
		"far");
}

static void condense__when_it_is_due(void **state)
{
	size_t nr = 0;

	(void)state;
	for (; !condense_is_due(&samples); nr++)
		add(GONE, GONE + (uint32_t)nr, "a", 0, 1);
	assert_in_range(nr, 1 << 13, 1 << 17);
	condense();
	assert_false(condense_is_due(&samples));
	assert_int_equal(total(), nr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(condense__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(few_ended_threads_remain),
		TEST(the_smallest_of_many_are_summed),
		TEST(sums_of_a_process_that_runs_are_its_own),
		TEST(a_thread_with_many_names),
		TEST(many_rows_of_ended_threads),
		TEST(equal_stacks_of_ended_processes_are_one),
		TEST(memory_that_has_ended),
		TEST(memory_with_a_perf_map),
		TEST(pending_stacks),
		TEST(rare_stacks_lose_their_leaves),
		TEST(rare_stacks_of_two_parts),
		TEST(random_stacks),
		TEST(step_by_step),
		TEST(samples_between_steps),
		TEST(pending_stacks_between_steps),
		TEST(what_is_not_copied_is_released),
		TEST(names_labels_and_losses_remain),
		TEST(wakers),
		TEST(when_it_is_due),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
