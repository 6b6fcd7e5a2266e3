/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables, and storing. */
#include "clickhouse.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_TTL = 20, VERSION_TOKEN = 22 };

void clickhouse_quote(const char *text, struct strbuf *out)
{
	strbuf_addch(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '\'');
}

/* Adds what to do to the message about an ANSWER that begins with "Code: NUMBER". */
static void add_advice(const char *answer, struct strbuf *err)
{
	static const char login[] = "name and password: ~/.netrc, or $FLAMETAP_USER and "
				    "$FLAMETAP_PASSWORD",
			  rights[] = "senders need INSERT on the tables and SELECT on samples, "
				     "others SELECT",
			  missing[] = "make the tables: bt-fleet init URL",
			  older[] = "the tables are from an older version: bt-fleet init URL adds "
				    "what they lack";
	static const struct {
		unsigned code;
		const char *advice;
	} rows[] = {{10, older}, {16, older}, {47, older}, {60, missing}, {81, missing},
		{164, rights}, {192, login}, {193, login}, {497, rights}, {516, login}};
	unsigned code;

	if (sscanf(answer, "Code: %u", &code) != 1 || !err->len)
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].code == code) {
			err->len--; /* the newline */
			strbuf_addf(err, "; %s\n", rows[i].advice);
		}
}

enum http_result clickhouse_query(const struct fleet_url *url, const char *query,
	const char *settings, const struct strbuf *data, struct strbuf *answer, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s/?database=", url->base);
	http_escape(url->database, &text);
	strbuf_addf(&text, "%s%s", *settings ? "&" : "", settings);
	if (data) {
		strbuf_adds(&text, "&query=");
		http_escape(query, &text);
	}
	struct http_request request = {.url = text.buf,
		.body = data ? data->buf : query,
		.len = data ? data->len : strlen(query)};
	enum http_result ret = http_post(&request, answer, err);

	if (ret != HTTP_DONE)
		add_advice(answer->buf, err);
	strbuf_release(&text);
	return ret;
}

/* Does QUERY, whose answer does not count. */
static int do_query(const struct fleet_url *url, const char *query, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT;
	enum http_result ret = clickhouse_query(url, query, "", NULL, &answer, err);

	strbuf_release(&answer);
	return ret == HTTP_DONE ? 0 : -1;
}

/* Sets *NUMBER to what QUERY gives. */
static enum http_result query_number(
	const struct fleet_url *url, const char *query, int64_t *number, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT;
	enum http_result ret = clickhouse_query(url, query, "", NULL, &answer, err);

	if (ret == HTTP_DONE)
		*number = strtoll(answer.buf, NULL, 10);
	strbuf_release(&answer);
	return ret;
}

/* ---- tables ---- */

static const struct {
	const char *columns, *engine;
} tables[FLEET_TABLES] = {
	[FLEET_FRAMES] =
		{"shard UInt16, frame UInt64, kind String, build_id String, module String, "
		 "place UInt8, call UInt8, cold UInt8, address UInt64, offset UInt64, start "
		 "UInt64, names Nested(function String, module String, file String, line "
		 "UInt32), sources Nested(blob String, late UInt8), version UInt8, seen Date",
			"ReplacingMergeTree(version) PARTITION BY toMonday(seen) ORDER BY frame"},
	[FLEET_STACKS] = {"shard UInt16, service String, stack UInt64, frames Array(UInt64), seen "
			  "Date",
		"ReplacingMergeTree(seen) PARTITION BY toMonday(seen) PRIMARY KEY service ORDER BY "
		"(service, frames, stack)"},
	[FLEET_SERIES] = {"shard UInt16, service String, series UInt64, event String, unit String, "
			  "clock String, period UInt64, labels Nested(key String, value String), "
			  "seen Date",
		"ReplacingMergeTree(seen) PARTITION BY toMonday(seen) ORDER BY (service, event, "
		"series)"},
	[FLEET_SAMPLES] =
		{"shard UInt16, service String, event String, ts DateTime, series UInt64, "
		 "stack UInt64, count UInt64, value UInt64",
			"ReplacingMergeTree PARTITION BY toDate(ts) ORDER BY (service, event, "
			"toStartOfHour(ts), stack, series, ts)"},
	[FLEET_WINDOWS] = {"shard UInt16, event String, host String, ts DateTime, ms UInt32, cpus "
			   "UInt16, title String, target String, lost Nested(reason String, count "
			   "UInt64), rows UInt32",
		"ReplacingMergeTree PARTITION BY toDate(ts) ORDER BY (event, host, target, ts)"},
};

/* What servers do that are newer than the oldest one that is supported. */
static const char *const improvements[] = {
	"samples%s MODIFY COLUMN ts DateTime CODEC(Delta, ZSTD(1))",
	"samples%s MODIFY COLUMN series UInt64 CODEC(ZSTD(1))",
	"samples%s MODIFY COLUMN stack UInt64 CODEC(ZSTD(1))",
	"samples%s MODIFY COLUMN count UInt64 CODEC(T64, ZSTD(1))",
	"samples%s MODIFY COLUMN value UInt64 CODEC(T64, ZSTD(1))",
	"stacks%s MODIFY COLUMN frames Array(UInt64) CODEC(ZSTD(3))",
	"samples%s MODIFY SETTING non_replicated_deduplication_window = 1000",
};

static int make_table(
	const struct fleet_url *url, int table, const char *cluster, struct strbuf *err)
{
	const char *name = fleet_tables[table];
	char *local = xasprintf("CREATE TABLE IF NOT EXISTS %s%s (%s) ENGINE = %s", name,
		cluster ? "_local" : "", tables[table].columns, tables[table].engine);
	int ret = do_query(url, local, err);

	free(local);
	if (ret || !cluster)
		return ret;
	struct strbuf all = STRBUF_INIT;

	strbuf_addf(&all, "CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = Distributed(", name,
		tables[table].columns);
	clickhouse_quote(cluster, &all);
	strbuf_addch(&all, ',');
	clickhouse_quote(url->database, &all);
	strbuf_addf(&all, ",'%s_local',shard)", name);
	ret = do_query(url, all.buf, err);
	strbuf_release(&all);
	return ret;
}

/* Columns that tables of an older version lack. */
static const struct {
	int table;
	const char *name, *type;
} later_columns[] = {
	{FLEET_FRAMES, "sources.blob", "Array(String)"},
	{FLEET_FRAMES, "sources.late", "Array(UInt8)"},
};

static int add_column(
	const struct fleet_url *url, size_t column, const char *suffix, struct strbuf *err)
{
	const char *table = fleet_tables[later_columns[column].table];
	const char *name = later_columns[column].name;
	struct strbuf query = STRBUF_INIT;
	int64_t nr = 0;

	strbuf_adds(&query, "SELECT count() FROM system.columns WHERE database = ");
	clickhouse_quote(url->database, &query);
	strbuf_addf(&query, " AND table = '%s%s' AND name = '%s'", table, suffix, name);
	int ret = query_number(url, query.buf, &nr, err) == HTTP_DONE ? 0 : -1;

	strbuf_reset(&query);
	strbuf_addf(&query, "ALTER TABLE %s%s ADD COLUMN %s %s", table, suffix, name,
		later_columns[column].type);
	if (!ret && !nr)
		ret = do_query(url, query.buf, err);
	strbuf_release(&query);
	return ret;
}

/* Adds what the tables of an older version lack, first to the parts that a server has itself. */
static int add_columns(const struct fleet_url *url, const char *cluster, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_LEN(later_columns); i++) {
		if (cluster)
			ret = add_column(url, i, "_local", err);
		if (!ret)
			ret = add_column(url, i, "", err);
	}
	return ret;
}

static int improve(
	const struct fleet_url *url, const char *suffix, unsigned days, struct strbuf *err)
{
	int64_t version = 0;
	int ret = query_number(url, "SELECT version()", &version, err) == HTTP_DONE ? 0 : -1;

	for (size_t i = 0; !ret && version >= VERSION_TTL && i < ARRAY_LEN(improvements); i++) {
		struct strbuf query = STRBUF_INIT;

		strbuf_adds(&query, "ALTER TABLE ");
		strbuf_addf(&query, improvements[i], suffix);
		ret = do_query(url, query.buf, err);
		strbuf_release(&query);
	}
	if (ret || !days || version < VERSION_TTL)
		return ret;
	char *ttl =
		xasprintf("ALTER TABLE samples%s MODIFY TTL ts + INTERVAL %u DAY", suffix, days);

	ret = do_query(url, ttl, err);
	free(ttl);
	return ret;
}

int clickhouse_init(
	const struct fleet_url *url, const char *cluster, unsigned days, struct strbuf *err)
{
	struct fleet_url server = *url;
	struct strbuf query = STRBUF_INIT;

	server.database = (char[]){"default"};
	strbuf_adds(&query, "CREATE DATABASE IF NOT EXISTS ");
	for (const char *c = url->database; *c; c++)
		if (*c == '`' || *c == '\\') {
			strbuf_release(&query);
			return fail(err, "the database may not be called '%s'\n", url->database);
		}
	strbuf_addf(&query, "`%s`", url->database);
	int ret = do_query(&server, query.buf, err);

	strbuf_release(&query);
	for (int i = 0; !ret && i < FLEET_TABLES; i++)
		ret = make_table(url, i, cluster, err);
	if (!ret)
		ret = add_columns(url, cluster, err);
	return ret ? ret : improve(url, cluster ? "_local" : "", days, err);
}

/* Drops each partition in LINES, "TABLE \t ID". */
static int drop_partitions(const struct fleet_url *url, char *lines, struct strbuf *err)
{
	int ret = 0;

	for (char *line = strtok(lines, "\n"); line && !ret; line = strtok(NULL, "\n")) {
		char *tab = strchr(line, '\t');

		if (!tab)
			continue;
		char *query = xasprintf("ALTER TABLE %.*s DROP PARTITION ID '%s'",
			(int)(tab - line), line, tab + 1);

		ret = do_query(url, query, err);
		free(query);
	}
	return ret;
}

int clickhouse_expire(
	const struct fleet_url *url, const char *cluster, unsigned days, struct strbuf *err)
{
	struct strbuf query = STRBUF_INIT, answer = STRBUF_INIT;
	int ret = -1;

	strbuf_adds(&query,
		"SELECT DISTINCT table, partition_id FROM system.parts WHERE active AND "
		"database = ");
	clickhouse_quote(url->database, &query);
	strbuf_adds(&query, " AND table IN (");
	for (int i = 0; i < FLEET_TABLES; i++)
		strbuf_addf(
			&query, "%s'%s%s'", i ? "," : "", fleet_tables[i], cluster ? "_local" : "");
	/* partitions of weeks begin with their Monday */
	strbuf_addf(&query,
		") AND toDate(replaceAll(partition, '\\'', '')) < today() - %u - if(table LIKE "
		"'samples%%' OR table LIKE 'windows%%', 0, 7) FORMAT TabSeparated",
		days);
	if (clickhouse_query(url, query.buf, "", NULL, &answer, err) == HTTP_DONE)
		ret = drop_partitions(url, answer.buf, err);
	strbuf_release(&query);
	strbuf_release(&answer);
	return ret;
}

/* ---- storing ---- */

/* Sets *NR to how many of the batch's samples are stored. */
static enum http_result count_stored(
	const struct fleet_url *url, const struct fleet_batch *b, int64_t *nr, struct strbuf *err)
{
	struct strbuf query = STRBUF_INIT;
	enum http_result ret = HTTP_DONE;

	for (const char *at = b->series_list.buf; ret == HTTP_DONE && *at;) {
		size_t len = 0; /* of a part that fits into a query */
		int64_t part = 0;

		while (at[len] && (len < 100000 || at[len] != ','))
			len++;
		strbuf_reset(&query);
		strbuf_addf(&query,
			"SELECT count() FROM samples WHERE ts = toDateTime(%" PRIu32
			") AND toStartOfHour(ts) = toStartOfHour(toDateTime(%" PRIu32
			")) AND series IN (%.*s)",
			b->ts, b->ts, (int)len, at);
		ret = query_number(url, query.buf, &part, err);
		*nr += part;
		at += len + (at[len] == ',');
	}
	strbuf_release(&query);
	return ret;
}

/*
 * Inserts the rows of a table. The server does not run a second query of the same name at once, and
 * newer servers know a block that they have got before by its token.
 */
static enum http_result insert(const struct fleet_url *url, const struct fleet_batch *b, int table,
	bool has_tokens, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT, settings = STRBUF_INIT;
	char *query = xasprintf(
		"INSERT INTO %s (%s) FORMAT RowBinary", fleet_tables[table], fleet_columns[table]);
	uint64_t hash = hash_bytes(b->rows[table].buf, b->rows[table].len);

	strbuf_addf(&settings, "insert_distributed_sync=1&query_id=ft-%u-%" PRIu32 "-%016" PRIx64,
		b->shard, b->ts, hash);
	if (has_tokens && table == FLEET_SAMPLES)
		strbuf_addf(&settings, "&insert_deduplication_token=%" PRIu32 "-%016" PRIx64, b->ts,
			hash);
	enum http_result ret =
		clickhouse_query(url, query, settings.buf, &b->rows[table], &answer, err);

	free(query);
	strbuf_release(&answer);
	strbuf_release(&settings);
	return ret;
}

/* Sets *KNOWN to whether the server knows tokens, which is asked once. */
static enum http_result ask_tokens(const struct fleet_url *url, bool *known, struct strbuf *err)
{
	static int64_t version;
	enum http_result ret = HTTP_DONE;

	if (!version)
		ret = query_number(url, "SELECT version()", &version, err);
	*known = version >= VERSION_TOKEN;
	return ret;
}

static enum http_result store(
	const struct fleet_url *url, const struct fleet_batch *b, bool is_again, struct strbuf *err)
{
	bool has_tokens;
	int64_t stored = 0;
	enum http_result ret = ask_tokens(url, &has_tokens, err);

	if (ret == HTTP_DONE && is_again)
		ret = count_stored(url, b, &stored, err);
	for (int i = 0; i < FLEET_TABLES && ret == HTTP_DONE; i++)
		if (b->nr[i] && (i != FLEET_SAMPLES || stored != (int64_t)b->nr[i]))
			ret = insert(url, b, i, has_tokens, err);
	return ret;
}

enum http_result clickhouse_store(const struct fleet_url *url, const struct recording *rec,
	struct fleet_memory *memory, bool is_again, struct strbuf *err)
{
	struct fleet_batch batch;

	fleet_batch_make(&batch, rec, memory);
	enum http_result ret = store(url, &batch, is_again, err);

	if (ret != HTTP_DONE) { /* not all that it has may have been stored */
		fleet_memory_release(memory);
		fleet_memory_init(memory);
	}
	fleet_batch_release(&batch);
	return ret;
}

int clickhouse_store_names(
	const struct fleet_url *url, const struct recording *rec, struct strbuf *err)
{
	struct fleet_batch batch;
	int ret = 0;

	fleet_batch_make_names(&batch, rec);
	if (batch.nr[FLEET_FRAMES])
		ret = insert(url, &batch, FLEET_FRAMES, false, err) == HTTP_DONE ? 0 : -1;
	fleet_batch_release(&batch);
	return ret;
}
