/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retprobe SECONDS: calls functions, some of them recursively, on which it has placed return
 * probes, as bpftrace and other tools do. Exit: 3 if the kernel allows no probes. */
#include "case.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

enum { PROBE_RETURNS = 1 };

extern const char __executable_start[];

static NOINLINE void work(void)
{
	unsigned x = case_sink;

	for (int i = 0; i < 20; i++)
		x = burn_unit(x);
	case_sink = x;
}

static NOINLINE void probed(void)
{
	work();
	NO_TAIL_CALL;
}

static NOINLINE void between(void)
{
	probed();
	NO_TAIL_CALL;
}

static NOINLINE void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		between();
	NO_TAIL_CALL;
}

/* Returns the perf event type of the kernel's user-space probes, or -1 if it has none. */
static int probe_type(void)
{
	char text[16] = "";
	int fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	close(fd);
	return atoi(text);
}

/* The executable is mapped at its link addresses, so offsets from its start are offsets in the
 * file. */
static void put_probe(const void *function)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)probe_type(),
		.size = sizeof(attr),
		.config = PROBE_RETURNS,
		.uprobe_path = (uintptr_t) "/proc/self/exe",
		.probe_offset = (uint64_t)((const char *)function - __executable_start),
	};

	if (probe_type() < 0 || syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		exit(3);
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	put_probe((const void *)down);
	put_probe((const void *)probed);
	case_ready();
	while (!burn_over)
		down(5);
	return 0;
}
