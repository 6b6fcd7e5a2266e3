/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helper.h"
#include "child.h"
#include "fdpass.h"
#include "lib/util.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 10 }; /* between two checks whether the helper has run */

/* Shared with the helper. */
struct helper_area {
	helper_work *work;
	int64_t waited_ns, used_ns; /* waiting time and CPU time of the last work */
	_Alignas(64) char room[];
};

static bool is_self;

/* ---- in the helper ---- */

/*
 * A blocked helper must not keep files open, because other processes may wait until they are
 * closed.
 */
static int close_others(int socket)
{
	if (dup2(socket, 0) < 0)
		return -1;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 1, UINT_MAX, 0))
		return 0;
#endif
	for (int fd = 1; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
	return 0;
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long nr_waits(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_nvcsw;
}

/*
 * On a busy machine all work takes long, but only work that waits for something gives up the
 * processor.
 */
static int run_work(struct helper_area *area, int fd)
{
	int64_t began = monotonic_ns(), used = cpu_ns();
	long waits = nr_waits();
	int result = area->work(area->room, fd);

	area->waited_ns = nr_waits() > waits ? monotonic_ns() - began : 0;
	area->used_ns = cpu_ns() - used;
	return result;
}

static __attribute__((noreturn)) void serve(struct helper_area *area, int socket, pid_t parent)
{
	uint32_t number;
	int fd;

	is_self = true;
	/* the owner still needs the helper after Ctrl-C, and ends it when it exits */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, -20); /* another process waits for it */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (close_others(socket) || getppid() != parent)
		_exit(EXIT_FAILED);
	while (fdpass_receive(0, &number, &fd, 0) > 0) {
		int result = run_work(area, fd);

		if (fdpass_send(0, number, result, 0))
			break;
		if (fd >= 0)
			close(fd);
		if (result >= 0)
			close(result);
	}
	_exit(EXIT_OK);
}

bool helper_is_self(void)
{
	return is_self;
}

/* ---- its life ---- */

static size_t size_of(const struct helper *h)
{
	return sizeof(struct helper_area) + h->room;
}

/* A child of the helper's owner inherits the helper, but must not use it. */
static void forget_inherited(struct helper *h)
{
	if (h->socket < 0 || h->owner == getpid())
		return;
	close(h->socket);
	h->socket = -1;
	h->area = NULL; /* not copied: MADV_DONTFORK */
}

static void map_area(struct helper *h)
{
	void *area = mmap(NULL, size_of(h), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	h->area = area == MAP_FAILED ? NULL : area;
}

static bool start(struct helper *h)
{
	pid_t parent = getpid();
	int pair[2];

	forget_inherited(h);
	if (h->socket >= 0)
		return true;
	if (!h->area)
		map_area(h);
	if (!h->area || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	madvise(h->area, size_of(h), MADV_DOFORK);
	h->pid = fork();
	if (!h->pid)
		serve(h->area, pair[1], parent);
	madvise(h->area, size_of(h), MADV_DONTFORK);
	close(pair[1]);
	if (h->pid < 0) {
		close(pair[0]);
		return false;
	}
	h->owner = parent;
	h->socket = pair[0];
	return true;
}

/*
 * Abandons the helper. Its end is not waited for, see child.h. It keeps its memory, where the
 * kernel may still write.
 */
static void replace(struct helper *h)
{
	close(h->socket);
	h->socket = -1;
	child_abandon(h->pid);
	munmap(h->area, size_of(h));
	map_area(h);
}

void helper_end(struct helper *h)
{
	int status;

	forget_inherited(h);
	if (h->socket >= 0) {
		close(h->socket);
		child_end(h->pid, &status);
	}
	if (h->area)
		munmap(h->area, size_of(h));
	h->socket = -1;
	h->area = NULL;
}

/* ---- requests ---- */

void *helper_room(struct helper *h)
{
	forget_inherited(h);
	if (!h->area)
		map_area(h);
	return h->area ? h->area->room : NULL;
}

/* Returns true if there is a message, or the helper is gone. */
static bool wait_for_answer(const struct helper *h, int64_t began)
{
	struct pollfd fd = {.fd = h->socket, .events = POLLIN};

	for (;;) {
		int64_t past_ms = (monotonic_ns() - began) / 1000000, left_ms = h->max_ms - past_ms;

		if (left_ms < 1) /* if it is runnable, the machine is slow, not the file */
			left_ms = past_ms < h->busy_ms && child_state(h->pid) == 'R' ? LOOK_MS : 0;
		int ready = poll(&fd, 1, (int)left_ms);

		if (ready > 0)
			return true;
		if (!left_ms)
			return false;
	}
}

enum helper_end helper_run(struct helper *h, helper_work *work, int *fd)
{
	int64_t began = monotonic_ns();
	int result = -1, received, passed = fd ? *fd : -1;
	uint32_t number;

	if (fd)
		*fd = -1;
	if (!start(h))
		return HELPER_FAILED;
	h->area->work = work;
	if (fdpass_send(h->socket, ++h->number, passed, 0)) {
		child_await(h->pid);
		replace(h);
		return HELPER_FAILED;
	}
	if (!wait_for_answer(h, began)) {
		bool is_late = !child_is_signalled(h->pid);

		replace(h);
		return is_late ? HELPER_LATE : HELPER_FAILED;
	}
	received = fdpass_receive(h->socket, &number, &result, MSG_DONTWAIT);
	if (received != 1 || number != h->number) {
		child_await(h->pid);
		replace(h);
		return HELPER_FAILED;
	}
	if (fd)
		*fd = result;
	return HELPER_DONE;
}

int64_t helper_waited_ns(const struct helper *h)
{
	return h->area->waited_ns;
}

int64_t helper_used_ns(const struct helper *h)
{
	return h->area->used_ns;
}
