/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is recorded of nginx's requests besides their numbers: texts of labels, the slowest ones. */
#ifndef TOOL_REQUESTS_REQUEST_RESULTS_H
#define TOOL_REQUESTS_REQUEST_RESULTS_H

#include "lib/table.h"
#include "model/labels.h"
#include "request_timing.h"

struct request_results {
	/* Which requests count; set these before the first ones are taken. */
	uint32_t where;             /* enum nginx_key; NGINX_KEYS: all */
	struct label_filter filter; /* values of that key only; released with the results */
	size_t slowest;             /* how many are kept */

	struct nginx_text *texts;
	size_t nr_texts, texts_alloc;
	struct table by_value; /* index in texts + 1 */
	struct times_request *slow;
	size_t nr_slow, slow_alloc;
};

void request_results_init(struct request_results *r);
void request_results_release(struct request_results *r);

/* Takes what has come since the last call. */
void request_results_take(struct request_results *r, struct request_timing *t);

/* After the last ones were taken: slow has the slowest, in that order. */
void request_results_sort(struct request_results *r);

/* Appends the text, with an ellipsis if the end of it is missing. */
void request_results_add_text(struct strbuf *out, const struct nginx_text *text);

/* Whether the text of VALUE of the label KEY is known; that of a number always is. */
bool request_results_has_value(const struct request_results *r, uint32_t key, uint64_t value);

/* Appends VALUE of the label KEY, nothing: it has none. False: its text is not known. */
bool request_results_add_value(
	const struct request_results *r, uint32_t key, uint64_t value, struct strbuf *out);

/*
 * Appends a column of the upstreams that were asked, as nginx's variables $upstream_addr,
 * $upstream_connect_time, …: "0.001, 0.020"; " : " is between those before and after an internal
 * redirect.
 */
enum times_try_column { TRY_PEER, TRY_CONNECT, TRY_HEADER, TRY_RESPONSE, TIMES_TRY_COLUMNS };
void request_results_add_tries(
	struct strbuf *out, const struct times_request *q, enum times_try_column column);

/* Whether requests with VALUE of `where` count. */
enum request_match { REQUEST_DIFFERS, REQUEST_MATCHES, REQUEST_IS_UNDECIDED };
enum request_match request_results_match(const struct request_results *r, uint64_t value);

#endif
