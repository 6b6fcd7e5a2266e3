/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults: attaches the programs to each processor's events; see faults.bpf.c. */
#include "faults.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/faults.skel.h"

static const struct fault {
	const char *name, *program;
	uint64_t event;
} faults[FAULT_KINDS] = {
	[FAULT_MINOR] = {"minor", "on_minor", PERF_COUNT_SW_PAGE_FAULTS_MIN},
	[FAULT_MAJOR] = {"major", "on_major", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
};

static bool is_wanted(const struct engine_request *request, size_t kind)
{
	return tool_value(request->tool, &request->values, "kind") >> kind & 1;
}

static bool is_needed(const struct engine_request *request, const char *program)
{
	for (size_t i = 0; i < FAULT_KINDS; i++)
		if (!strcmp(program, faults[i].program))
			return is_wanted(request, i);
	return true;
}

static void begin(struct tool_run *run)
{
	for (uint32_t i = 0; i < FAULT_KINDS; i++)
		drain_name_state(run->drain, TOOL_STATE(i), "fault", faults[i].name);
}

static int refuse(const struct fault *fault, struct strbuf *err)
{
	int error = errno;

	strbuf_addf(err, "cannot count %s faults", fault->name);
	return refusal_add(err, error);
}

/* Attaches the program of FAULT on processor CPU, unless that is offline. */
static int attach_on_cpu(struct programs *p, const struct fault *fault, int cpu, struct strbuf *err)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = fault->event,
		.sample_period = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 0 : refuse(fault, err);
	struct bpf_link *link =
		bpf_program__attach_perf_event(programs_find(p, fault->program), fd);

	if (!link) {
		refuse(fault, err);
		close(fd);
		return -1;
	}
	programs_keep(p, link);
	return 0;
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	for (size_t i = 0; i < FAULT_KINDS; i++)
		for (size_t cpu = 0; is_wanted(run->request, i) && cpu < p->nr_cpus; cpu++)
			if (attach_on_cpu(p, &faults[i], (int)cpu, err))
				return -1;
	return 0;
}

const struct bpf_tool faults_tool = {
	.program = "faults",
	.object = faults__elf_bytes,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
};
