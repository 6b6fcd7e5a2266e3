/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool/requests/request_results.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static struct nginx_text text_of(const char *s, uint64_t len)
{
	struct nginx_text text = {.len = len};

	memcpy(text.bytes, s, strnlen(s, NGINX_TEXT_MAX));
	return text;
}

/* As if the kernel had sent it. */
static void add_text(struct request_results *r, uint64_t value, const char *s)
{
	bool is_new;

	ALLOC_GROW(r->texts, r->nr_texts, r->texts_alloc);
	r->texts[r->nr_texts++] = text_of(s, strlen(s));
	*table_put(&r->by_value, value, 0, &is_new) = (uint32_t)r->nr_texts;
}

static void set_where(struct request_results *r, uint32_t key, const char *arg)
{
	r->where = key;
	assert_int_equal(label_filter_add(&r->filter, arg), 0);
}

static void assert_tries(
	const struct times_request *q, enum times_try_column column, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	request_results_add_tries(&out, q, column);
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
}

static struct times_try try_of(const char *peer, int64_t connect, int64_t header, int64_t response)
{
	struct times_try try = {.connect = connect,
		.header = header,
		.response = response,
		.peer_len = (uint32_t)strlen(peer)};

	memcpy(try.peer, peer, strlen(peer));
	return try;
}

static void test_no_upstream(void **state)
{
	const struct times_request q = {0};

	(void)state;
	for (int i = 0; i < TIMES_TRY_COLUMNS; i++)
		assert_tries(&q, (enum times_try_column)i, "");
}

/* as ngx_http_upstream_response_time_variable() writes them */
static void test_upstreams(void **state)
{
	const struct times_request q = {.nr_tries = 2,
		.tries = {try_of("10.0.0.1:80", -1, -1, 0), try_of("unix:/a", 1, 1020, 61000)}};

	(void)state;
	assert_tries(&q, TRY_PEER, "10.0.0.1:80, unix:/a");
	assert_tries(&q, TRY_CONNECT, "-, 0.001");
	assert_tries(&q, TRY_HEADER, "-, 1.020");
	assert_tries(&q, TRY_RESPONSE, "0.000, 61.000");
}

static void test_redirected_upstreams(void **state)
{
	const struct times_request q = {.nr_tries = 3,
		.tries = {try_of("a:1", 1, 2, 3), try_of("", -1, -1, -1), try_of("b:2", 4, 5, 6)}};

	(void)state;
	assert_tries(&q, TRY_PEER, "a:1 : b:2");
	assert_tries(&q, TRY_RESPONSE, "0.003 : 0.006");
}

static void test_more_upstreams_than_room(void **state)
{
	struct times_request q = {.nr_tries = 1000};

	(void)state;
	for (int i = 0; i < TIMES_TRIES; i++)
		q.tries[i] = try_of("a", 0, 0, i);
	assert_tries(&q, TRY_PEER, "a, a, a, a, a, a, a, a, …");
}

static void test_texts(void **state)
{
	char longest[NGINX_TEXT_MAX + 1];
	struct nginx_text text;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	memset(longest, 'x', NGINX_TEXT_MAX);
	longest[NGINX_TEXT_MAX] = '\0';
	text = text_of(longest, NGINX_TEXT_MAX);
	request_results_add_text(&out, &text);
	assert_string_equal(out.buf, longest);
	strbuf_reset(&out);
	text.len = 1 << 20;
	request_results_add_text(&out, &text);
	assert_int_equal(out.len, NGINX_TEXT_MAX + strlen("…"));
	assert_string_equal(out.buf + NGINX_TEXT_MAX, "…");
	strbuf_release(&out);
}

static void test_values(void **state)
{
	struct request_results r;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	request_results_init(&r);
	add_text(&r, 77, "/a");
	assert_true(request_results_add_value(&r, NGINX_URI, 77, &out));
	assert_true(request_results_add_value(&r, NGINX_URI, TIMES_NO_VALUE, &out));
	assert_true(request_results_add_value(&r, NGINX_KEY_STATUS, 404, &out));
	assert_string_equal(out.buf, "/a404");
	assert_false(request_results_add_value(&r, NGINX_URI, 78, &out));
	assert_false(request_results_add_value(&r, NGINX_URI, TIMES_OTHER_VALUE, &out));
	assert_true(request_results_has_value(&r, NGINX_URI, 77));
	assert_true(request_results_has_value(&r, NGINX_URI, TIMES_NO_VALUE));
	assert_true(request_results_has_value(&r, NGINX_KEY_STATUS, TIMES_OTHER_VALUE));
	assert_false(request_results_has_value(&r, NGINX_URI, 78));
	assert_false(request_results_has_value(&r, NGINX_URI, TIMES_OTHER_VALUE));
	strbuf_release(&out);
	request_results_release(&r);
}

static void test_matches(void **state)
{
	struct request_results r;

	(void)state;
	request_results_init(&r);
	assert_int_equal(request_results_match(&r, 5), REQUEST_MATCHES);
	set_where(&r, NGINX_URI, "uri=/a*,/exact");
	add_text(&r, 77, "/abc");
	add_text(&r, 78, "/b");
	add_text(&r, 80, "/exact");
	assert_int_equal(request_results_match(&r, 77), REQUEST_MATCHES);
	assert_int_equal(request_results_match(&r, 80), REQUEST_MATCHES);
	assert_int_equal(request_results_match(&r, 78), REQUEST_DIFFERS);
	assert_int_equal(request_results_match(&r, TIMES_NO_VALUE), REQUEST_DIFFERS);
	assert_int_equal(request_results_match(&r, 79), REQUEST_IS_UNDECIDED);
	request_results_release(&r);
	request_results_init(&r);
	set_where(&r, NGINX_KEY_STATUS, "status=404,5*");
	assert_int_equal(request_results_match(&r, 504), REQUEST_MATCHES);
	assert_int_equal(request_results_match(&r, 404), REQUEST_MATCHES);
	assert_int_equal(request_results_match(&r, 403), REQUEST_DIFFERS);
	request_results_release(&r);
}

static void test_slowest_first(void **state)
{
	struct request_results r;

	(void)state;
	request_results_init(&r);
	r.slowest = 3;
	for (uint64_t i = 0; i < 10; i++) {
		ALLOC_GROW(r.slow, r.nr_slow, r.slow_alloc);
		r.slow[r.nr_slow++] = (struct times_request){.request_ns = i * 7 % 10};
	}
	request_results_sort(&r);
	assert_int_equal(r.nr_slow, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r.slow[i].request_ns, 9 - i);
	request_results_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_upstream),
		cmocka_unit_test(test_upstreams),
		cmocka_unit_test(test_redirected_upstreams),
		cmocka_unit_test(test_more_upstreams_than_room),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_slowest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
