/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of this program's own stacks, unwound with its own tables and compared with backtrace(3).
 */
#include "engine/bpf/stack_copies.h"
#include "lib/util.h"

#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

enum { DEPTH_MAX = 4000, NUMBER = 1 };

static struct processes ps;
static struct loader loader;
static struct pool pool; /* without room: tables stay in user space */
static struct samples samples;
static struct stack_copies copies;
static size_t self; /* in ps.list */

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	self = (size_t)(processes_get(&ps, (uint32_t)getpid()) - ps.list);
	loader_init(&loader, &ps);
	free(loader.cache); /* so that each table has to be built */
	loader.cache = xstrdup("/nonexistent");
	loader.pool = &pool;
	loader.descs = xcalloc(TABLES_MAX, sizeof(*loader.descs));
	samples_init(&samples);
	stack_copies_init(&copies, &ps, &loader, &samples);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stack_copies_release(&copies);
	samples_release(&samples);
	free(loader.descs);
	loader_release(&loader);
	processes_release(&ps);
	return 0;
}

/* ---- records of the BPF programs ---- */

static struct ring_copy head;
static struct ring_page *pages; /* COPY_PAGES */
static void *judged[DEPTH_MAX];
static int nr_judged;

/* Takes the registers, in DWARF's numbering. */
static void take_registers(const ucontext_t *uc)
{
	static const int order[NR_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
		REG_R15, REG_RIP};

	for (int i = 0; i < NR_REGS; i++)
		head.reg[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
}

/* Copies the stack from the page of rsp on, up to its end. */
static void take_pages(void)
{
	uint64_t at = head.reg[REG_SP] & ~(COPY_PAGE - 1ULL);

	for (head.nr_pages = 0; head.nr_pages < COPY_PAGES; head.nr_pages++) {
		struct ring_page *p = &pages[head.nr_pages];
		struct iovec to = {p->bytes, COPY_PAGE};
		struct iovec from = {
			(void *)(uintptr_t)(at + head.nr_pages * COPY_PAGE), COPY_PAGE};

		*p = (struct ring_page){
			.type = RING_PAGE, .copy = head.copy, .index = head.nr_pages};
		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != COPY_PAGE)
			break;
	}
}

/* It is not inlined, so that it has a frame; its callers are compared. */
static __attribute__((noinline)) void take_stack(void)
{
	ucontext_t uc;

	head = (struct ring_copy){
		.type = RING_COPY, .copy = STACK_COPY | NUMBER, .tgid = (uint32_t)getpid()};
	head.time = (uint64_t)monotonic_ns();
	getcontext(&uc);
	take_registers(&uc);
	take_pages();
	nr_judged = backtrace(judged, DEPTH_MAX);
}

/* Adds PAD bytes to each frame; the compiler must not turn the recursion into a loop. */
static __attribute__((noinline)) int go_down(int depth, size_t pad, void (*bottom)(void))
{
	volatile char *room = __builtin_alloca(pad + 1);

	room[0] = (char)depth;
	if (depth)
		go_down(depth - 1, pad, bottom);
	else
		bottom();
	return room[0];
}

/* ---- the expected stacks ---- */

/* Pages may arrive in any order. */
static void give_pages(void)
{
	for (uint16_t i = head.nr_pages; i--;)
		if (pages[i].type == RING_PAGE)
			stack_copies_add_page(&copies, &pages[i]);
}

static void wait_for_tables(void)
{
	struct pollfd fds[BUILDERS_MAX];

	while (copies.nr) {
		assert_true(loader_nr_pending(&loader) > 0);
		assert_true(poll(fds, loader_poll(&loader, fds), 60000) > 0);
		if (loader_receive(&loader))
			stack_copies_unwind(&copies, false);
	}
}

/* Returns the stack of a copy, or 0 if it is still pending. */
static uint32_t stack_of_copy(uint64_t copy)
{
	return samples_actual(&samples, stack_copies_stack(&copies, copy));
}

static const struct sample_stack *unwound(void)
{
	uint32_t number = stack_of_copy(STACK_COPY | NUMBER);

	assert_true(number);
	return &samples.stacks[number];
}

static uint64_t address_of(uint64_t frame)
{
	assert_true(walk_frame_serial(frame));
	return ps.maps[(frame >> 41) - 1].start + (frame & ((1ULL << 40) - 1));
}

static bool is_call(uint64_t frame)
{
	return frame >> 40 & 1;
}

/* Checks that the callers of take_stack equal backtrace(3)'s, at least down to LAST of these. */
static void assert_judged(const struct sample_stack *s, int last)
{
	const uint64_t *frames = samples.frames + s->first;
	int at = 0;

	assert_true(s->nr > 2);
	assert_int_equal(address_of(frames[0]), head.reg[REG_PC]);
	assert_false(is_call(frames[0]));
	while (at < nr_judged && (uintptr_t)judged[at] != address_of(frames[1]))
		at++;
	assert_true(nr_judged - at >= last);
	for (uint32_t i = 1; i < s->nr && at < nr_judged; i++, at++)
		assert_int_equal(address_of(frames[i]), (uintptr_t)judged[at]);
	assert_true(s->end != WALK_ROOT || at == nr_judged);
}

static void unwind_and_judge(enum walk_end end, int last)
{
	give_pages();
	stack_copies_add(&copies, &head, self);
	wait_for_tables();
	assert_int_equal(unwound()->end, end);
	assert_judged(unwound(), last);
	assert_int_equal(copies.bytes, 0);
	assert_int_equal(copies.nr_parts, 0);
}

static void stack_copies__of_a_deep_place(void **state)
{
	(void)state;
	go_down(50, 0, take_stack);
	unwind_and_judge(WALK_ROOT, 50);
	go_down(50, 3000, take_stack);
	unwind_and_judge(WALK_ROOT, 50);
}

static void *in_thread(void *arg)
{
	go_down(20, 100, take_stack);
	return arg;
}

static void stack_copies__of_a_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
	unwind_and_judge(WALK_ROOT, 20);
}

static void *in_thread_with_room(void *arg)
{
	go_down(4, 5 * COPY_PAGE, take_stack);
	return arg;
}

/* Leaves out the pages that contain only zeros; returns how many these are. */
static int leave_out_empty_pages(void)
{
	static const unsigned char empty[COPY_PAGE];
	int nr = 0;

	for (uint16_t i = 0; i < head.nr_pages; i++)
		if (!memcmp(pages[i].bytes, empty, COPY_PAGE)) {
			pages[i].type = RING_COPY;
			nr++;
		}
	return nr;
}

/* A copy has no pages of a new stack that were never touched, and no rule needs them. */
static void stack_copies__with_pages_left_out(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread_with_room, NULL), 0);
	pthread_join(thread, NULL);
	assert_true(leave_out_empty_pages() >= 10);
	unwind_and_judge(WALK_ROOT, 4);
	/* the contents of missing pages that are needed are not made up */
	head.copy++;
	for (uint16_t i = 0; i < head.nr_pages; i++) {
		pages[i].copy = head.copy;
		if (i)
			pages[i].type = RING_COPY;
	}
	give_pages();
	stack_copies_add(&copies, &head, self);
	const struct sample_stack *s = &samples.stacks[stack_of_copy(head.copy)];

	assert_int_equal(s->end, WALK_NO_READ);
	assert_true(s->nr < unwound()->nr);
}

static void handle(int signal)
{
	(void)signal;
	go_down(3, 0, take_stack);
}

static void interrupt(void)
{
	raise(SIGUSR1);
}

static void stack_copies__through_a_signal(void **state)
{
	int calls = 0;

	(void)state;
	signal(SIGUSR1, handle);
	go_down(10, 0, interrupt);
	signal(SIGUSR1, SIG_DFL);
	unwind_and_judge(WALK_ROOT, 15);
	for (uint32_t i = 0; i < unwound()->nr; i++)
		calls += is_call(samples.frames[unwound()->first + i]);
	assert_int_equal(calls, unwound()->nr - 2); /* all but the leaf and the interrupted frame */
}

enum { TRAMPOLINE = 0x7fffffffe000 };

/* Replaces all return addresses ADDRESS by the trampoline of return probes. */
static void replace_returns(uint64_t address)
{
	uint64_t sp = head.reg[REG_SP], at = sp & ~(COPY_PAGE - 1ULL);

	head.trampoline = TRAMPOLINE;
	for (uint16_t i = 0; i < head.nr_pages; i++)
		for (int j = 0; j < COPY_PAGE; j += 8, at += 8) {
			uint64_t word;

			memcpy(&word, pages[i].bytes + j, 8);
			if (word != address || at < sp)
				continue;
			assert_true(head.nr_returns < COPY_RETURNS);
			head.returns[head.nr_returns].at = at;
			head.returns[head.nr_returns++].pc = address;
			word = TRAMPOLINE;
			memcpy(pages[i].bytes + j, &word, 8);
		}
}

static void stack_copies__with_return_probes(void **state)
{
	(void)state;
	go_down(4, 100, take_stack);
	replace_returns((uintptr_t)judged[2]);
	assert_true(head.nr_returns > 1);
	unwind_and_judge(WALK_ROOT, 6);
	/* one original address is not known */
	head.copy++;
	head.nr_returns--;
	for (uint16_t i = 0; i < head.nr_pages; i++)
		pages[i].copy = head.copy;
	give_pages();
	stack_copies_add(&copies, &head, self);
	const struct sample_stack *s = &samples.stacks[stack_of_copy(head.copy)];

	assert_int_equal(s->end, WALK_PROBED);
	assert_judged(s, 6);
	assert_true(s->nr < unwound()->nr);
}

static void stack_copies__deeper_than_a_stack_may_be(void **state)
{
	(void)state;
	go_down(3000, 0, take_stack);
	unwind_and_judge(WALK_DEEP, 3000);
	assert_int_equal(unwound()->nr, WALK_DEPTH);
}

static void stack_copies__larger_than_a_copy_may_be(void **state)
{
	(void)state;
	go_down(200, 8192, take_stack);
	assert_int_equal(head.nr_pages, COPY_PAGES);
	unwind_and_judge(WALK_DEEP, 200);
	assert_true(unwound()->nr > 50 && unwound()->nr < 70);
}

static void stack_copies__wait_for_tables(void **state)
{
	(void)state;
	go_down(5, 0, take_stack);
	for (uint32_t i = 0; i < 10; i++) {
		head.copy = STACK_COPY | (NUMBER + i);
		for (uint16_t k = 0; k < head.nr_pages; k++)
			pages[k].copy = head.copy;
		give_pages();
		stack_copies_add(&copies, &head, self);
	}
	assert_int_equal(copies.nr, 10);
	assert_int_equal(copies.bytes, 10 * (head.nr_pages + 1) * COPY_PAGE);
	assert_int_equal(stack_of_copy(STACK_COPY | NUMBER), 0);
	stack_copies_unwind(&copies, false);
	assert_int_equal(copies.nr, 10);
	wait_for_tables();
	for (uint32_t i = 0; i < 10; i++)
		assert_ptr_equal(
			&samples.stacks[stack_of_copy(STACK_COPY | (NUMBER + i))], unwound());
	assert_int_equal(unwound()->end, WALK_ROOT);
	assert_int_equal(stack_of_copy(STACK_COPY | (NUMBER + 10)), 0);
	assert_int_equal(copies.nr_copies, 10);
}

static void stack_copies__at_the_end_none_waits(void **state)
{
	(void)state;
	go_down(5, 0, take_stack);
	give_pages();
	stack_copies_add(&copies, &head, self);
	assert_int_equal(copies.nr, 1);
	stack_copies_unwind(&copies, true);
	assert_int_equal(copies.nr, 0);
	assert_int_equal(copies.bytes, 0);
	assert_int_equal(unwound()->end, WALK_PENDING);
	assert_int_equal(unwound()->nr, 1);
	assert_int_equal(address_of(samples.frames[unwound()->first]), head.reg[REG_PC]);
}

/* The builder has died: only frame pointers are left. */
static void stack_copies__without_tables(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < loader.nr_builders; i++)
		kill(loader.builders[i].pid, SIGKILL);
	go_down(5, 0, take_stack);
	give_pages();
	stack_copies_add(&copies, &head, self);
	for (int i = 0; copies.nr && i < 1000; i++) {
		if (loader_receive(&loader))
			stack_copies_unwind(&copies, false);
		usleep(1000);
	}
	assert_int_equal(copies.nr, 0);
	assert_true(unwound()->end != WALK_PENDING);
}

static void stack_copies__heads_without_pages(void **state)
{
	uint16_t nr;

	(void)state;
	go_down(50, 3000, take_stack);
	nr = head.nr_pages;
	head.nr_pages = 0;
	stack_copies_add(&copies, &head, self);
	wait_for_tables();
	assert_int_equal(unwound()->end, WALK_NO_READ);
	assert_int_equal(unwound()->nr, 1);
	/* more pages than the head says, and pages of other copies */
	head.copy++;
	for (uint16_t i = 0; i < nr; i++)
		pages[i].copy = head.copy + (i & 8 ? 1 : 0);
	head.nr_pages = 4;
	give_pages();
	for (uint16_t i = 0; i < nr; i++)
		stack_copies_add_page(&copies, &pages[i]);
	stack_copies_add(&copies, &head, self);
	const struct sample_stack *s = &samples.stacks[stack_of_copy(head.copy)];

	assert_int_equal(s->end, WALK_NO_READ);
	assert_judged(s, 50);
	assert_true(s->nr < 10);
	assert_true(copies.nr_parts > 0);
	/* pages whose head was lost are dropped in the end */
	for (int i = 0; i < 40000; i++)
		stack_copies_add_page(&copies, &pages[0]);
	assert_true(copies.nr_parts < 40000);
}

static void stack_copies__pcs_that_are_nowhere(void **state)
{
	static const uint64_t pcs[] = {0, 1, 0x1000, 1ULL << 47, UINT64_MAX};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(pcs); i++) {
		struct ring_copy none = {.type = RING_COPY,
			.copy = STACK_COPY | (NUMBER + i),
			.tgid = (uint32_t)getpid(),
			.time = (uint64_t)monotonic_ns()};

		none.reg[REG_PC] = none.reg[REG_SP] = pcs[i];
		stack_copies_add(&copies, &none, self);
		const struct sample_stack *s =
			&samples.stacks[stack_of_copy(STACK_COPY | (NUMBER + i))];

		assert_int_equal(s->end, WALK_NO_MAP);
		assert_int_equal(s->nr, 1);
		assert_int_equal(samples.frames[s->first], walk_frame(NULL, pcs[i], false));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(stack_copies__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_a_deep_place),
		TEST(of_a_thread),
		TEST(with_pages_left_out),
		TEST(through_a_signal),
		TEST(with_return_probes),
		TEST(deeper_than_a_stack_may_be),
		TEST(larger_than_a_copy_may_be),
		TEST(wait_for_tables),
		TEST(at_the_end_none_waits),
		TEST(without_tables),
		TEST(heads_without_pages),
		TEST(pcs_that_are_nowhere),
	};
	int failed;

	pages = xcalloc(COPY_PAGES, sizeof(*pages));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(pages);
	return failed;
}
