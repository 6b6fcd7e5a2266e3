/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that come before their tables: 64 processors, whose targets all have tables that take a
 * while. */
#include "engine/bpf/kern/backlog.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum {
	CPUS = 64,
	MS = 5000,     /* one tick a processor in each of them */
	READ_MS = 20,  /* between two reads of the ring by the recorder */
	RING_HEAD = 8, /* bytes before each record */
};

struct load {
	uint32_t processes; /* on which the threads, one a processor, are distributed */
	uint32_t pages;     /* of a stack */
	uint32_t ready_ms;  /* the tables of all processes are complete then */
};

/* What happened to all ticks. */
struct outcome {
	uint64_t walked, copied, delayed, left;
	uint64_t weight;      /* of the heaviest stack */
	uint64_t ring_most;   /* bytes */
	uint64_t most_copies; /* of a process in a second */
};

static uint64_t copy_bytes(const struct load *l)
{
	return (uint64_t)l->pages * (sizeof(struct ring_page) + RING_HEAD) +
	       sizeof(struct ring_copy) + RING_HEAD;
}

static struct outcome simulate(const struct load *l)
{
	static struct copy_quota copy_quotas[CPUS];
	static struct delayed backlog[CPUS];
	struct outcome o = {0};
	uint64_t in_ring = 0;

	memset(copy_quotas, 0, sizeof(copy_quotas));
	memset(backlog, 0, sizeof(backlog));
	for (uint64_t ms = 0; ms < MS; ms++) {
		if (ms % READ_MS == 0)
			in_ring = 0;
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct copy_quota *c = &copy_quotas[cpu % l->processes];
			uint64_t weight;

			if (ms >= l->ready_ms) {
				o.walked++;
			} else if (copy_quota_take(c, ms * 1000000) &&
				   in_ring + copy_bytes(l) <= backlog_ring(CPUS)) {
				o.copied++;
				in_ring += copy_bytes(l);
			} else {
				o.delayed++;
				backlog[cpu].count++;
				continue;
			}
			weight = 1 + backlog_take(&backlog[cpu]);
			o.weight = weight > o.weight ? weight : o.weight;
			o.ring_most = in_ring > o.ring_most ? in_ring : o.ring_most;
			o.most_copies = c->nr > o.most_copies ? c->nr : o.most_copies;
		}
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		o.left += backlog[cpu].count;
	return o;
}

static void backlog__64_processors(void **state)
{
	static const struct load loads[] = {
		{1, 3, 300},
		{64, 3, 300},
		{1, COPY_PAGES, 300},
		{64, COPY_PAGES, 300},
		{64, COPY_PAGES, 2500},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loads); i++) {
		struct outcome o = simulate(&loads[i]);

		assert_int_equal(o.walked + o.copied + o.delayed, (uint64_t)CPUS * MS);
		assert_int_equal(o.left, 0); /* nothing is cut */
		assert_true(o.copied > 0);
		assert_true(o.ring_most <= backlog_ring(CPUS));
		assert_true(o.most_copies <= COPIES_A_SECOND);
		/* no stack gets much more weight than its share of the missed ticks */
		assert_true(o.weight <= 2 + loads[i].ready_ms / BACKLOG_PART);
	}
}

/* If tables are there at once nothing waits; if they never come nothing is made up. */
static void backlog__at_once_and_never(void **state)
{
	struct outcome at_once = simulate(&(struct load){64, 3, 0});
	struct outcome never = simulate(&(struct load){1, 3, MS});

	(void)state;
	assert_int_equal(at_once.walked, (uint64_t)CPUS * MS);
	assert_int_equal(at_once.weight, 1);
	assert_int_equal(never.walked, 0);
	assert_int_equal(never.copied, COPIES_A_SECOND * MS / 1000);
	assert_true(never.left > 0 && never.left <= never.delayed);
}

static void backlog__is_used_up(void **state)
{
	struct delayed d = {.count = 1000};
	uint64_t sum = 0, nr;

	(void)state;
	for (int i = 0; (nr = backlog_take(&d)); i++) {
		assert_true(i < 1000);
		sum += nr;
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(d.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backlog__64_processors),
		cmocka_unit_test(backlog__at_once_and_never),
		cmocka_unit_test(backlog__is_used_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
