/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader.h"
#include "fdpass.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ANSWER_MS = 200,  /* for one request */
	BUSY_MS = 5000,   /* the same, if the machine is so busy that the reader does not run */
	LOOK_MS = 10,     /* between two looks whether it runs by now */
	SLOW_MS = 50,     /* a wait that is longer counts: disks are faster */
	WORK_MS = 1,      /* CPU time of a request that counts */
	PROCESS_MS = 500, /* all waiting for one process, which may have other files */
	USER_MS = 2000,   /* for all processes of one user */
	PROCESS_CPU_MS = 1000,
	USER_CPU_MS = 4000,
	DYING_MAX = 64,
	PAGE = 4096,
	PAGES_MAX = 256,
};

/* Shared with the reader. */
struct area {
	reader_work *work;
	int64_t waited_ns; /* by the last work, not only for a processor */
	int64_t used_ns;   /* CPU time of the last work */
	_Alignas(64) char room[READER_ROOM];
};

/* What a process, or all of a user's, made us wait. */
struct waiting {
	uint64_t start;      /* of the process */
	int64_t ns, used_ns; /* waiting, CPU time */
	bool is_silent;      /* a request for it was given up */
};

struct waitings {
	struct table at; /* process or user -> place in the list */
	struct waiting *list;
	size_t nr, alloc;
};

struct reader {
	pid_t owner; /* who made it: a child of it must not use it */
	pid_t pid;
	int socket; /* -1: there is no reader */
	struct area *area;
	uint32_t number;        /* of the last request */
	pid_t dying[DYING_MAX]; /* killed readers that may wait for a target still */
	size_t nr_dying;
	struct waitings processes, users;
	uint32_t example;     /* a process for which requests were given up */
	uint64_t nr_silent;   /* such processes */
	uint64_t nr_given_up; /* requests */
};

static struct reader reader = {.socket = -1};
static bool is_reader; /* this process is it */

/* ---- in the reader ---- */

/* A blocked reader must not keep anything open that others wait for. */
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

/* On a busy machine all work takes long, but only what waits for something gives way by itself. */
static int run_work(struct area *area, int fd)
{
	int64_t began = monotonic_ns(), used = cpu_ns();
	long waits = nr_waits();
	int result = area->work(area->room, fd);

	area->waited_ns = nr_waits() > waits ? monotonic_ns() - began : 0;
	area->used_ns = cpu_ns() - used;
	return result;
}

static __attribute__((noreturn)) void serve(struct area *area, int socket, pid_t parent)
{
	uint32_t number;
	int fd;

	is_reader = true;
	/* the recorder still needs it after Ctrl-C, and takes it along when it exits */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, -20); /* the recorder waits for it */
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

/* ---- its life ---- */

/* A child of the process that made the reader has it, too, but is not its owner. */
static void forget_inherited(void)
{
	if (reader.socket < 0 || reader.owner == getpid())
		return;
	close(reader.socket);
	reader.socket = -1;
	reader.area = NULL; /* not copied: MADV_DONTFORK */
	reader.nr_dying = 0;
}

static struct area *map_area(void)
{
	void *area = mmap(NULL, sizeof(struct area), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return area == MAP_FAILED ? NULL : area;
}

static bool start(void)
{
	pid_t parent = getpid();
	int pair[2];

	forget_inherited();
	if (reader.socket >= 0)
		return true;
	if (!reader.area)
		reader.area = map_area();
	if (!reader.area || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	madvise(reader.area, sizeof(*reader.area), MADV_DOFORK);
	reader.pid = fork();
	if (!reader.pid)
		serve(reader.area, pair[1], parent);
	madvise(reader.area, sizeof(*reader.area), MADV_DONTFORK);
	close(pair[1]);
	if (reader.pid < 0) {
		close(pair[0]);
		return false;
	}
	reader.owner = parent;
	reader.socket = pair[0];
	return true;
}

static void reap_dying(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader.nr_dying; i++)
		if (!waitpid(reader.dying[i], NULL, WNOHANG))
			reader.dying[kept++] = reader.dying[i];
	reader.nr_dying = kept;
}

/*
 * It may be in a wait that not even SIGKILL ends (FUSE): nobody waits for it, and it keeps its
 * memory, where the kernel may still write.
 */
static void kill_reader(void)
{
	close(reader.socket);
	reader.socket = -1;
	kill(reader.pid, SIGKILL);
	if (reader.nr_dying < DYING_MAX)
		reader.dying[reader.nr_dying++] = reader.pid;
	munmap(reader.area, sizeof(*reader.area));
	reader.area = map_area();
	reap_dying();
}

void reader_end(void)
{
	forget_inherited();
	if (reader.socket >= 0) {
		close(reader.socket); /* it ends by itself */
		waitpid(reader.pid, NULL, 0);
	}
	if (reader.area)
		munmap(reader.area, sizeof(*reader.area));
	reader.socket = -1;
	reader.area = NULL;
	reap_dying();
}

/* ---- who made us wait ---- */

static struct waiting *find_waiting(const struct waitings *w, uint64_t key)
{
	const uint32_t *at = w->list ? table_get(&w->at, key, 0) : NULL;

	return at ? &w->list[*at] : NULL;
}

static struct waiting *put_waiting(struct waitings *w, uint64_t key)
{
	bool is_new;

	if (!w->list)
		table_init(&w->at);
	uint32_t *at = table_put(&w->at, key, 0, &is_new);

	if (!is_new)
		return &w->list[*at];
	ALLOC_GROW(w->list, w->nr, w->alloc);
	*at = (uint32_t)w->nr;
	w->list[w->nr] = (struct waiting){0};
	return &w->list[w->nr++];
}

static bool is_too_much(const struct waiting *w, int64_t max_ms, int64_t max_cpu_ms)
{
	return w && (w->ns > max_ms * 1000000 || w->used_ns > max_cpu_ms * 1000000);
}

/* What is known of the process that now has this PID. */
static struct waiting *put_process(uint32_t pid)
{
	struct waiting *process = put_waiting(&reader.processes, pid);
	uint64_t began = task_start(pid, pid);

	if (process->start != began)
		*process = (struct waiting){.start = began};
	return process;
}

/* A request for the process PID waited NS and used USED_NS of CPU time. */
static void account(uint32_t pid, int64_t ns, int64_t used_ns)
{
	if (ns < SLOW_MS * 1000000LL)
		ns = 0;
	if (!ns && used_ns < WORK_MS * 1000000LL)
		return;
	struct waiting *process = put_process(pid);
	struct waiting *user = put_waiting(&reader.users, task_user(pid));

	process->ns += ns;
	user->ns += ns;
	process->used_ns += used_ns;
	user->used_ns += used_ns;
}

static bool is_refused(uint32_t pid)
{
	if (!reader.users.nr)
		return false; /* nobody made us wait */
	return is_too_much(put_process(pid), PROCESS_MS, PROCESS_CPU_MS) ||
	       is_too_much(find_waiting(&reader.users, task_user(pid)), USER_MS, USER_CPU_MS);
}

static void give_up(uint32_t pid)
{
	struct waiting *process = put_process(pid);

	reader.nr_given_up++;
	reader.nr_silent += !process->is_silent;
	reader.example = pid;
	process->is_silent = true;
}

void reader_describe(struct strbuf *out)
{
	if (!reader.nr_given_up)
		return;
	strbuf_adds(out, "memory or files of ");
	if (reader.nr_silent > 1)
		strbuf_addf(out, "%" PRIu64 " processes, such as ", reader.nr_silent);
	strbuf_addf(out,
		"process %" PRIu32 " do not answer in time (userfaultfd, FUSE?): %" PRIu64
		" reads were given up, names and stacks are missing\n",
		reader.example, reader.nr_given_up);
}

/* ---- requests ---- */

void *reader_room(void)
{
	forget_inherited();
	if (!reader.area)
		reader.area = map_area();
	return reader.area ? reader.area->room : NULL;
}

/* Whether the reader wants to run: then the machine is slow, not the target. */
static bool is_runnable(void)
{
	return task_state((uint32_t)reader.pid) == 'R';
}

/* True: there is a message, or the reader is gone. */
static bool wait_for_answer(int64_t began)
{
	struct pollfd fd = {.fd = reader.socket, .events = POLLIN};

	for (;;) {
		int64_t left_ms = ANSWER_MS - (monotonic_ns() - began) / 1000000;

		if (left_ms < 1)
			left_ms = is_runnable() && left_ms > ANSWER_MS - BUSY_MS ? LOOK_MS : 0;
		int ready = poll(&fd, 1, (int)left_ms);

		if (ready > 0)
			return true;
		if (!left_ms)
			return false;
	}
}

/* 1: done; 0: not in time; -1: there is no reader. */
static int request(reader_work *work, int *fd)
{
	int64_t began = monotonic_ns();
	int result = -1, received;
	uint32_t number;

	if (!start())
		return -1;
	reader.area->work = work;
	if (fdpass_send(reader.socket, ++reader.number, fd ? *fd : -1, 0)) {
		kill_reader();
		return -1;
	}
	if (!wait_for_answer(began)) {
		kill_reader();
		return 0;
	}
	received = fdpass_receive(reader.socket, &number, &result, MSG_DONTWAIT);
	if (received != 1 || number != reader.number) {
		kill_reader();
		return -1;
	}
	if (fd)
		*fd = result;
	return 1;
}

bool reader_run(uint32_t pid, reader_work *work, int *fd)
{
	int64_t began = monotonic_ns();
	int done = is_refused(pid) ? 0 : request(work, fd);

	if (done > 0)
		account(pid, reader.area->waited_ns, reader.area->used_ns);
	if (!done) {
		account(pid, monotonic_ns() - began, 0);
		give_up(pid);
	}
	if (done <= 0 && fd)
		*fd = -1;
	return done > 0;
}

/* ---- memory ---- */

struct memory_request {
	uint32_t pid;
	uint64_t address;
	size_t size;
	bool done;
	_Alignas(64) char bytes[];
};

static bool read_directly(uint32_t pid, uint64_t address, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};

	return process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static int work_memory(void *room, int fd)
{
	struct memory_request *r = room;

	(void)fd;
	r->done = read_directly(r->pid, r->address, r->bytes, r->size);
	return -1;
}

bool reader_memory(uint32_t pid, uint64_t address, void *to, size_t size)
{
	if (is_reader)
		return read_directly(pid, address, to, size);
	struct memory_request *r = reader_room();

	if (!r || size > READER_ROOM - sizeof(*r))
		return false;
	*r = (struct memory_request){.pid = pid, .address = address, .size = size};
	if (!reader_run(pid, work_memory, NULL) || !r->done)
		return false;
	memcpy(to, r->bytes, size);
	return true;
}

struct pages_request {
	uint32_t pid;
	uint64_t address;
	size_t nr;
	_Alignas(64) char bytes[];
};

static int work_pages(void *room, int fd)
{
	struct pages_request *r = room;
	struct iovec local = {r->bytes, r->nr * PAGE}, remote[PAGES_MAX];

	(void)fd;
	for (size_t i = 0; i < r->nr; i++)
		remote[i] = (struct iovec){(void *)(uintptr_t)(r->address + i * PAGE), PAGE};
	ssize_t n = process_vm_readv((pid_t)r->pid, &local, 1, remote, r->nr, 0);

	r->nr = n > 0 ? (size_t)n / PAGE : 0;
	return -1;
}

size_t reader_pages(uint32_t pid, uint64_t address, size_t nr, const void **bytes)
{
	struct pages_request *r = reader_room();

	if (!r)
		return 0;
	*r = (struct pages_request){pid, address, nr < PAGES_MAX ? nr : PAGES_MAX};
	if (!reader_run(pid, work_pages, NULL))
		return 0;
	*bytes = r->bytes;
	return r->nr;
}
