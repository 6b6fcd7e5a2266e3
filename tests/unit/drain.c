/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and rows as the BPF programs store them, in real maps. */
#include "bpf_test.h"
#include "engine/bpf/drain.h"
#include "process/task.h"

static struct drain drain;
static struct stack_copies copies;
static struct samples samples;
static uint32_t epoch;
static uint64_t last_node;

static struct drain_map make_map(uint32_t key_size, uint32_t value_size, uint32_t max)
{
	return (struct drain_map){make_hash(key_size, value_size, max), max, true};
}

static void make(uint32_t max)
{
	samples_init(&samples);
	epoch = last_node = 0;
	drain = (struct drain){
		.samples = &samples, .copies = &copies, .epoch = &epoch, .spans = -1};
	stack_copies_init(&copies, NULL, NULL, &samples);
	for (int i = 0; i < 2; i++) {
		drain.maps[i].nodes = make_map(sizeof(struct node_key), sizeof(uint64_t), max);
		drain.maps[i].rows =
			make_map(sizeof(struct row_key), sizeof(struct row_value), max);
	}
	drain.nodes = make_outer(drain.maps[0].nodes.fd, 2);
	drain.rows = make_outer(drain.maps[0].rows.fd, 2);
	drain_init(&drain);
}

static void run(void)
{
	drain_switch(&drain);
	drain_read(&drain);
}

static void release(void)
{
	close(drain.nodes);
	close(drain.rows);
	drain_release(&drain);
	stack_copies_release(&copies);
	samples_release(&samples);
}

/* The number of a node, which may be new. */
static uint64_t node_number(const struct node_key *key)
{
	int map = drain.maps[epoch & 1].nodes.fd;
	uint64_t id;

	if (!bpf_map_lookup_elem(map, key, &id))
		return id;
	id = ++last_node;
	put(map, key, &id);
	return id;
}

/* As the programs do it: from the root, each node up to CHUNK frames nearer to the leaf. */
static uint64_t store(const uint64_t *frames, uint32_t nr, uint64_t parent)
{
	for (uint32_t done = 0; done < nr; done += CHUNK) {
		struct node_key key = {.parent = parent};

		for (uint32_t i = 0; i < CHUNK && done + i < nr; i++)
			key.frame[CHUNK - 1 - i] = frames[nr - 1 - done - i];
		parent = node_number(&key);
	}
	return parent;
}

static void add_row(uint64_t user, uint64_t kernel, uint32_t tid, uint64_t count)
{
	struct row_key key = {.tid = tid, .user = user, .kernel = kernel, .comm = "name"};
	struct row_value value = {count, 2 * count};

	put(drain.maps[epoch & 1].rows.fd, &key, &value);
}

static uint64_t frame(uint64_t which, uint64_t at)
{
	return 1ULL << 41 | which << 20 | at;
}

/* The NR frames of stack WHICH; all stacks share the 100 frames at the root. */
static void make_stack(uint64_t *frames, uint32_t nr, uint64_t which)
{
	for (uint32_t i = 0; i < nr; i++)
		frames[i] = frame(nr - i <= 100 ? 0 : which, nr - i);
}

static const struct sample_row *row_of(uint32_t tid)
{
	for (size_t i = 1; i < samples.nr_rows; i++)
		if (samples.tasks[samples.rows[i].key.task].tid == tid)
			return &samples.rows[i];
	fail_msg("no row of %u", tid);
	return NULL;
}

static const char *comm_of(const struct sample_row *row)
{
	return strpool_get(&samples.strings, samples.tasks[row->key.task].comm);
}

static void assert_stack(uint32_t number, const uint64_t *frames, uint32_t nr, unsigned end)
{
	const struct sample_stack *s = &samples.stacks[number];

	assert_int_equal(s->nr, nr);
	assert_int_equal(s->end, end);
	if (nr)
		assert_memory_equal(samples.frames + s->first, frames, nr * sizeof(*frames));
}

static bool is_empty(int map)
{
	struct node_key key;

	return bpf_map_get_next_key(map, NULL, &key) != 0;
}

static void drain__stacks_of_all_sizes(void **state)
{
	static const uint32_t sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 127, 1000, 2047, WALK_DEPTH};
	uint64_t frames[WALK_DEPTH];

	(void)state;
	make(4096);
	for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++) {
		make_stack(frames, sizes[i], i);
		add_row(store(frames, sizes[i], NODE_ROOT | WALK_ROOT), 0, i, i + 1);
	}
	run();
	assert_int_equal(epoch, 1);
	assert_int_equal(samples.nr_rows, 1 + ARRAY_LEN(sizes));
	for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++) {
		make_stack(frames, sizes[i], i);
		assert_stack(row_of(i)->key.user, frames, sizes[i], WALK_ROOT);
		assert_int_equal(row_of(i)->count, i + 1);
		assert_int_equal(row_of(i)->sum, 2 * (i + 1));
		assert_string_equal(comm_of(row_of(i)), "name");
	}
	assert_true(is_empty(drain.maps[0].nodes.fd) && is_empty(drain.maps[0].rows.fd));
	assert_int_equal(samples.lost[LOST_NO_BODY], 0);
	release();
}

/* Each differs in one frame from the first one, or in how it ended. */
static void drain__stacks_that_are_nearly_equal(void **state)
{
	enum { NR = 300, ENDS = WALK_ENDS };
	uint64_t frames[NR];

	(void)state;
	make(1 << 14);
	for (uint32_t i = 0; i < NR; i++) {
		make_stack(frames, NR, 1);
		frames[i] = frame(2, i);
		add_row(store(frames, NR, NODE_ROOT | WALK_ROOT), 0, i, 1);
	}
	make_stack(frames, NR, 1);
	for (uint32_t i = 0; i < ENDS; i++)
		add_row(store(frames, NR, NODE_ROOT | i), 0, NR + i, 1);
	add_row(store(frames, NR, NODE_ROOT | NODE_KERNEL), 0, NR + ENDS, 1);
	run();
	assert_int_equal(samples.nr_rows, 1 + NR + ENDS + 1);
	assert_int_equal(samples.nr_stacks, 1 + NR + ENDS + 1);
	for (uint32_t i = 0; i < NR; i++) {
		make_stack(frames, NR, 1);
		frames[i] = frame(2, i);
		assert_stack(row_of(i)->key.user, frames, NR, WALK_ROOT);
	}
	make_stack(frames, NR, 1);
	for (uint32_t i = 0; i < ENDS; i++)
		assert_stack(row_of(NR + i)->key.user, frames, NR, (enum walk_end)i);
	assert_int_equal(samples.stacks[row_of(NR + ENDS)->key.user].kind, STACK_KERNEL);
	release();
}

/* A completely full map: many entries share a bucket, and a batch ends inside one. */
static void drain__full_maps(void **state)
{
	static const uint32_t maxes[] = {1, 2, 3, 7, 64, 1000, 4093};

	(void)state;
	for (size_t m = 0; m < ARRAY_LEN(maxes); m++) {
		make(maxes[m]);
		for (int round = 0; round < 2; round++) {
			for (uint32_t i = 0; i < maxes[m]; i++) {
				uint64_t frames[1] = {frame(i, 1)};

				add_row(store(frames, 1, NODE_ROOT | WALK_ROOT), 0, i, 1);
			}
			run();
		}
		assert_int_equal(samples.lost[LOST_NO_BODY], 0);
		assert_int_equal(samples.nr_stacks, 1 + maxes[m]);
		assert_int_equal(samples.nr_rows, 1 + maxes[m]);
		for (uint32_t i = 1; i <= maxes[m]; i++)
			assert_int_equal(samples.rows[i].count, 2);
		release();
	}
}

static void drain__kernel_and_copies(void **state)
{
	uint64_t user[] = {frame(1, 1), frame(1, 2)};
	uint64_t kernel[] = {0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030};

	(void)state;
	make(64);
	add_row(store(user, 2, NODE_ROOT | WALK_DEEP), store(kernel, 3, NODE_ROOT | NODE_KERNEL), 1,
		1);
	add_row(0, store(kernel, 3, NODE_ROOT | NODE_KERNEL), 2, 1);
	add_row(STACK_COPY | 77, 0, 3, 1);
	add_row(0, 0, 4, 1);
	run();
	assert_stack(row_of(1)->key.user, user, 2, WALK_DEEP);
	assert_stack(row_of(1)->key.kernel, kernel, 3, WALK_ON);
	assert_int_equal(row_of(2)->key.kernel, row_of(1)->key.kernel);
	assert_int_equal(row_of(2)->key.user, 0);
	assert_int_equal(row_of(3)->key.user, stack_copies_stack(&copies, STACK_COPY | 77));
	assert_int_equal(samples_actual(&samples, row_of(3)->key.user), 0);
	assert_int_equal(row_of(4)->key.user, 0);
	release();
}

/* A row may be read one switch after its stack; one without its stack counts as lost. */
static void drain__rows_without_stacks(void **state)
{
	uint64_t frames[40];
	uint64_t id;

	(void)state;
	make(64);
	make_stack(frames, 40, 1);
	id = store(frames, 40, NODE_ROOT | WALK_ROOT);
	run();
	assert_int_equal(samples.nr_rows, 1);
	add_row(id, 0, 1, 5);
	run();
	assert_stack(row_of(1)->key.user, frames, 40, WALK_ROOT);
	assert_int_equal(samples.lost[LOST_NO_BODY], 0);
	add_row(id, 0, 1, 5);
	run();
	assert_int_equal(samples.lost[LOST_NO_BODY], 5);
	add_row(12345, 0, 1, UINT64_MAX);
	add_row(0, 12345, 1, 5);
	run();
	assert_int_equal(samples.lost[LOST_NO_BODY], UINT64_MAX);
	assert_int_equal(samples.nr_rows, 2);
	release();
}

/* After many switches the sums equal what was added. */
static void drain__tasks_without_user_stack(void **state)
{
	static const unsigned ends[] = {
		[NO_STACK_KERNEL_THREAD] = SAMPLE_KERNEL_THREAD,
		[NO_STACK_EXITING] = SAMPLE_EXITING,
		[NO_STACK_EXECVE] = SAMPLE_EXECVE,
	};

	(void)state;
	make(8);
	for (uint32_t i = 0; i < ARRAY_LEN(ends); i++)
		add_row(STACK_NONE | i, 0, i, 1);
	run();
	for (uint32_t i = 0; i < ARRAY_LEN(ends); i++)
		assert_stack(row_of(i)->key.user, NULL, 0, ends[i]);
	assert_int_equal(samples.lost[LOST_NO_BODY], 0);
	release();
}

static void drain__again_and_again(void **state)
{
	uint64_t frames[200], added = 0, kept = 0;

	(void)state;
	make(512);
	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < 20; i++) {
			uint32_t nr = 101 + (round * 7 + i * 13) % 90;

			make_stack(frames, nr, i);
			add_row(store(frames, nr, NODE_ROOT | WALK_ROOT), 0, i, i + 1);
			added += i + 1;
		}
		run();
	}
	for (size_t i = 1; i < samples.nr_rows; i++)
		kept += samples.rows[i].count;
	assert_int_equal(kept, added);
	assert_int_equal(epoch, 50);
	release();
}

/* A span that ends during a read adds to a row of the next read, when its nodes have gone. */
static void drain__span_that_ends_during_a_read(void **state)
{
	const struct span_key key = {0};
	uint64_t frames[40];
	struct span span = {0};

	(void)state;
	make(64);
	drain.spans = make_hash(sizeof(struct span_key), sizeof(struct span), 8);
	drain.nr_spans = 8;
	make_stack(frames, 40, 1);
	span.row.user = store(frames, 40, NODE_ROOT | WALK_ROOT);
	put(drain.spans, &key, &span);
	for (int i = 0; i < 3; i++)
		run();
	drain_switch(&drain);
	assert_int_equal(bpf_map_delete_elem(drain.spans, &key), 0);
	add_row(span.row.user, 0, 1, 5);
	drain_read(&drain);
	assert_int_equal(samples.nr_rows, 1);
	run();
	assert_int_equal(samples.lost[LOST_NO_BODY], 0);
	assert_stack(row_of(1)->key.user, frames, 40, WALK_ROOT);
	assert_int_equal(row_of(1)->count, 5);
	close(drain.spans);
	release();
}

/* Two threads had no later stack. */
static void drain__delayed(void **state)
{
	struct delayed left[] = {
		{.start = 70000000, .tid = 3, .tgid = 2, .comm = "one", .pc = 0x401234, .count = 5},
		{.start = 89999999, .tid = 4, .tgid = 2, .comm = "two", .pc = 0x401234, .count = 1},
	};
	int map = make_hash(sizeof(uint32_t), sizeof(struct delayed), DELAYED_MAX);
	uint64_t frame = walk_frame(NULL, 0x401234, false);

	(void)state;
	make(64);
	for (size_t i = 0; i < ARRAY_LEN(left); i++)
		put(map, &left[i].tid, &left[i]);
	drain.slices = (struct slices){1000, 50};
	drain_delayed(&drain, map, 1100);
	for (size_t i = 0; i < ARRAY_LEN(left); i++) {
		const struct sample_row *row = row_of(left[i].tid);

		assert_int_equal(row->count, left[i].count);
		assert_int_equal(row->sum, left[i].count);
		assert_int_equal(
			samples.tasks[row->key.task].start, left[i].start / task_tick_ns());
		assert_string_equal(comm_of(row), left[i].comm);
		assert_stack(row->key.user, &frame, 1, WALK_BUSY);
		size_t nr;
		struct series_item *series = series_list(&samples.series, row->series, &nr);

		assert_int_equal(nr, 1);
		assert_int_equal(series[0].slice, 2);
		free(series);
	}
	assert_true(is_empty(map));
	close(map);
	release();
}

/* Adds NR rows with different stacks of one node. */
static void add_different(uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t leaf = frame(i + 1, 0);

		add_row(store(&leaf, 1, NODE_ROOT | WALK_ROOT), 0, i + 1, 1);
	}
}

static void drain__a_map_grows_when_it_is_nearly_full(void **state)
{
	(void)state;
	make(64);
	drain.size_max = 300;
	assert_false(drain_is_half_full(&drain, 32, 32));
	assert_true(drain_is_half_full(&drain, 33, 32));
	assert_true(drain_is_half_full(&drain, 32, 33));
	add_different(48);
	run();
	assert_int_equal(drain.maps[0].nodes.size, 64);
	add_different(49); /* to the second pair */
	run();
	assert_int_equal(drain.maps[1].nodes.size, 128);
	assert_int_equal(drain.maps[1].rows.size, 128);
	add_different(64);
	run();
	assert_int_equal(drain.maps[0].nodes.size, 256);
	add_different(128);
	run();
	assert_int_equal(drain.maps[1].nodes.size, 300);
	add_different(256);
	run();
	add_different(300);
	run();
	assert_int_equal(drain.maps[1].nodes.size, 300);
	assert_int_equal(samples.nr_rows - 1, 300);
	for (uint32_t tid = 1; tid <= 300; tid++) {
		uint64_t leaf = frame(tid, 0);
		const struct sample_row *row = row_of(tid);
		uint64_t times =
			1 + (tid <= 256) + (tid <= 128) + (tid <= 64) + (tid <= 49) + (tid <= 48);

		assert_int_equal(row->count, times);
		assert_stack(row->key.user, &leaf, 1, WALK_ROOT);
	}
	release();
}

static void drain__a_map_keeps_its_size(void **state)
{
	(void)state;
	make(64);
	add_different(64);
	run();
	assert_int_equal(drain.maps[0].nodes.size, 64);
	release();
}

#define TEST(name) cmocka_unit_test(drain__##name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stacks_of_all_sizes),
		TEST(stacks_that_are_nearly_equal),
		TEST(full_maps),
		TEST(kernel_and_copies),
		TEST(rows_without_stacks),
		TEST(tasks_without_user_stack),
		TEST(again_and_again),
		TEST(span_that_ends_during_a_read),
		TEST(delayed),
		TEST(a_map_grows_when_it_is_nearly_full),
		TEST(a_map_keeps_its_size),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
