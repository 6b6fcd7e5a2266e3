/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a fleet's windows are: clickhouse://[USER@]HOST[:PORT]/DATABASE[?KEY=PATTERN&…], or a
 * collector, otlp+http://HOST:PORT. Without "+http" or "+https" a host is asked by HTTPS, this one
 * by HTTP.
 */
#ifndef FLEET_FLEET_URL_H
#define FLEET_FLEET_URL_H

#include "model/time_range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum { FLEET_URL_CONDITIONS = 32 };

struct fleet_url {
	bool is_otlp;
	char *base;     /* "http://HOST:PORT" */
	char *database; /* of ClickHouse */
	struct fleet_condition {
		char *key, *pattern;
	} conditions[FLEET_URL_CONDITIONS]; /* but for from and to */
	size_t nr_conditions;
	struct time_range time;
};

/* Returns -1 with a message if TEXT is no such URL. */
int fleet_url_parse(struct fleet_url *url, const char *text, struct strbuf *err);
void fleet_url_release(struct fleet_url *url);

/* Sets *FROM and *TO to the time that URL selects, in s since 1970; *TO is UINT32_MAX if it is
 * open.
 */
void fleet_url_times(const struct fleet_url *url, uint64_t *from, uint64_t *to);
/* Appends what URL selects, such as "web, version 1.4, 2026-11-29 07:13:24 to 08:13:24 UTC". */
void fleet_url_words(const struct fleet_url *url, struct strbuf *out);

#endif
