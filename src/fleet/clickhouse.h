/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The windows of a fleet in ClickHouse, by its HTTP interface. What is said to be on servers works
 * with a single one and with a cluster, and with every version from 18.16 on.
 */
#ifndef FLEET_CLICKHOUSE_H
#define FLEET_CLICKHOUSE_H

#include "batch.h"
#include "fleet_url.h"
#include "http.h"

#include <stdbool.h>
#include <stdio.h>

struct recording;

/*
 * Makes the database and the tables, as far as they are missing. With CLUSTER, the server gets its
 * part and the tables of all parts; each server of the cluster needs that. DAYS is how long servers
 * that can do it keep samples, or 0 for ever. Returns -1 with a message on failure.
 */
int clickhouse_init(
	const struct fleet_url *url, const char *cluster, unsigned days, struct strbuf *err);
/* Drops the partitions of the server that are older than DAYS. */
int clickhouse_expire(
	const struct fleet_url *url, const char *cluster, unsigned days, struct strbuf *err);
/* Writes what there is: services with their events, hosts, versions and samples, as a table. */
int clickhouse_list(const struct fleet_url *url, FILE *out, struct strbuf *err);

/*
 * Stores REC, once: IS_AGAIN tells that this may have been tried before, so that the server is
 * asked first what it has. Adds a message unless the result is HTTP_DONE.
 */
enum http_result clickhouse_store(const struct fleet_url *url, const struct recording *rec,
	struct fleet_memory *memory, bool is_again, struct strbuf *err);
/* Stores the names of REC's frames. */
int clickhouse_store_names(
	const struct fleet_url *url, const struct recording *rec, struct strbuf *err);

/*
 * Makes REC, which is empty, the recording of what URL selects. Returns -1 with a message on
 * failure, or 1 if a part is missing, as a shard did not answer.
 */
int clickhouse_get(const struct fleet_url *url, struct recording *rec, struct strbuf *err);

/* ---- for these functions ---- */

/* Does QUERY, with DATA behind it unless it is NULL. ANSWER gets the answer. */
enum http_result clickhouse_query(const struct fleet_url *url, const char *query,
	const char *settings, const struct strbuf *data, struct strbuf *answer, struct strbuf *err);
/* Appends TEXT as a literal. */
void clickhouse_quote(const char *text, struct strbuf *out);

#endif
