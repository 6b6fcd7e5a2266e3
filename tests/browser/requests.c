/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests: prints the picture of made-up requests of nginx, as ngx-latency draws it. */
#include "lib/util.h"
#include "tool/requests/request_timeline.h"
#include "view/timeline/timeline_svg.h"

#include <stdio.h>
#include <string.h>

enum { MS = 1000000, REQUESTS = 24 };

static const char *const uris[] = {"/", "/cart/checkout", "/api/v1/orders?customer=4711&sort=date",
	"/static/js/vendor.bundle.min.js", "/a<b>&\"c\"",
	"/a/rather/long/path/of/a/file/that/does/not/fit/into/the/column/of/names.html"};

static void set_text(struct nginx_text *text, const char *s)
{
	text->len = strlen(s);
	memcpy(text->bytes, s, text->len < NGINX_TEXT_MAX ? text->len : NGINX_TEXT_MAX);
}

/* Begins request I at 37 ms times I; it takes 20 to 220 ms, of which the upstream takes most. */
static struct times_request make_request(uint32_t i)
{
	uint64_t begin = (1000 + 37 * i) * (uint64_t)MS, ms = 20 + 100 * (i * 7 % 11) / 5;
	struct times_request q = {.request_ns = ms * MS,
		.end_ns = begin + ms * MS,
		.status = i % 8 == 5 ? 502 : 200,
		.worker = 1303 + i % 2};

	set_text(&q.text[NGINX_METHOD], i % 3 ? "GET" : "POST");
	set_text(&q.text[NGINX_URI], uris[i % ARRAY_LEN(uris)]);
	set_text(&q.text[NGINX_HOST], "shop.example");
	set_text(&q.text[NGINX_CLIENT], "192.0.2.17");
	if (i % 4 == 3) /* without phases */
		return q;
	q.head_ns = begin + ms * MS / 20;
	q.content_ns = begin + ms * MS / 10;
	q.answer_ns = begin + ms * MS * 8 / 10;
	q.nr_tries = 1 + i % 2;
	for (uint32_t k = 0; k < q.nr_tries; k++) {
		int64_t each = (int64_t)ms * 6 / 10 / q.nr_tries;

		q.tries[k] =
			(struct times_try){.response = each, .connect = each / 6, .header = each};
		q.tries[k].peer_len = (uint32_t)snprintf(
			q.tries[k].peer, sizeof(q.tries[k].peer), "10.0.0.%u:8080", k + 1);
	}
	return q;
}

int main(void)
{
	struct times_request list[REQUESTS];
	struct request_results results = {.slow = list, .nr_slow = REQUESTS};
	struct timeline t;

	for (uint32_t i = 0; i < REQUESTS; i++)
		list[i] = make_request(i);
	request_timeline_fill(&t, &results);
	int ret = view_timeline(&t, stdout, NULL);

	timeline_release(&t);
	return ret ? 1 : 0;
}
