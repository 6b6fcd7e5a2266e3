/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows for a collector of OpenTelemetry, by OTLP over HTTP. */
#ifndef FLEET_COLLECTOR_H
#define FLEET_COLLECTOR_H

#include "http.h"

struct fleet_url;
struct recording;
struct strbuf;

/*
 * Sends REC. A collector has no way to ask whether it has a window: after an error it may have REC,
 * and gets it again. Adds a message unless the result is HTTP_DONE.
 */
enum http_result collector_store(
	const struct fleet_url *url, const struct recording *rec, struct strbuf *err);

#endif
