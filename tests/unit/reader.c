/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/reader.h"
#include "process/target.h"
#include "lib/strbuf.h"
#include "lib/untrusted/child.h"
#include "lib/util.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static uint32_t target; /* a child that sleeps */

static int start_target(void **state)
{
	(void)state;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	target = (uint32_t)pid;
	return pid < 0;
}

static int end_target(void **state)
{
	(void)state;
	kill((pid_t)target, SIGKILL);
	waitpid((pid_t)target, NULL, 0);
	reader_end();
	return 0;
}

static int work_double(void *room, int fd)
{
	int *number = room;

	*number *= 2;
	return fd;
}

static int work_forever(void *room, int fd)
{
	(void)room;
	(void)fd;
	for (;;)
		pause();
	return -1;
}

static int work_crash(void *room, int fd)
{
	(void)room;
	(void)fd;
	raise(SIGKILL);
	return -1;
}

static void assert_works(uint32_t pid)
{
	int *number = reader_room();

	assert_non_null(number);
	*number = 21;
	assert_true(reader_run(pid, work_double, NULL));
	assert_int_equal(*number, 42);
}

static void reader__shares_its_room_and_passes_files(void **state)
{
	int ours = open("/dev/null", O_RDWR), fd = ours;

	(void)state;
	assert_works(target);
	assert_non_null(reader_room());
	assert_true(reader_run(target, work_double, &fd));
	assert_true(fd >= 0 && fd != ours);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	close(ours);
}

static void reader__reads_memory(void **state)
{
	static const char text[] = "what parent and child have at the same place";
	char copy[sizeof(text)];
	const void *pages;

	(void)state;
	assert_true(reader_memory(target, (uintptr_t)text, copy, sizeof(copy)));
	assert_string_equal(copy, text);
	assert_false(reader_memory(target, 8, copy, sizeof(copy)));
	assert_int_equal(reader_pages(target, (uintptr_t)text & ~4095ULL, 1, &pages), 1);
	assert_memory_equal((const char *)pages + ((uintptr_t)text & 4095), text,
		4096 - ((uintptr_t)text & 4095) < sizeof(text) ? 1 : sizeof(text));
	assert_int_equal(reader_pages(target, 0, 4, &pages), 0);
}

/* Unreadable memory is 0, and the rest is read, over several requests and system calls. */
static void reader__reads_scattered_memory(void **state)
{
	enum { NR = 5000, SIZE = 1024 };
	static char bytes[SIZE];
	uint64_t *addresses = xcalloc(NR, sizeof(*addresses));
	char *copy = xcalloc(NR, SIZE);

	(void)state;
	memset(bytes, 'x', SIZE);
	end_target(NULL);
	start_target(NULL); /* the target has a copy of the bytes */
	for (size_t i = 0; i < NR; i++)
		addresses[i] = i % 7 == 3 ? 8 : (uintptr_t)bytes;
	assert_true(reader_scattered(target, addresses, NR, SIZE, copy));
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(copy[i * SIZE + i % SIZE], i % 7 == 3 ? 0 : 'x');
	free(addresses);
	free(copy);
}

/* Uses 100 ms of CPU time. */
static int work_long(void *room, int fd)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	(void)room;
	(void)fd;
	while (clock() < end)
		;
	return -1;
}

/* Otherwise, 1.2 s for one process would be too much. */
static void reader__forgives_between_two_looks(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		assert_true(reader_run(target, work_long, NULL));
		reader_forgive();
	}
}

static void reader__gives_up_a_process_that_does_not_answer(void **state)
{
	struct strbuf out = STRBUF_INIT;
	uint32_t other = (uint32_t)getpid();
	int fd = -1;

	(void)state;
	reader_describe(&out);
	assert_int_equal(out.len, 0);
	assert_works(target);
	for (int i = 0; i < 3; i++) {
		assert_non_null(reader_room());
		assert_false(reader_run(target, work_forever, &fd));
		assert_int_equal(fd, -1);
	}
	assert_non_null(reader_room());
	assert_false(reader_run(target, work_double, NULL));
	assert_works(other);
	reader_describe(&out);
	assert_non_null(strstr(out.buf, "4 reads were given up"));
	strbuf_release(&out);
}

static int work_stop(void *room, int fd)
{
	(void)room;
	(void)fd;
	raise(SIGSTOP);
	return -1;
}

/* The process whose memory was to be read is not blamed. */
static void reader__is_replaced_when_it_was_stopped(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_non_null(reader_room());
	assert_false(reader_run(target, work_stop, NULL));
	assert_works(target);
	reader_describe(&out);
	assert_int_equal(out.len, 0);
	assert_true(child_note_signals(&out));
	strbuf_release(&out);
}

static void reader__is_replaced_when_it_died(void **state)
{
	(void)state;
	assert_works(target);
	assert_false(reader_run(target, work_crash, NULL));
	assert_works(target);
	reader_end();
	assert_works(target);
}

/* A child of ours does not inherit our reader, but may start its own. */
static void reader__is_not_inherited(void **state)
{
	int status;

	(void)state;
	assert_works(target);
	pid_t pid = fork();

	if (!pid) {
		int *number = reader_room();

		*number = 1;
		bool worked = reader_run(target, work_double, NULL) && *number == 2;

		reader_end();
		_exit(worked ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_works(target);
}

/* Memory that ends at ROOM_END; its last bytes are the text to which CONTEXT points. */
enum { ROOM_END = 0x2000 };

static bool read_room(void *context, uint64_t address, void *to, size_t len)
{
	const char *text = context;
	size_t size = strlen(text) + 1;
	uint64_t start = ROOM_END - size;

	if (address < start || address + len > ROOM_END)
		return false;
	memcpy(to, text + (address - start), len);
	return true;
}

static int string_of(const char *text, char *to, uint32_t size)
{
	const struct memory m = {.read = read_room, .context = (void *)(uintptr_t)text};

	return memory_string(&m, ROOM_END - strlen(text) - 1, to, size);
}

static void memory__string(void **state)
{
	char text[200], to[200];
	const struct memory m = {.read = read_room, .context = text};

	(void)state;
	assert_int_equal(string_of("", to, sizeof(to)), 0);
	assert_string_equal(to, "");
	assert_int_equal(string_of("main", to, sizeof(to)), 4);
	assert_string_equal(to, "main");
	memset(text, 'x', sizeof(text));
	text[150] = '\0';
	assert_int_equal(string_of(text, to, sizeof(to)), 150);
	assert_string_equal(to, text);
	assert_int_equal(string_of(text, to, 151), 150);
	assert_int_equal(string_of(text, to, 100), 99);
	assert_int_equal(strlen(to), 99);
	assert_int_equal(memory_string(&m, 0x1000, to, sizeof(to)), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(reader__##name, start_target, end_target)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shares_its_room_and_passes_files),
		TEST(reads_memory),
		TEST(reads_scattered_memory),
		TEST(forgives_between_two_looks),
		TEST(is_replaced_when_it_died),
		TEST(is_replaced_when_it_was_stopped),
		TEST(is_not_inherited),
		TEST(gives_up_a_process_that_does_not_answer),
		cmocka_unit_test(memory__string),
	};

	alarm(100); /* a deadlock is a failure, too */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
