/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests over HTTP and HTTPS, by libcurl. Certificates are verified. Names and passwords come
 * from ~/.netrc or the file $FLAMETAP_NETRC, or from $FLAMETAP_USER and $FLAMETAP_PASSWORD.
 */
#ifndef FLEET_HTTP_H
#define FLEET_HTTP_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct http_request {
	const char *url;
	const char *type; /* of the body, or NULL */
	const void *body;
	size_t len;
	bool gzip; /* the body is compressed */
	/* makes an answer that tells of a failure a text, or NULL if it is one */
	void (*to_text)(struct strbuf *answer);
};

enum http_result {
	HTTP_DONE,   /* the server has answered that it did it */
	HTTP_FAILED, /* all others will fail, too: no connection, or an answer such as 401 or 429 */
	HTTP_REFUSED, /* the server says that it does not take this request: 400, 413 and others */
	/*
	 * The server has an error, or there is no answer, or only a part of one: it may have done
	 * it, and may do others or not.
	 */
	HTTP_ERROR,
};

/*
 * Sends a request by POST. ANSWER gets the body of the answer. If the result is not HTTP_DONE, ERR
 * gets a line.
 */
enum http_result http_post(
	const struct http_request *request, struct strbuf *answer, struct strbuf *err);

/* Appends TEXT as a part of a URL. */
void http_escape(const char *text, struct strbuf *out);

#endif
