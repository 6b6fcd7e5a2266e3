/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "named_event.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USUAL_HZ = 999, RAW_DIGITS_MAX = 16 };

#define HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define SOFTWARE(event) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event

/* perf's names, and SystemTap's (tapset/perf.stp), or NULL if it has none. */
static const struct event_row {
	const char *name, *alias, *in_stap;
	uint32_t type;
	uint64_t config;
	uint64_t count;
} rows[] = {
	{"cycles", "cpu-cycles", "cpu_cycles", HARDWARE(CPU_CYCLES), 1000000},
	{"instructions", NULL, "instructions", HARDWARE(INSTRUCTIONS), 1000000},
	{"cache-references", NULL, "cache_references", HARDWARE(CACHE_REFERENCES), 10000},
	{"cache-misses", NULL, "cache_misses", HARDWARE(CACHE_MISSES), 1000},
	{"branches", "branch-instructions", "branch_instructions", HARDWARE(BRANCH_INSTRUCTIONS),
		1000000},
	{"branch-misses", NULL, "branch_misses", HARDWARE(BRANCH_MISSES), 10000},
	{"bus-cycles", NULL, "bus_cycles", HARDWARE(BUS_CYCLES), 100000},
	{"stalled-cycles-frontend", "idle-cycles-frontend", "stalled_cycles_frontend",
		HARDWARE(STALLED_CYCLES_FRONTEND), 1000000},
	{"stalled-cycles-backend", "idle-cycles-backend", "stalled_cycles_backend",
		HARDWARE(STALLED_CYCLES_BACKEND), 1000000},
	{"ref-cycles", NULL, "ref_cpu_cycles", HARDWARE(REF_CPU_CYCLES), 1000000},
	{"cpu-clock", NULL, "cpu_clock", SOFTWARE(CPU_CLOCK), 1000000},
	{"task-clock", NULL, "task_clock", SOFTWARE(TASK_CLOCK), 1000000},
	{"page-faults", "faults", "page_faults", SOFTWARE(PAGE_FAULTS), 1},
	{"minor-faults", NULL, "page_faults_min", SOFTWARE(PAGE_FAULTS_MIN), 1},
	{"major-faults", NULL, "page_faults_maj", SOFTWARE(PAGE_FAULTS_MAJ), 1},
	{"context-switches", "cs", "context_switches", SOFTWARE(CONTEXT_SWITCHES), 1},
	{"cpu-migrations", "migrations", "cpu_migrations", SOFTWARE(CPU_MIGRATIONS), 1},
	{"alignment-faults", NULL, "alignment_faults", SOFTWARE(ALIGNMENT_FAULTS), 1},
	{"emulation-faults", NULL, "emulation_faults", SOFTWARE(EMULATION_FAULTS), 1},
	{"cgroup-switches", NULL, NULL, SOFTWARE(CGROUP_SWITCHES), 1},
};

/* The caches, by their numbers in perf's names and the kernel. */
static const char *const caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const cache_uses[] = {"load", "store", "prefetch"};

static bool is_equal(const char *name, size_t len, const char *text)
{
	return text && strlen(text) == len && !memcmp(name, text, len);
}

/* Returns the name of a cache's event: L1-dcache-loads or, with MISSES, L1-dcache-load-misses. */
static void name_cache(struct strbuf *name, size_t cache, size_t use, bool misses)
{
	bool is_prefetch = use == 2;

	strbuf_addf(name, "%s-%s%s", caches[cache], cache_uses[use],
		misses        ? "-misses"
		: is_prefetch ? "es"
			      : "s");
}

static struct named_event cache_event(size_t cache, size_t use, bool misses)
{
	return (struct named_event){
		.type = PERF_TYPE_HW_CACHE, .config = cache | use << 8 | (uint64_t)misses << 16};
}

static bool find_cache(struct named_event *event, const char *name, size_t len)
{
	struct strbuf text = STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(caches) * ARRAY_LEN(cache_uses) * 2 && !found; i++) {
		size_t cache = i / 6, use = i / 2 % 3;

		text.len = 0;
		name_cache(&text, cache, use, i & 1);
		found = is_equal(name, len, text.buf);
		if (found)
			*event = cache_event(cache, use, i & 1);
	}
	strbuf_release(&text);
	return found;
}

/* Finds the name of LEN bytes, without modifiers. */
static bool find_name(struct named_event *event, const char *name, size_t len)
{
	*event = (struct named_event){.type = PERF_TYPE_RAW};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (is_equal(name, len, rows[i].name) || is_equal(name, len, rows[i].alias)) {
			bool is_rare = rows[i].count == 1;

			*event = (struct named_event){
				rows[i].type, rows[i].config, is_rare, false, false, 0};
			return true;
		}
	if (len > 1 && len <= 1 + RAW_DIGITS_MAX && *name == 'r')
		return parse_u64(name + 1, len - 1, 16, &event->config);
	return find_cache(event, name, len);
}

/* Takes the modifiers u, k and p, as perf has them. */
static bool take_modifiers(struct named_event *event, const char *text)
{
	bool user = strchr(text, 'u'), kernel = strchr(text, 'k');

	event->no_user = kernel && !user;
	event->no_kernel = user && !kernel;
	for (const char *at = text; *at; at++)
		event->precise += *at == 'p';
	return *text && !text[strspn(text, "ukp")] && event->precise <= 3;
}

bool named_event_find(struct named_event *event, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : strlen(name);

	return find_name(event, name, len) && (!colon || take_modifiers(event, colon + 1));
}

bool named_event_find_in_stap(struct named_event *event, bool hardware, const char *name)
{
	uint32_t type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == type && rows[i].in_stap && !strcmp(rows[i].in_stap, name)) {
			*event = (struct named_event){
				type, rows[i].config, rows[i].count, false, false, 0};
			return true;
		}
	return false;
}

void named_event_attr(
	const struct named_event *event, uint64_t count, unsigned hz, struct perf_event_attr *attr)
{
	if (!count && !hz)
		count = event->count;
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = event->type,
		.config = event->config,
		.exclude_user = event->no_user,
		.exclude_kernel = event->no_kernel,
		.precise_ip = event->precise & 3,
		.freq = !count,
	};
	if (count)
		attr->sample_period = count;
	else
		attr->sample_freq = hz ? hz : USUAL_HZ;
}

/* Returns whether the event can be counted, in this process. */
static bool is_there(const struct named_event *event)
{
	struct perf_event_attr attr;

	named_event_attr(event, 0, 0, &attr);
	attr.disabled = 1;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void add_name(struct strbuf *names, const char *name)
{
	strbuf_addf(names, "%s%s", names->len ? ", " : "", name);
}

void named_event_list(struct strbuf *names)
{
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (is_there(&(struct named_event){.type = rows[i].type, .config = rows[i].config}))
			add_name(names, rows[i].name);
	for (size_t i = 0; i < ARRAY_LEN(caches) * ARRAY_LEN(cache_uses) * 2; i++) {
		struct named_event event = cache_event(i / 6, i / 2 % 3, i & 1);

		name.len = 0;
		name_cache(&name, i / 6, i / 2 % 3, i & 1);
		if (is_there(&event))
			add_name(names, name.buf);
	}
	strbuf_release(&name);
}
