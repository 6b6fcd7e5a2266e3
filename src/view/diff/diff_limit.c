/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_limit.h"
#include "input/notes.h"
#include "lib/format/json.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "lib/format/xml.h"
#include "model/amount.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A rise that samples have to be enough for, in hundredths of points, even if the limit is lower.
 */
enum { VISIBLE_RISE = 500 };

static struct diff_scale shares_of(const struct diff_functions *f)
{
	struct diff_scale shares = f->scale;

	shares.normalized = true;
	return shares;
}

static int compare(const void *va, const void *vb, void *arg)
{
	const struct diff_rise *a = va, *b = vb;
	const struct diff_limit *limit = arg;
	struct diff_scale shares = shares_of(limit->functions);
	int c = diff_compare(&shares, a->weights, b->weights);

	return c ? c : (a->fn > b->fn) - (a->fn < b->fn); /* the order of the functions */
}

/* Whether a share is at least 1 % of the total after: growth of smaller ones is no concern. */
static bool is_tested(const struct diff_limit *limit, struct diff_pair weights)
{
	unsigned __int128 after = weights.after;

	return after * 100 >= limit->functions->scale.total.after;
}

static uint32_t count_tests(const struct diff_limit *limit)
{
	uint32_t tests = 0;

	for (uint32_t i = 0; i < limit->functions->nr; i++) {
		const struct diff_function *fn = &limit->functions->list[i];

		tests += is_tested(limit, fn->self) + is_tested(limit, fn->inclusive);
	}
	return tests;
}

static bool share_is_above(const struct diff_limit *limit, struct diff_pair weights)
{
	struct diff_scale shares = shares_of(limit->functions);
	struct diff_limits limits = limit->limits;

	if (limits.rise != DIFF_NO_LIMIT && diff_is_above(&shares, weights, limits.rise))
		return true;
	return limits.growth != DIFF_NO_LIMIT && is_tested(limit, weights) &&
	       diff_grew(&shares, weights, limits.growth, limit->tests);
}

/*
 * Adds FN if one of its shares is above a limit, with the share that rose more. A leaf has the same
 * rise twice, a function that took over the work of its callees has only one of its self share.
 */
static void add_function(struct diff_limit *limit, uint32_t number)
{
	const struct diff_function *fn = &limit->functions->list[number];
	struct diff_rose rose =
		limit->runs ? limit->runs->rose[number] : (struct diff_rose){true, true};
	struct diff_scale shares = shares_of(limit->functions);
	bool self = rose.self && share_is_above(limit, fn->self);
	bool inclusive = rose.inclusive && share_is_above(limit, fn->inclusive);

	if (!self && !inclusive)
		return;
	self &= !inclusive || diff_compare(&shares, fn->inclusive, fn->self) > 0;
	limit->above[limit->nr++] = (struct diff_rise){
		.fn = fn, .weights = self ? fn->self : fn->inclusive, .self = self};
}

static bool total_rose(const struct diff_limit *limit, struct diff_scale scale)
{
	scale.total = limit->totals;
	scale.samples &= !limit->runs;
	scale.normalized = false;
	return (!limit->runs || limit->runs->total_rose) &&
	       diff_is_above(&scale, scale.total, limit->limits.rise);
}

static void compare_totals(struct diff_limit *limit, struct diff_scale scale)
{
	if (limit->limits.rise == DIFF_NO_LIMIT)
		return;
	if (limit->work)
		limit->total = diff_work_is_above(limit->work, limit->limits.rise);
	else if (scale.normalized)
		limit->unseen_total = total_rose(limit, scale);
	else
		limit->total = total_rose(limit, scale);
}

/*
 * Returns whether a new function with so large a share as the limit would count as chance: its
 * samples are fewer than twice their standard deviation.
 */
static bool are_too_few(uint64_t samples, uint64_t rise)
{
	uint64_t share = rise > VISIBLE_RISE ? rise : VISIBLE_RISE;

	return share < 10000 && (unsigned __int128)samples * share < 4 * (10000 - share);
}

void diff_limit_init(struct diff_limit *limit, const struct diff_functions *functions,
	const struct diff_runs *runs, const struct diff_work *work, struct diff_limits limits)
{
	*limit = (struct diff_limit){.functions = runs ? &runs->medians : functions,
		.runs = runs,
		.work = work,
		.totals = runs ? runs->totals : functions->scale.total,
		.limits = limits};
	if (!limit->totals.before)
		return;
	limit->tests = count_tests(limit);
	limit->too_few = limits.rise != DIFF_NO_LIMIT && functions->scale.samples &&
			 (are_too_few(functions->scale.total.before, limits.rise) ||
				 are_too_few(functions->scale.total.after, limits.rise));
	compare_totals(limit, functions->scale);
	limit->above = xcalloc(functions->nr, sizeof(*limit->above));
	for (uint32_t i = 0; i < functions->nr; i++)
		add_function(limit, i);
	if (limit->nr)
		qsort_r(limit->above, limit->nr, sizeof(*limit->above), compare, limit);
}

void diff_limit_release(struct diff_limit *limit)
{
	free(limit->above);
	*limit = (struct diff_limit){0};
}

bool diff_limit_is_exceeded(const struct diff_limit *limit)
{
	return limit->nr || limit->total;
}

static void add_hundredths(struct strbuf *out, uint64_t value)
{
	strbuf_addf(out, "%" PRIu64 ".%02u", value / 100, (unsigned)(value % 100));
}

/*
 * Appends a name and its module, as in "malloc [libc.so.6]". Unnamed functions are named after
 * their module, so their module is not appended.
 */
static void add_name(
	struct strbuf *out, const struct diff_functions *f, const struct diff_function *fn)
{
	const char *name = strpool_get(&f->names, fn->name);
	const char *module = strpool_get(&f->names, fn->module);
	size_t len = strpool_len(&f->names, fn->name);

	strbuf_add(out, name, len);
	if (*module && !name_is_unnamed(name, len) && !name_of_start(name, len))
		strbuf_addf(out, *module == '[' ? " %s" : " [%s]", file_name(module));
}

/* Returns by how much the share rose, in hundredths of percentage points. */
static uint64_t rise_of(const struct diff_functions *f, struct diff_pair w)
{
	struct diff_scale shares = shares_of(f);

	return diff_hundredths(diff_change(&shares, w), false);
}

/* Appends by how many per cent of what it was before a share grew. */
static void add_growth(struct strbuf *out, const struct diff_limit *limit, struct diff_pair w)
{
	struct diff_scale shares = shares_of(limit->functions);

	add_hundredths(out, diff_hundredths(diff_growth(&shares, w), false));
}

/* Appends "24.79 % (300 samples)", or "24.79 %" if this is the median of several runs. */
static void add_share(
	struct strbuf *out, const struct diff_limit *limit, uint64_t weight, uint64_t total)
{
	percent_add(out, weight, total);
	strbuf_adds(out, " %");
	if (limit->runs)
		return;
	strbuf_adds(out, " (");
	amount_add_unit(out, weight, limit->functions->unit);
	strbuf_addch(out, ')');
}

/*
 * Appends "rose from 24.79 % (300 samples) to 33.98 % (420 samples), by 9.19 percentage points",
 * and " or 37.06 %" if growth is limited.
 */
static void add_rise(
	struct strbuf *out, const struct diff_limit *limit, const struct diff_rise *rise)
{
	const struct diff_functions *f = limit->functions;

	strbuf_adds(out, "rose from ");
	add_share(out, limit, rise->weights.before, f->scale.total.before);
	strbuf_adds(out, " to ");
	add_share(out, limit, rise->weights.after, f->scale.total.after);
	strbuf_adds(out, ", by ");
	add_hundredths(out, rise_of(f, rise->weights));
	strbuf_adds(out, " percentage points");
	if (limit->limits.growth == DIFF_NO_LIMIT || !rise->weights.before)
		return;
	strbuf_adds(out, " or ");
	add_growth(out, limit, rise->weights);
	strbuf_adds(out, " %");
}

/* Returns the subject of add_total(). */
static const char *total_name(const struct diff_limit *limit)
{
	return limit->work ? "the total for each unit of work" : "the total";
}

/* Appends "rose from 1,000 samples to 1,236 samples, by 23.60 %". */
static void add_total(struct strbuf *out, const struct diff_limit *limit)
{
	const struct diff_functions *f = limit->functions;
	struct diff_pair total = limit->totals;
	struct diff_scale weights = {.total = total};
	struct diff_change change = diff_change(&weights, total);

	if (limit->work) {
		diff_work_add(limit->work, out);
		return;
	}
	strbuf_adds(out, change.fell ? "fell from " : change.part ? "rose from " : "stayed at ");
	amount_add_unit(out, total.before, f->unit);
	if (!change.part)
		return;
	strbuf_adds(out, " to ");
	amount_add_unit(out, total.after, f->unit);
	strbuf_adds(out, ", by ");
	add_hundredths(out, diff_hundredths(change, false));
	strbuf_adds(out, " %");
}

/* Appends "above the limit of 5.00 %", "above the limit of 50.00 % growth", or both. */
static void add_limits(struct strbuf *out, struct diff_limits limits)
{
	strbuf_adds(out, "above the limit of ");
	if (limits.rise != DIFF_NO_LIMIT) {
		add_hundredths(out, limits.rise);
		strbuf_adds(out, " %");
	}
	if (limits.growth == DIFF_NO_LIMIT)
		return;
	if (limits.rise != DIFF_NO_LIMIT)
		strbuf_adds(out, " or ");
	add_hundredths(out, limits.growth);
	strbuf_adds(out, " % growth");
}

/* Appends "above the limit of 5.00 %: 3 functions and the total, which rose from …". */
static void add_sum(struct strbuf *out, const struct diff_limit *limit)
{
	const struct diff_functions *f = limit->functions;

	if (!limit->totals.before) {
		strbuf_addf(out, "nothing is above the limit: there are no %s before", f->unit);
		return;
	}
	add_limits(out, limit->limits);
	if (limit->nr)
		strbuf_addf(out, ": %" PRIu32 " function%s", limit->nr, limit->nr > 1 ? "s" : "");
	else if (!limit->total)
		strbuf_adds(out, ": no function");
	strbuf_adds(out, !limit->total ? "; " : limit->nr ? " and " : ": ");
	strbuf_addf(out, "%s%s", total_name(limit), limit->total ? ", which " : " ");
	add_total(out, limit);
	if (limit->runs)
		strbuf_addf(out, "; medians of %" PRIu64 " runs before and %" PRIu64 " after",
			limit->runs->nr.before, limit->runs->nr.after);
}

static const char too_few[] = "too few samples to tell a rise from chance";

void diff_limit_lines(const struct diff_limit *limit, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;

	for (uint32_t i = 0; i < limit->nr; i++) {
		strbuf_reset(&name);
		add_name(&name, limit->functions, limit->above[i].fn);
		strbuf_addf(out, "the %sshare of '", limit->above[i].self ? "self " : "");
		message_add(out, name.buf, name.len);
		strbuf_adds(out, "' ");
		add_rise(out, limit, &limit->above[i]);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&name);
	add_sum(out, limit);
	strbuf_addch(out, '\n');
	if (limit->unseen_total)
		strbuf_adds(out,
			"--normalize does not compare the totals: if the runs did the same work, "
			"give --work 1\n");
	if (limit->too_few)
		strbuf_addf(out, "%s: record for longer, or with a higher rate\n", too_few);
}

static void add_json_function(
	struct strbuf *out, const struct diff_limit *limit, const struct diff_rise *rise)
{
	const struct diff_functions *f = limit->functions;
	const struct diff_function *fn = rise->fn;
	struct diff_pair w = rise->weights, total = f->scale.total;

	strbuf_adds(out, "   {\"function\": ");
	json_string(out, strpool_get(&f->names, fn->name), strpool_len(&f->names, fn->name));
	strbuf_adds(out, ", \"module\": ");
	json_string(out, strpool_get(&f->names, fn->module), strpool_len(&f->names, fn->module));
	strbuf_addf(out, ", \"weight\": \"%s\"", rise->self ? "self" : "inclusive");
	if (!limit->runs)
		strbuf_addf(out,
			", \"before\": %" PRIu64 ", \"after\": %" PRIu64 ", \"change\": %s%" PRIu64,
			w.before, w.after, w.after < w.before ? "-" : "",
			w.after < w.before ? w.before - w.after : w.after - w.before);
	strbuf_adds(out, ", \"before_pct\": ");
	percent_add(out, w.before, total.before);
	strbuf_adds(out, ", \"after_pct\": ");
	percent_add(out, w.after, total.after);
	strbuf_adds(out, ", \"change_pct\": ");
	add_hundredths(out, rise_of(f, w));
	strbuf_adds(out, ", \"growth_pct\": ");
	if (w.before)
		add_growth(out, limit, w);
	else
		strbuf_adds(out, "null");
	strbuf_addch(out, '}');
}

static void add_limit_json(struct strbuf *out, uint64_t limit)
{
	if (limit == DIFF_NO_LIMIT)
		strbuf_adds(out, "null");
	else
		add_hundredths(out, limit);
}

void diff_limit_json(const struct diff_limit *limit, struct strbuf *out)
{
	strbuf_adds(out, "{\n  \"limit\": ");
	add_limit_json(out, limit->limits.rise);
	strbuf_adds(out, ",\n  \"growth_limit\": ");
	add_limit_json(out, limit->limits.growth);
	strbuf_addf(out, ",\n  \"failed\": %s,\n  \"total_failed\": %s",
		diff_limit_is_exceeded(limit) ? "true" : "false", limit->total ? "true" : "false");
	if (limit->too_few)
		strbuf_adds(out, ",\n  \"too_few_samples\": true");
	if (limit->work) {
		strbuf_adds(out, ",\n  \"work\": ");
		diff_work_json(limit->work, out);
	}
	strbuf_adds(out, ",\n  \"functions\": [");
	for (uint32_t i = 0; i < limit->nr; i++) {
		strbuf_adds(out, i ? ",\n" : "\n");
		add_json_function(out, limit, &limit->above[i]);
	}
	strbuf_adds(out, limit->nr ? "\n  ]\n }" : "]\n }");
}

/* Appends a failed test with MESSAGE, or a passed test if MESSAGE is empty. */
static void add_case(struct strbuf *out, const struct strbuf *name, const struct strbuf *message)
{
	strbuf_adds(out, " <testcase classname=\"bt-diff\" name=\"");
	xml_text(out, name->buf, name->len);
	if (!message->len) {
		strbuf_adds(out, "\"/>\n");
		return;
	}
	strbuf_adds(out, "\">\n  <failure message=\"");
	xml_text(out, message->buf, message->len);
	strbuf_adds(out, "\"/>\n </testcase>\n");
}

static void add_cases(struct strbuf *out, const struct diff_limit *limit)
{
	struct strbuf name = STRBUF_INIT, message = STRBUF_INIT;

	for (uint32_t i = 0; i < limit->nr; i++) {
		strbuf_reset(&name);
		strbuf_reset(&message);
		add_name(&name, limit->functions, limit->above[i].fn);
		strbuf_addf(&message, "the %sshare ", limit->above[i].self ? "self " : "");
		add_rise(&message, limit, &limit->above[i]);
		add_case(out, &name, &message);
	}
	strbuf_reset(&name);
	strbuf_reset(&message);
	if (limit->total) {
		strbuf_adds(&name, total_name(limit));
		strbuf_addf(&message, "%s ", total_name(limit));
		add_total(&message, limit);
	} else if (limit->too_few) {
		strbuf_adds(&name, "number of samples");
		strbuf_adds(&message, too_few);
	} else {
		strbuf_adds(&name, "nothing is above the limit");
	}
	if (limit->total || !limit->nr)
		add_case(out, &name, &message);
	strbuf_release(&name);
	strbuf_release(&message);
}

int diff_limit_junit(const struct diff_limit *limit, FILE *out, struct strbuf *err)
{
	uint32_t failures = limit->nr + (limit->total || (limit->too_few && !limit->nr));
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"bt-diff\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32
		"\" errors=\"0\" skipped=\"0\">\n",
		failures ? failures : 1, failures);
	add_cases(&text, limit);
	strbuf_adds(&text, "</testsuite>\n");
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return written(out, err);
}
