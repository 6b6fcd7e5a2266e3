/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/worker.h"
#include "lib/program.h"
#include "lib/untrusted/child.h"
#include "lib/util.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { JOBS = 40, LARGE = 3 << 20 };

struct job {
	int number;
	int fd;
	bool done, finished;
};

static bool prepare(void *arg)
{
	struct job *job = arg;

	job->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return true;
}

static bool prepare_nothing(void *arg)
{
	prepare(arg);
	return false;
}

static void finish(struct worker *w)
{
	struct job *job = w->arg;

	assert_false(job->finished);
	job->finished = true;
	job->done = w->end == WORKER_DONE;
	close(job->fd);
}

static void say_number(void *arg, struct strbuf *output)
{
	const struct job *job = arg;

	/* the prepared descriptor is open in this process; changes here are not visible in the
	 * parent */
	if (fcntl(job->fd, F_GETFD) >= 0)
		strbuf_addf(output, "%d", job->number);
}

static void say_much(void *arg, struct strbuf *output)
{
	(void)arg;
	for (int i = 0; i < LARGE; i++)
		strbuf_addch(output, (char)('a' + i % 26));
}

static void crash(void *arg, struct strbuf *output)
{
	(void)arg;
	strbuf_adds(output, "lost");
	__builtin_trap();
}

static void hang(void *arg, struct strbuf *output)
{
	(void)arg;
	(void)output;
	for (;;)
		poll(NULL, 0, -1);
}

static void spin(void *arg, struct strbuf *output)
{
	(void)output;
	for (volatile int *n = arg;;)
		++*n;
}

static void say_user(void *arg, struct strbuf *output)
{
	(void)arg;
	strbuf_addf(output, "%d", geteuid() == 0 || setuid(0) == 0);
}

static void stop(void *arg)
{
	(void)arg;
	raise(SIGSTOP);
}

static void die(void *arg)
{
	(void)arg;
	raise(SIGKILL);
}

static void say_process(void *arg, struct strbuf *output)
{
	(void)arg;
	strbuf_addf(output, "%d", getpid());
}

static void run(struct worker *list, struct job *jobs, size_t nr, unsigned seconds)
{
	for (size_t i = 0; i < nr; i++) {
		jobs[i] = (struct job){.number = (int)i};
		list[i].prepare = prepare;
		list[i].finish = finish;
		list[i].arg = &jobs[i];
		list[i].output = (struct strbuf)STRBUF_INIT;
	}
	workers_run(list, nr, seconds);
	for (size_t i = 0; i < nr; i++) {
		assert_true(jobs[i].finished);
		assert_int_equal(jobs[i].done, list[i].end == WORKER_DONE);
	}
}

static void worker__answers(void **state)
{
	struct worker list[JOBS] = {0};
	struct job jobs[JOBS];

	(void)state;
	for (int i = 0; i < JOBS; i++)
		list[i].work = i == 7 ? say_much : say_number;
	run(list, jobs, JOBS, 60);
	for (int i = 0; i < JOBS; i++) {
		assert_int_equal(list[i].end, WORKER_DONE);
		if (i == 7) {
			assert_int_equal(list[i].output.len, LARGE);
			assert_memory_equal(list[i].output.buf + 26000, "abc", 3);
		} else {
			assert_int_equal(atoi(list[i].output.buf), i);
			assert_true(list[i].output.len > 0);
		}
		strbuf_release(&list[i].output);
	}
	workers_run(NULL, 0, 1);
}

/* One worker crashes, one hangs, one spins: the others are not affected. */
static void worker__bad_ones_harm_nobody(void **state)
{
	struct worker list[5] = {{.work = say_number}, {.work = crash}, {.work = hang},
		{.work = spin}, {.work = say_number}};
	struct job jobs[5];
	const enum worker_end ends[] = {
		WORKER_DONE, WORKER_CRASHED, WORKER_LATE, WORKER_LATE, WORKER_DONE};

	(void)state;
	run(list, jobs, 5, 1);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		assert_int_equal(list[i].end, ends[i]);
		strbuf_release(&list[i].output);
	}
}

/* No file is blamed, and nothing waits. */
static void worker__is_stopped_or_killed_by_others(void **state)
{
	struct worker list[2] = {{.open = stop, .work = hang}, {.open = die, .work = hang}};
	struct strbuf notes = STRBUF_INIT;
	struct job jobs[2];

	(void)state;
	assert_false(child_note_signals(&notes));
	run(list, jobs, 2, 100000);
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		assert_int_equal(list[i].end, WORKER_SIGNALLED);
		strbuf_release(&list[i].output);
	}
	assert_true(child_note_signals(&notes));
	assert_non_null(strstr(notes.buf, "2 helper processes were stopped or killed"));
	assert_int_equal(program_end(EXIT_OK), EXIT_PARTIAL);
	assert_int_equal(program_end(EXIT_FAILED), EXIT_FAILED);
	strbuf_release(&notes);
}

static void worker__has_no_rights(void **state)
{
	struct worker list[1] = {{.work = say_user}};
	struct job jobs[1];

	(void)state;
	if (geteuid())
		skip();
	run(list, jobs, 1, 60);
	assert_string_equal(list[0].output.buf, "0");
	strbuf_release(&list[0].output);
}

static void worker__without_anything_to_read_is_no_process(void **state)
{
	struct worker w = {.prepare = prepare_nothing, .finish = finish, .work = say_process};
	struct job job = {0};

	(void)state;
	w.arg = &job;
	w.output = (struct strbuf)STRBUF_INIT;
	workers_run(&w, 1, 60);
	assert_true(job.done);
	assert_int_equal(atoi(w.output.buf), getpid());
	strbuf_release(&w.output);
}

static void worker__all_share_one_deadline(void **state)
{
	struct worker list[JOBS] = {0};
	struct job jobs[JOBS] = {0};
	int64_t began = monotonic_ns();
	size_t nr_finished = 0;

	(void)state;
	for (size_t i = 0; i < JOBS; i++)
		list[i] = (struct worker){.prepare = prepare,
			.work = hang,
			.finish = finish,
			.arg = &jobs[i],
			.output = STRBUF_INIT};
	workers_run_until(list, JOBS, 60, began + 1000000000);
	assert_true(monotonic_ns() - began < 20000000000);
	for (size_t i = 0; i < JOBS; i++) {
		assert_int_equal(list[i].end, WORKER_LATE);
		nr_finished += jobs[i].finished;
		strbuf_release(&list[i].output);
	}
	assert_in_range(nr_finished, 1, JOBS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worker__answers),
		cmocka_unit_test(worker__without_anything_to_read_is_no_process),
		cmocka_unit_test(worker__all_share_one_deadline),
		cmocka_unit_test(worker__bad_ones_harm_nobody),
		cmocka_unit_test(worker__is_stopped_or_killed_by_others),
		cmocka_unit_test(worker__has_no_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
