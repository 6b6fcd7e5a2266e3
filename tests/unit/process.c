/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of processes: as events report them, as /proc shows them, and both at once. */
#include "process/process.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/open_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { PID = 1 << 30, PAGE = 4096, PAGES = 16 }; /* no process has this PID */

static struct processes ps;

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	processes_forked(&ps, PID - 1, PID, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	processes_release(&ps);
	return 0;
}

static struct process *it(void)
{
	return processes_get(&ps, PID);
}

static struct mapped file(uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	return (struct mapped){.start = start,
		.end = end,
		.offset = offset,
		.path = path,
		.build_id = "",
		.dev = 1,
		.inode = (uint64_t)path[strlen(path) - 1]};
}

static void tell(uint64_t start, uint64_t end, uint64_t offset, const char *path, int64_t time)
{
	struct mapped m = file(start, end, offset, path);

	process_mapped(&ps, it(), &m, time);
}

/* Returns the number of the mapping that held ADDRESS at TIME, or -1 if there was none. */
static int64_t at(uint32_t pid, uint64_t address, int64_t time)
{
	const struct mapping *m = process_find_at(&ps, processes_get(&ps, pid), address, time);

	return m ? m - ps.maps : -1;
}

static void assert_held(uint64_t address, int64_t time, const char *path, uint64_t offset)
{
	int64_t n = at(PID, address, time);

	assert_true(n >= 0);
	assert_string_equal(ps.objects[ps.maps[n].object].path, path);
	assert_int_equal(ps.maps[n].offset + (address - ps.maps[n].start), offset);
}

/* Checks that at most one mapping holds an address at any time. */
static void assert_apart(const struct process *p)
{
	for (size_t i = 0; i < p->nr_maps; i++)
		for (size_t k = 0; k < i; k++) {
			const struct mapping *a = &ps.maps[p->maps[i]], *b = &ps.maps[p->maps[k]];

			assert_true(a != b && a->start < a->end);
			assert_true(a->end <= b->start || b->end <= a->start ||
				    a->to_ns <= b->from_ns || b->to_ns <= a->from_ns);
		}
}

/* ---- events ---- */

static void process__told_again_it_is_the_same(void **state)
{
	unsigned changes;

	(void)state;
	tell(0x1000, 0x3000, 0, "/none/a", 10);
	changes = it()->changes;
	for (int64_t time = 11; time < 1000; time++)
		tell(0x1000, 0x3000, 0, "/none/a", time);
	assert_int_equal(ps.nr_maps, 1);
	assert_int_equal(it()->changes, changes);
	assert_int_equal(at(PID, 0x1000, 9), -1);
	assert_int_equal(at(PID, 0x1000, 10), 0);
	assert_int_equal(at(PID, 0x2fff, 2000), 0);
	assert_int_equal(at(PID, 0x3000, 2000), -1);
	tell(0x1000, 0x3000, 0x1000, "/none/a", 2000);
	assert_int_equal(at(PID, 0x1000, 2000), 1);
	tell(0x1000, 0x3000, 0x1000, "/none/b", 2001);
	assert_int_equal(at(PID, 0x1000, 2001), 2);
	assert_held(0x1000, 1999, "/none/a", 0);
	assert_held(0x1000, 2000, "/none/a", 0x1000);
	assert_apart(it());
}

static void process__the_newer_one_cuts_the_older(void **state)
{
	(void)state;
	tell(0x10000, 0x20000, 0x5000, "/none/a", 10);
	tell(0x13000, 0x14000, 0, "/none/b", 20);
	assert_held(0x12fff, 20, "/none/a", 0x7fff);
	assert_held(0x13000, 20, "/none/b", 0);
	assert_held(0x13fff, 20, "/none/b", 0xfff);
	assert_held(0x14000, 20, "/none/a", 0x9000);
	assert_held(0x1ffff, 20, "/none/a", 0x14fff);
	assert_held(0x13000, 19, "/none/a", 0x8000);
	tell(0xf000, 0x12000, 0, "/none/c", 30);  /* its begin */
	tell(0x1f000, 0x21000, 0, "/none/d", 30); /* its end */
	assert_held(0x11fff, 30, "/none/c", 0x2fff);
	assert_held(0x12000, 30, "/none/a", 0x7000);
	assert_held(0x1efff, 30, "/none/a", 0x13fff);
	assert_held(0x1f000, 30, "/none/d", 0);
	assert_held(0x1f000, 29, "/none/a", 0x14000);
	tell(0, 0x30000, 0, "/none/e", 40); /* all */
	for (uint64_t a = 0; a < 0x30000; a += 0x800)
		assert_held(a, 40, "/none/e", a);
	assert_held(0x14000, 39, "/none/a", 0x9000);
	assert_apart(it());
}

/* The kernel reports an offset for it, /proc does not. */
static void process__anonymous_memory_has_no_offset(void **state)
{
	struct mapped m = {
		.start = 0x7000, .end = 0xa000, .offset = 0x7000, .path = "", .build_id = ""};

	(void)state;
	process_mapped(&ps, it(), &m, 10);
	assert_int_equal(ps.maps[0].offset, 0);
	tell(0x8000, 0x9000, 0, "/none/a", 20);
	for (size_t i = 0; i < ps.nr_maps; i++)
		assert_int_equal(ps.maps[i].offset, 0);
}

/* A scan that is newer than the event is right about the current mappings. */
static void process__what_is_older_than_the_look_is_past(void **state)
{
	unsigned changes;

	(void)state;
	tell(0x1000, 0x3000, 0, "/none/a", 10);
	it()->scanned_ns = 100;
	changes = it()->changes;
	tell(0x1000, 0x2000, 0, "/none/b", 50);
	tell(0x1000, 0x2000, 0, "/none/c", 60);
	assert_held(0x1000, 49, "/none/a", 0);
	assert_held(0x1000, 50, "/none/b", 0);
	assert_held(0x1000, 60, "/none/c", 0);
	assert_held(0x1000, 99, "/none/c", 0);
	assert_held(0x1000, 100, "/none/a", 0);
	assert_held(0x2000, 60, "/none/a", 0x1000);
	assert_int_equal(it()->changes, changes);
	assert_int_equal(process_find(&ps, it(), 0x1000) - ps.maps, 0);
	tell(0x1000, 0x3000, 0, "/none/a", 70); /* it was mapped again */
	assert_held(0x1000, 69, "/none/c", 0);
	assert_held(0x1000, 70, "/none/a", 0);
	assert_int_equal(process_find(&ps, it(), 0x1000) - ps.maps, 0);
}

static void process__a_program_begins_with_nothing(void **state)
{
	(void)state;
	tell(0x1000, 0x3000, 0, "/none/a", 10);
	process_executed(&ps, it(), 20);
	tell(0x2000, 0x3000, 0, "/none/b", 30);
	assert_held(0x2000, 19, "/none/a", 0x1000);
	assert_int_equal(at(PID, 0x2000, 20), -1);
	assert_held(0x2000, 30, "/none/b", 0);
	assert_int_equal(at(PID, 0x1000, 30), -1);
	it()->scanned_ns = 100;
	process_executed(&ps, it(), 90); /* the scan saw mappings from after the exec */
	assert_held(0x2000, 100, "/none/b", 0);
}

static void process__a_child_has_what_its_parent_had_then(void **state)
{
	(void)state;
	tell(0x1000, 0x2000, 0, "/none/a", 10);
	tell(0x3000, 0x4000, 0, "/none/b", 10);
	tell(0x1000, 0x2000, 0, "/none/c", 20);
	tell(0x5000, 0x6000, 0, "/none/d", 40);
	processes_forked(&ps, PID, PID + 1, 30);
	struct process *child = processes_known(&ps, PID + 1);

	assert_int_equal(child->nr_maps, 2);
	assert_int_equal(at(PID + 1, 0x1000, 29), -1);
	assert_int_equal(at(PID + 1, 0x5000, 50), -1);
	for (size_t i = 0; i < child->nr_maps; i++) {
		const struct mapping *m = &ps.maps[child->maps[i]];

		assert_int_equal(m->pid, PID + 1);
		assert_true(m->start == 0x1000 || m->start == 0x3000);
		assert_string_equal(
			ps.objects[m->object].path, m->start == 0x1000 ? "/none/c" : "/none/b");
	}
	tell(0x1000, 0x2000, 0, "/none/d", 60); /* the child does not get it */
	assert_string_equal(ps.objects[ps.maps[at(PID + 1, 0x1000, 60)].object].path, "/none/c");
	processes_forked(&ps, PID - 1, PID + 2, 70); /* a fork of an unknown process */
	assert_int_equal(processes_known(&ps, PID + 2)->nr_maps, 0);
}

/* A child of a process with many mappings gets copies of them when it is looked up. */
static void process__a_child_inherits_later(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 200; i++)
		tell(i * 0x1000, (i + 1) * 0x1000, 0, i % 2 ? "/none/a" : "/none/b", 10);
	processes_forked(&ps, PID, PID + 1, 20);
	processes_forked(&ps, PID + 1, PID + 2, 30);
	tell(0x5000, 0x6000, 0, "/none/c", 40);
	assert_int_equal(ps.nr_maps, 201);
	assert_int_equal(processes_known(&ps, PID + 2)->nr_maps, 0);
	assert_string_equal(ps.objects[ps.maps[at(PID + 2, 0x5000, 50)].object].path, "/none/a");
	assert_int_equal(processes_known(&ps, PID + 2)->nr_maps, 200);
	assert_int_equal(processes_known(&ps, PID + 1)->nr_maps, 0);
	assert_held(0x5000, 50, "/none/c", 0);
	processes_forked(&ps, PID, PID + 3, 60);
	process_executed(&ps, processes_known(&ps, PID + 3), 70);
	assert_int_equal(at(PID + 3, 0x5000, 80), -1);
}

/* A target that maps and unmaps all the time takes bounded memory. */
static void process__past_mappings_are_bounded(void **state)
{
	(void)state;
	for (int64_t i = 0; i < 4 * PROCESS_PAST_MAX; i++)
		tell(0x1000, 0x2000, 0, i % 2 ? "/none/a" : "/none/b", i);
	assert_true(it()->nr_past <= PROCESS_PAST_MAX);
	for (int64_t i = 3 * PROCESS_PAST_MAX + PROCESS_PAST_MAX / 2; i < 4 * PROCESS_PAST_MAX; i++)
		assert_held(0x1000, i, i % 2 ? "/none/a" : "/none/b", 0);
	assert_int_equal(it()->nr_maps, 1);
}

static void process__current_mappings_are_bounded(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < PROCESS_MAPS_MAX + 10; i++)
		tell(0x1000 * i, 0x1000 * (i + 1), i, "/none/a", (int64_t)i);
	assert_int_equal(it()->nr_maps, PROCESS_MAPS_MAX);
	assert_int_equal(ps.left_out, 10);
	assert_int_equal(it()->exec_pages, PROCESS_MAPS_MAX + 10);
}

/* Numbers are used again, except for numbers that a stack has. */
static void process__what_ended_is_swept(void **state)
{
	bool used[8] = {false};

	(void)state;
	tell(0x1000, 0x2000, 0, "/none/a", 10);  /* 0 */
	tell(0x1000, 0x2000, 0, "/none/b", 20);  /* 1 */
	tell(0x1000, 0x2000, 0, "/none/c", 30);  /* 2 */
	processes_forked(&ps, PID, PID + 1, 40); /* 3 */
	process_ended(&ps, processes_known(&ps, PID + 1), 50);
	processes_sweep(&ps, used, 20);
	assert_int_equal(at(PID, 0x1000, 15), 0);
	used[1] = true;
	processes_sweep(&ps, used, 60);
	assert_int_equal(at(PID, 0x1000, 15), -1);
	assert_int_equal(ps.maps[1].start, 0x1000);
	assert_held(0x1000, 70, "/none/c", 0);
	assert_int_equal(ps.nr_free, 2);
	assert_null(processes_known(&ps, PID + 1));
	processes_forked(&ps, PID, PID + 2, 80);
	assert_int_equal(processes_known(&ps, PID + 2) - ps.list, 1);
	assert_int_equal(ps.nr_maps, 4);
	assert_int_equal(at(PID + 2, 0x1000, 90), 3);
	processes_sweep(&ps, used, 100);
	assert_int_equal(ps.nr_free, 1);
	assert_held(0x1000, 100, "/none/c", 0);
}

static void process__ended(void **state)
{
	struct process *p;

	(void)state;
	tell(0x1000, 0x2000, 0, "/none/a", 10);
	p = it();
	process_ended(&ps, p, 20);
	assert_null(processes_known(&ps, PID));
	assert_ptr_equal(processes_get(&ps, PID), p); /* copies of its stacks may still come */
	assert_held(0x1000, 19, "/none/a", 0);
	assert_held(0x1000, 30, "/none/a", 0); /* it is still exiting */
	assert_int_equal(process_find(&ps, p, 0x1000) - ps.maps, 0);
}

static void process__a_number_that_is_used_again(void **state)
{
	size_t first = (size_t)(it() - ps.list);

	(void)state;
	tell(0x1000, 0x2000, 0, "/none/a", 10);
	process_ended(&ps, it(), 20);
	processes_forked(&ps, PID - 1, PID, 30);
	assert_int_not_equal(it() - ps.list, first);
	assert_int_equal(at(PID, 0x1000, 40), -1);
	tell(0x1000, 0x2000, 0, "/none/a", 40);
	assert_int_equal(at(PID, 0x1000, 40), 1);
	/* its end was not reported */
	processes_forked(&ps, PID - 1, PID, 50);
	assert_int_equal(at(PID, 0x1000, 60), -1);
	assert_int_equal(process_find_at(&ps, &ps.list[first], 0x1000, 15) - ps.maps, 0);
	assert_int_equal(ps.nr, 3);
}

static void process__the_newest_and_the_one_of_then(void **state)
{
	(void)state;
	for (int64_t i = 0; i < 100; i++)
		tell(0x1000, 0x2000, 0, i % 2 ? "/none/a" : "/none/b", 10 * i);
	for (int64_t i = 0; i < 1000; i++)
		assert_int_equal(at(PID, 0x1234, i), i / 10);
	assert_int_equal(process_find(&ps, it(), 0x1234) - ps.maps, 99);
	assert_null(process_find(&ps, it(), 0x2000));
	assert_apart(it());
}

/* Compared with an array that has the mapping of each byte. */
static void process__many_events(void **state)
{
	static struct {
		char file;
		uint64_t offset;
	} memory[256];
	char path[] = "/none/?";
	unsigned state_of_random = 1302;

	(void)state;
	for (int64_t time = 1; time < 1000; time++) {
		uint64_t start = (uint64_t)rand_r(&state_of_random) % 200;
		uint64_t n = 1 + (uint64_t)rand_r(&state_of_random) % 50;

		path[6] = (char)('a' + rand_r(&state_of_random) % 3);
		tell(start * PAGE, (start + n) * PAGE, 0, path, time);
		for (uint64_t i = 0; i < n; i++) {
			memory[start + i].file = path[6];
			memory[start + i].offset = i * PAGE;
		}
		for (uint64_t i = 0; i < 256; i++) {
			path[6] = memory[i].file;
			if (path[6])
				assert_held(i * PAGE, time, path, memory[i].offset);
			else
				assert_int_equal(at(PID, i * PAGE, time), -1);
		}
	}
	assert_apart(it());
}

/* ---- scans of a child ---- */

static char folder[] = "/tmp/process-test-XXXXXX";
static char *paths[2];
static char *area; /* PAGES pages, the same ones in the child */

struct order {
	char what; /* + or - */
	int which; /* index of a path, or -1 for no file */
	int page, nr;
	int prot;
};

static pid_t child;
static int to_child;

static void obey(int socket)
{
	struct order o;

	while (read(socket, &o, sizeof(o)) == sizeof(o)) {
		char *place = area + o.page * PAGE;
		size_t size = (size_t)o.nr * PAGE;
		int fd = o.which < 0 ? -1 : open(paths[o.which], O_RDONLY);
		int flags = MAP_PRIVATE | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0);

		if (o.what == '-')
			munmap(place, size);
		else if (mmap(place, size, o.prot, flags, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
		if (write(socket, "", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static int start_child(void **state)
{
	int pair[2];

	processes_init(&ps);
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 2; i++) {
		paths[i] = xasprintf("%s/%c", folder, 'a' + i);
		int fd = open(paths[i], O_RDWR | O_CREAT, 0755);

		assert_int_equal(ftruncate(fd, (off_t)PAGES * PAGE), 0);
		close(fd);
	}
	area = mmap(NULL, (size_t)PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	child = fork();
	if (!child) {
		close(pair[0]);
		obey(pair[1]);
	}
	close(pair[1]);
	to_child = pair[0];
	(void)state;
	return 0;
}

static void end_child(void)
{
	if (!child)
		return;
	close(to_child);
	waitpid(child, NULL, 0);
	child = 0;
}

static int stop_child(void **state)
{
	end_child();
	for (int i = 0; i < 2; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	rmdir(folder);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	munmap(area, (size_t)PAGES * PAGE);
	return tear_down(state);
}

static int64_t order(char what, int which, int page, int nr, int prot)
{
	struct order o = {what, which, page, nr, prot};
	char done;

	assert_int_equal(write(to_child, &o, sizeof(o)), sizeof(o));
	assert_int_equal(read(to_child, &done, 1), 1);
	return monotonic_ns();
}

static int64_t map(int which, int page, int nr)
{
	return order('+', which, page, nr, PROT_READ | PROT_EXEC);
}

static struct process *of_child(void)
{
	return processes_get(&ps, (uint32_t)child);
}

static void look(void)
{
	assert_int_equal(process_scan(&ps, of_child(), NULL), 0);
}

static uint64_t page_at(int page)
{
	return (uint64_t)(uintptr_t)area + (uint64_t)page * PAGE;
}

/* Returns the number of the mapping that holds a page of the area at TIME. */
static int64_t page_held(int page, int64_t time)
{
	return at((uint32_t)child, page_at(page), time);
}

static const char *path_at(int page, int64_t time)
{
	int64_t n = page_held(page, time);

	return n < 0 ? "none" : ps.objects[ps.maps[n].object].path;
}

/* Reports such a mapping as perf does. */
static void tell_child(int which, int page, int nr, int64_t time)
{
	struct mapped m = {.start = page_at(page),
		.end = page_at(page + nr),
		.offset = which < 0 ? page_at(page) : 0,
		.path = which < 0 ? "" : paths[which],
		.build_id = ""};
	struct stat st;

	if (which >= 0) {
		assert_int_equal(stat(paths[which], &st), 0);
		m.dev = st.st_dev;
		m.inode = st.st_ino;
	}
	process_mapped(&ps, of_child(), &m, time);
}

static void process__a_look_sees_what_is_there(void **state)
{
	size_t nr;

	(void)state;
	map(0, 1, 2);
	map(-1, 4, 1);
	order('+', 1, 6, 1, PROT_READ);
	order('+', -1, 8, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
	look();
	int64_t then = monotonic_ns();

	assert_string_equal(path_at(1, then), paths[0]);
	assert_string_equal(path_at(2, then), paths[0]);
	assert_string_equal(path_at(3, then), "none");
	assert_string_equal(path_at(4, then), "");
	assert_string_equal(path_at(6, then), "none");
	assert_string_equal(path_at(8, then), "");
	assert_false(ps.maps[page_held(1, then)].writable);
	assert_true(ps.maps[page_held(8, then)].writable);
	nr = ps.nr_maps;
	look();
	assert_int_equal(ps.nr_maps, nr); /* no changes, no new numbers */
	order('-', 0, 1, 1, 0);
	map(1, 4, 1);
	look();
	assert_string_equal(path_at(1, monotonic_ns()), "none");
	assert_string_equal(path_at(2, monotonic_ns()), paths[0]);
	assert_string_equal(path_at(4, monotonic_ns()), paths[1]);
	assert_string_equal(path_at(1, then), paths[0]);
	assert_string_equal(path_at(4, then), "");
	assert_int_equal(ps.nr_maps, nr + 2);
}

static void process__events_and_looks_agree(void **state)
{
	size_t nr;

	(void)state;
	look();
	nr = ps.nr_maps;
	tell_child(0, 1, 2, map(0, 1, 2));
	tell_child(-1, 4, 1, map(-1, 4, 1));
	assert_int_equal(ps.nr_maps, nr + 2);
	look();
	assert_int_equal(ps.nr_maps, nr + 2);
	int64_t file_came = map(1, 6, 1), other_came = map(-1, 8, 1);

	look();
	assert_int_equal(ps.nr_maps, nr + 4);
	tell_child(1, 6, 1, file_came);
	tell_child(-1, 8, 1, other_came);
	assert_int_equal(ps.nr_maps, nr + 4);
	assert_int_equal(page_held(6, file_came - 1), -1);
	assert_string_equal(path_at(6, file_came), paths[1]);
}

/* One file replaces another, and a scan is made before the event is read. */
static void process__a_look_ahead_of_the_events(void **state)
{
	(void)state;
	look();
	int64_t first = map(0, 1, 2);

	tell_child(0, 1, 2, first);
	int64_t between = monotonic_ns(), second = map(1, 1, 2);

	look();
	assert_string_equal(path_at(1, first), paths[0]);
	assert_string_equal(path_at(1, between), paths[0]);
	assert_string_equal(path_at(1, monotonic_ns()), paths[1]);
	tell_child(1, 1, 2, second);
	assert_string_equal(path_at(1, between), paths[0]);
	assert_string_equal(path_at(1, second - 1), paths[0]);
	assert_string_equal(path_at(1, second), paths[1]);
	int64_t third = map(0, 1, 1), fourth = map(1, 1, 1);

	look();
	tell_child(0, 1, 1, third);
	tell_child(1, 1, 1, fourth);
	assert_string_equal(path_at(1, third), paths[0]);
	assert_string_equal(path_at(1, fourth), paths[1]);
	assert_string_equal(path_at(2, fourth), paths[1]);
}

/* A program with a build-id is one object, whether an event or a scan reports it first. */
static void process__one_object_for_events_and_looks(void **state)
{
	struct process *self = processes_get(&ps, (uint32_t)getpid()), *p;
	const struct mapping m = *process_find(&ps, self, (uint64_t)(uintptr_t)&look);
	struct object known = ps.objects[m.object];
	struct mapped mapped = {
		.start = 0x1000, .end = 0x2000, .path = known.path, .build_id = known.build_id};
	struct processes others;

	(void)state;
	assert_true(known.build_id[0] && known.elf);
	processes_forked(&ps, PID - 1, PID, 0);
	it()->mounts = self->mounts;
	process_mapped(&ps, it(), &mapped, 10);
	assert_int_equal(ps.maps[ps.nr_maps - 1].object, m.object);
	it()->mounts++; /* another file may be at that path in its mount namespace */
	process_mapped(&ps, it(), &mapped, 11);
	assert_int_not_equal(ps.maps[ps.nr_maps - 1].object, m.object);
	processes_init(&others);
	processes_forked(&others, PID - 1, (uint32_t)getpid(), 0);
	p = processes_get(&others, (uint32_t)getpid());
	mapped.start = m.start;
	mapped.end = m.end;
	mapped.offset = m.offset;
	process_mapped(&others, p, &mapped, 10);
	assert_non_null(others.objects[0].elf);
	process_scan(&others, p, NULL);
	assert_int_equal(process_find(&others, p, m.start) - others.maps, 0);
	/* there is no file of another build at that place */
	mapped.build_id = "0011";
	process_mapped(&others, p, &mapped, monotonic_ns());
	assert_null(others.objects[process_find(&others, p, m.start)->object].elf);
	processes_release(&others);
}

static void process__one_that_ended_shows_nothing(void **state)
{
	struct strbuf err = STRBUF_INIT;
	int64_t came = map(0, 1, 2);
	struct process *p;

	(void)state;
	p = of_child();
	assert_int_equal(p->generation, 1);
	assert_string_equal(path_at(1, came), paths[0]);
	pid_t pid = child;

	close(to_child);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	process_scan(&ps, p, NULL); /* it is a zombie, and has no memory */
	assert_int_equal(process_find_at(&ps, p, page_at(1), monotonic_ns())->to_ns, INT64_MAX);
	waitpid(pid, NULL, 0);
	child = 0;
	assert_int_equal(process_scan(&ps, p, &err), -1);
	assert_true(err.len > 0);
	assert_non_null(process_find(&ps, p, page_at(1)));
	strbuf_release(&err);
}

static void process__gone_and_come_back(void **state)
{
	struct process *p = of_child();

	(void)state;
	process_ended(&ps, p, monotonic_ns());
	assert_ptr_equal(of_child(), p); /* the start is equal: it is the same process */
	p->start -= 1;
	assert_int_equal(of_child() - ps.list, 1);
	assert_int_equal(of_child()->generation, 1);
	assert_non_null(processes_known(&ps, (uint32_t)child));
}

/* ---- data that are handed over ---- */

/* Writes the perf map of the child, which a JIT compiler would write itself. */
static char *put_perfmap(void)
{
	char *path = xasprintf("/tmp/perf-%d.map", child);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, "1 1 f\n", 6), 6);
	close(fd);
	return path;
}

static void expect_perfmap(bool there)
{
	struct open_files files = {0};

	processes_move_files(&ps, &files);
	assert_int_equal(files.nr_perfmaps, there);
	if (there)
		assert_int_equal(files.perfmaps[0].pid, child);
	open_files_release(&files);
}

static void process__gives_its_perf_map(void **state)
{
	char *path = put_perfmap();

	(void)state;
	look();
	expect_perfmap(false); /* there is no code that is in no file */
	assert_int_equal(truncate(path, 0), 0);
	map(-1, 4, 1);
	look();
	expect_perfmap(false); /* it may still be written */
	free(path);
	path = put_perfmap();
	expect_perfmap(true);
	int64_t told = map(-1, 6, 1);

	process_executed(&ps, of_child(), told);
	expect_perfmap(false); /* of another program */
	tell_child(-1, 6, 1, told);
	expect_perfmap(true);
	int64_t before = monotonic_ns();

	look();
	process_executed(&ps, of_child(), before); /* the scan saw the new program */
	expect_perfmap(true);
	unlink(path);
	free(path);
}

static void process__gives_it_after_its_end(void **state)
{
	(void)state;
	map(-1, 4, 1);
	look();
	char *path = put_perfmap();

	process_ended(&ps, of_child(), monotonic_ns());
	unlink(path);
	free(path);
	expect_perfmap(true);
}

/* A path may lead to another file when names are looked up. */
static void process__gives_all_files(void **state)
{
	struct process *self = processes_get(&ps, (uint32_t)getpid());
	const struct mapping *m = process_find(&ps, self, (uint64_t)(uintptr_t)&look);
	struct open_files files = {0};
	size_t nr = 0;

	(void)state;
	assert_false(ps.objects[m->object].deleted || ps.objects[m->object].path_differs);
	for (size_t i = 0; i < ps.nr_objects; i++)
		nr += ps.objects[i].elf != NULL;
	assert_true(nr > 2);
	processes_move_files(&ps, &files);
	assert_int_equal(files.nr, nr);
	open_files_release(&files);
}

/*
 * The mappings of files in a forked process have the numbers of its parent's in frames. These
 * remain when the parent has ended.
 */
static void process__forked_ones_share_numbers(void **state)
{
	pid_t pid = fork();
	size_t nr = 0;

	(void)state;
	if (!pid) {
		pause();
		_exit(1);
	}
	uint32_t parent = (uint32_t)(processes_get(&ps, (uint32_t)getpid()) - ps.list);
	const struct process *forked = processes_get(&ps, (uint32_t)pid);
	bool *used = calloc(ps.nr_maps, sizeof(*used));

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t i = 0; i < forked->nr_maps; i++) {
		const struct mapping *m = &ps.maps[forked->maps[i]];

		nr += ps.maps[m->shared].pid == (uint32_t)getpid();
		assert_true(ps.maps[m->shared].start == m->start);
		assert_true(
			!ps.objects[m->object].elf || ps.maps[m->shared].pid == (uint32_t)getpid());
	}
	assert_true(nr > 2);
	process_ended(&ps, &ps.list[parent], INT64_MAX - 3);
	processes_sweep(&ps, used, INT64_MAX - 2);
	for (size_t i = 0; i < forked->nr_maps; i++)
		assert_true(ps.maps[ps.maps[forked->maps[i]].shared].start ==
			    ps.maps[forked->maps[i]].start);
	process_ended(&ps, processes_known(&ps, (uint32_t)pid), INT64_MAX - 2);
	processes_sweep(&ps, used, INT64_MAX - 1);
	assert_int_equal(ps.nr_free, ps.nr_maps);
	free(used);
}

#define TEST(name) cmocka_unit_test_setup_teardown(process__##name, set_up, tear_down)
#define LOOK(name) cmocka_unit_test_setup_teardown(process__##name, start_child, stop_child)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(told_again_it_is_the_same),
		TEST(the_newer_one_cuts_the_older),
		TEST(anonymous_memory_has_no_offset),
		TEST(what_is_older_than_the_look_is_past),
		TEST(a_program_begins_with_nothing),
		TEST(a_child_has_what_its_parent_had_then),
		TEST(a_child_inherits_later),
		TEST(past_mappings_are_bounded),
		TEST(current_mappings_are_bounded),
		TEST(what_ended_is_swept),
		TEST(ended),
		TEST(a_number_that_is_used_again),
		TEST(the_newest_and_the_one_of_then),
		TEST(many_events),
		TEST(forked_ones_share_numbers),
		LOOK(a_look_sees_what_is_there),
		LOOK(events_and_looks_agree),
		LOOK(a_look_ahead_of_the_events),
		LOOK(one_object_for_events_and_looks),
		LOOK(one_that_ended_shows_nothing),
		LOOK(gone_and_come_back),
		LOOK(gives_its_perf_map),
		LOOK(gives_it_after_its_end),
		LOOK(gives_all_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
