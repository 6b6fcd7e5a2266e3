/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ring buffers as the kernel fills them, and corrupt ones. */
#include "engine/bpf/sideband.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

enum { CPUS = 3, RING = 4096, PID = 100 };

static struct sideband sb;
static size_t page;

/* Makes a ring; the page after it is not accessible. */
static void *make_ring(void)
{
	char *p = mmap(NULL, RING + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p, RING + page, PROT_READ | PROT_WRITE), 0);
	return p;
}

static int set_up(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	sb = (struct sideband){.ring_size = RING, .nr_cpus = CPUS};
	sb.cpus = xcalloc(CPUS, sizeof(*sb.cpus));
	for (int i = 0; i < CPUS; i++)
		sb.cpus[i] = (struct sideband_cpu){.cpu = i, .fd = -1, .ring = make_ring()};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < CPUS; i++)
		munmap((char *)sb.cpus[i].ring + RING + page, page);
	sideband_close(&sb);
	return 0;
}

static struct perf_event_mmap_page *head_of(int cpu)
{
	return sb.cpus[cpu].ring;
}

/* Sets head and tail of the empty ring. */
static void start_at(int cpu, uint64_t position)
{
	head_of(cpu)->data_head = head_of(cpu)->data_tail = position;
}

static void put_bytes(int cpu, const void *bytes, size_t size)
{
	char *data = (char *)sb.cpus[cpu].ring + page;

	for (size_t i = 0; i < size; i++)
		data[head_of(cpu)->data_head++ % RING] = ((const char *)bytes)[i];
}

/* Writes a record of BODY and the sample_id; releases BODY. */
static void put(int cpu, uint32_t type, uint16_t misc, struct strbuf *body, uint64_t time)
{
	struct {
		uint32_t pid, tid;
		uint64_t time;
	} id = {PID, PID, time};

	while (body->len % 8)
		strbuf_addch(body, '\0');
	struct perf_event_header h = {type, misc, (uint16_t)(sizeof(h) + body->len + sizeof(id))};

	put_bytes(cpu, &h, sizeof(h));
	put_bytes(cpu, body->buf, body->len);
	put_bytes(cpu, &id, sizeof(id));
	strbuf_release(body);
}

static void add32(struct strbuf *sb_, uint32_t value)
{
	strbuf_add(sb_, &value, sizeof(value));
}

static void add64(struct strbuf *sb_, uint64_t value)
{
	strbuf_add(sb_, &value, sizeof(value));
}

/* Writes a fork or exit record. */
static void put_task(
	int cpu, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time)
{
	struct strbuf body = STRBUF_INIT;

	add32(&body, pid);
	add32(&body, ppid);
	add32(&body, tid);
	add32(&body, ppid);
	add64(&body, time);
	put(cpu, type, 0, &body, time);
}

static void put_comm(int cpu, uint32_t pid, const char *comm, uint16_t misc, uint64_t time)
{
	struct strbuf body = STRBUF_INIT;

	add32(&body, pid);
	add32(&body, pid);
	strbuf_add(&body, comm, strlen(comm) + 1);
	put(cpu, PERF_RECORD_COMM, misc, &body, time);
}

/* ID has 24 bytes that identify the file. */
static void put_map(
	int cpu, uint32_t prot, uint16_t misc, const void *id, const char *path, uint64_t time)
{
	struct strbuf body = STRBUF_INIT;

	add32(&body, PID);
	add32(&body, PID + 1);
	add64(&body, 0x1000 * time);
	add64(&body, 0x800);
	add64(&body, 0x3000);
	strbuf_add(&body, id, 24);
	add32(&body, prot);
	add32(&body, 2);
	strbuf_add(&body, path, strlen(path) + 1);
	put(cpu, PERF_RECORD_MMAP2, misc, &body, time);
}

static void put_other(int cpu, uint32_t type, uint64_t a, uint64_t b, uint64_t time)
{
	struct strbuf body = STRBUF_INIT;

	add64(&body, a);
	add64(&body, b);
	put(cpu, type, 0, &body, time);
}

static const struct {
	uint32_t major, minor;
	uint64_t inode, generation;
} by_inode = {8, 1, 4711, 1};

/* Sizes and bytes of build-ids. */
static const unsigned char sha1[24] = {
	20, 0, 0, 0, 0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0xef};
static const unsigned char md5[24] = {16, 0, 0, 0, 0xff}, oversized[24] = {255, 0, 0, 0, 7};

static void sideband__mappings(void **state)
{
	const uint32_t rx = PROT_READ | PROT_EXEC;
	const uint16_t known = PERF_RECORD_MISC_MMAP_BUILD_ID;

	(void)state;
	put_map(0, rx, known | PERF_RECORD_MISC_USER, sha1, "/lib/a", 1);
	put_map(0, rx | PROT_WRITE, known, md5, "/lib/with eight", 2);
	put_map(0, rx, 0, &by_inode, "/lib/c", 3);
	put_map(0, PROT_READ | PROT_WRITE, known, sha1, "/lib/data", 4);
	put_map(0, rx, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "//anon", 5);
	put_map(0, rx, known, oversized, "/", 6);
	sideband_read(&sb);
	assert_int_equal(sb.nr, 5);
	const struct side_event *e = sb.events;

	assert_true(e->kind == SIDE_MAP && e->time_ns == 1 && e->pid == PID && !e->writable);
	assert_true(e->start == 0x1000 && e->end == 0x1800 && e->offset == 0x3000);
	assert_string_equal(e->path, "/lib/a");
	assert_string_equal(e->build_id, "ab0102030405060708090a0b0c0d0e0f101112ef");
	assert_int_equal(e->inode, 0);
	assert_true(e[1].writable);
	assert_string_equal(e[1].path, "/lib/with eight");
	assert_string_equal(e[1].build_id, "ff000000000000000000000000000000");
	assert_string_equal(e[2].build_id, "");
	assert_true(e[2].dev == makedev(8, 1) && e[2].inode == 4711);
	assert_true(e[3].time_ns == 5 && !*e[3].path && !e[3].inode && !e[3].dev);
	assert_int_equal(strlen(e[4].build_id), 40);
}

static void sideband__tasks(void **state)
{
	(void)state;
	put_task(0, PERF_RECORD_FORK, 2, 1, 2, 1);
	put_task(0, PERF_RECORD_FORK, 2, 2, 3, 2); /* a thread */
	put_comm(0, 2, "name", 0, 3);
	put_comm(0, 2, "a program", PERF_RECORD_MISC_COMM_EXEC, 4);
	put_task(0, PERF_RECORD_EXIT, 2, 1, 3, 5); /* a thread */
	put_task(0, PERF_RECORD_EXIT, 2, 1, 2, 6);
	sideband_read(&sb);
	assert_int_equal(sb.nr, 3);
	assert_true(sb.events[0].kind == SIDE_FORK && sb.events[0].time_ns == 1);
	assert_true(sb.events[0].pid == 2 && sb.events[0].ppid == 1);
	assert_true(sb.events[1].kind == SIDE_EXEC && sb.events[1].time_ns == 4);
	assert_true(sb.events[1].pid == 2);
	assert_true(sb.events[2].kind == SIDE_EXIT && sb.events[2].time_ns == 6);
	assert_int_equal(sb.lost, 0);
}

static void sideband__what_was_lost(void **state)
{
	(void)state;
	put_other(0, PERF_RECORD_LOST, 1, 5, 1);
	put_other(1, PERF_RECORD_LOST, 1, 7, 1);
	put_other(1, PERF_RECORD_THROTTLE, 1, 1, 2); /* the programs count ticks that do not come */
	put_other(1, PERF_RECORD_UNTHROTTLE, 1, 1, 3);
	put_other(1, 12345, 1, 1, 4);
	sideband_read(&sb);
	assert_int_equal(sb.nr, 0);
	assert_int_equal(sb.lost, 12);
	put_other(0, PERF_RECORD_LOST, 1, UINT64_MAX, 1);
	sideband_read(&sb);
	assert_int_equal(sb.lost, UINT64_MAX);
}

/* A record that wraps around at each possible offset. */
static void sideband__records_around_the_end(void **state)
{
	const char *path = "/a/path/of/some/length";

	(void)state;
	for (uint64_t at = RING - 160; at <= RING; at += 8) {
		start_at(0, at);
		put_map(0, PROT_EXEC, PERF_RECORD_MISC_MMAP_BUILD_ID, sha1, path, 1);
		put_task(0, PERF_RECORD_EXIT, 2, 1, 2, 2);
		sideband_read(&sb);
		assert_int_equal(sb.nr, 2);
		assert_string_equal(sb.events[0].path, path);
		assert_int_equal(strlen(sb.events[0].build_id), 40);
		assert_true(sb.events[1].kind == SIDE_EXIT && sb.events[1].time_ns == 2);
		assert_int_equal(head_of(0)->data_tail, head_of(0)->data_head);
		sideband_drop(&sb, 2);
	}
}

static void sideband__in_the_order_of_time(void **state)
{
	uint64_t time = 0, dropped = 0;
	unsigned random = 1302;

	(void)state;
	while (time < 20000) {
		for (int n = rand_r(&random) % 60; n--; time++)
			put_task(rand_r(&random) % CPUS, PERF_RECORD_FORK, (uint32_t)time + 2, 1, 2,
				time);
		size_t before = sb.nr;

		sideband_read(&sb);
		sideband_read(&sb); /* nothing new */
		assert_true(sb.nr >= before);
		assert_int_equal(sb.nr, time - dropped);
		for (size_t i = 0; i < sb.nr; i++) {
			assert_int_equal(sb.events[i].time_ns, dropped + i);
			assert_int_equal(sb.events[i].pid, dropped + i + 2);
		}
		size_t drop = (size_t)rand_r(&random) % (sb.nr + 1);

		sideband_drop(&sb, drop);
		dropped += drop;
	}
	sideband_drop(&sb, sb.nr);
	assert_int_equal(sb.nr, 0);
}

/* Puts a record that claims SIZE bytes where the ring has ROOM bytes, after a valid one. */
static void put_bad(uint32_t type, size_t size, size_t room)
{
	struct perf_event_header h = {type, 0, (uint16_t)size};

	put_task(0, PERF_RECORD_EXIT, 2, 1, 2, 1);
	put_bytes(0, &h, sizeof(h));
	head_of(0)->data_head += room - sizeof(h);
}

static void sideband__sizes_that_cannot_be(void **state)
{
	static const uint32_t types[] = {PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK,
		PERF_RECORD_EXIT, PERF_RECORD_LOST, PERF_RECORD_THROTTLE};
	static const size_t sizes[] = {0, 1, 7, 8, 16, 23, 25, 100, 1024, RING, 65528, 65535};

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(types); t++)
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
			for (uint64_t at = RING - 56; at <= RING; at += 8) {
				start_at(0, at);
				put_bad(types[t], sizes[i], 64);
				sideband_read(&sb);
				assert_int_equal(sb.nr, 1);
				assert_int_equal(head_of(0)->data_tail, head_of(0)->data_head);
				sideband_drop(&sb, 1);
			}
	/* too short for their type */
	for (size_t t = 0; t < ARRAY_LEN(types); t++)
		for (size_t size = 24; size < 96; size += 8)
			for (uint64_t at = RING - 200; at <= RING; at += 8) {
				start_at(0, at);
				put_bad(types[t], size, size);
				put_task(0, PERF_RECORD_EXIT, 2, 1, 2, 3);
				sideband_read(&sb);
				assert_true(sb.nr >= 2);
				sideband_drop(&sb, sb.nr);
			}
}

static void sideband__any_bytes(void **state)
{
	uint64_t *words = (uint64_t *)(void *)((char *)sb.cpus[0].ring + page);
	unsigned random = 1302;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 8; i++) {
			struct perf_event_header h = {(uint32_t)rand_r(&random) % 16,
				(uint16_t)rand_r(&random), (uint16_t)(rand_r(&random) % 40 * 8)};

			memcpy(&words[rand_r(&random) % (RING / 8)], &h, sizeof(h));
		}
		head_of(0)->data_tail = (uint64_t)rand_r(&random) * 8;
		head_of(0)->data_head =
			head_of(0)->data_tail + (uint64_t)(rand_r(&random) % (2 * RING));
		sideband_read(&sb);
		sideband_drop(&sb, sb.nr);
	}
}

static int open_real(struct sideband *real, struct strbuf *err)
{
	const struct sideband_options options = {
		.nr_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF), .prompt = true};

	return sideband_open(real, &options, err);
}

/* Events of the running kernel. */
static void sideband__of_this_machine(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct sideband real;
	int found = 0;

	(void)state;
	if (open_real(&real, &err)) {
		printf("# skipped: %s\n", err.buf);
		strbuf_release(&err);
		skip();
	}
	sideband_enable(&real, true);
	char *code =
		mmap(NULL, 3 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = system("true");

	sideband_read(&real);
	for (size_t i = 0; i < real.nr; i++) {
		const struct side_event *e = &real.events[i];

		assert_true(!i || e->time_ns >= real.events[i - 1].time_ns);
		if (e->pid == (uint32_t)getpid())
			found |= e->kind == SIDE_MAP && e->start == (uintptr_t)code && !*e->path &&
				 e->end == e->start + 3 * page;
		if (e->kind == SIDE_FORK && e->ppid == (uint32_t)getpid())
			found |= 2;
	}
	assert_int_equal(found, 3);
	assert_int_equal(status, 0);
	munmap(code, 3 * page);
	sideband_close(&real);
}

static void count_restart(void *context, const struct sideband_cpu *cpu)
{
	unsigned *restarts = context;

	assert_true(cpu->ring && cpu->fd >= 0);
	restarts[cpu->cpu]++;
}

/* Stops the event, as the kernel does when the CPU goes offline. */
static void stop_event(const struct sideband_cpu *cpu)
{
	assert_int_equal(ioctl(cpu->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
}

static bool is_running(const struct sideband_cpu *cpu)
{
	uint64_t before[2], after[2];

	return read(cpu->fd, before, sizeof(before)) == sizeof(before) && !usleep(1000) &&
	       read(cpu->fd, after, sizeof(after)) == sizeof(after) && after[1] > before[1];
}

/* LIST has the online CPUs, or is NULL if they are not known. */
static void update(struct sideband *real, const char *list, unsigned *restarts)
{
	sideband_update(real, list, count_restart, restarts);
	usleep(1000);
}

/* Uses the last CPU, which may be the only one: the first CPU is never offline on most machines. */
static void sideband__starts_again_after_offline(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct sideband real;

	(void)state;
	if (open_real(&real, &err)) {
		printf("# skipped: %s\n", err.buf);
		strbuf_release(&err);
		skip();
	}
	unsigned *restarts = xcalloc(real.nr_cpus, sizeof(*restarts));
	struct sideband_cpu *last = &real.cpus[real.nr_cpus - 1];
	int cpu = last->cpu;

	while (cpu && !real.cpus[cpu].ring)
		cpu--;
	last = &real.cpus[cpu];
	update(&real, NULL, restarts); /* not enabled yet */
	assert_int_equal(restarts[cpu], 0);
	sideband_enable(&real, true);
	update(&real, NULL, restarts);
	update(&real, NULL, restarts);
	assert_int_equal(restarts[cpu], 0); /* nothing has changed */

	stop_event(last); /* offline for a moment */
	update(&real, NULL, restarts);
	update(&real, NULL, restarts);
	assert_int_equal(restarts[cpu], 1);
	assert_true(is_running(last));
	assert_int_equal(last->offline_ns, 0);
	assert_int_equal(real.lost, 1);

	stop_event(last); /* for longer */
	update(&real, "", restarts);
	update(&real, "", restarts);
	assert_null(last->ring);
	assert_int_not_equal(last->offline_ns, 0);
	update(&real, "1000-1001\n", restarts);
	assert_int_equal(restarts[cpu], 1);
	update(&real, "2000,0-999\n", restarts);
	assert_int_equal(restarts[cpu], 2);
	assert_true(is_running(last));

	sideband_enable(&real, false);
	update(&real, NULL, restarts);
	update(&real, NULL, restarts);
	assert_int_equal(restarts[cpu], 2);
	sideband_close(&real);
	free(restarts);
}

#define TEST(name) cmocka_unit_test_setup_teardown(sideband__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mappings),
		TEST(tasks),
		TEST(what_was_lost),
		TEST(records_around_the_end),
		TEST(in_the_order_of_time),
		TEST(sizes_that_cannot_be),
		TEST(any_bytes),
		TEST(of_this_machine),
		TEST(starts_again_after_offline),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
