/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet_url.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns the text without %XX and '+' of queries. The caller frees it. */
static char *unescape(const char *s, size_t len)
{
	char *out = xmalloc(len + 1), *to = out;

	for (size_t i = 0; i < len; i++) {
		uint64_t byte;

		if (s[i] == '%' && i + 2 < len && parse_u64(s + i + 1, 2, 16, &byte)) {
			*to++ = (char)byte;
			i += 2;
		} else {
			*to++ = s[i];
		}
	}
	*to = '\0';
	return out;
}

static int add_condition(struct fleet_url *u, const char *at, size_t len, struct strbuf *err)
{
	const char *equals = memchr(at, '=', len);
	size_t n = equals ? (size_t)(equals - at) : 0;

	if (!n)
		return fail(err, "'%.*s' in the URL is not KEY=PATTERN\n", (int)len, at);
	if (n == 4 && !memcmp(at, "from", 4))
		return time_point_parse(equals + 1, len - n - 1, &u->time.from)
			       ? 0
			       : fail(err, "from= in the URL: use " TIME_POINT_USE "\n");
	if (n == 2 && !memcmp(at, "to", 2))
		return time_point_parse(equals + 1, len - n - 1, &u->time.to)
			       ? 0
			       : fail(err, "to= in the URL: use " TIME_POINT_USE "\n");
	if (u->nr_conditions == FLEET_URL_CONDITIONS)
		return fail(err, "too many conditions in the URL\n");
	u->conditions[u->nr_conditions++] =
		(struct fleet_condition){unescape(at, n), unescape(equals + 1, len - n - 1)};
	return 0;
}

static int add_conditions(struct fleet_url *u, const char *query, struct strbuf *err)
{
	while (*query) {
		size_t len = strcspn(query, "&");

		if (len && add_condition(u, query, len, err))
			return -1;
		query += len + (query[len] == '&');
	}
	return 0;
}

static bool is_here(const char *host, size_t len)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (len == strlen(names[i]) && !memcmp(host, names[i], len))
			return true;
	return false;
}

/* Sets the base from "[USER@]HOST[:PORT]". */
static int set_base(
	struct fleet_url *u, const char *scheme, const char *at, size_t len, struct strbuf *err)
{
	const char *user = memchr(at, '@', len);
	const char *host = user ? user + 1 : at;
	size_t host_len = len - (size_t)(host - at), name = host_len;

	if (user && memchr(at, ':', (size_t)(user - at)))
		return fail(err, "the password does not belong into the URL, where all users see "
				 "it: ~/.netrc or $FLAMETAP_PASSWORD\n");
	while (name && isdigit((unsigned char)host[name - 1]))
		name--;
	bool has_port = name && name < host_len && host[name - 1] == ':';

	name = has_port ? name - 1 : host_len;
	if (!name)
		return fail(err, "the URL names no host\n");
	bool plain = *scheme ? !strcmp(scheme, "+http") : is_here(host, name);

	u->base = xasprintf("http%s://%.*s%s", plain ? "" : "s", (int)len, at,
		has_port     ? ""
		: u->is_otlp ? ":4318"
		: plain      ? ":8123"
			     : ":8443");
	return 0;
}

int fleet_url_parse(struct fleet_url *url, const char *text, struct strbuf *err)
{
	static const char *const kinds[] = {"clickhouse", "otlp"};
	const char *at = strstr(text, "://");
	char *scheme = xstrndup(text, at ? (size_t)(at - text) : 0);
	int kind = 0, ret = -1;

	*url = (struct fleet_url){0};
	while (kind < 2 && strncmp(scheme, kinds[kind], strlen(kinds[kind])) != 0)
		kind++;
	const char *secure = kind < 2 ? scheme + strlen(kinds[kind]) : "?";

	url->is_otlp = kind == 1;
	if (*secure && strcmp(secure, "+http") && strcmp(secure, "+https")) {
		fail(err, "not a URL of a fleet: use clickhouse://HOST/DATABASE or "
			  "otlp+http://HOST:4318\n");
	} else {
		size_t len = strcspn(at + 3, "/?"), path;
		const char *rest = at + 3 + len;

		rest += *rest == '/';
		path = strcspn(rest, "?");
		url->database = path ? unescape(rest, path) : xstrdup("default");
		ret = set_base(url, secure, at + 3, len, err);
		if (!ret)
			ret = add_conditions(url, rest + path + (rest[path] == '?'), err);
	}
	free(scheme);
	return ret;
}

void fleet_url_release(struct fleet_url *url)
{
	for (size_t i = 0; i < url->nr_conditions; i++) {
		free(url->conditions[i].key);
		free(url->conditions[i].pattern);
	}
	free(url->base);
	free(url->database);
	*url = (struct fleet_url){0};
}

/* ---- what it selects ---- */

static uint64_t seconds_of(const struct time_point *point, uint64_t otherwise)
{
	uint64_t now = (uint64_t)realtime_ms() / 1000, s = point->ns / 1000000000;

	switch (point->kind) {
	case TIME_OPEN:
		return otherwise;
	case TIME_DATE:
		return s;
	case TIME_END:
		return s < now ? now - s : 0;
	case TIME_OF_DAY: {
		time_t today = (time_t)now;
		struct tm tm;

		localtime_r(&today, &tm);
		return now - (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) + s;
	}
	default:
		return s; /* after the begin of all time */
	}
}

void fleet_url_times(const struct fleet_url *url, uint64_t *from, uint64_t *to)
{
	*from = seconds_of(&url->time.from, 0);
	*to = seconds_of(&url->time.to, UINT32_MAX);
}

static void add_time(struct strbuf *out, const char *format, uint64_t s)
{
	time_t at = (time_t)s;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&at, &tm))
		strftime(text, sizeof(text), format, &tm);
	strbuf_adds(out, text);
}

/* Adds ", FROM to TO UTC", in which the date is repeated only if it is another one. */
static void add_range(struct strbuf *out, const struct fleet_url *url)
{
	enum { DAY_S = 24 * 3600 };
	uint64_t from, to;

	fleet_url_times(url, &from, &to);
	if (time_range_is_open(&url->time)) {
		strbuf_adds(out, ", all times");
		return;
	}
	if (!url->time.to.kind)
		to = (uint64_t)realtime_ms() / 1000;
	strbuf_adds(out, ", ");
	if (url->time.from.kind)
		add_time(out, "%Y-%m-%d %H:%M:%S to ", from);
	else
		strbuf_adds(out, "until ");
	add_time(out, from / DAY_S == to / DAY_S ? "%H:%M:%S UTC" : "%Y-%m-%d %H:%M:%S UTC", to);
}

void fleet_url_words(const struct fleet_url *url, struct strbuf *out)
{
	const char *service = "all services";

	for (size_t i = 0; i < url->nr_conditions; i++)
		if (!strcmp(url->conditions[i].key, "service"))
			service = url->conditions[i].pattern;
	message_add(out, service, strlen(service));
	for (size_t i = 0; i < url->nr_conditions; i++) {
		const struct fleet_condition *c = &url->conditions[i];

		if (!strcmp(c->key, "service"))
			continue;
		strbuf_adds(out, ", ");
		message_add(out, c->key, strlen(c->key));
		strbuf_addch(out, ' ');
		message_add(out, c->pattern, strlen(c->pattern));
	}
	add_range(out, url);
}
