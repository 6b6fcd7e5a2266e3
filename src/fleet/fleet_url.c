/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet_url.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
