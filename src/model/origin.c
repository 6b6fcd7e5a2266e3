/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "origin.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void origin_release(struct origin *origin)
{
	free(origin->target);
	free(origin->host);
	free(origin->engine);
	*origin = (struct origin){0};
}

static char *copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

void origin_copy(struct origin *origin, const struct origin *from)
{
	origin_release(origin);
	*origin = (struct origin){copy(from->target), copy(from->host), copy(from->engine)};
}

static void add_value(char **value, const char *other)
{
	if (*value && other && !strcmp(*value, other))
		return;
	free(*value);
	*value = xstrdup("");
}

void origin_add(struct origin *origin, const struct origin *other)
{
	add_value(&origin->target, other->target);
	add_value(&origin->host, other->host);
	add_value(&origin->engine, other->engine);
}

/* Adds a separator for the next part, unless it is the first part. */
static void separate(struct strbuf *out, size_t start)
{
	if (out->len > start)
		strbuf_adds(out, " \xc2\xb7 ");
}

static void add_part(struct strbuf *out, size_t start, const char *part)
{
	if (!part || !*part)
		return;
	separate(out, start);
	strbuf_adds(out, part);
}

static void add_date(struct strbuf *out, size_t start, uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000);
	char date[64];
	struct tm tm;

	if (ns && gmtime_r(&t, &tm) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm))
		add_part(out, start, date);
}

void origin_add_line(const struct origin *origin, const struct timing *timing, struct strbuf *out)
{
	size_t start = out->len;

	add_part(out, start, origin->target);
	add_part(out, start, origin->host);
	add_date(out, start, timing->started);
	if (timing->duration) {
		separate(out, start);
		strbuf_addf(out, "%.1f s", (double)timing->duration / 1e9);
	}
	if (timing->cpus) {
		separate(out, start);
		strbuf_addf(out, "%" PRIu32 " CPU%s", timing->cpus, timing->cpus > 1 ? "s" : "");
	}
	add_part(out, start, origin->engine);
}
