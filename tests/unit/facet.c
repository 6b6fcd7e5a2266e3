/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When facets look at processes, and what is kept of what they find. */
#include "process/facet.h"
#include "lib/util.h"
#include "process/process.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { SECOND = 1000000000 };

static struct processes ps;
static struct facet facet;
static struct facets facets;

/* What the facet finds, and what it was asked. */
static enum facet_state result;
static enum facet_again again;
static int nr_looks, nr_cleared, found_at;

static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	(void)f;
	if (++nr_looks == found_at)
		result = FACET_FOUND;
	if (result == FACET_FOUND)
		*(int *)e->data = (int)p->pid;
	if (result == FACET_REFUSED)
		strbuf_adds(why, "it is closed");
	e->again = again;
	return result;
}

static void clear(struct facet *f, struct facet_entry *e)
{
	(void)f;
	nr_cleared += *(int *)e->data != 0;
}

static const struct facet_ops eager = {
	.size = sizeof(int), .is_eager = true, .look = look, .clear = clear};
static const struct facet_ops patient = {
	.size = sizeof(int), .is_patient = true, .look = look, .clear = clear};

/* This process is the only one. */
static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	processes_get(&ps, (uint32_t)getpid());
	facet_init(&facet, &eager, "a thing", &ps);
	facets = (struct facets){0};
	facets_add(&facets, &facet);
	result = FACET_FOUND;
	again = FACET_NEVER;
	nr_looks = nr_cleared = found_at = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	facet_release(&facet);
	processes_release(&ps);
	return 0;
}

static struct facet_entry *entry(void)
{
	return facet_known(&facet, (uint32_t)getpid());
}

/* As if NS had passed since the last look. */
static void pass(int64_t ns)
{
	entry()->looked_ns -= ns;
	entry()->began_ns -= ns;
	facet.youngest_ns -= ns;
}

static void facet__looks_at_changes(void **state)
{
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	assert_null(facet_known(&facet, pid));
	assert_true(facets_update(&facets));
	assert_int_equal(nr_looks, 1);
	assert_true(facet.any);
	assert_int_equal(*(int *)facet_found(&facet, pid)->data, pid);
	assert_ptr_equal(facet_process(&facet, entry()), ps.list);
	pass(2LL * SECOND);
	assert_false(facets_update(&facets));
	assert_int_equal(nr_looks, 1);
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	assert_int_equal(nr_looks, 2);
	facet_current(&facet, ps.list);
	assert_int_equal(nr_looks, 2);
}

static void facet__looks_again(void **state)
{
	(void)state;
	again = FACET_WHILE_YOUNG;
	facets_update(&facets);
	facets_update(&facets);
	assert_int_equal(nr_looks, 1);
	pass(SECOND / 10);
	facets_update(&facets);
	assert_int_equal(nr_looks, 2);
	pass(10LL * SECOND);
	facets_update(&facets);
	assert_int_equal(nr_looks, 3); /* the last look */
	assert_int_equal(facet.nr_again, 0);
	facets_update(&facets);
	assert_int_equal(nr_looks, 3);
	again = FACET_LATER;
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	pass(SECOND / 10);
	facets_update(&facets);
	assert_int_equal(nr_looks, 4);
	pass(10LL * SECOND);
	facets_update(&facets);
	assert_int_equal(nr_looks, 5);
	entry()->look_took_ns = 1LL * SECOND; /* a hundred seconds are to pass */
	pass(10LL * SECOND);
	facets_update(&facets);
	assert_int_equal(nr_looks, 5);
}

/* A runtime that is never initialised is asked more and more rarely; its file makes it young. */
static void facet__early(void **state)
{
	(void)state;
	result = FACET_NONE;
	facets_update(&facets);
	pass(100LL * SECOND);
	result = FACET_EARLY;
	again = FACET_SOON;
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	assert_int_equal(nr_looks, 2);
	pass(SECOND / 10);
	facets_update(&facets);
	assert_int_equal(nr_looks, 3);
	pass(100LL * SECOND);
	facets_update(&facets);
	assert_int_equal(nr_looks, 4);
	pass(5LL * SECOND);
	facets_update(&facets);
	assert_int_equal(nr_looks, 4);
	pass(20LL * SECOND);
	result = FACET_FOUND;
	again = FACET_NEVER;
	facets_update(&facets);
	assert_non_null(facet_found(&facet, (uint32_t)getpid()));
}

static void facet__refused(void **state)
{
	(void)state;
	result = FACET_REFUSED;
	facets_update(&facets);
	pass(SECOND / 10);
	facets_update(&facets);
	assert_int_equal(nr_looks, 2);
	char *line = xasprintf("process %d: it is closed\n", (int)getpid());

	assert_string_equal(facet.refusals.buf, line);
	facet.ops = &patient;
	strbuf_reset(&facet.refusals);
	facets_executed(&facets, (uint32_t)getpid());
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	assert_string_equal(facet.refusals.buf, "");
	pass(10LL * SECOND);
	facets_update(&facets);
	assert_string_equal(facet.refusals.buf, line);
	/* what was found stays, although it cannot be read for once */
	facets_executed(&facets, (uint32_t)getpid());
	result = FACET_FOUND;
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	result = FACET_REFUSED;
	process_mark_changed(&ps, ps.list);
	facets_update(&facets);
	assert_non_null(facet_found(&facet, (uint32_t)getpid()));
	free(line);
}

static void facet__processes_come_and_go(void **state)
{
	uint32_t pid = (uint32_t)getpid(), child = 4194305; /* no process has it */

	(void)state;
	facets_update(&facets);
	facet_inherit(&facet, pid, child);
	assert_non_null(facet_found(&facet, child));
	facets_executed(&facets, pid);
	assert_int_equal(nr_cleared, 1);
	assert_null(facet_found(&facet, pid));
	facets_update(&facets);
	assert_non_null(facet_found(&facet, pid));
	/* another process has its number by now */
	entry()->process++;
	assert_int_equal(facet_entry(&facet, ps.list)->state, FACET_NEW);
	assert_int_equal(nr_cleared, 2);
	facets_sweep(&facets);
	assert_non_null(entry());
	assert_null(facet_known(&facet, child));
	assert_int_equal(facet.nr, 1);
}

/* ---- processes that execute another program, of which the recorder has not read the event ---- */

struct child {
	pid_t pid;
	int to, from; /* pipes: a byte makes it execute cat, which answers other bytes */
};

static struct child fork_child(void)
{
	int to[2], from[2];
	char byte;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		fail();
	pid_t pid = fork();

	if (!pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		if (read(0, &byte, 1) == 1)
			execlp("cat", "cat", NULL);
		_exit(1);
	}
	assert_true(pid > 0);
	close(to[0]);
	close(from[1]);
	return (struct child){pid, to[1], from[0]};
}

/* Returns when the child runs cat. */
static void make_it_execute(const struct child *c)
{
	char byte = 0;

	assert_int_equal(write(c->to, "xx", 2), 2);
	assert_int_equal(read(c->from, &byte, 1), 1);
	assert_int_equal(byte, 'x');
}

static void end_child(const struct child *c)
{
	close(c->to);
	close(c->from);
	assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
}

static const void *value(struct facet *f, const struct facet_entry *e)
{
	(void)f;
	return e->data;
}

static const struct facet_ops published = {
	.size = sizeof(int), .is_eager = true, .look = look, .value = value};

/* Publishes the facet from now on. Skips the test if there are no BPF maps. */
static void start(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, sizeof(uint32_t), sizeof(int), 8, NULL);

	if (map < 0)
		skip();
	facet.ops = &published;
	facet_start(&facet, map);
}

static bool is_published(pid_t pid)
{
	int found;

	return !bpf_map_lookup_elem(facet.map, &pid, &found);
}

static void facet__is_not_published_for_another_program(void **state)
{
	(void)state;
	start();
	struct child child = fork_child();
	struct process *p = processes_get(&ps, (uint32_t)child.pid);

	facets_update(&facets);
	assert_true(is_published(child.pid));
	make_it_execute(&child);
	/* memory at the addresses of the last program cannot be read */
	result = FACET_REFUSED;
	process_mark_changed(&ps, p);
	facets_update(&facets);
	assert_false(is_published(child.pid));
	assert_null(facet_found(&facet, (uint32_t)child.pid));
	/* the next look is at the new program */
	result = FACET_FOUND;
	process_mark_changed(&ps, p);
	facets_update(&facets);
	assert_true(is_published(child.pid));
	facets_ended(&facets, (uint32_t)child.pid);
	assert_false(is_published(child.pid));
	end_child(&child);
	close(facet.map);
}

static void facet__is_inherited_by_the_same_program(void **state)
{
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	start();
	facets_update(&facets);
	struct child child = fork_child();

	facet_inherit(&facet, pid, (uint32_t)child.pid);
	assert_true(is_published(child.pid));
	make_it_execute(&child);
	facet_inherit(&facet, pid, (uint32_t)child.pid);
	assert_false(is_published(child.pid));
	end_child(&child);
	close(facet.map);
}

/* What was found before the recording may be in another program when it begins. */
static void facet__starts_with_the_same_programs(void **state)
{
	(void)state;
	struct child child = fork_child();

	facet.ops = &published;
	processes_get(&ps, (uint32_t)child.pid);
	facets_update(&facets);
	make_it_execute(&child);
	start();
	assert_true(is_published(getpid()));
	assert_false(is_published(child.pid));
	end_child(&child);
	close(facet.map);
}

static void facet__must_be_somewhere(void **state)
{
	struct strbuf err = STRBUF_INIT;

	(void)state;
	result = FACET_NONE;
	assert_int_equal(facet_look_at_all(&facet, false, &err), 0);
	assert_int_equal(facet_look_at_all(&facet, true, &err), 1);
	assert_string_equal(err.buf, "");
	result = FACET_REFUSED;
	assert_int_equal(facet_look_at_all(&facet, true, &err), -1);
	assert_non_null(strstr(err.buf, ": it is closed"));
	result = FACET_FOUND;
	assert_int_equal(facet_look_at_all(&facet, true, &err), 0);
	strbuf_release(&err);
}

/* What runs in a process that has just started may not be initialised yet. */
static void facet__waits_for_a_new_process(void **state)
{
	struct strbuf err = STRBUF_INIT;

	(void)state;
	ps.list[0].start = task_start_at(monotonic_ns());
	result = FACET_NONE;
	found_at = 4;
	assert_int_equal(facet_look_at_all(&facet, true, &err), 0);
	ps.list[0].start = 1;
	entry()->state = result = FACET_NONE;
	facet.any = false;
	assert_int_equal(facet_look_at_all(&facet, true, &err), 1);
	assert_int_equal(nr_looks, 5);
	strbuf_release(&err);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facet__looks_at_changes),
		TEST(facet__looks_again),
		TEST(facet__early),
		TEST(facet__refused),
		TEST(facet__processes_come_and_go),
		TEST(facet__is_not_published_for_another_program),
		TEST(facet__is_inherited_by_the_same_program),
		TEST(facet__starts_with_the_same_programs),
		TEST(facet__must_be_somewhere),
		TEST(facet__waits_for_a_new_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
