/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes BOLT's pre-aggregated profile, as bolt/include/bolt/Profile/DataAggregator.h of LLVM
 * describes it. Addresses are as the file was linked. Branches are written in the form that all
 * versions read: branches and the code between them apart.
 */
#include "export_code.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A branch, or the code between two branches. */
struct bolt_line {
	char kind;         /* B, F or f */
	uint64_t from, to; /* addresses, or 0 in another file */
	uint64_t count, mispredicted;
};

struct bolt_lines {
	struct bolt_line *list;
	size_t nr, alloc;
};

static uint64_t address_of(const struct export_code *c, uint32_t insn)
{
	return insn == NO_CODE ? 0 : c->code->insns[insn].address;
}

static void add(struct bolt_lines *es, const struct bolt_line *line)
{
	ALLOC_GROW(es->list, es->nr, es->alloc);
	es->list[es->nr++] = *line;
}

/*
 * Adds the code that has run after a branch, as F. It is f if the branch came from another
 * function: then a call may have returned there, to the middle of a basic block.
 */
static void add_run(
	struct bolt_lines *es, const struct export_code *c, const struct rec_branch *branch)
{
	uint32_t source = export_code_insn(c, branch->source);
	struct insn_run run;

	if (!export_code_run(c, branch, &run))
		return;
	bool is_inside = source != NO_CODE &&
			 export_code_function(c, source) == export_code_function(c, run.first);

	add(es, &(struct bolt_line){
			.kind = is_inside ? 'F' : 'f',
			.from = address_of(c, run.first),
			.to = address_of(c, run.last),
			.count = branch->count,
		});
}

static void add_branch(
	struct bolt_lines *es, const struct export_code *c, const struct rec_branch *branch)
{
	uint64_t from = address_of(c, export_code_insn(c, branch->source)),
		 to = address_of(c, export_code_insn(c, branch->target));

	if (from || to)
		add(es, &(struct bolt_line){'B', from, to, branch->count, branch->mispredicted});
}

static int compare(const void *va, const void *vb)
{
	const struct bolt_line *a = va, *b = vb;

	if (a->kind != b->kind)
		return a->kind - b->kind;
	return a->from != b->from ? compare_u64(a->from, b->from) : compare_u64(a->to, b->to);
}

static void sum_up(struct bolt_lines *es)
{
	size_t nr = 0;

	if (es->nr)
		qsort(es->list, es->nr, sizeof(*es->list), compare);
	for (size_t i = 0; i < es->nr; i++) {
		if (nr && !compare(&es->list[nr - 1], &es->list[i])) {
			add_capped(&es->list[nr - 1].count, es->list[i].count);
			add_capped(&es->list[nr - 1].mispredicted, es->list[i].mispredicted);
		} else {
			es->list[nr++] = es->list[i];
		}
	}
	es->nr = nr;
}

/* Writes an address. X is an unknown file. */
static void write_address(uint64_t address, FILE *out)
{
	if (address)
		fprintf(out, " %" PRIx64, address);
	else
		fputs(" X:0", out);
}

static void write_line(const struct bolt_line *e, FILE *out)
{
	fputc(e->kind, out);
	write_address(e->from, out);
	write_address(e->to, out);
	fprintf(out, " %" PRIu64, e->count);
	if (e->kind == 'B')
		fprintf(out, " %" PRIu64, e->mispredicted);
	fputc('\n', out);
}

/* Returns the number of lines. */
static size_t write_branches(const struct export_code *c, FILE *out)
{
	struct bolt_lines es = {0};

	for (size_t i = 0; i < c->rec->nr_branches; i++) {
		if (!export_code_shows(c, &c->rec->branches[i]))
			continue;
		add_branch(&es, c, &c->rec->branches[i]);
		add_run(&es, c, &c->rec->branches[i]);
	}
	sum_up(&es);
	for (size_t i = 0; i < es.nr; i++)
		write_line(&es.list[i], out);
	free(es.list);
	return es.nr;
}

/* Writes the event's name, which ends at the first character that BOLT would take for its end. */
static void write_event(const struct export_code *c, FILE *out)
{
	uint32_t event = recording_viewed_event(c->rec, c->view);
	const char *name = recording_get(c->rec, c->rec->events[event].name);
	size_t len = 0;

	while (name[len] > ' ' && name[len] < 127)
		len++;
	if (len)
		fprintf(out, "E %.*s\n", (int)len, name);
}

/* Returns the number of addresses. */
static size_t write_samples(const struct export_code *c, FILE *out)
{
	uint64_t *samples = export_code_samples(c);
	size_t nr = 0;

	write_event(c, out);
	for (uint32_t i = 0; i < c->code->header.nr_insns; i++) {
		if (!samples[i])
			continue;
		fprintf(out, "S %" PRIx64 " %" PRIu64 "\n", c->code->insns[i].address, samples[i]);
		nr++;
	}
	free(samples);
	return nr;
}

int export_bolt(const struct export_code *c, FILE *out, struct strbuf *notes)
{
	size_t nr = c->has_branches ? write_branches(c, out) : write_samples(c, out);

	if (!nr)
		strbuf_adds(notes, "nothing of it is in a function\n");
	return !nr;
}
