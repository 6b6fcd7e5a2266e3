/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"
#include "calls.h"
#include "lib/csv.h"
#include "lib/json.h"
#include "lib/percent.h"
#include "lib/util.h"

#include <string.h>

bool report_is_of_calls(const struct report *r)
{
	return r->options->of == REPORT_CALLERS || r->options->of == REPORT_CALLEES;
}

const char *report_name(const struct report *r, const struct function *row, size_t *len)
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
		functions_init(&r->rows, r->p, o->rules);
		break;
	case REPORT_CATEGORIES:
		functions_init_categories(&r->rows, r->p, o->rules);
		break;
	case REPORT_CALLERS:
		calls_init_callers(&r->rows, &r->of, r->p, o->fn, o->rules);
		break;
	case REPORT_CALLEES:
		calls_init_callees(&r->rows, &r->of, r->p, o->fn, o->rules);
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

/* function,module, */
static void csv_function(struct report *r, const struct function *row)
{
	size_t len;
	const char *name = report_name(r, row, &len);
	const char *module = profile_module(r->p, row->frame);

	csv_string(&r->text, name, len, ",");
	csv_string(&r->text, module, strlen(module), ",");
}

/* self,self_pct,inclusive,inclusive_pct */
static void csv_weights(struct report *r, const struct function *row)
{
	csv_weight(&r->text, row->self, r->p->nodes[0].total);
	strbuf_addch(&r->text, ',');
	csv_weight(&r->text, row->inclusive, r->p->nodes[0].total);
}

static void csv_row(struct report *r, const struct function *row)
{
	const char *category = function_category(&r->rows, row);
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
	}
}

/* A line for the functions whose calls are listed. */
static void csv_of(struct report *r, const char *relation, uint64_t weight)
{
	strbuf_addf(&r->text, "%s,", relation);
	csv_string(&r->text, r->options->fn->s, r->options->fn->len, ",,");
	csv_weight(&r->text, weight, r->of.inclusive);
	strbuf_adds(&r->text, ",\n");
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
	};

	strbuf_adds(&r->text, heads[r->options->of]);
	if (report_is_of_calls(r))
		csv_of(r, "function", r->of.inclusive);
	if (r->options->of == REPORT_CALLEES)
		csv_of(r, "self", r->of.self);
	for (uint32_t i = 0; i < r->rows.nr; i++) {
		csv_row(r, &r->rows.list[i]);
		strbuf_flush(&r->text, r->out);
	}
}

/* JSON */

static void json_key(struct strbuf *out, const char *before, const char *key)
{
	strbuf_addf(out, "%s\"%s\": ", before, key);
}

static void json_text(struct strbuf *out, const char *before, const char *key, const char *s)
{
	json_key(out, before, key);
	if (s)
		json_string(out, s, strlen(s));
	else
		strbuf_adds(out, "null");
}

/* "KEY": WEIGHT, "KEY_pct": its share of ALL */
static void json_weight(
	struct strbuf *out, const char *before, const char *key, uint64_t weight, uint64_t all)
{
	json_key(out, before, key);
	strbuf_addu(out, weight);
	strbuf_addf(out, ", \"%s_pct\": ", key);
	percent_add(out, weight, all);
}

static void json_function(struct report *r, const struct function *row)
{
	size_t len;
	const char *name = report_name(r, row, &len);

	json_key(&r->text, "", "function");
	json_string(&r->text, name, len);
	json_text(&r->text, ", ", "module", profile_module(r->p, row->frame));
}

static void json_row(struct report *r, const struct function *row)
{
	const char *category = function_category(&r->rows, row);
	uint64_t all = r->p->nodes[0].total;

	strbuf_adds(&r->text, "  {");
	if (r->options->of == REPORT_CATEGORIES)
		json_text(&r->text, "", "category", category);
	else
		json_function(r, row);
	if (report_is_of_calls(r)) {
		json_weight(&r->text, ", ", "weight", row->inclusive, r->of.inclusive);
	} else {
		json_weight(&r->text, ", ", "self", row->self, all);
		json_weight(&r->text, ", ", "inclusive", row->inclusive, all);
	}
	if (r->options->of != REPORT_CATEGORIES)
		json_text(&r->text, ", ", "category", category);
	strbuf_addch(&r->text, '}');
}

/* title, and what is known of the origin */
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

static void report_json(struct report *r)
{
	static const char *const lists[] = {
		[REPORT_FUNCTIONS] = "functions",
		[REPORT_CATEGORIES] = "categories",
		[REPORT_CALLERS] = "callers",
		[REPORT_CALLEES] = "callees",
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
		json_string(&r->text, r->options->fn->s, r->options->fn->len);
		json_weight(&r->text, ",\n ", "self", r->of.self, all);
		json_weight(&r->text, ",\n ", "inclusive", r->of.inclusive, all);
	}
	json_key(&r->text, ",\n ", lists[r->options->of]);
	strbuf_addch(&r->text, '[');
	for (uint32_t i = 0; i < r->rows.nr; i++) {
		strbuf_adds(&r->text, i ? ",\n" : "\n");
		json_row(r, &r->rows.list[i]);
		strbuf_flush(&r->text, r->out);
	}
	strbuf_adds(&r->text, "\n ]\n}\n");
}

int view_report(const struct profile *p, const struct report_options *options, FILE *out,
	struct strbuf *err)
{
	static void (*const forms[])(struct report *) = {
		[REPORT_CSV] = report_csv,
		[REPORT_TEXT] = report_text,
		[REPORT_JSON] = report_json,
	};
	struct report r = {.p = p, .options = options, .out = out, .text = STRBUF_INIT};

	init_rows(&r);
	forms[options->form](&r);
	strbuf_flush(&r.text, out);
	functions_release(&r.rows);
	strbuf_release(&r.text);
	return written(out, err);
}
