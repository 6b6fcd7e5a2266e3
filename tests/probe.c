/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe: exits with 0 if this process may make a BPF map, load a program and open a tick on every
 * processor; otherwise prints what it may not do. probe list: prints all BPF objects of the system,
 * "prog 12", "map 7" or "link 3" a line.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static void list(const char *kind, int next)
{
	union bpf_attr attr = {0};

	while (!syscall(SYS_bpf, next, &attr, sizeof(attr))) {
		printf("%s %u\n", kind, attr.next_id);
		attr.start_id = attr.next_id;
	}
}

int main(int argc, char **argv)
{
	/* r0 = 0; exit */
	static const struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 1};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)program,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
	};
	struct perf_event_attr tick = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(tick),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
	};

	if (argc > 1 && !strcmp(argv[1], "list")) {
		list("prog", BPF_PROG_GET_NEXT_ID);
		list("map", BPF_MAP_GET_NEXT_ID);
		list("link", BPF_LINK_GET_NEXT_ID);
		return 0;
	}
	if (syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)) < 0)
		return refused("bpf(2) makes no map");
	if (syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load)) < 0)
		return refused("bpf(2) loads no program");
	if (syscall(SYS_perf_event_open, &tick, -1, 0, -1, 0) < 0)
		return refused("perf_event_open(2) makes no tick");
	return 0;
}
