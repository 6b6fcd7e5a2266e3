/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"
#include "calls.h"
#include "groups.h"
#include "lib/format/csv.h"
#include "lib/format/json.h"
#include "lib/percent.h"
#include "lib/util.h"
#include "model/amount.h"

#include <stdlib.h>
#include <string.h>

/* A row, and its place before. */
struct sorted_row {
	struct report_entry row;
	uint32_t at;
};

bool report_is_of_calls(const struct report *r)
{
	return r->options->of == REPORT_CALLERS || r->options->of == REPORT_CALLEES;
}

bool report_has_one_weight(const struct report *r)
{
	return report_is_of_calls(r) ||
	       (r->options->of == REPORT_GROUPS && report_keys_are_of_stacks(&r->options->keys));
}

const char *report_counted(const struct report *r, size_t i)
{
	return r->options->of == REPORT_GROUPS && i < COUNTED_MAX &&
			       groups_have_counts(&r->p->counted[i], &r->options->keys)
		       ? r->p->counted[i].unit
		       : NULL;
}

/* Returns whether the weights are bytes. */
static bool has_bytes(const struct report *r)
{
	return amount_width(r->p->unit) && !amount_is_time(r->p->unit);
}

const char *report_each_unit(const struct report *r)
{
	const struct timing *t = &r->p->timing;

	if (!report_counted(r, 0))
		return NULL;
	if (has_bytes(r))
		return r->p->unit;
	return amount_is_time(r->p->unit) || t->period || t->mixed ? "ns" : NULL;
}

/* Returns the ns or bytes that a weight of 1 stands for, or 0 if it is not known. */
static double size_of_weight(const struct report *r)
{
	const struct timing *t = &r->p->timing;

	if (has_bytes(r))
		return 1;
	if (amount_is_time(r->p->unit))
		return amount_ns(r->p->unit);
	return t->mixed ? 0 : (double)t->period;
}

double report_each(const struct report *r, const struct report_entry *row)
{
	double size = size_of_weight(r);

	return size > 0 && row->counts[0] && !r->p->counted[0].partial
		       ? size * (double)row->inclusive / (double)row->counts[0]
		       : -1;
}

uint64_t report_whole(const struct report *r)
{
	return report_is_of_calls(r) ? r->of.inclusive : r->p->nodes[0].total;
}

uint32_t report_rows(const struct report *r)
{
	return r->options->top && r->options->top < r->rows.nr ? r->options->top : r->rows.nr;
}

const char *report_name(const struct report *r, const struct report_entry *row, size_t *len)
{
	static const char root[] = "[root]";

	*len = strlen(root);
	return row->frame ? profile_name(r->p, row->frame, len) : root;
}

static void init_rows(struct report *r)
{
	const struct report_options *o = r->options;

	switch (o->of) {
	case REPORT_FUNCTIONS:
		entries_init(&r->rows, r->p, o->rules);
		break;
	case REPORT_CATEGORIES:
		entries_init_categories(&r->rows, r->p, o->rules);
		break;
	case REPORT_CALLERS:
		calls_init_callers(&r->rows, &r->of, r->p, o->fn, o->rules);
		break;
	case REPORT_CALLEES:
		calls_init_callees(&r->rows, &r->of, r->p, o->fn, o->rules);
		break;
	case REPORT_GROUPS:
		groups_init(&r->rows, r->p, &o->keys, o->rules);
		break;
	}
}

/* CSV */

static void csv_string(struct strbuf *out, const char *s, size_t len, const char *behind)
{
	csv_field(out, s, len);
	strbuf_adds(out, behind);
}

static void csv_weight(struct strbuf *out, uint64_t weight, uint64_t all)
{
	strbuf_addu(out, weight);
	strbuf_addch(out, ',');
	percent_add(out, weight, all);
}

/* Appends "function,module,". */
static void csv_function(struct report *r, const struct report_entry *row)
{
	size_t len;
	const char *name = report_name(r, row, &len);
	const char *module = profile_module(r->p, row->frame);

	csv_string(&r->text, name, len, ",");
	csv_string(&r->text, module, strlen(module), ",");
}

/* Appends "self,self_pct,inclusive,inclusive_pct". */
static void csv_weights(struct report *r, const struct report_entry *row)
{
	csv_weight(&r->text, row->self, r->p->nodes[0].total);
	strbuf_addch(&r->text, ',');
	csv_weight(&r->text, row->inclusive, r->p->nodes[0].total);
}

/* Appends EACH, times in us. */
static void add_each(struct report *r, const struct report_entry *row)
{
	double each = report_each(r, row);

	if (each >= 0)
		strbuf_addf(
			&r->text, "%.3f", strcmp(report_each_unit(r), "ns") ? each : each / 1000);
}

/* Appends ",COUNT,us_each,COUNT...". */
static void csv_counts(struct report *r, const struct report_entry *row)
{
	for (size_t i = 0; report_counted(r, i); i++) {
		strbuf_addch(&r->text, ',');
		strbuf_addu(&r->text, row->counts[i]);
		if (i || !report_each_unit(r))
			continue;
		strbuf_addch(&r->text, ',');
		add_each(r, row);
	}
}

static void csv_group(struct report *r, const struct report_entry *row)
{
	const char *module = profile_module(r->p, row->frame);

	for (size_t i = 0; i < r->options->keys.nr; i++) {
		const char *value = group_value(&r->rows, row, i);

		csv_string(&r->text, value, strlen(value), ",");
	}
	if (report_keys_add_module(&r->options->keys))
		csv_string(&r->text, module, strlen(module), ",");
	if (report_has_one_weight(r))
		csv_weight(&r->text, row->inclusive, r->p->nodes[0].total);
	else
		csv_weights(r, row);
	csv_counts(r, row);
	strbuf_addch(&r->text, '\n');
}

static void csv_row(struct report *r, const struct report_entry *row)
{
	bool is_group = r->options->of == REPORT_GROUPS;
	const char *category = is_group ? "" : entry_category(&r->rows, row);
	size_t len = strlen(category);

	switch (r->options->of) {
	case REPORT_FUNCTIONS:
		csv_function(r, row);
		csv_weights(r, row);
		strbuf_addch(&r->text, ',');
		csv_string(&r->text, category, len, "\n");
		break;
	case REPORT_CATEGORIES:
		csv_string(&r->text, category, len, ",");
		csv_weights(r, row);
		strbuf_addch(&r->text, '\n');
		break;
	case REPORT_CALLERS:
	case REPORT_CALLEES:
		strbuf_adds(&r->text, r->options->of == REPORT_CALLERS ? "caller," : "callee,");
		csv_function(r, row);
		csv_weight(&r->text, row->inclusive, r->of.inclusive);
		strbuf_addch(&r->text, ',');
		csv_string(&r->text, category, len, "\n");
		break;
	case REPORT_GROUPS:
		csv_group(r, row);
		break;
	}
}

/* Appends a line for the functions whose calls are listed. */
static void csv_of(struct report *r, const char *relation, uint64_t weight)
{
	strbuf_addf(&r->text, "%s,", relation);
	csv_string(&r->text, r->options->fn->text, strlen(r->options->fn->text), ",,");
	csv_weight(&r->text, weight, r->of.inclusive);
	strbuf_adds(&r->text, ",\n");
}

/* Returns the heading of the column with what each of the first counts has taken. */
static const char *each_name(const struct report *r)
{
	return strcmp(report_each_unit(r), "ns") ? "bytes_each" : "us_each";
}

static void csv_group_head(struct report *r)
{
	const struct report_keys *keys = &r->options->keys;

	for (size_t i = 0; i < keys->nr; i++)
		strbuf_addf(&r->text, "%s,", report_keys_column(keys, i));
	strbuf_adds(&r->text, report_keys_add_module(keys) ? "module," : "");
	strbuf_adds(&r->text, report_has_one_weight(r) ? "weight,weight_pct"
						       : "self,self_pct,inclusive,inclusive_pct");
	for (size_t i = 0; report_counted(r, i); i++) {
		strbuf_addch(&r->text, ',');
		csv_string(&r->text, report_counted(r, i), strlen(report_counted(r, i)), "");
		if (!i && report_each_unit(r))
			strbuf_addf(&r->text, ",%s", each_name(r));
	}
	strbuf_addch(&r->text, '\n');
}

static void report_csv(struct report *r)
{
	static const char calls[] = "relation,function,module,weight,weight_pct,category\n";
	static const char *const heads[] = {
		[REPORT_FUNCTIONS] =
			"function,module,self,self_pct,inclusive,inclusive_pct,category\n",
		[REPORT_CATEGORIES] = "category,self,self_pct,inclusive,inclusive_pct\n",
		[REPORT_CALLERS] = calls,
		[REPORT_CALLEES] = calls,
		[REPORT_GROUPS] = "",
	};

	strbuf_adds(&r->text, heads[r->options->of]);
	if (r->options->of == REPORT_GROUPS)
		csv_group_head(r);
	if (report_is_of_calls(r))
		csv_of(r, "function", r->of.inclusive);
	if (r->options->of == REPORT_CALLEES)
		csv_of(r, "self", r->of.self);
	for (uint32_t i = 0; i < report_rows(r); i++) {
		csv_row(r, &r->rows.list[i]);
		strbuf_flush(&r->text, r->out);
	}
}

/* JSON */

static void json_key(struct strbuf *out, const char *before, const char *key)
{
	strbuf_addf(out, "%s\"%s\": ", before, key);
}

static void json_function(struct report *r, const struct report_entry *row)
{
	size_t len;
	const char *name = report_name(r, row, &len);

	json_key(&r->text, "", "function");
	json_string(&r->text, name, len);
	json_text(&r->text, ", ", "module", profile_module(r->p, row->frame));
}

/* The first counts are "count", further ones are named after their unit. */
static void json_counts(struct report *r, const struct report_entry *row)
{
	for (size_t i = 0; report_counted(r, i); i++) {
		json_key(&r->text, ", ", i ? report_counted(r, i) : "count");
		strbuf_addu(&r->text, row->counts[i]);
		if (i || !report_each_unit(r))
			continue;
		json_key(&r->text, ", ", each_name(r));
		if (report_each(r, row) < 0)
			strbuf_adds(&r->text, "null");
		add_each(r, row);
	}
}

static void json_group(struct report *r, const struct report_entry *row)
{
	const struct report_keys *keys = &r->options->keys;

	for (size_t i = 0; i < keys->nr; i++)
		json_text(&r->text, i ? ", " : "", report_keys_column(keys, i),
			group_value(&r->rows, row, i));
	if (report_keys_add_module(keys))
		json_text(&r->text, ", ", "module", profile_module(r->p, row->frame));
}

static void json_row(struct report *r, const struct report_entry *row)
{
	uint64_t all = report_whole(r);
	enum report_of of = r->options->of;

	strbuf_adds(&r->text, "  {");
	if (of == REPORT_CATEGORIES)
		json_text(&r->text, "", "category", entry_category(&r->rows, row));
	else if (of == REPORT_GROUPS)
		json_group(r, row);
	else
		json_function(r, row);
	if (report_has_one_weight(r)) {
		json_share(&r->text, ", ", "weight", row->inclusive, all);
	} else {
		json_share(&r->text, ", ", "self", row->self, all);
		json_share(&r->text, ", ", "inclusive", row->inclusive, all);
	}
	json_counts(r, row);
	if (of != REPORT_CATEGORIES && of != REPORT_GROUPS)
		json_text(&r->text, ", ", "category", entry_category(&r->rows, row));
	strbuf_addch(&r->text, '}');
}

/* Appends the title, and the known parts of the origin. */
static void json_heading(struct report *r)
{
	const struct origin *o = &r->p->origin;
	const struct {
		const char *key, *value;
	} facts[] = {{"target", o->target}, {"host", o->host}, {"engine", o->engine}};
	struct strbuf heading = STRBUF_INIT;

	profile_heading(r->p, &heading);
	json_text(&r->text, "{\n ", "title", heading.len ? heading.buf : r->p->title);
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		if (facts[i].value && *facts[i].value)
			json_text(&r->text, ",\n ", facts[i].key, facts[i].value);
	strbuf_release(&heading);
}

/* Appends "by", which is a list if there are several keys, and "label". */
static void json_keys(struct report *r)
{
	const struct report_keys *keys = &r->options->keys;

	json_key(&r->text, ",\n ", "by");
	strbuf_adds(&r->text, keys->nr > 1 ? "[" : "");
	for (size_t i = 0; i < keys->nr; i++) {
		enum report_by by = keys->list[i];
		const char *word = by == BY_LABEL && keys->nr_labels == 1
					   ? "label"
					   : report_keys_column(keys, i);

		strbuf_adds(&r->text, i ? ", " : "");
		json_string(&r->text, word, strlen(word));
	}
	strbuf_adds(&r->text, keys->nr > 1 ? "]" : "");
	if (keys->nr_labels == 1)
		json_text(&r->text, ",\n ", "label", keys->labels[0]);
}

static void report_json(struct report *r)
{
	static const char *const lists[] = {
		[REPORT_FUNCTIONS] = "functions",
		[REPORT_CATEGORIES] = "categories",
		[REPORT_CALLERS] = "callers",
		[REPORT_CALLEES] = "callees",
		[REPORT_GROUPS] = "rows",
	};
	uint64_t all = r->p->nodes[0].total;

	json_heading(r);
	json_key(&r->text, ",\n ", "total");
	strbuf_addu(&r->text, all);
	json_text(&r->text, ",\n ", "unit", r->p->unit);
	json_key(&r->text, ",\n ", "account");
	account_json(&r->p->account, &r->p->timing, &r->text);
	if (r->p->cuts.nr) {
		json_key(&r->text, ",\n ", "cuts");
		cuts_json(&r->p->cuts, &r->p->account, &r->text);
	}
	if (report_is_of_calls(r)) {
		json_key(&r->text, ",\n ", "function");
		json_string(&r->text, r->options->fn->text, strlen(r->options->fn->text));
		json_share(&r->text, ",\n ", "self", r->of.self, all);
		json_share(&r->text, ",\n ", "inclusive", r->of.inclusive, all);
	}
	if (r->options->of == REPORT_GROUPS)
		json_keys(r);
	if (report_counted(r, 0))
		json_text(&r->text, ",\n ", "counted", report_counted(r, 0));
	json_key(&r->text, ",\n ", lists[r->options->of]);
	strbuf_addch(&r->text, '[');
	for (uint32_t i = 0; i < report_rows(r); i++) {
		strbuf_adds(&r->text, i ? ",\n" : "\n");
		json_row(r, &r->rows.list[i]);
		strbuf_flush(&r->text, r->out);
	}
	strbuf_adds(&r->text, "\n ]\n}\n");
}

/* Returns the name by which a row is sorted. */
static const char *sort_name(const struct report *r, const struct report_entry *row, size_t *len)
{
	if (r->options->of != REPORT_CATEGORIES)
		return report_name(r, row, len);
	*len = strlen(entry_category(&r->rows, row));
	return entry_category(&r->rows, row);
}

static int compare_groups(
	const struct report *r, const struct report_entry *a, const struct report_entry *b)
{
	int c = 0;

	for (size_t i = 0; !c && i < r->options->keys.nr; i++)
		c = strcmp(group_value(&r->rows, a, i), group_value(&r->rows, b, i));
	return c;
}

static int compare_names(
	const struct report *r, const struct report_entry *a, const struct report_entry *b)
{
	if (r->options->of == REPORT_GROUPS)
		return compare_groups(r, a, b);
	size_t a_len, b_len;
	const char *x = sort_name(r, a, &a_len), *y = sort_name(r, b, &b_len);
	int c = memcmp(x, y, a_len < b_len ? a_len : b_len);

	return c ? c : compare_u64(a_len, b_len);
}

/* Rows that are the same by this order keep the order of their self weights. */
static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct report *r = arg;
	const struct sorted_row *a = va, *b = vb;
	int c = r->options->sort == SORT_NAME ? compare_names(r, &a->row, &b->row)
					      : compare_u64(b->row.inclusive, a->row.inclusive);

	return c ? c : compare_u64(a->at, b->at);
}

/* Sorts the rows, which come sorted by self weight. */
static void sort_rows(struct report *r)
{
	struct sorted_row *rows;

	if (r->options->sort == SORT_SELF || !r->rows.nr)
		return;
	rows = xcalloc(r->rows.nr, sizeof(*rows));
	for (uint32_t i = 0; i < r->rows.nr; i++)
		rows[i] = (struct sorted_row){r->rows.list[i], i};
	qsort_r(rows, r->rows.nr, sizeof(*rows), compare_rows, r);
	for (uint32_t i = 0; i < r->rows.nr; i++)
		r->rows.list[i] = rows[i].row;
	free(rows);
}

int view_report(const struct profile *p, const struct report_options *options, FILE *out,
	struct strbuf *err)
{
	static void (*const forms[])(struct report *) = {
		[REPORT_DEFAULT] = report_csv,
		[REPORT_CSV] = report_csv,
		[REPORT_TEXT] = report_text,
		[REPORT_JSON] = report_json,
	};
	struct report r = {.p = p, .options = options, .out = out, .text = STRBUF_INIT};

	init_rows(&r);
	sort_rows(&r);
	forms[options->form](&r);
	strbuf_flush(&r.text, out);
	entries_release(&r.rows);
	strbuf_release(&r.text);
	return written(out, err);
}
