/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum {
	CONNECT_S = 10,
	SLOW_S = 60,          /* a transfer that stands still for so long is given up */
	ANSWER_MAX = 1 << 30, /* bytes */
	SAID_MAX = 300,       /* of an answer, in a message */
};

static CURL *connection(void)
{
	static CURL *curl;

	if (!curl && !curl_global_init(CURL_GLOBAL_DEFAULT))
		curl = curl_easy_init();
	return curl;
}

static size_t take(char *data, size_t one, size_t nr, void *to)
{
	struct strbuf *answer = to;

	if (answer->len + nr > ANSWER_MAX)
		return 0;
	strbuf_add(answer, data, one * nr);
	return nr;
}

static void set_credentials(CURL *curl)
{
	const char *user = getenv("FLAMETAP_USER"), *password = getenv("FLAMETAP_PASSWORD");

	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(curl, CURLOPT_NETRC_FILE, getenv("FLAMETAP_NETRC"));
	if (user)
		curl_easy_setopt(curl, CURLOPT_USERNAME, user);
	if (password)
		curl_easy_setopt(curl, CURLOPT_PASSWORD, password);
}

static void set_request(CURL *curl, const struct http_request *r)
{
	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, r->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SLOW_S);
	curl_easy_setopt(curl, CURLOPT_CAINFO, getenv("FLAMETAP_CACERT"));
	/* on a connection that was used before, libcurl would repeat a request without an answer */
	curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->len);
	curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	set_credentials(curl);
}

static struct curl_slist *headers_of(const struct http_request *r)
{
	struct curl_slist *list = curl_slist_append(NULL, "Expect:");
	char *type = r->type ? xasprintf("Content-Type: %s", r->type) : NULL;

	if (type)
		list = curl_slist_append(list, type);
	if (r->gzip)
		list = curl_slist_append(list, "Content-Encoding: gzip");
	free(type);
	return list;
}

/* Appends the place without what follows it, which may be long. */
static void add_place(const char *url, struct strbuf *out)
{
	message_add(out, url, strcspn(url, "?"));
}

/* Returns what this status, which is not a success, tells of the request and of others. */
static enum http_result result_of(long status)
{
	/* of the user, the place or the moment */
	static const long others[] = {401, 403, 404, 407, 408, 421, 425, 429};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (status == others[i])
			return HTTP_FAILED;
	return status / 100 == 4 ? HTTP_REFUSED : status / 100 == 5 ? HTTP_ERROR : HTTP_FAILED;
}

/* Adds a line with the first line of what the server answers in place of doing it. */
static enum http_result not_done(
	long status, const char *url, const struct strbuf *answer, struct strbuf *err)
{
	size_t len = strcspn(answer->buf, "\r\n");

	add_place(url, err);
	strbuf_addf(err, ": HTTP %ld: ", status);
	message_add(err, answer->buf, len < SAID_MAX ? len : SAID_MAX);
	strbuf_addch(err, '\n');
	return result_of(status);
}

/* Returns what to do about a failure of libcurl, with a semicolon, or nothing. */
static const char *advice(CURLcode code, const char *url)
{
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return "; for an authority of your own, set $FLAMETAP_CACERT";
	if ((code == CURLE_COULDNT_CONNECT || code == CURLE_SSL_CONNECT_ERROR) &&
		!strncmp(url, "https:", 6))
		return "; for a server without TLS, write clickhouse+http or otlp+http";
	return "";
}

/* Returns whether there was a connection, so that the server may have got the request. */
static bool was_sent(CURL *curl)
{
	curl_off_t begun_us = 0;

	curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &begun_us);
	return begun_us > 0;
}

enum http_result http_post(
	const struct http_request *request, struct strbuf *answer, struct strbuf *err)
{
	CURL *curl = connection();
	char why[CURL_ERROR_SIZE] = "";
	long status = 0;

	if (!curl) {
		fail(err, "cannot start libcurl\n");
		return HTTP_FAILED;
	}
	struct curl_slist *headers = headers_of(request);

	set_request(curl, request);
	strbuf_reset(answer);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	CURLcode code = curl_easy_perform(curl);

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	if (code) {
		add_place(request->url, err);
		strbuf_addf(err, ": %s%s\n", *why ? why : curl_easy_strerror(code),
			advice(code, request->url));
		return was_sent(curl) ? HTTP_ERROR : HTTP_FAILED;
	}
	if (status / 100 == 2)
		return HTTP_DONE;
	if (request->to_text)
		request->to_text(answer);
	return not_done(status, request->url, answer, err);
}

void http_escape(const char *text, struct strbuf *out)
{
	for (; *text; text++)
		if (isalnum((unsigned char)*text) || strchr("-_.~", *text))
			strbuf_addch(out, *text);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*text);
}
