/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_shape.h"
#include "lib/util.h"

#include <string.h>

/* Digits of the signature. If one is set, requests have additional members. */
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
	/* The offsets without any of the features. */
	UPSTREAM = 0x40,
	UPSTREAM_STATES = 0x48,
	POOL = 0x50,
	UPSTREAM_CONF = 0x128,
	AFTER_NUMBER = 0x18, /* bytes of a connection from its number on */
};

/* Offsets from START of a request. */
enum {
	METHOD_NAME = 0x70,
	URI = 0x30,
	ARGS = 0x40,
	MAIN = 0xa8, /* since 1.15.1, with its member schema */
	PHASE_AFTER_MAIN = 0x28,
};

/* Offsets since a version, with all features. */
struct generation {
	uint32_t version;
	uint16_t start, server, status;
};
static const struct generation of_nginx[] = {
	{1029008, 0x358, 0x1c0, 0x258},
	{1029007, 0x350, 0x1b8, 0x250},
	{1023000, 0x340, 0x1b0, 0x248},
	{0, 0x3c0, 0x1f0, 0x288},
};
static const struct generation of_angie[] = {
	{1012000, 0x350, 0x1c0, 0x258},
	{1009000, 0x340, 0x1b8, 0x250},
	{1008000, 0x348, 0x1b8, 0x250},
	{0, 0x340, 0x1b0, 0x248},
};

/* Bytes by which a structure of a variant is longer since VERSION. */
struct addition {
	uint32_t version;
	uint16_t size;
};
/*
 * Tengine has additional bytes between the start time of a request and its URI, Angie in front of
 * an upstream's configuration.
 */
static const struct addition tengine_times[] = {{1031000, 0x50}, {1023000, 0x30}, {0, 0x18}};
static const struct addition angie_upstream[] = {
	{1012000, 0x30}, {1008000, 0x28}, {1002000, 0x18}, {0, 0}};

enum {
	ANGIE_FROM = 1024000, /* the version of nginx from which Angie 1.0 took its structures */
	UPSTREAM_HOST = 0x30,
	TENGINE_UPSTREAM_HOST = 0x58,
};

enum {
	SINCE_SCHEMA = 1015001,
	SINCE_SERVER_NAME = 1015000,
	SINCE_START_TIME = 1019010,
	SINCE_FORWARDED_LIST = 1023000, /* an array in earlier versions */
	SINCE_LARGER_PEER = 1029006,
	SINCE_SMALLER_PADDING = 1021005, /* in builds with --with-compat */
	SINCE_STICKY_PEER = 1031003,
};

bool nginx_features_parse(const char *text, struct nginx_features *features)
{
	static const char sizes[] = "8,4,8,"; /* of pointers, atomics and times: x86-64 */
	static const char angie[] = "Angie,";
	size_t nr;

	*features = (struct nginx_features){.of_angie = !strncmp(text, angie, strlen(angie))};
	text += features->of_angie ? strlen(angie) : 0;
	if (strncmp(text, sizes, strlen(sizes)))
		return false;
	text += strlen(sizes);
	nr = strlen(text);
	if (nr != strspn(text, "01") ||
		(nr != NGINX_FEATURES && !(features->of_angie && nr == NGINX_FEATURES + 1)))
		return false;
	for (int i = 0; i < NGINX_FEATURES; i++)
		features->has[i + 1] = text[i] == '1';
	return true;
}

static uint16_t added(const struct addition *list, uint32_t version)
{
	while (version < list->version)
		list++;
	return list->size;
}

/* Returns the version of nginx that has these structures, except for Angie's own changes. */
static uint32_t version_of_nginx(const struct nginx_layout *l)
{
	return l->variant == NGINX_ANGIE ? ANGIE_FROM : l->version;
}

/* Returns the size of the headers that a request lacks because of missing features. */
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

/* Sets the offsets behind the start time of a request for a start time at START. */
static void set_behind_start(struct nginx_layout *l, uint16_t start)
{
	struct nginx_offsets *at = &l->at;

	at->uri = start + URI;
	at->args = start + ARGS;
	at->method = start + METHOD_NAME;
	at->main = start + MAIN - (version_of_nginx(l) >= SINCE_SCHEMA ? 0 : 2 * WORD);
	at->parent = at->main + WORD;
	at->phase = at->main + PHASE_AFTER_MAIN;
	at->content_handler = at->phase + WORD;
}

void nginx_shape(enum nginx_variant variant, uint32_t version, const struct nginx_features *f,
	struct nginx_layout *l)
{
	const struct generation *g = variant == NGINX_ANGIE ? of_angie : of_nginx;
	uint16_t less, cache = f->has[FEATURE_CACHE] ? WORD : 0;

	while (version < g->version)
		g++;
	l->version = version;
	l->variant = variant;
	less = missing(version_of_nginx(l), f);
	l->at.upstream = UPSTREAM + cache;
	l->at.upstream_states = UPSTREAM_STATES + cache;
	l->at.pool = POOL + cache;
	l->at.server = g->server - less;
	l->at.status = g->status - less;
	l->at.start = g->start - less;
	set_behind_start(
		l, l->at.start + (variant == NGINX_TENGINE ? added(tengine_times, version) : 0));
	l->at.server_name = version_of_nginx(l) >= SINCE_SERVER_NAME ? 0x40 : 0x30;
	l->at.upstream_conf = upstream_conf(version_of_nginx(l), f) +
			      (variant == NGINX_ANGIE ? added(angie_upstream, version) : 0);
	l->at.upstream_host = variant == NGINX_TENGINE ? TENGINE_UPSTREAM_HOST : UPSTREAM_HOST;
}

void nginx_shape_connection(const struct nginx_features *features, struct nginx_layout *l)
{
	uint32_t version = version_of_nginx(l);
	uint16_t after = AFTER_NUMBER;

	if (features->has[NGINX_FEATURE_THREADS])
		after += WORD;
	if (version >= SINCE_START_TIME)
		after += WORD;
	l->at.number = l->connection_size > after ? l->connection_size - after : 0;
	l->at.requests = l->at.number + (version >= SINCE_START_TIME ? 2 * WORD : WORD);
}

void nginx_shape_stretch(struct nginx_layout *l, uint16_t main)
{
	uint16_t by = main - l->at.main;

	set_behind_start(l, l->at.uri - URI + by);
}

void nginx_shape_move(struct nginx_layout *l, uint16_t main)
{
	uint16_t by = main - l->at.main;

	l->at.server += by;
	l->at.status += by;
	l->at.start += by;
	nginx_shape_stretch(l, main);
}
