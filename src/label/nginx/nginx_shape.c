/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_shape.h"
#include "lib/util.h"

#include <string.h>

/* Digits of the signature: what is in a request if they are set. */
enum {
	FEATURE_GZIP = 26,
	FEATURE_FORWARDED = 28,
	FEATURE_REALIP = 29,
	FEATURE_HEADERS = 30,
	FEATURE_DAV = 31,
	FEATURE_CACHE = 32,
};

enum {
	WORD = 8,
	ARRAY = 5 * WORD, /* ngx_array_t */
	/* without any of the features */
	UPSTREAM = 0x40,
	UPSTREAM_STATES = 0x48,
	POOL = 0x50,
	UPSTREAM_CONF = 0x128,
	AFTER_NUMBER = 0x18, /* of a connection, from its number on */
};

/* From START of the request on. */
enum {
	LENGTH_BEFORE = 0x30,
	METHOD_NAME = 0x70,
	URI = 0x30,
	ARGS = 0x40,
	MAIN = 0xa8, /* since 1.15.1, with its member schema */
	PHASE_AFTER_MAIN = 0x28,
};

/* Versions since which offsets are these, with all features. */
static const struct generation {
	uint32_t version;
	uint16_t start, server, status;
} generations[] = {
	{1029008, 0x358, 0x1c0, 0x258},
	{1029007, 0x350, 0x1b8, 0x250},
	{1023000, 0x340, 0x1b0, 0x248},
	{0, 0x3c0, 0x1f0, 0x288},
};

enum {
	SINCE_SCHEMA = 1015001,
	SINCE_SERVER_NAME = 1015000,
	SINCE_START_TIME = 1019010,
	SINCE_FORWARDED_LIST = 1023000, /* before, it is an array */
	SINCE_LARGER_PEER = 1029006,
	SINCE_SMALLER_PADDING = 1021005, /* in builds with --with-compat */
	SINCE_STICKY_PEER = 1031003,
};

bool nginx_features_parse(const char *text, struct nginx_features *features)
{
	static const char sizes[] = "8,4,8,"; /* of pointers, atomics and times: x86-64 */

	*features = (struct nginx_features){0};
	if (strncmp(text, sizes, strlen(sizes)) || strlen(text) != strlen(sizes) + NGINX_FEATURES)
		return false;
	text += strlen(sizes);
	for (int i = 0; i < NGINX_FEATURES; i++) {
		if (text[i] != '0' && text[i] != '1')
			return false;
		features->has[i + 1] = text[i] == '1';
	}
	return true;
}

/* The size of what a request does not have of its headers. */
static uint16_t missing(uint32_t version, const struct nginx_features *f)
{
	const bool *has = f->has;
	uint16_t size = 0;

	if (!has[FEATURE_GZIP] && !has[FEATURE_HEADERS])
		size += 2 * WORD;
	if (!has[FEATURE_FORWARDED])
		size += version >= SINCE_FORWARDED_LIST ? WORD : ARRAY;
	if (!has[FEATURE_REALIP])
		size += WORD;
	if (!has[FEATURE_HEADERS])
		size += 2 * WORD;
	if (!has[FEATURE_DAV])
		size += 4 * WORD;
	if (!has[FEATURE_CACHE])
		size += WORD;
	return size;
}

static uint16_t upstream_conf(uint32_t version, const struct nginx_features *f)
{
	uint16_t at = UPSTREAM_CONF;

	if (f->has[NGINX_FEATURE_COMPAT])
		at += version >= SINCE_SMALLER_PADDING ? 7 * WORD : 8 * WORD;
	else if (f->has[NGINX_FEATURE_SSL])
		at += 2 * WORD;
	if (version >= SINCE_LARGER_PEER)
		at += f->has[NGINX_FEATURE_COMPAT] ? WORD : 2 * WORD;
	if (version >= SINCE_STICKY_PEER)
		at += WORD;
	return at;
}

static void set_behind_start(struct nginx_layout *l, uint16_t start)
{
	struct nginx_offsets *at = &l->at;

	at->start = start;
	at->length = start - LENGTH_BEFORE;
	at->uri = start + URI;
	at->args = start + ARGS;
	at->method = start + METHOD_NAME;
	at->main = start + MAIN - (l->version >= SINCE_SCHEMA ? 0 : 2 * WORD);
	at->parent = at->main + WORD;
	at->phase = at->main + PHASE_AFTER_MAIN;
	at->content_handler = at->phase + WORD;
}

void nginx_shape(uint32_t version, const struct nginx_features *f, struct nginx_layout *l)
{
	const struct generation *g = generations;
	uint16_t less = missing(version, f), cache = f->has[FEATURE_CACHE] ? WORD : 0;

	while (version < g->version)
		g++;
	l->version = version;
	l->compat = f->has[NGINX_FEATURE_COMPAT];
	l->at.upstream = UPSTREAM + cache;
	l->at.upstream_states = UPSTREAM_STATES + cache;
	l->at.pool = POOL + cache;
	l->at.server = g->server - less;
	l->at.status = g->status - less;
	set_behind_start(l, g->start - less);
	l->at.server_name = version >= SINCE_SERVER_NAME ? 0x40 : 0x30;
	l->at.upstream_conf = upstream_conf(version, f);
}

void nginx_shape_connection(const struct nginx_features *f, struct nginx_layout *l)
{
	uint16_t after = AFTER_NUMBER;

	if (f->has[NGINX_FEATURE_THREADS])
		after += WORD;
	if (l->version >= SINCE_START_TIME)
		after += WORD;
	l->at.number = l->connection_size > after ? l->connection_size - after : 0;
	l->at.requests = l->at.number + (l->version >= SINCE_START_TIME ? 2 * WORD : WORD);
}

void nginx_shape_move(struct nginx_layout *l, uint16_t main)
{
	uint16_t by = main - l->at.main;

	l->at.server += by;
	l->at.status += by;
	set_behind_start(l, l->at.start + by);
}
