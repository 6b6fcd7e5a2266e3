/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sideband.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "refusal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 32 }; /* per CPU; a power of two */

static int open_event(const struct perf_event_attr *attr, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attr_for(const struct sideband *sb)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = sb->hz ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY,
		.sample_period = sb->hz ? 1000000000 / sb->hz : 0,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = !sb->by_inode,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = sb->prompt,
		.wakeup_watermark = 1, /* bytes, or ticks (wakeup_events) without watermark */
	};

	return attr;
}

static int open_attr(struct sideband *sb, int cpu)
{
	struct perf_event_attr attr = attr_for(sb);

	return open_event(&attr, cpu);
}

static int open_cpu(struct sideband *sb, struct sideband_cpu *c)
{
	int fd = open_attr(sb, c->cpu);

	if (fd < 0 && errno == EINVAL && !sb->by_inode) {
		sb->by_inode = true;
		fd = open_attr(sb, c->cpu);
	}
	if (fd < 0)
		return -1;
	void *ring = mmap(NULL, sb->ring_size + (size_t)sysconf(_SC_PAGESIZE),
		PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	*c = (struct sideband_cpu){c->cpu, fd, ring, 0, c->offline_ns};
	return 0;
}

/* Closes the event of a CPU. Records that are still in its ring are lost. */
static void close_cpu(const struct sideband *sb, struct sideband_cpu *c)
{
	if (c->ring)
		munmap(c->ring, sb->ring_size + (size_t)sysconf(_SC_PAGESIZE));
	if (c->fd >= 0)
		close(c->fd);
	c->ring = NULL;
	c->fd = -1;
}

int sideband_open(struct sideband *sb, const struct sideband_options *options, struct strbuf *err)
{
	*sb = (struct sideband){
		.cpus = xcalloc(options->nr_cpus, sizeof(*sb->cpus)),
		.nr_cpus = options->nr_cpus,
		.ring_size = RING_PAGES * (size_t)sysconf(_SC_PAGESIZE),
		.hz = options->hz,
		.prompt = options->prompt,
		.program = -1,
	};
	for (size_t i = 0; i < sb->nr_cpus; i++)
		sb->cpus[i] = (struct sideband_cpu){.cpu = (int)i, .fd = -1};
	for (size_t i = 0; i < sb->nr_cpus; i++) {
		if (!open_cpu(sb, &sb->cpus[i]) || errno == ENODEV) /* not online */
			continue;
		int error = errno;

		strbuf_addf(err, "cannot open a perf event on CPU %zu", i);
		refusal_add(err, error);
		sideband_close(sb);
		return -1;
	}
	return 0;
}

static int attach(const struct sideband *sb, const struct sideband_cpu *c)
{
	return sb->program < 0 ? 0 : ioctl(c->fd, PERF_EVENT_IOC_SET_BPF, sb->program);
}

int sideband_attach(struct sideband *sb, int prog_fd, struct strbuf *err)
{
	sb->program = prog_fd;
	for (size_t i = 0; i < sb->nr_cpus; i++)
		if (sb->cpus[i].ring && attach(sb, &sb->cpus[i]))
			return fail(err, "cannot attach the BPF program to the clock of CPU %d: %s",
				sb->cpus[i].cpu, strerror(errno));
	return 0;
}

void sideband_enable(struct sideband *sb, bool on)
{
	sb->enabled = on;
	for (size_t i = 0; i < sb->nr_cpus; i++)
		if (sb->cpus[i].ring)
			ioctl(sb->cpus[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
				0);
}

void sideband_close(struct sideband *sb)
{
	sideband_drop(sb, sb->nr);
	for (size_t i = 0; i < sb->nr_cpus; i++)
		close_cpu(sb, &sb->cpus[i]);
	free(sb->cpus);
	free(sb->events);
	*sb = (struct sideband){0};
}

/* ---- CPUs that go offline and come online ---- */

/* Returns whether CPU is in LIST, such as "0-3,8,10-11". */
static bool is_listed(const char *list, int cpu)
{
	for (const char *at = list; *at; at += strspn(at, ",\n")) {
		char *end;
		long first = strtol(at, &end, 10);
		long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (end == at)
			return false;
		if (cpu >= first && cpu <= last)
			return true;
		at = end;
	}
	return false;
}

/*
 * Returns whether the event has stopped because its CPU was offline, which shows only in its times.
 */
static bool is_stopped(struct sideband_cpu *c)
{
	uint64_t times[2]; /* the count, and how long it was enabled */
	uint64_t before = c->enabled_ns;

	if (!c->ring)
		return true;
	if (read(c->fd, times, sizeof(times)) != sizeof(times))
		return false;
	c->enabled_ns = times[1];
	return times[1] == before;
}

/* Opens the event of a CPU again. Returns false if the CPU is offline. */
static bool restart_cpu(struct sideband *sb, struct sideband_cpu *c)
{
	if (open_cpu(sb, c))
		return errno != ENODEV;
	if (attach(sb, c))
		close_cpu(sb, c);
	return true;
}

void sideband_update(
	struct sideband *sb, const char *online, sideband_restarted *restarted, void *context)
{
	for (size_t i = 0; sb->enabled && i < sb->nr_cpus; i++) {
		struct sideband_cpu *c = &sb->cpus[i];

		if (!is_stopped(c))
			continue;
		if (c->ring)
			sideband_read(sb);
		close_cpu(sb, c);
		if ((online && !is_listed(online, c->cpu)) || !restart_cpu(sb, c))
			c->offline_ns = monotonic_ns();
		if (!c->ring)
			continue;
		restarted(context, c);
		ioctl(c->fd, PERF_EVENT_IOC_ENABLE, 0);
		add_capped(&sb->lost, 1);
	}
}

/* ---- records ---- */

/* Layouts of the records, see perf_event_open(2). */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, inode_generation;
		};
		struct { /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size, reserved1;
			uint16_t reserved2;
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char path[];
};

struct task_event {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm_event {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct lost_event {
	struct perf_event_header header;
	uint64_t id, lost;
};

struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

static void add_event(struct sideband *sb, const struct side_event *event)
{
	ALLOC_GROW(sb->events, sb->nr, sb->alloc);
	sb->events[sb->nr++] = *event;
}

static void set_file(struct side_event *e, const struct mmap2 *m)
{
	if (!(m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		e->dev = makedev(m->major, m->minor);
		e->inode = m->inode;
		return;
	}
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < m->build_id_size && i < sizeof(m->build_id); i++) {
		e->build_id[2 * i] = digits[m->build_id[i] >> 4];
		e->build_id[2 * i + 1] = digits[m->build_id[i] & 15];
	}
}

static void add_map(struct sideband *sb, const struct mmap2 *m, int64_t time_ns)
{
	if (m->header.size < sizeof(*m) + sizeof(struct sample_id) || !(m->prot & PROT_EXEC))
		return;
	size_t max = m->header.size - sizeof(*m) - sizeof(struct sample_id);
	struct side_event e = {
		.time_ns = time_ns,
		.kind = SIDE_MAP,
		.pid = m->pid,
		.start = m->start,
		.end = m->start + m->len,
		.offset = m->offset,
		.writable = m->prot & PROT_WRITE,
		.path = xstrndup(m->path, strnlen(m->path, max)),
	};

	if (!strncmp(e.path, "//", 2))
		*e.path = '\0'; /* "//anon" */
	set_file(&e, m);
	add_event(sb, &e);
}

static void read_record(struct sideband *sb, const struct perf_event_header *h)
{
	const struct task_event *task = (const void *)h;
	const struct sample_id *id =
		(const void *)((const char *)h + h->size - sizeof(struct sample_id));
	struct side_event e = {.time_ns = (int64_t)id->time, .pid = task->pid, .ppid = task->ppid};

	switch (h->type) {
	case PERF_RECORD_MMAP2:
		add_map(sb, (const struct mmap2 *)h, e.time_ns);
		break;
	case PERF_RECORD_COMM:
		e.kind = SIDE_EXEC;
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			add_event(sb, &e);
		break;
	case PERF_RECORD_FORK:
		e.kind = SIDE_FORK;
		if (task->pid != task->ppid)
			add_event(sb, &e);
		break;
	case PERF_RECORD_EXIT:
		e.kind = SIDE_EXIT;
		if (task->pid == task->tid)
			add_event(sb, &e);
		break;
	case PERF_RECORD_LOST:
		add_capped(&sb->lost, ((const struct lost_event *)h)->lost);
		break;
	}
}

static void read_cpu(struct sideband *sb, const struct sideband_cpu *c)
{
	struct perf_event_mmap_page *page = c->ring;
	const char *data = (const char *)c->ring + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
	_Alignas(uint64_t) char copy[UINT16_MAX + 1];

	while (at < head && head - at <= sb->ring_size) {
		const struct perf_event_header *h =
			(const void *)(data + (at & (sb->ring_size - 1)));
		size_t size = h->size, first = sb->ring_size - (at & (sb->ring_size - 1));

		if (size < sizeof(*h) + sizeof(struct sample_id) || size % 8 || size > head - at)
			break; /* corrupt */
		if (size > first) {
			memcpy(copy, h, first);
			memcpy(copy + first, data, size - first);
			h = (const void *)copy;
		}
		read_record(sb, h);
		at += size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

static int compare_events(const void *va, const void *vb)
{
	const struct side_event *a = va, *b = vb;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

void sideband_read(struct sideband *sb)
{
	size_t before = sb->nr;

	for (size_t i = 0; i < sb->nr_cpus; i++)
		if (sb->cpus[i].ring)
			read_cpu(sb, &sb->cpus[i]);
	if (sb->nr > before)
		qsort(sb->events, sb->nr, sizeof(*sb->events), compare_events);
}

void sideband_drop(struct sideband *sb, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(sb->events[i].path);
	sb->nr -= nr;
	if (sb->nr)
		memmove(sb->events, sb->events + nr, sb->nr * sizeof(*sb->events));
}
