/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_timeline.h"
#include "lib/util.h"

#include <inttypes.h>

enum kind { TIME, HEAD, RULES, CONTENT, ANSWER, CONNECT, HEADER, RESPONSE };

static const struct timeline_kind kinds[] = {
	[TIME] = {"phase not known", 9, false},
	[HEAD] = {"reading headers", 8, false},
	[RULES] = {"rewrite, access", 1, false},
	[CONTENT] = {"content", 0, false},
	[ANSWER] = {"sending the response", 2, false},
	[CONNECT] = {"upstream: connecting", 3, true},
	[HEADER] = {"waiting for headers", 4, true},
	[RESPONSE] = {"reading the response", 5, true},
};

static double ms_of(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* Adds a bar from each known moment to the next one, and for the rest of the request. */
static void add_phases(struct timeline_row *row, const struct times_request *q)
{
	const uint64_t moments[] = {q->head_ns, q->content_ns, q->answer_ns};
	double at = row->from;

	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
		if (!moments[i])
			continue;
		timeline_add_bar(row, HEAD + i, at, ms_of(moments[i]));
		at = ms_of(moments[i]);
	}
	timeline_add_bar(row, q->answer_ns ? ANSWER : TIME, at, row->to);
}

static double known_ms(int64_t ms)
{
	return ms < 0 ? 0 : (double)ms;
}

/*
 * Returns when the first upstream was asked. nginx only tells how long each part took. The headers
 * of the last upstream arrive when the headers of the response are made. If this is unknown, the
 * first upstream is asked when the content phase begins or, at the latest, so that all parts fit.
 */
static double first_try(const struct times_request *q, const struct timeline_row *row, uint32_t nr)
{
	double before = 0;

	for (uint32_t i = 0; i + 1 < nr; i++)
		before += known_ms(q->tries[i].response);
	if (q->answer_ns && q->tries[nr - 1].header >= 0)
		return ms_of(q->answer_ns) - before - (double)q->tries[nr - 1].header;
	if (q->content_ns)
		return ms_of(q->content_ns);
	return row->to - before - known_ms(q->tries[nr - 1].response);
}

/*
 * Adds the upstreams that were asked one after another. All times of a try are relative to its
 * beginning.
 */
static void add_tries(struct timeline_row *row, const struct times_request *q)
{
	uint32_t nr = q->nr_tries < TIMES_TRIES ? q->nr_tries : TIMES_TRIES;
	double at = nr ? first_try(q, row, nr) : 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct times_try *try = &q->tries[i];
		double end = at + known_ms(try->response);
		double connected = try->connect < 0 ? end : at + (double)try->connect;
		double headers = try->header < 0 ? end : at + (double)try->header;

		timeline_add_bar(row, CONNECT, at, connected);
		timeline_add_bar(row, HEADER, connected, headers);
		timeline_add_bar(row, RESPONSE, headers, end);
		at = end;
	}
}

static void add_texts(struct timeline_row *row, const struct times_request *q)
{
	static const char *const columns[TIMES_TRY_COLUMNS] = {
		"upstream", "connect", "header", "response"};

	request_results_add_text(&row->name, &q->text[NGINX_METHOD]);
	strbuf_addch(&row->name, ' ');
	request_results_add_text(&row->name, &q->text[NGINX_URI]);
	strbuf_addf(&row->detail, "%.3f ms, status %" PRIu32 ", worker %" PRIu32 ", client ",
		ms_of(q->request_ns), q->status, q->worker);
	request_results_add_text(&row->detail, &q->text[NGINX_CLIENT]);
	timeline_add_line(row, row->name.buf);
	request_results_add_text(&row->detail, &q->text[NGINX_HOST]);
	for (int i = 0; q->nr_tries && i < TIMES_TRY_COLUMNS; i++) {
		timeline_add_line(row, columns[i]);
		request_results_add_tries(&row->detail, q, (enum times_try_column)i);
	}
}

void request_timeline_fill(struct timeline *t, const struct request_results *r)
{
	*t = (struct timeline){.title = "nginx: the slowest requests",
		.things = "requests",
		.kinds = kinds,
		.nr_kinds = ARRAY_LEN(kinds)};
	for (size_t i = 0; i < r->nr_slow; i++) {
		const struct times_request *q = &r->slow[i];
		struct timeline_row *row =
			timeline_add_row(t, ms_of(q->end_ns - q->request_ns), ms_of(q->end_ns));

		add_texts(row, q);
		add_phases(row, q);
		add_tries(row, q);
	}
}
