/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_events.h"
#include "lib/util.h"

#include <glob.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* SystemTap's names of the events, as in tapset/perf.stp. */
static const struct event {
	const char *name;
	enum probe_kind kind;
	uint64_t config;
	uint64_t count; /* events for each hit if the user does not say */
} events[] = {
	{"cpu_clock", PROBE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000},
	{"task_clock", PROBE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000},
	{"page_faults", PROBE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
	{"page_faults_min", PROBE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1},
	{"page_faults_maj", PROBE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
	{"context_switches", PROBE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
	{"cpu_migrations", PROBE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
	{"alignment_faults", PROBE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1},
	{"emulation_faults", PROBE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, 1},
	{"cpu_cycles", PROBE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000},
	{"instructions", PROBE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000000},
	{"cache_references", PROBE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 10000},
	{"cache_misses", PROBE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1000},
	{"branch_instructions", PROBE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000000},
	{"branch_misses", PROBE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 10000},
	{"bus_cycles", PROBE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 100000},
	{"stalled_cycles_frontend", PROBE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 1000000},
	{"stalled_cycles_backend", PROBE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1000000},
	{"ref_cpu_cycles", PROBE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000},
};

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

FILE *at_event_format(const char *group, const char *name)
{
	FILE *format = NULL;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !format; i++) {
		char *path = xasprintf("%s/events/%s/%s/format", mounts[i], group, name);

		format = fopen(path, "re");
		free(path);
	}
	return format;
}

char *at_event_group(const char *name)
{
	char *group = NULL;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !group; i++) {
		char *pattern = xasprintf("%s/events/*/%s", mounts[i], name);
		glob_t found = {0};

		if (!glob(pattern, GLOB_NOSORT, NULL, &found) && found.gl_pathc) {
			const char *start =
				found.gl_pathv[0] + strlen(mounts[i]) + strlen("/events/");

			group = xstrndup(start, strcspn(start, "/"));
		}
		globfree(&found);
		free(pattern);
	}
	return group;
}

int at_event_attr(const struct probe *probe, uint64_t count, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		const struct event *e = &events[i];

		if (e->kind != probe->kind || strcmp(e->name, probe->name))
			continue;
		*attr = (struct perf_event_attr){
			.size = sizeof(*attr),
			.type = e->kind == PROBE_SOFTWARE ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
			.config = e->config,
			.sample_period = count ? count : e->count,
		};
		return 0;
	}
	return -1;
}
