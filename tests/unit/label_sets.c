/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/label_sets.h"
#include "engine/samples.h"
#include "label/label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct processes ps;
static struct samples samples;
static struct label_processes processes;
static struct label_sets sets;
enum { ALL_KEYS = (1 << NGINX_KEYS) - 1, EVENT = 0, COUNTED = 1, TASK = 0, MAX = 3 };

static const struct chosen_sources nginx_and_php = {
	.list = {{&nginx_labels, ALL_KEYS & ~(1 << NGINX_KEY_CONN)},
		{&php_request_labels, 1 << PHP_REQUEST_URI}},
	.nr = 2,
};

/* Returns the ID of nginx's set NUMBER. */
static uint64_t nginx(uint64_t number)
{
	return label_set_id(LABEL_NGINX, number);
}

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	samples_init(&samples);
	label_processes_init(&processes, &nginx_and_php, &ps);
	label_sets_init(&sets, &samples, &processes, MAX);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	label_sets_release(&sets);
	label_processes_release(&processes);
	samples_release(&samples);
	processes_release(&ps);
	return 0;
}

/* The programs send set NUMBER, of a request with this URI, in process 77. */
static void send(uint64_t number, const char *uri)
{
	struct label_new_set set = {.id = nginx(number), .tgid = 77};
	struct nginx_text *text = &set.texts.nginx.text[NGINX_URI];

	text->len = strlen(uri);
	memcpy(text->bytes, uri, text->len < NGINX_TEXT_MAX ? text->len : NGINX_TEXT_MAX);
	label_sets_add(&sets, &set);
}

/* The value of KEY in a set, "": it has none. */
static const char *value_in(uint32_t set, const char *key)
{
	for (; set; set = samples.labels[set].others)
		if (!strcmp(strpool_get(&samples.strings, samples.labels[set].key), key))
			return strpool_get(&samples.strings, samples.labels[set].value);
	return "";
}

static void join__places_and_requests(void **state)
{
	uint32_t waiting = samples_label(&samples, 0, "state", "S");

	(void)state;
	send(1000, "/cart");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(NGINX_IDLE), 77, 0, 1), "request"), "idle");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(NGINX_IDLE), 77, 0, 1), "worker"), "77");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(NGINX_CLOSING), 77, 0, 1), "request"),
		"closing");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(LABEL_EARLIER), 77, 0, 1), "request"),
		"earlier");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, 0, 1), "uri"), "/cart");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, 0, 1), "worker"), "77");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, waiting, 1), "uri"), "/cart");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, waiting, 1), "state"), "S");
	assert_int_equal(label_sets_join(&sets, 0, 77, waiting, 1), waiting);
	assert_int_equal(label_sets_join(&sets, 0, 77, 0, 1), 0);
	assert_int_equal(label_sets_join(NULL, 1000, 77, waiting, 1), waiting);
}

/* Labels of two servers in one recording; both have URIs. */
static void join__another_source(void **state)
{
	struct label_new_set set = {.id = label_set_id(LABEL_PHP_REQUEST, 1000), .tgid = 88};

	(void)state;
	strcpy(set.texts.php_request.text[PHP_REQUEST_URI], "/cart.php");
	strcpy(set.texts.php_request.text[PHP_REQUEST_METHOD], "GET");
	label_sets_add(&sets, &set);
	send(1000, "/cart");
	assert_string_equal(value_in(label_sets_join(&sets, set.id, 88, 0, 1), "uri"), "/cart.php");
	assert_string_equal(value_in(label_sets_join(&sets, set.id, 88, 0, 1), "method"), "");
	assert_string_equal(value_in(label_sets_join(&sets, set.id, 88, 0, 1), "worker"), "");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, 0, 1), "uri"), "/cart");
	set.id = label_set_id(LABEL_PHP_REQUEST, PHP_REQUEST_NONE);
	assert_string_equal(value_in(label_sets_join(&sets, set.id, 88, 0, 1), "request"), "none");
	set.id = label_set_id(LABEL_PHP_REQUEST, PHP_REQUEST_NONE + 1); /* is no place */
	assert_int_equal(label_sets_join(&sets, set.id, 88, 0, 1), 0);
	set.id = label_set_id(LABEL_POSTGRES, 1000); /* is not recorded */
	assert_int_equal(label_sets_join(&sets, set.id, 88, 0, 1), 0);
}

/* It exits, or its stack could not be walked. */
static void join__nothing_but_the_process(void **state)
{
	struct process process = {.pid = 77, .id = 1};
	struct facet_entry *entry = facet_entry(&processes.facet, &process);
	struct label_process *data = entry->data;

	(void)state;
	entry->state = FACET_FOUND;
	data->source = &nginx_labels;
	data->layout.nginx.state = NGINX_ASSUMED;
	assert_string_equal(value_in(label_sets_join(&sets, 0, 77, 0, 1), "worker"), "77");
	assert_string_equal(value_in(label_sets_join(&sets, 0, 77, 0, 1), "request"), "");
	assert_int_equal(label_sets_join(&sets, 0, 78, 0, 1), 0);
	data->layout.nginx.state = NGINX_NO_WORKER; /* it is the master */
	assert_int_equal(label_sets_join(&sets, 0, 77, 0, 1), 0);
}

static void join__what_was_not_received(void **state)
{
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(2000), 77, 0, 7), "worker"), "77");
	assert_int_equal(sets.nr_unknown, 7);
	assert_null(label_sets_limit(&sets, &notes));
	assert_string_equal(
		notes.buf, "7 samples have no labels of nginx or PHP: they were not received\n");
	strbuf_reset(&notes);
	processes.counted = &nginx_labels;
	assert_null(label_sets_limit(&sets, &notes));
	assert_string_equal(notes.buf,
		"7 samples and requests have no labels of nginx or PHP: they were not received\n");
	strbuf_release(&notes);
}

static void add_of(uint32_t event, uint64_t number, uint64_t sum)
{
	samples_add(&samples,
		&(struct sample_key){.event = event,
			.task = TASK,
			.labels = label_sets_join(&sets, nginx(number), 77, 0, sum)},
		sum, sum);
}

static void add(uint64_t number, uint64_t sum)
{
	add_of(EVENT, number, sum);
}

/* Returns the sum of the rows whose sets in LIMITED, from label_sets_limit(), have this URI. */
static uint64_t sum_of(const uint32_t *limited, const char *uri)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < samples.nr_rows; i++)
		if (!strcmp(value_in(limited[samples.rows[i].key.labels], "uri"), uri))
			sum += samples.rows[i].sum;
	return sum;
}

static void limit__keeps_the_most_frequent(void **state)
{
	static const uint64_t weights[] = {5, 50, 1, 30, 40, 2};
	struct strbuf notes = STRBUF_INIT;
	char uri[16];

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		snprintf(uri, sizeof(uri), "/%u", i);
		send(1000 + i, uri);
		add(1000 + i, weights[i]);
	}
	uint32_t *limited = label_sets_limit(&sets, &notes);

	assert_non_null(limited);
	assert_int_equal(sum_of(limited, "/1"), 50);
	assert_int_equal(sum_of(limited, "/3"), 30);
	assert_int_equal(sum_of(limited, "/4"), 40);
	assert_int_equal(sum_of(limited, "/0"), 0);
	assert_int_equal(sum_of(limited, "other"), 5 + 1 + 2);
	assert_string_equal(notes.buf, "3 values of labels count as \"other\": of each label the 3 "
				       "most frequent ones are kept; --labels changes that\n");
	free(limited);
	strbuf_release(&notes);
}

/* Requests are more than samples, but samples decide; then requests do. */
static void limit__samples_come_first(void **state)
{
	static const char *const uris[] = {"/a", "/b", "/c", "/d", "/e"};
	static const uint64_t weights[] = {0, 3, 0, 5, 0}, requests[] = {1000, 1, 2000, 1, 500};
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		send(1000 + i, uris[i]);
		add_of(COUNTED, 1000 + i, requests[i]);
		if (weights[i])
			add(1000 + i, weights[i]);
	}
	uint32_t *limited = label_sets_limit(&sets, &notes);

	assert_non_null(limited);
	assert_int_equal(sum_of(limited, "/b"), 3 + 1);
	assert_int_equal(sum_of(limited, "/d"), 5 + 1);
	assert_int_equal(sum_of(limited, "/c"), 2000);
	assert_int_equal(sum_of(limited, "other"), 1000 + 500);
	free(limited);
	strbuf_release(&notes);
}

/* So many that not all can be kept until the end. */
static void limit__while_recording(void **state)
{
	struct strbuf notes = STRBUF_INIT;
	char uri[16];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(uri, sizeof(uri), "/%u", i);
		send(1000 + i, uri);
		add(1000 + i, 1);
	}
	assert_true(samples.nr_labels < 400);
	uint32_t *limited = label_sets_limit(&sets, &notes);

	assert_non_null(limited);
	assert_int_equal(sum_of(limited, "other"), 1000 - MAX);
	assert_non_null(strstr(notes.buf, "997 values of labels"));
	free(limited);
	strbuf_release(&notes);
}

/* Sets of a few values each may be too many, too: then those that are known remain. */
static void limit__combinations(void **state)
{
	uint32_t known, labels;

	(void)state;
	send(1000, "/cart");
	known = label_sets_join(&sets, nginx(1000), 77, 0, 1);
	labels = (uint32_t)samples.nr_labels;
	sets.max_labels = labels;
	send(1001, "/help");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1001), 77, 0, 1), "uri"), "other");
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1001), 77, 0, 1), "worker"), "77");
	assert_int_equal(sets.nr_refused, 1);
	labels = (uint32_t)samples.nr_labels;
	for (uint32_t i = 0; i < 100; i++) {
		char uri[16];

		snprintf(uri, sizeof(uri), "/%u", i);
		send(2000 + i, uri);
	}
	assert_int_equal(samples.nr_labels, labels);
	send(1000, "/cart"); /* again, as after a sweep */
	assert_int_equal(label_sets_join(&sets, nginx(1000), 77, 0, 1), known);
	assert_int_equal(samples.nr_labels, labels);
}

static void sweep__forgets_what_no_row_has(void **state)
{
	(void)state;
	send(1000, "/cart");
	send(1001, "/help");
	label_sets_join(&sets, nginx(1000), 77, 0, 1);
	assert_false(label_sets_is_full(&sets));
	label_sets_sweep(&sets, -1);
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1000), 77, 0, 1), "uri"), "/cart");
	assert_string_equal(value_in(label_sets_join(&sets, nginx(1001), 77, 0, 1), "uri"), "");
	assert_int_equal(sets.nr_unknown, 1);
	send(1001, "/help"); /* again, as the programs do */
	assert_string_equal(
		value_in(label_sets_join(&sets, nginx(1001), 77, 0, 1), "uri"), "/help");
}

static void set__of_a_long_text(void **state)
{
	char uri[NGINX_TEXT_MAX + 10];
	const char *value;

	(void)state;
	memset(uri, 'x', sizeof(uri));
	uri[sizeof(uri) - 1] = '\0';
	send(1000, uri);
	value = value_in(label_sets_join(&sets, nginx(1000), 77, 0, 1), "uri");
	assert_int_equal(strlen(value), NGINX_TEXT_MAX + strlen("…"));
	assert_string_equal(value + NGINX_TEXT_MAX, "…");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(join__places_and_requests, set_up, tear_down),
		cmocka_unit_test_setup_teardown(join__another_source, set_up, tear_down),
		cmocka_unit_test_setup_teardown(join__nothing_but_the_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(join__what_was_not_received, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limit__keeps_the_most_frequent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limit__samples_come_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limit__while_recording, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limit__combinations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sweep__forgets_what_no_row_has, set_up, tear_down),
		cmocka_unit_test_setup_teardown(set__of_a_long_text, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
