/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults: attaches the programs to each processor's events; see faults.bpf.c. */
#include "faults.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/file_labels.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/faults.object.h"
#include "bpf/faults.plain.object.h"

static const struct fault {
	const char *name, *program, *mapped; /* the program without and with the mapping */
	uint64_t event;
} faults[FAULT_KINDS] = {
	[FAULT_MINOR] = {"minor", "on_minor", "on_minor_mapped", PERF_COUNT_SW_PAGE_FAULTS_MIN},
	[FAULT_MAJOR] = {"major", "on_major", "on_major_mapped", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
};

/* The labels of mappings without a file. */
static const char *const mappings[MAPPINGS] = {[MAPPING_HEAP] = "[heap]",
	[MAPPING_STACK] = "[stack]",
	[MAPPING_ANONYMOUS] = "[anonymous]"};

/* Data of a recording. */
struct faults_run {
	int names; /* map of files */
};

static bool is_wanted(const struct engine_request *request, size_t kind)
{
	return tool_value(request->tool, &request->values, "kind") >> kind & 1;
}

static const char *program_of(const struct fault *fault)
{
	return features_find_vma() ? fault->mapped : fault->program;
}

static bool is_needed(const struct engine_request *request, const char *program)
{
	for (size_t i = 0; i < FAULT_KINDS; i++)
		if (!strcmp(program, faults[i].program) || !strcmp(program, faults[i].mapped))
			return is_wanted(request, i) && !strcmp(program, program_of(&faults[i]));
	return true;
}

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct faults_run));
}

static void release(struct tool_run *run)
{
	free(run->data);
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	const struct faults_run *r = run->data;
	uint32_t mapping = (value >> FAULT_MAPPING_SHIFT & FAULT_MAPPING) % MAPPINGS;
	struct samples *s = run->drain->samples;
	uint32_t set = samples_label(s, 0, "fault", faults[value & FAULT_KIND].name);

	if (mappings[mapping])
		return samples_label(s, set, "mapping", mappings[mapping]);
	return file_labels_add(s, set, "mapping", r->names, value >> FAULT_FILE_SHIFT);
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
		bpf_program__attach_perf_event(programs_find(p, program_of(fault)), fd);

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
	struct faults_run *r = run->data;

	r->names = programs_map(p, "file_names");
	for (size_t i = 0; i < FAULT_KINDS; i++)
		for (size_t cpu = 0; is_wanted(run->request, i) && cpu < p->nr_cpus; cpu++)
			if (attach_on_cpu(p, &faults[i], (int)cpu, err))
				return -1;
	return 0;
}

const struct bpf_tool faults_tool = {
	.program = "faults",
	.object = &faults_object,
	.plain_object = &faults_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.release = release,
};
