/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/batch.h"
#include "fleet/fleet_url.h"
#include "fleet/rowbinary.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 5000, STACKS = 40, TASKS = 7, LABELS = 300 };

/* Fills REC with random rows, many of which have the same stacks and labels. */
static void fill(struct recording *rec)
{
	recording_init(rec);
	recording_add_meta(rec, "started", "2026-11-28T14:03:00Z");
	recording_add_event(rec, "alloc", "bytes", "monotonic", 0);
	recording_add_event(rec, "calls", "calls", "monotonic", 0);
	for (uint32_t i = 0; i < STACKS; i++) {
		struct rec_name name = {.function = recording_string(rec, i % 2 ? "f" : "g")};
		uint32_t frame = recording_add_frame(
			rec, &(struct rec_frame){.kind = FRAME_USER, .place = AT_NAME});

		name.line = i / 4; /* so that some frames are equal */
		recording_name_frame(rec, frame, &name, 1);
		recording_add_stack(rec, STACK_USER, END_ROOT, 0, &frame, 1);
	}
	for (uint32_t i = 0; i < TASKS; i++)
		recording_add_task(
			rec, &(struct rec_task){i, i, 1, recording_string(rec, i % 2 ? "a" : "b")});
	for (unsigned i = 0; i < ROWS; i++) {
		char *value = xasprintf("/%d", rand() % LABELS);
		struct label label = {recording_string(rec, "uri"), recording_string(rec, value)};

		recording_add_row(rec,
			&(struct rec_row){.event = (uint32_t)rand() % 2,
				.task = (uint32_t)rand() % TASKS,
				.stacks = {(uint32_t)rand() % STACKS, NO_STACK, NO_STACK, NO_STACK},
				.labels = recording_labels(rec, &label, 1),
				.count = (uint64_t)rand() % 10,
				.sum = (uint64_t)rand()});
		free(value);
	}
}

/* What is sent is what was recorded, in rows that have different keys. */
static void fleet_batch_make__keeps_the_sums(void **state)
{
	uint64_t recorded[2][2] = {0}, sent[2][2] = {0};
	struct recording rec;
	struct fleet_memory memory;
	struct fleet_batch batch;
	struct table keys;
	bool is_new;
	size_t len;

	(void)state;
	fill(&rec);
	fleet_memory_init(&memory);
	fleet_batch_make(&batch, &rec, &memory);
	for (size_t i = 0; i < rec.nr_rows; i++) {
		recorded[rec.rows[i].event][0] += rec.rows[i].count;
		recorded[rec.rows[i].event][1] += rec.rows[i].sum;
	}
	struct row_reader r = {batch.rows[FLEET_SAMPLES].buf,
		batch.rows[FLEET_SAMPLES].buf + batch.rows[FLEET_SAMPLES].len};

	table_init(&keys);
	while (row_has_more(&r)) {
		row_number(&r, 2);
		row_string(&r, &len);
		int event = *row_string(&r, &len) == 'c';

		row_number(&r, 4);
		uint64_t series = row_number(&r, 8), stack = row_number(&r, 8);

		table_put(&keys, series, stack, &is_new);
		assert_true(is_new);
		sent[event][0] += row_number(&r, 8);
		sent[event][1] += row_number(&r, 8);
	}
	assert_non_null(r.at);
	assert_memory_equal(recorded, sent, sizeof(sent));
	assert_int_equal(keys.nr, batch.nr[FLEET_SAMPLES]);
	table_release(&keys);
	fleet_batch_release(&batch);
	/* what was sent is not sent again */
	fleet_batch_make(&batch, &rec, &memory);
	assert_int_equal(
		batch.nr[FLEET_FRAMES] + batch.nr[FLEET_STACKS] + batch.nr[FLEET_SERIES], 0);
	fleet_batch_release(&batch);
	fleet_memory_release(&memory);
	recording_release(&rec);
}

static void fleet_url_parse__(void **state)
{
	static const struct {
		const char *text, *base, *database;
	} rows[] = {
		{"clickhouse://localhost/x", "http://localhost:8123", "x"},
		{"clickhouse://h.example/x?service=a%2Fb", "https://h.example:8443", "x"},
		{"clickhouse+http://u@h:1/x", "http://u@h:1", "x"},
		{"clickhouse://[::1]", "http://[::1]:8123", "default"},
		{"otlp+https://h", "https://h:4318", "default"},
		{"clickhouse://u:p@h/x", NULL, NULL},
		{"http://h/x", NULL, NULL},
		{"clickhouse", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fleet_url url;
		int ret = fleet_url_parse(&url, rows[i].text, NULL);

		assert_int_equal(ret, rows[i].base ? 0 : -1);
		if (!ret) {
			assert_string_equal(url.base, rows[i].base);
			assert_string_equal(url.database, rows[i].database);
		}
		if (url.nr_conditions)
			assert_string_equal(url.conditions[0].pattern, "a/b");
		fleet_url_release(&url);
	}
}

static void fleet_url_words__(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"clickhouse://h/x", "all services, all times"},
		{"clickhouse://h/x?version=1.4&service=web*", "web*, version 1.4, all times"},
		{"clickhouse://h/x?service=a%0ab&host=h-1&from=2026-11-28T14:00:00Z"
		 "&to=2026-11-28T15:30:00Z",
			"a\\x0ab, host h-1, 2026-11-28 14:00:00 to 15:30:00 UTC"},
		{"clickhouse://h/x?from=2026-11-28T14:00:00Z&to=2026-11-29T00:00:00Z",
			"all services, 2026-11-28 14:00:00 to 2026-11-29 00:00:00 UTC"},
		{"clickhouse://h/x?to=2026-11-29T00:00:00Z",
			"all services, until 2026-11-29 00:00:00 UTC"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct strbuf words = STRBUF_INIT;
		struct fleet_url url;

		assert_int_equal(fleet_url_parse(&url, rows[i].text, NULL), 0);
		fleet_url_words(&url, &words);
		assert_string_equal(words.buf, rows[i].words);
		fleet_url_release(&url);
		strbuf_release(&words);
	}
}

/* Times before now are the same distance apart, whatever the time is. */
static void fleet_url_times__(void **state)
{
	uint64_t from, to;
	struct fleet_url url;

	(void)state;
	assert_int_equal(fleet_url_parse(&url, "clickhouse://h/x?from=-2d&to=-1h", NULL), 0);
	fleet_url_times(&url, &from, &to);
	assert_in_range(to - from, 47 * 3600, 47 * 3600 + 1);
	fleet_url_release(&url);
	assert_int_equal(fleet_url_parse(&url, "clickhouse://h/x", NULL), 0);
	fleet_url_times(&url, &from, &to);
	assert_true(!from && to == UINT32_MAX);
	fleet_url_release(&url);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fleet_batch_make__keeps_the_sums),
		cmocka_unit_test(fleet_url_parse__),
		cmocka_unit_test(fleet_url_words__),
		cmocka_unit_test(fleet_url_times__),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
