/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "task.h"

#include <inttypes.h>
#include <string.h>
#include <sys/uio.h>

enum {
	ANSWER_MS = 200,  /* limit for one request */
	BUSY_MS = 5000,   /* limit if the machine is so busy that the reader does not run */
	SLOW_MS = 50,     /* only longer waits count, as disks are faster */
	WORK_MS = 1,      /* CPU time from which on a request counts */
	PROCESS_MS = 500, /* limit of all waits for one process, which may have other files */
	USER_MS = 2000,   /* limit of all waits for processes of one user */
	PROCESS_CPU_MS = 1000,
	USER_CPU_MS = 4000,
	PAGE = 4096,
	PAGES_MAX = 256,
};

/* How long a process, or all processes of a user, made us wait. */
struct waiting {
	uint64_t start;      /* start time of the process */
	int64_t ns, used_ns; /* waiting time, CPU time */
	bool is_silent;      /* a request for it was given up */
};

struct waitings {
	struct table at; /* process or user -> place in the list */
	struct waiting *list;
	size_t nr, alloc;
};

struct reader {
	struct helper helper;
	struct waitings processes, users;
	uint32_t example;     /* a process for which requests were given up */
	uint64_t nr_silent;   /* number of such processes */
	uint64_t nr_given_up; /* number of such requests */
};

static struct reader reader = {.helper = HELPER_INIT(READER_ROOM, ANSWER_MS, BUSY_MS)};

void reader_end(void)
{
	helper_end(&reader.helper);
}

/* ---- processes that made us wait ---- */

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

/* Returns what is known of the process that has this PID at present, or a new entry for it. */
static struct waiting *put_process(uint32_t pid)
{
	struct waiting *process = put_waiting(&reader.processes, pid);
	uint64_t began = task_start(pid, pid);

	if (process->start != began)
		*process = (struct waiting){.start = began};
	return process;
}

/* Returns what is known of the process that has this PID at present, or NULL if nothing is. */
static const struct waiting *known_process(uint32_t pid)
{
	const struct waiting *process = find_waiting(&reader.processes, pid);

	return process && process->start == task_start(pid, pid) ? process : NULL;
}

/* Records that a request for process PID waited NS and used USED_NS of CPU time. */
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

static void forgive(struct waitings *w)
{
	for (size_t i = 0; i < w->nr; i++)
		w->list[i].ns = w->list[i].used_ns = 0;
}

void reader_forgive(void)
{
	if (reader.nr_given_up)
		return;
	forgive(&reader.processes);
	forgive(&reader.users);
}

static bool is_refused(uint32_t pid)
{
	if (!reader.users.nr)
		return false; /* no process made us wait */
	return is_too_much(known_process(pid), PROCESS_MS, PROCESS_CPU_MS) ||
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
	return helper_room(&reader.helper);
}

bool reader_run(uint32_t pid, reader_work *work, int *fd)
{
	int64_t began = monotonic_ns();
	enum helper_end end = HELPER_LATE;

	if (!is_refused(pid))
		end = helper_run(&reader.helper, work, fd);
	else if (fd)
		*fd = -1;
	if (end == HELPER_DONE)
		account(pid, helper_waited_ns(&reader.helper), helper_used_ns(&reader.helper));
	if (end == HELPER_LATE) {
		account(pid, monotonic_ns() - began, 0);
		give_up(pid);
	}
	return end == HELPER_DONE;
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
	if (helper_is_self())
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

/* ---- scattered memory ---- */

/* The bytes follow the NR addresses. */
struct scattered_request {
	uint32_t pid;
	size_t nr, size;
	uint64_t addresses[];
};

/* Reads from the first address on. Returns how many places were read. */
static size_t read_scattered(
	uint32_t pid, const uint64_t *addresses, size_t nr, size_t size, char *to)
{
	struct iovec local = {to, nr * size}, remote[PAGES_MAX];

	for (size_t i = 0; i < nr; i++)
		remote[i] = (struct iovec){(void *)(uintptr_t)addresses[i], size};
	ssize_t n = process_vm_readv((pid_t)pid, &local, 1, remote, nr, 0);

	return n > 0 ? (size_t)n / size : 0;
}

static int work_scattered(void *room, int fd)
{
	struct scattered_request *r = room;
	char *to = (char *)(r->addresses + r->nr);

	(void)fd;
	for (size_t at = 0; at < r->nr;) {
		size_t nr = r->nr - at < PAGES_MAX ? r->nr - at : PAGES_MAX;
		size_t done =
			read_scattered(r->pid, r->addresses + at, nr, r->size, to + at * r->size);

		at += done;
		if (done < nr)
			memset(to + at++ * r->size, 0, r->size);
	}
	return -1;
}

bool reader_scattered(uint32_t pid, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	size_t at = 0,
	       max = (READER_ROOM - sizeof(struct scattered_request)) / (size + sizeof(*addresses));

	while (at < nr) {
		struct scattered_request *r = reader_room();
		size_t part = nr - at < max ? nr - at : max;

		if (!r)
			return false;
		*r = (struct scattered_request){.pid = pid, .nr = part, .size = size};
		memcpy(r->addresses, addresses + at, part * sizeof(*addresses));
		if (!reader_run(pid, work_scattered, NULL))
			return false;
		memcpy((char *)to + at * size, r->addresses + part, part * size);
		at += part;
	}
	return true;
}
