/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/untrusted/sandbox.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { MEMORY = 64 << 20, FILE_SIZE = 1 << 20 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Runs CHECK in a sandbox; returns whether it returned true. */
static bool holds(bool (*check)(void), bool no_files)
{
	const struct sandbox sandbox = {
		.cpu_s = 10, .memory = MEMORY, .file_size = FILE_SIZE, .no_files = no_files};
	pid_t pid = fork();
	int status;

	if (!pid) {
		sandbox_enter(&sandbox);
		_exit(check() ? EXIT_OK : EXIT_FAILED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
}

static bool can_open(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	return fd >= 0;
}

static bool can_write_files(void)
{
	return open("/dev/null", O_WRONLY) >= 0 || open("/tmp/x", O_RDWR | O_CREAT, 0600) >= 0;
}

static bool can_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(EXIT_OK);
	return pid > 0;
}

static bool can_connect(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static bool can_execute_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static bool has_rights(void)
{
	return !geteuid() || !setuid(0);
}

static bool allocates_some(void)
{
	volatile char *some = malloc(MEMORY / 2);

	return some && !(*some = 0);
}

static bool allocates_much(void)
{
	volatile char *much = malloc(2 * MEMORY);

	return much && !(*much = 0);
}

static bool writes_memfd(void)
{
	int fd = memfd_create("some", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd >= 0 && write(fd, "some", 4) == 4 && !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE);
}

static bool writes_large_file(void)
{
	int fd = memfd_create("large", MFD_CLOEXEC);

	return !ftruncate(fd, FILE_SIZE + 1) || errno != EFBIG;
}

static void sandbox__lets_computing_go_on(void **state)
{
	(void)state;
	assert_true(holds(allocates_some, true));
	assert_true(holds(writes_memfd, true));
	assert_true(holds(can_open, false));
}

static void sandbox__limits(void **state)
{
	(void)state;
	assert_false(holds(writes_large_file, true));
	assert_false(holds(has_rights, true));
	if (!SANITIZED)
		assert_false(holds(allocates_much, true));
}

static void sandbox__refuses_system_calls(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	assert_false(holds(can_open, true));
	assert_false(holds(can_write_files, false));
	assert_false(holds(can_write_files, true));
	assert_false(holds(can_fork, false));
	assert_false(holds(can_connect, false));
	assert_false(holds(can_execute_memory, false));
}

static bool has_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void sandbox__detaches(void **state)
{
	int status;

	(void)state;
	pid_t pid = fork();

	if (!pid) {
		void *shared =
			mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		int other = fcntl(0, F_DUPFD, 100), kept = sandbox_detach(fcntl(0, F_DUPFD, 50));

		_exit(has_open(kept) && !has_open(other) && !has_open(50) &&
					msync(shared, 4096, MS_ASYNC)
				? EXIT_OK
				: EXIT_FAILED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Starts a child in a sandbox that waits for the end of IDLE, and sends its user to *UID. */
static pid_t start_idle(const int idle[2], uid_t *uid)
{
	const struct sandbox sandbox = {.cpu_s = 10, .memory = MEMORY, .file_size = FILE_SIZE};
	int from[2];
	char byte;

	assert_int_equal(pipe(from), 0);
	pid_t pid = fork();

	if (!pid) {
		close(idle[1]);
		sandbox_enter(&sandbox);
		*uid = geteuid();
		if (write(from[1], uid, sizeof(*uid)) == sizeof(*uid))
			_exit((int)read(idle[0], &byte, 1));
		_exit(EXIT_FAILED);
	}
	assert_int_equal(read(from[0], uid, sizeof(*uid)), sizeof(*uid));
	close(from[0]);
	close(from[1]);
	return pid;
}

/* Returns whether a process of the user UID may send signals to PID. */
static bool may_signal(uid_t uid, pid_t pid)
{
	int status;
	pid_t sender = fork();

	if (!sender)
		_exit(setresuid(uid, uid, uid) || kill(pid, 0) ? EXIT_FAILED : EXIT_OK);
	assert_int_equal(waitpid(sender, &status, 0), sender);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
}

/* Each child of root's has a user of its own, which no service has. */
static void sandbox__is_out_of_reach(void **state)
{
	enum { NOBODY = 65534 };
	uid_t uids[2];
	pid_t pids[2];
	int idle[2];

	(void)state;
	if (geteuid() || getenv("SUDO_UID"))
		skip();
	assert_int_equal(pipe(idle), 0);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		pids[i] = start_idle(idle, &uids[i]);
	assert_int_not_equal(uids[0], uids[1]);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		assert_false(may_signal(NOBODY, pids[i]));
		assert_false(may_signal(uids[!i], pids[i]));
		assert_true(may_signal(uids[i], pids[i]));
	}
	close(idle[1]);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	close(idle[0]);
}

/* Starts a child in a sandbox that holds an end of ENDS until it is killed; its parent ends when it
 * is ready. */
static void leave_behind(const int ends[2])
{
	const struct sandbox sandbox = {.cpu_s = 10, .memory = MEMORY, .file_size = FILE_SIZE};
	int ready[2];
	char byte;

	if (pipe(ready))
		_exit(EXIT_FAILED);
	if (fork()) {
		close(ready[1]);
		_exit(read(ready[0], &byte, 1) == 1 ? EXIT_OK : EXIT_FAILED);
	}
	sandbox_enter(&sandbox);
	if (write(ready[1], "r", 1) == 1)
		while (read(ends[0], &byte, 1) >= 0)
			;
	_exit(EXIT_FAILED);
}

static void sandbox__ends_with_its_parent(void **state)
{
	int ends[2], status;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid_t pid = fork();

	if (!pid) {
		close(ends[1]);
		leave_behind(ends);
	}
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK);
	struct pollfd fd = {.fd = ends[1], .events = POLLIN};

	assert_int_equal(poll(&fd, 1, 30000), 1);
	assert_true(fd.revents & POLLHUP);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sandbox__lets_computing_go_on),
		cmocka_unit_test(sandbox__limits),
		cmocka_unit_test(sandbox__refuses_system_calls),
		cmocka_unit_test(sandbox__detaches),
		cmocka_unit_test(sandbox__is_out_of_reach),
		cmocka_unit_test(sandbox__ends_with_its_parent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
