/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at: attaches programs at the probe points that the user gives; see at.bpf.c. */
#include "at.h"
#include "at_attach.h"
#include "at_events.h"
#include "at_files.h"
#include "at_functions.h"
#include "at_kernel_functions.h"
#include "at_marks.h"
#include "at_multi.h"
#include "at_points.h"
#include "at_sites.h"
#include "at_syscalls.h"
#include "at_values.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/at.object.h"
#include "bpf/at.plain.object.h"

/* Data of a recording. */
struct at_run {
	struct at_points points;
	int counts; /* a map */
	struct at_counts sum;
	struct at_left_out left;
	bool untyped; /* the type of a value is not known */
};

/* Returns whether PROBE is a pattern of tracepoints. */
static bool is_raw(const struct probe *probe)
{
	return probe->kind == PROBE_TRACE && probe_is_pattern(probe);
}

static bool is_needed(const struct engine_request *r, const char *program)
{
	for (size_t i = 0; i < r->nr_probes; i++) {
		if (is_raw(&r->probes[i]) && !strcmp(program, "at_raw"))
			return true;
		const char *hit = at_program(r->probes[i].kind, false);
		const char *returned = at_program(r->probes[i].kind, true);

		if (!strcmp(hit, program) ||
			(r->measure.latency && returned && !strcmp(returned, program)))
			return true;
	}
	return strncmp(program, "at_", 3) != 0;
}

static void begin(struct tool_run *run)
{
	const struct engine_request *r = run->request;

	run->data = xcalloc(1, sizeof(struct at_run));
	for (size_t i = 0; i < r->nr_probes; i++)
		drain_name_state(run->drain, TOOL_STATE(i), "probe", r->probes[i].text);
}

/* A probe point whose programs are being attached. */
struct placing {
	struct tool_run *run;
	struct programs *programs;
	const struct probe *probe;
	uint32_t number;
};

/* Returns what is done at the probe point, without the numbers. */
static struct at_point point_of(const struct placing *p)
{
	const struct measure *m = &p->run->request->measure;
	const struct measure_test *test = &m->test_parsed;

	return (struct at_point){.probe = p->number,
		.compare = m->test ? test->compare : COMPARE_NONE,
		.test_returns = m->latency && m->test && test->value.kind == VALUE_RETURN,
		.latency = m->latency,
		.ranges = m->ranges,
		.constant = test->constant};
}

/* Sets where the numbers are at a probe point, other than a mark. */
static int set_numbers(const struct placing *p, struct at_point *point,
	const struct at_sites *sites, struct strbuf *err)
{
	const struct measure *m = &p->run->request->measure;
	const struct probe *probe = p->probe;
	struct at_run *at = p->run->data;

	if (m->value && at_value_find(&point->value, &m->value_parsed, probe, probe->at_return,
				sites, &at->untyped, err))
		return -1;
	return m->test ? at_value_find(&point->tested, &m->test_parsed.value, probe,
				 at_runs_at_return(probe, point->test_returns), sites, &at->untyped,
				 err)
		       : 0;
}

static bool is_in_files(enum probe_kind kind)
{
	return kind == PROBE_USER || kind == PROBE_MARK;
}

/* Returns whether functions of KIND are probed by links for many of them. */
static bool is_multi(const struct engine_request *r, enum probe_kind kind)
{
	bool is_user = is_in_files(kind), wants = false;

	for (size_t i = 0; i < r->nr_probes; i++) {
		enum probe_kind other = r->probes[i].kind;

		wants |= probe_is_pattern(&r->probes[i]) &&
			 (is_user ? is_in_files(other) : other == PROBE_KERNEL);
	}
	return wants && (is_user ? at_multi_has_user() : at_multi_has_kernel());
}

static void prepare(const struct programs *p)
{
	static const enum probe_kind kinds[] = {PROBE_KERNEL, PROBE_USER};

	at_events_mount();
	bpf_program__set_autoattach(programs_find(p, "at_raw"), false);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (int is_return = 0; is_return <= 1 && is_multi(p->request, kinds[i]);
			is_return++)
			at_multi_prepare(programs_find(p, at_program(kinds[i], is_return)),
				kinds[i] == PROBE_KERNEL);
}

/* Returns whether the probe point is in functions that have to be found. */
static bool has_sites(const struct placing *p)
{
	return is_in_files(p->probe->kind) ||
	       (p->probe->kind == PROBE_KERNEL &&
		       (probe_is_pattern(p->probe) || is_multi(p->run->request, PROBE_KERNEL)));
}

/*
 * Attaches the programs at SITES, or at a probe point without. The returns are probed first, so
 * that no call is seen whose return is not.
 */
static int attach_programs(
	const struct placing *p, const struct at_sites *sites, uint64_t number, struct strbuf *err)
{
	struct at_run *at = p->run->data;
	struct at_attach a = {.programs = p->programs,
		.probe = p->probe,
		.is_return = true,
		.is_multi = sites && is_multi(p->run->request, p->probe->kind),
		.number = number,
		.left = probe_is_pattern(p->probe) ? &at->left : NULL};
	int ret = 0;

	if (p->run->request->measure.latency)
		ret = sites ? at_attach_sites(&a, sites->list, sites->nr, err) : at_attach(&a, err);
	a.is_return = false;
	if (ret)
		return ret;
	return sites ? at_attach_sites(&a, sites->list, sites->nr, err) : at_attach(&a, err);
}

static int find_sites(
	const struct placing *p, struct at_sites *sites, struct at_files *files, struct strbuf *err)
{
	const struct engine_request *r = p->run->request;
	struct at_run *at = p->run->data;

	if (p->probe->kind == PROBE_KERNEL)
		return at_kernel_functions_find(sites, p->probe, err);
	if (at_files_find(files, p->probe, r, p->run->facet.ps, err))
		return -1;
	return p->probe->kind == PROBE_MARK
		       ? at_marks_find(sites, p->probe, &r->measure, files, err)
		       : at_functions_find(
				 sites, &at->left, p->probe, files, r->measure.latency, err);
}

/* Sets what is done at the sites. If calls are measured, each function has a number of its own. */
static int set_cookies(const struct placing *p, struct at_sites *sites, struct strbuf *err)
{
	struct at_run *at = p->run->data;
	struct at_point point = point_of(p);

	if (p->probe->kind != PROBE_MARK && set_numbers(p, &point, sites, err))
		return -1;
	for (size_t i = 0; i < sites->nr; i++) {
		struct at_site *site = &sites->list[i];

		if (p->probe->kind == PROBE_MARK) {
			point.value = site->value;
			point.tested = site->tested;
		}
		int number = at_points_add(&at->points, &point, err);

		if (number < 0)
			return -1;
		site->cookie = (uint64_t)number + (point.latency ? i * AT_POINTS_MAX : 0);
	}
	return 0;
}

static int attach_at_sites(const struct placing *p, struct strbuf *err)
{
	struct at_files files = {0};
	struct at_sites sites = {0};
	int ret = find_sites(p, &sites, &files, err);

	if (!ret)
		ret = set_cookies(p, &sites, err);
	if (!ret)
		ret = attach_programs(p, &sites, 0, err);
	at_sites_release(&sites);
	at_files_release(&files);
	return ret;
}

static int attach_raw(const struct placing *p, const struct at_point *point, struct strbuf *err)
{
	const struct measure *m = &p->run->request->measure;
	struct at_run *at = p->run->data;
	struct at_attach a = {.programs = p->programs, .probe = p->probe, .left = &at->left};

	if (m->value || m->test)
		return fail(err,
			"cannot measure at %s: tracepoints that match a pattern have no fields in "
			"common",
			p->probe->text);
	return at_points_set_raw(&at->points, point, err) < 0 ? -1 : at_attach_raw(&a, err);
}

/* Chooses the system calls of a pattern. All of them need no choice. */
static int choose_syscalls(const struct placing *p, struct at_point *point, struct strbuf *err)
{
	int map = programs_map(p->programs, "at_syscalls");

	point->chooses = strcmp(p->probe->name, "*");
	return !point->chooses || at_syscalls_choose(map, p->probe->name, p->number)
		       ? 0
		       : fail(err, "cannot probe %s: no system call matches", p->probe->text);
}

static int attach_one(const struct placing *p, struct strbuf *err)
{
	struct at_run *at = p->run->data;
	struct at_point point = point_of(p);

	if (is_raw(p->probe))
		return attach_raw(p, &point, err);
	if (p->probe->kind == PROBE_SYSCALL && probe_is_pattern(p->probe) &&
		choose_syscalls(p, &point, err))
		return -1;

	if (has_sites(p))
		return attach_at_sites(p, err);
	if (set_numbers(p, &point, NULL, err))
		return -1;
	int number = at_points_add(&at->points, &point, err);

	return number < 0 ? -1 : attach_programs(p, NULL, (uint64_t)number, err);
}

static int attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	struct at_run *at = run->data;
	int ret = 0;

	at->points.map = programs_map(programs, "at_points");
	at->counts = programs_map(programs, "at_counts");
	for (size_t i = 0; i < run->request->nr_probes && !ret; i++)
		ret = attach_one(
			&(struct placing){run, programs, &run->request->probes[i], (uint32_t)i},
			err);
	return ret;
}

/* Reads the counts of all processors. */
static void stopped(struct tool_run *run)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	struct at_counts *list = xcalloc(cpus, sizeof(*list));
	struct at_run *at = run->data;
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(at->counts, &zero, list))
		memset(list, 0, cpus * sizeof(*list));
	for (size_t i = 0; i < cpus; i++) {
		at->sum.negative += list[i].negative;
		at->sum.unread += list[i].unread;
		at->sum.begun += list[i].begun;
		at->sum.ended += list[i].ended;
	}
	free(list);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct at_run *at = run->data;

	at_left_out_note(&at->left, notes);
	if (at->untyped)
		strbuf_adds(notes, "the types of some values are not known, as there is no debug "
				   "information: all 64 bits of a register count\n");
	if (at->sum.negative)
		strbuf_addf(notes,
			"%" PRIu64 " hits have a value below 0, which is not added; --if selects "
			"hits\n",
			at->sum.negative);
	if (at->sum.unread)
		strbuf_addf(notes,
			"%" PRIu64 " hits have a number in memory that could not be read, and are "
			"not recorded\n",
			at->sum.unread);
	if (at->sum.begun > at->sum.ended)
		strbuf_addf(notes,
			"calls that did not return are not included (%" PRIu64
			"): they went on at the end, or were left by an exit, an exec or a jump\n",
			at->sum.begun - at->sum.ended);
}

static void release(struct tool_run *run)
{
	struct at_run *at = run->data;

	at_points_release(&at->points);
	at_left_out_release(&at->left);
	free(at);
}

const struct bpf_tool at_tool = {
	.program = "at",
	.object = &at_object,
	.plain_object = &at_plain_object,
	.is_needed = is_needed,
	.prepare = prepare,
	.begin = begin,
	.attach = attach,
	.stopped = stopped,
	.note = note,
	.release = release,
};
