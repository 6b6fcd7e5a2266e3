/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at: attaches programs at the probe points that the user gives; see at.bpf.c. */
#include "at.h"
#include "at_attach.h"
#include "at_files.h"
#include "at_functions.h"
#include "at_marks.h"
#include "at_points.h"
#include "at_sites.h"
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

#include "bpf/at.skel.h"

/* Data of a recording. */
struct at_run {
	struct at_points points;
	int counts; /* a map */
	struct at_counts sum;
	bool untyped; /* the type of a value is not known */
};

static bool is_needed(const struct engine_request *r, const char *program)
{
	for (size_t i = 0; i < r->nr_probes; i++) {
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

/*
 * Attaches the programs for POINT, at SITE if it is in a file. The returns are probed first, so
 * that no call is seen whose return is not.
 */
static int attach_point(const struct placing *p, const struct at_point *point,
	const struct at_site *site, struct strbuf *err)
{
	struct at_run *at = p->run->data;
	int number = at_points_add(&at->points, point, err), ret = number < 0 ? -1 : 0;
	struct at_attach a = {p->programs, p->probe, true, (uint64_t)number};

	if (!ret && point->latency)
		ret = site ? at_attach_site(&a, site, err) : at_attach(&a, err);
	a.is_return = false;
	if (!ret)
		ret = site ? at_attach_site(&a, site, err) : at_attach(&a, err);
	return ret;
}

static int attach_in_files(const struct placing *p, struct strbuf *err)
{
	const struct measure *m = &p->run->request->measure;
	bool is_mark = p->probe->kind == PROBE_MARK;
	struct at_point point = point_of(p);
	struct at_files files = {0};
	struct at_sites sites = {0};
	int ret = at_files_find(&files, p->probe, p->run->request, p->run->facet.ps, err);

	if (!ret)
		ret = is_mark ? at_marks_find(&sites, p->probe, m, &files, err)
			      : at_functions_find(&sites, p->probe, &files, err);
	if (!ret && !is_mark)
		ret = set_numbers(p, &point, &sites, err);
	for (size_t i = 0; i < sites.nr && !ret; i++) {
		if (is_mark) {
			point.value = sites.list[i].value;
			point.tested = sites.list[i].tested;
		}
		ret = attach_point(p, &point, &sites.list[i], err);
	}
	at_sites_release(&sites);
	at_files_release(&files);
	return ret;
}

static int attach_one(const struct placing *p, struct strbuf *err)
{
	struct at_point point = point_of(p);

	if (p->probe->kind == PROBE_USER || p->probe->kind == PROBE_MARK)
		return attach_in_files(p, err);
	return set_numbers(p, &point, NULL, err) ? -1 : attach_point(p, &point, NULL, err);
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
			"%" PRIu64 " calls have not returned and are not included: they went on at "
			"the end, or were left by an exit, an exec or a jump\n",
			at->sum.begun - at->sum.ended);
}

static void release(struct tool_run *run)
{
	struct at_run *at = run->data;

	at_points_release(&at->points);
	free(at);
}

const struct bpf_tool at_tool = {
	.program = "at",
	.object = at__elf_bytes,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.stopped = stopped,
	.note = note,
	.release = release,
};
