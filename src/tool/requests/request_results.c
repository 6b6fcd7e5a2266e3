/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_results.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SPARE = 4096 }; /* slow requests that are kept beyond the slowest until the list is cut */

void request_results_init(struct request_results *r)
{
	*r = (struct request_results){.where = NGINX_KEYS};
	table_init(&r->by_value);
}

void request_results_release(struct request_results *r)
{
	label_filter_release(&r->filter);
	free(r->texts);
	free(r->slow);
	table_release(&r->by_value);
	*r = (struct request_results){0};
}

/* ---- labels ---- */

void request_results_add_text(struct strbuf *out, const struct nginx_text *text)
{
	bool cut = text->len > NGINX_TEXT_MAX;

	strbuf_add(out, text->bytes, cut ? NGINX_TEXT_MAX : text->len);
	strbuf_adds(out, cut ? "…" : "");
}

bool request_results_has_value(const struct request_results *r, uint32_t key, uint64_t value)
{
	return key >= NGINX_TEXTS || value == TIMES_NO_VALUE || table_get(&r->by_value, value, 0);
}

bool request_results_add_value(
	const struct request_results *r, uint32_t key, uint64_t value, struct strbuf *out)
{
	const uint32_t *number;

	if (key >= NGINX_TEXTS) {
		strbuf_addu(out, value);
		return true;
	}
	if (value == TIMES_NO_VALUE)
		return true;
	number = table_get(&r->by_value, value, 0);
	if (!number)
		return false;
	request_results_add_text(out, &r->texts[*number - 1]);
	return true;
}

static bool matches(const struct request_results *r, const struct strbuf *value)
{
	return label_filter_has(&r->filter, r->filter.choices->key, value->buf, value->len);
}

enum request_match request_results_match(const struct request_results *r, uint64_t value)
{
	struct strbuf text = STRBUF_INIT;
	enum request_match match = REQUEST_MATCHES;

	if (r->where == NGINX_KEYS)
		return match;
	if (!request_results_add_value(r, r->where, value, &text))
		match = REQUEST_IS_UNDECIDED;
	else if (!matches(r, &text))
		match = REQUEST_DIFFERS;
	strbuf_release(&text);
	return match;
}

/* ---- upstreams ---- */

static void add_seconds(struct strbuf *out, int64_t ms)
{
	if (ms < 0)
		strbuf_addch(out, '-');
	else
		strbuf_addf(out, "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
}

void request_results_add_tries(
	struct strbuf *out, const struct times_request *q, enum times_try_column column)
{
	for (uint32_t i = 0; i < q->nr_tries && i < TIMES_TRIES; i++) {
		const struct times_try *try = &q->tries[i];

		/* an attempt without a peer separates the upstreams before and after a redirect */
		if (i && !try->peer_len) {
			strbuf_adds(out, " : ");
			continue;
		}
		if (i && q->tries[i - 1].peer_len)
			strbuf_adds(out, ", ");
		if (column == TRY_PEER)
			strbuf_add(out, try->peer, try->peer_len);
		else
			add_seconds(out, column == TRY_CONNECT  ? try->connect
					 : column == TRY_HEADER ? try->header
								: try->response);
	}
	strbuf_adds(out, q->nr_tries > TIMES_TRIES ? ", …" : "");
}

/* ---- incoming records ---- */

static void take_text(
	struct request_results *r, struct request_timing *t, const struct times_text *text)
{
	struct strbuf value = STRBUF_INIT;
	bool is_new;
	uint32_t *number = table_put(&r->by_value, text->value, 0, &is_new);

	if (!is_new)
		return;
	ALLOC_GROW(r->texts, r->nr_texts, r->texts_alloc);
	r->texts[r->nr_texts++] = text->text;
	*number = (uint32_t)r->nr_texts;
	request_results_add_text(&value, &text->text);
	if (r->where != NGINX_KEYS)
		request_timing_decide(t, text->value, matches(r, &value));
	strbuf_release(&value);
}

/* Decides by the value in the request itself, as the text of its hash may arrive later. */
static bool request_matches(const struct request_results *r, const struct times_request *q)
{
	struct strbuf value = STRBUF_INIT;
	bool match;

	if (r->where == NGINX_KEYS)
		return true;
	if (r->where < NGINX_TEXTS)
		request_results_add_text(&value, &q->text[r->where]);
	else
		strbuf_addu(&value, r->where == NGINX_KEY_STATUS ? q->status : q->worker);
	match = matches(r, &value);
	strbuf_release(&value);
	return match;
}

static int compare_slow(const void *a, const void *b)
{
	const struct times_request *x = a, *y = b;

	if (x->request_ns != y->request_ns)
		return compare_u64(y->request_ns, x->request_ns);
	return compare_u64(x->end_ns, y->end_ns);
}

void request_results_sort(struct request_results *r)
{
	if (r->nr_slow)
		qsort(r->slow, r->nr_slow, sizeof(*r->slow), compare_slow);
	if (r->nr_slow > r->slowest)
		r->nr_slow = r->slowest;
}

void request_results_take(struct request_results *r, struct request_timing *t)
{
	request_timing_read(t);
	for (size_t i = 0; i < t->nr_texts; i++)
		take_text(r, t, &t->texts[i]);
	for (size_t i = 0; i < t->nr_requests; i++) {
		if (!request_matches(r, &t->requests[i]))
			continue;
		ALLOC_GROW(r->slow, r->nr_slow, r->slow_alloc);
		r->slow[r->nr_slow++] = t->requests[i];
	}
	if (t->nr_texts && r->where != NGINX_KEYS)
		request_timing_forget_decided(t);
	t->nr_texts = t->nr_requests = 0;
	if (r->nr_slow > r->slowest + SPARE)
		request_results_sort(r);
}
