/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of timing nginx's requests besides the counts: the texts of labels and the slowest
 * requests.
 */
#ifndef TOOL_REQUESTS_REQUEST_RESULTS_H
#define TOOL_REQUESTS_REQUEST_RESULTS_H

#include "lib/table.h"
#include "model/labels.h"
#include "request_timing.h"

struct request_results {
	/* Which requests count; to be set before the first ones are taken. */
	uint32_t where;             /* enum nginx_key, or NGINX_KEYS if all requests count */
	struct label_filter filter; /* has values of that key only; released with the results */
	size_t slowest;             /* how many requests are kept */

	struct nginx_text *texts;
	size_t nr_texts, texts_alloc;
	struct table by_value; /* index in texts + 1, by hash of the text */
	struct times_request *slow;
	size_t nr_slow, slow_alloc;
};

void request_results_init(struct request_results *r);
void request_results_release(struct request_results *r);

/* Takes the texts and requests that have arrived since the last call. */
void request_results_take(struct request_results *r, struct request_timing *t);

/*
 * Sorts the slowest requests into `slow`, slowest first. To be called after the last ones were
 * taken.
 */
void request_results_sort(struct request_results *r);

/* Appends TEXT, with an ellipsis if it was cut. */
void request_results_add_text(struct strbuf *out, const struct nginx_text *text);

/* Returns whether the text of VALUE of the label KEY is known, as it always is for a number. */
bool request_results_has_value(const struct request_results *r, uint32_t key, uint64_t value);

/*
 * Appends VALUE of the label KEY, or nothing if there is no value. Returns false if its text is not
 * known.
 */
bool request_results_add_value(
	const struct request_results *r, uint32_t key, uint64_t value, struct strbuf *out);

/*
 * Appends a column of the upstreams that were asked in the way of nginx's variables $upstream_addr,
 * $upstream_connect_time, …: "0.001, 0.020". An internal redirect is shown as " : " between the
 * upstreams asked before and after it.
 */
enum times_try_column { TRY_PEER, TRY_CONNECT, TRY_HEADER, TRY_RESPONSE, TIMES_TRY_COLUMNS };
void request_results_add_tries(
	struct strbuf *out, const struct times_request *q, enum times_try_column column);

/* Returns whether requests with VALUE as the value of `where` count. */
enum request_match { REQUEST_DIFFERS, REQUEST_MATCHES, REQUEST_IS_UNDECIDED };
enum request_match request_results_match(const struct request_results *r, uint64_t value);

#endif
