/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the labels of the recorded processes, and probes functions of their sources. */
#include "bpf_engine.h"
#include "lib/util.h"

#include <inttypes.h>

int bpf_find_labels(struct bpf *b, struct strbuf *err)
{
	const struct engine_request *r = b->request;

	return label_processes_find(
		&b->labels, !bpf_is_open(r) && !r->command && !r->label_is_optional, err);
}

int bpf_attach_points(struct bpf *b, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	while (!ret && b->nr_points < b->labels.nr_points) {
		const struct label_point *point = &b->labels.points[b->nr_points++];
		const struct label_function *f = &b->labels.functions[point->function];

		ret = programs_attach_at(&b->programs, f->program, &point->point, &why);
		if (ret)
			fail(err, "%s: %s", f->name, why.buf);
	}
	strbuf_release(&why);
	return ret;
}

static void count_ends(struct bpf *b, const struct label_source *source)
{
	b->labels.counted = source;
	label_processes_probe(&b->labels, &(struct label_function){.source = source,
						  .name = source->end,
						  .program = "on_end",
						  .value = PROBE_ARGUMENTS});
}

void bpf_choose_functions(struct bpf *b)
{
	const struct engine_request *r = b->request;

	for (size_t i = 0; i < r->tool->nr_functions; i++) {
		const struct tool_function *f = &r->tool->functions[i];

		label_processes_probe(&b->labels,
			&(struct label_function){.source = label_named(r->tool->labels),
				.name = f->name,
				.program = f->program,
				.value = f->at_result ? PROBE_RESULT : PROBE_ARGUMENTS});
	}
	if (r->count_ends)
		count_ends(b, label_that_ends(&r->labels));
}

static bool has_point(const struct label_processes *lp, size_t function)
{
	for (size_t i = 0; i < lp->nr_points; i++)
		if (lp->points[i].function == function)
			return true;
	return false;
}

int bpf_need_functions(const struct bpf *b, struct strbuf *err)
{
	for (size_t i = 0; i < b->request->tool->nr_functions; i++) {
		const struct label_function *f = &b->labels.functions[i];

		if (f->is_missing && !has_point(&b->labels, i))
			return fail(err,
				"cannot probe %s: this %s does not export it, or its code has no "
				"place to probe, as with link-time optimisation; use a build "
				"without -flto that exports its symbols",
				f->name, f->source->title);
	}
	return 0;
}

void bpf_note_labels(const struct bpf *b, const struct counters *counters, struct strbuf *notes)
{
	const struct chosen_sources *chosen = &b->request->labels;

	for (size_t i = 0; i < chosen->nr; i++)
		if (!label_processes_any(&b->labels, chosen->list[i].source))
			strbuf_addf(notes,
				"no sample has labels of %s: none of the processes runs it\n",
				chosen->list[i].source->title);
	for (size_t i = 0; i < b->labels.nr_functions; i++)
		if (b->labels.functions[i].is_missing)
			strbuf_addf(notes,
				"calls of %s are missing: at least one process does not export it, "
				"or its code has no place to probe\n",
				b->labels.functions[i].name);
	if (counters->ends_lost)
		strbuf_addf(notes,
			"%" PRIu64 " %s were not counted: the probe was interrupted by another "
			"thread on the same CPU\n",
			counters->ends_lost, b->labels.counted->ends);
}
