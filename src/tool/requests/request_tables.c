/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_tables.h"
#include "lib/format/histogram.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const request_table_names[] = {"total", "by", "histogram", "slowest", NULL};

const char *const request_label_names[] = {
	"uri", "location", "host", "server", "upstream", "method", "status", "worker", NULL};
const uint32_t request_label_keys[] = {NGINX_URI, NGINX_LOCATION, NGINX_HOST, NGINX_SERVER,
	NGINX_UPSTREAM, NGINX_METHOD, NGINX_KEY_STATUS, NGINX_KEY_WORKER};

static void add_ms(struct grid *l, uint64_t ns)
{
	grid_addf(l, (double)ns / 1e6, 3);
}

#define TIME_COLUMNS                                                                               \
	"count", "per_second", "mean_ms", "min_ms", "p50_ms", "p90_ms", "p99_ms", "p99.9_ms",      \
		"max_ms"

static const char *const total_columns[] = {TIME_COLUMNS};

static void add_times(const struct request_tables *t, struct grid *l, const struct distribution *d)
{
	static const double shares[] = {0.5, 0.9, 0.99, 0.999};

	grid_addu(l, d->count);
	grid_addf(l, t->seconds > 0 ? (double)d->count / t->seconds : 0, 1);
	grid_addf(l, distribution_mean(d) / 1e6, 3);
	add_ms(l, d->min);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		add_ms(l, distribution_share(d, shares[i]));
	add_ms(l, d->max);
}

static void list_total(struct grid *l, void *context)
{
	const struct request_tables *t = context;

	grid_init(l, total_columns, ARRAY_LEN(total_columns));
	add_times(t, l, &t->counts->total);
}

/* The label's column is the last one, because texts may be long. */
static const char *const by_columns[][10] = {{TIME_COLUMNS, "uri"}, {TIME_COLUMNS, "location"},
	{TIME_COLUMNS, "host"}, {TIME_COLUMNS, "server"}, {TIME_COLUMNS, "upstream"},
	{TIME_COLUMNS, "method"}, {TIME_COLUMNS, "status"}, {TIME_COLUMNS, "worker"}};

static void list_by(struct grid *l, void *context)
{
	const struct request_tables *t = context;
	size_t label = 0;

	while (request_label_keys[label] != t->counts->by)
		label++;
	grid_init(l, by_columns[label], ARRAY_LEN(by_columns[label]));
	for (size_t i = 0; i < t->counts->nr; i++) {
		struct strbuf value = STRBUF_INIT;

		add_times(t, l, &t->counts->groups[i].times);
		if (!request_results_add_value(
			    t->results, t->counts->by, t->counts->groups[i].value, &value))
			strbuf_adds(&value, "[other]");
		grid_add(l, value.buf, value.len);
		strbuf_release(&value);
	}
}

static const char *const histogram_columns[HISTOGRAM_COLUMNS] = {
	"from_ms", "to_ms", "count", "requests"};

/* Merges the octaves below a microsecond. They contain only times by nginx's clock, as 0 ms. */
static size_t merge_shortest(struct distribution_octave *octaves, size_t nr)
{
	size_t first = 0;

	while (first + 1 < nr && octaves[first + 1].to <= 1024) {
		octaves[first + 1].count += octaves[first].count;
		octaves[++first].from = 0;
	}
	memmove(octaves, octaves + first, (nr - first) * sizeof(*octaves));
	return nr - first;
}

static void add_bound(struct grid *l, uint64_t bound, const void *context)
{
	(void)context;
	add_ms(l, bound);
}

static void list_histogram(struct grid *l, void *context)
{
	const struct request_tables *t = context;
	struct distribution_octave octaves[64];
	size_t nr = merge_shortest(octaves, distribution_octaves(&t->counts->total, octaves));

	histogram_list(l, histogram_columns, octaves, nr, t->format, add_bound, NULL);
}

/* ---- the slowest ---- */

static const char *const slow_columns[] = {"time_ms", "start", "log_ms", "head_ms", "content_ms",
	"answer_ms", "busy_ms", "worker", "client", "method", "status", "sent", "location",
	"upstream", "peer", "connect", "header", "response", "state", "host", "uri"};

enum { FIRST_PHASE = 3, NR_PHASES = 4 };

static const char *const slow_columns_without_phases[ARRAY_LEN(slow_columns) - NR_PHASES] = {
	"time_ms", "start", "log_ms", "worker", "client", "method", "status", "sent", "location",
	"upstream", "peer", "connect", "header", "response", "state", "host", "uri"};

static void add_start(const struct request_tables *t, struct grid *l, int64_t ms)
{
	time_t seconds = ms / 1000;
	char text[32] = "";
	struct tm tm;

	if (t->format != GRID_TEXT) {
		grid_addf(l, (double)ms / 1e3, 3);
		return;
	}
	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03d", (int)(ms % 1000));
	grid_adds(l, text);
}

/* Adds the time of a phase since the request began. */
static void add_phase(struct grid *l, const struct times_request *q, uint64_t ns)
{
	if (ns)
		add_ms(l, ns - (q->end_ns - q->request_ns));
	else
		grid_add_empty(l);
}

static void add_label(struct grid *l, const struct nginx_text *text)
{
	struct strbuf out = STRBUF_INIT;

	request_results_add_text(&out, text);
	grid_add(l, out.buf, out.len);
	strbuf_release(&out);
}

static void add_tries(struct grid *l, const struct times_request *q)
{
	for (int i = 0; i < TIMES_TRY_COLUMNS; i++) {
		struct strbuf out = STRBUF_INIT;

		request_results_add_tries(&out, q, (enum times_try_column)i);
		grid_add(l, out.buf, out.len);
		strbuf_release(&out);
	}
}

static void add_slow(const struct request_tables *t, struct grid *l, const struct times_request *q)
{
	add_ms(l, q->request_ns);
	add_start(t, l, q->start_ms);
	if (q->log_ms < 0)
		grid_add_empty(l);
	else
		grid_addu(l, (uint64_t)q->log_ms);
	if (t->phases) {
		add_phase(l, q, q->head_ns);
		add_phase(l, q, q->content_ns);
		add_phase(l, q, q->answer_ns);
		if (q->by_clock)
			grid_add_empty(l);
		else
			add_ms(l, q->busy_ns);
	}
	grid_addu(l, q->worker);
	add_label(l, &q->text[NGINX_CLIENT]);
	add_label(l, &q->text[NGINX_METHOD]);
	grid_addu(l, q->status);
	grid_addu(l, q->sent > 0 ? (uint64_t)q->sent : 0);
	add_label(l, &q->text[NGINX_LOCATION]);
	add_label(l, &q->text[NGINX_UPSTREAM]);
	add_tries(l, q);
	grid_adds(l, q->by_clock ? "began before" : NULL);
	add_label(l, &q->text[NGINX_HOST]);
	add_label(l, &q->text[NGINX_URI]);
}

static void list_slowest(struct grid *l, void *context)
{
	const struct request_tables *t = context;

	if (t->phases)
		grid_init(l, slow_columns, ARRAY_LEN(slow_columns));
	else
		grid_init(l, slow_columns_without_phases, ARRAY_LEN(slow_columns_without_phases));
	for (size_t i = 0; i < t->results->nr_slow; i++)
		add_slow(t, l, &t->results->slow[i]);
}

/* ---- all of them ---- */

static grid_list *const lists[REQUEST_TABLES] = {list_total, list_by, list_histogram, list_slowest};

void request_tables_print(struct request_tables *t, enum request_table only)
{
	unsigned shown = (1U << REQUEST_TABLES) - 1;

	if (t->counts->by == NGINX_KEYS)
		shown &= ~(1U << REQUEST_BY);
	if (!t->results->slowest)
		shown &= ~(1U << REQUEST_SLOWEST);
	if (only != REQUEST_TABLES)
		shown = 1U << only;
	grid_print(request_table_names, lists, shown, t->format, t);
}
