/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_serving.h"
#include "lib/table.h"
#include "lib/util.h"
#include "label/nginx/nginx_find.h"
#include "nginx_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRIES = 3,
	PAGE = 4096,
	CACHED = 16, /* pages */
	CYCLE_BYTES = 0x300,
	/* Words of struct ngx_cycle_s, counted from its list of modules (ngx_cycle.h). */
	FREE_CONNECTION_N = -1,
	REUSABLE_QUEUE = 3,
	REUSABLE_N = 5,
	QUEUE_BEFORE_NUMBER = 0x10, /* offset of a connection's queue before its number */
	MSEC_DIFFERS = 1000,        /* the most by which two readings of one clock differ */
};

/* The data needed to find out what each connection does. */
struct serving_reader {
	const struct nginx_worker *w;
	const struct nginx_modules *modules;
	uint64_t empty_handler; /* ngx_http_empty_handler() */
	int64_t now_ms;         /* what ngx_current_msec would be if it were up to date */
	bool uses_glibc;
	struct table reusable; /* addresses of connections without a request */
	struct table added;    /* addresses of requests that were read */
	/* Indices + 1 of the connection with an address, and of the last one with a request. */
	struct table by_address, by_request;
	/* For each connection the index + 1 of the previous one with the same request, or 0. */
	size_t *before;
};

/* ---- pages ---- */

/*
 * Memory that is read by whole pages. Each read wakes the reader (process/reader.h), which takes
 * the CPU from a busy worker, and the data of connections, events and a request is in few pages.
 */
struct page_cache {
	const struct memory *memory;
	uint64_t address[CACHED]; /* of each page, or 0 if there is none */
	size_t next;              /* page that is replaced next */
	char bytes[CACHED][PAGE];
};

static bool read_cached(void *context, uint64_t address, void *to, size_t len)
{
	struct page_cache *c = context;
	uint64_t page = address & ~(uint64_t)(PAGE - 1);
	size_t i = 0;

	if (!page || address - page + len > PAGE)
		return memory_read(c->memory, address, to, len);
	while (i < CACHED && c->address[i] != page)
		i++;
	if (i == CACHED) {
		i = c->next++ % CACHED;
		c->address[i] = 0;
		if (!memory_read(c->memory, page, c->bytes[i], PAGE))
			return false;
		c->address[i] = page;
	}
	memcpy(to, c->bytes[i] + (address - page), len);
	return true;
}

static struct memory cached_memory(struct page_cache *c)
{
	return (struct memory){.read = read_cached, .context = c};
}

/* ---- the cycle ---- */

/*
 * Reads the words of the cycle. Returns the index of the list of modules, which begins with
 * ngx_core_module, or 0 if the cycle cannot be read.
 */
static size_t read_cycle(
	const struct nginx_worker *w, uint64_t word[CYCLE_BYTES / 8], uint64_t *cycle)
{
	const struct memory *m = &w->target.memory;
	uint64_t core = target_symbol(nginx_file(&w->target), "ngx_core_module"), module;

	if (!core || !memory_pointer(m, w->layout.cycle, cycle) ||
		!memory_read(m, *cycle, word, CYCLE_BYTES))
		return 0;
	for (size_t i = 2; i + REUSABLE_N < CYCLE_BYTES / 8; i++)
		if (word[i] && memory_pointer(m, word[i], &module) && module == core)
			return i;
	return 0;
}

/* Reads the queue of reusable connections; returns false if it changed or is not known. */
static bool read_reusable(struct serving_reader *r, uint64_t *nr_free)
{
	const struct nginx_layout *l = &r->w->layout;
	uint64_t word[CYCLE_BYTES / 8], cycle, end, at, nr;
	size_t modules = read_cycle(r->w, word, &cycle);
	struct page_cache cache = {.memory = &r->w->target.memory};
	const struct memory cached = cached_memory(&cache);
	bool is_new;

	table_release(&r->reusable);
	table_init(&r->reusable);
	if (!modules || !l->at.number || word[modules + FREE_CONNECTION_N] > l->nr_connections)
		return false;
	*nr_free = word[modules + FREE_CONNECTION_N];
	end = cycle + 8 * (modules + REUSABLE_QUEUE);
	at = word[modules + REUSABLE_QUEUE + 1]; /* the next one after the head */
	for (nr = 0; at != end && nr < l->nr_connections; nr++) {
		uint64_t c = at - (l->at.number - QUEUE_BEFORE_NUMBER);

		if (c < l->connections || (c - l->connections) % l->connection_size ||
			(c - l->connections) / l->connection_size >= l->nr_connections)
			return false;
		table_put(&r->reusable, c, 0, &is_new);
		if (!is_new || !memory_pointer(&cached, at + 8, &at))
			return false;
	}
	return at == end && nr == word[modules + REUSABLE_N];
}

/* ---- connections ---- */

static bool is_of_module(const struct serving_reader *r, uint64_t handler, const char *name)
{
	const struct nginx_module *m = handler ? nginx_modules_find(r->modules, handler) : NULL;

	return m && !strcmp(m->name, name);
}

/* Returns the status that was sent or will be sent, or 0 if it is not known yet. */
static uint64_t status_of(const struct serving_reader *r, uint64_t request)
{
	uint64_t status;

	return memory_pointer(&r->w->target.memory, request + r->w->layout.at.status, &status)
		       ? status
		       : 0;
}

static enum nginx_use use_of(const struct serving_reader *r, const struct nginx_connection *c)
{
	if (c->read.accepts)
		return NGINX_USE_LISTENING;
	if (!c->listening && c->request)
		return NGINX_USE_UPSTREAM;
	if (!c->listening)
		return is_of_module(r, c->read.handler, "ngx_http_upstream_keepalive_module")
			       ? NGINX_USE_KEPT
			       : NGINX_USE_OTHER;
	if (table_get(&r->reusable, c->address, 0))
		return NGINX_USE_WAITING;
	if (!c->request)
		return NGINX_USE_CLIENT;
	/* a request that is being closed has the empty handler, too */
	return c->write.handler == r->empty_handler && !status_of(r, c->request)
		       ? NGINX_USE_READING
		       : NGINX_USE_WRITING;
}

/* Sets T to the timer of E if that expires earlier. */
static void nearer(const struct serving_reader *r, const struct nginx_event *e, int event,
	bool of_upstream, struct nginx_timeout *t)
{
	/* unsigned, as the target's value may be anything */
	int64_t left = (int64_t)(e->timer_ms - (uint64_t)r->now_ms);

	if (e->timer_ms && (!t->is_set || left < t->left_ms))
		*t = (struct nginx_timeout){left, true, of_upstream, event};
}

static void nearer_of(const struct serving_reader *r, const struct nginx_connection *c,
	bool of_upstream, struct nginx_timeout *t)
{
	nearer(r, &c->read, NGINX_TIMER_READ, of_upstream, t);
	nearer(r, &c->write, NGINX_TIMER_WRITE, of_upstream, t);
}

static void read_connections(struct serving_reader *r, struct nginx_serving *s)
{
	struct page_cache cache = {.memory = &r->w->target.memory};
	const struct memory cached = cached_memory(&cache);
	struct nginx_connection *c;

	s->connections = nginx_connections_read(&r->w->layout, &cached, &s->nr_open);
	s->uses = xcalloc(s->nr_open + 1, sizeof(*s->uses));
	for (size_t i = 0; i < s->nr_open; i++) {
		c = &s->connections[i];
		s->uses[i] = use_of(r, c);
		s->nr[s->uses[i]]++;
		s->nr_timers += !!c->read.timer_ms + !!c->write.timer_ms;
		nearer_of(r, c, s->uses[i] == NGINX_USE_UPSTREAM, &s->nearest);
	}
}

static void forget_connections(struct nginx_serving *s)
{
	free(s->connections);
	free(s->uses);
	*s = (struct nginx_serving){.nr_connections = s->nr_connections};
}

/* ---- requests ---- */

static bool is_same(const struct nginx_request *a, const struct nginx_request *b)
{
	return a->consistent && b->consistent && a->start_ms == b->start_ms &&
	       a->connection == b->connection && a->pool == b->pool && a->main == b->main &&
	       !memcmp(&a->texts, &b->texts, sizeof(a->texts));
}

/* Reads a request and its pool with an empty page cache; returns false if the request is gone. */
static bool read_pages(const struct serving_reader *r, uint64_t address,
	struct nginx_request *request, struct nginx_pool *pool)
{
	struct page_cache cache = {.memory = &r->w->target.memory};
	const struct memory cached = cached_memory(&cache);

	if (!nginx_request_read(&r->w->layout, &cached, address, request))
		return false;
	nginx_pool_read(&cached, request->pool, r->uses_glibc, pool);
	return true;
}

/* Reads a request, as of a single moment if possible; returns false if the request is gone. */
static bool read_request(
	const struct serving_reader *r, uint64_t address, struct nginx_serving_request *to)
{
	struct nginx_request again;
	struct nginx_pool pool;

	*to = (struct nginx_serving_request){0};
	for (int i = 0; i < TRIES && !to->is_consistent; i++) {
		if (!read_pages(r, address, &again, &pool) ||
			!read_pages(r, address, &to->request, &to->pool))
			return false;
		to->is_consistent =
			is_same(&to->request, &again) && nginx_pool_is_same(&pool, &to->pool);
	}
	return true;
}

static void index_connections(struct serving_reader *r, const struct nginx_serving *s)
{
	r->before = xcalloc(s->nr_open + 1, sizeof(*r->before));
	for (size_t i = 0; i < s->nr_open; i++) {
		const struct nginx_connection *c = &s->connections[i];
		bool is_new;
		uint32_t *last = table_put(&r->by_request, c->request, 0, &is_new);

		r->before[i] = is_new ? 0 : *last;
		*last = (uint32_t)(i + 1);
		*table_put(&r->by_address, c->address, 0, &is_new) = (uint32_t)(i + 1);
	}
}

/*
 * Sets the members that the request's connections determine: the connection to its client, which is
 * not in the array with HTTP/2, and the connections to an upstream.
 */
static void see_connections(const struct serving_reader *r, const struct nginx_serving *s,
	struct nginx_serving_request *q)
{
	const uint32_t *client = table_get(&r->by_address, q->request.connection, 0);
	const uint32_t *last = table_get(&r->by_request, q->request.address, 0);
	struct nginx_connection own;

	if (client) {
		nearer_of(r, &s->connections[*client - 1], false, &q->timeout);
		q->is_reading = s->uses[*client - 1] == NGINX_USE_READING;
	} else if (nginx_connection_read(
			   &r->w->layout, &r->w->target.memory, q->request.connection, &own)) {
		nearer_of(r, &own, false, &q->timeout);
	}
	for (size_t i = last ? *last : 0; i; i = r->before[i - 1])
		if (!client || i != *client)
			nearer_of(r, &s->connections[i - 1], true, &q->timeout);
}

/*
 * Adds the request at ADDRESS. Returns its main request if it was added and is a subrequest, else
 * 0.
 */
static uint64_t add_request(struct serving_reader *r, uint64_t address, struct nginx_serving *s)
{
	struct nginx_serving_request *q;
	bool is_new;

	table_put(&r->added, address, 0, &is_new);
	ALLOC_GROW(s->requests, s->nr_requests, s->requests_alloc);
	q = &s->requests[s->nr_requests];
	if (!is_new || !read_request(r, address, q))
		return 0;
	see_connections(r, s, q);
	s->nr_requests++;
	return q->request.main == address ? 0 : q->request.main;
}

static void add_requests(
	struct serving_reader *r, const uint64_t *list, size_t nr, struct nginx_serving *s)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t main = add_request(r, list[i], s);

		if (main)
			add_request(r, main, s);
	}
}

/*
 * Reads the streams of connections of HTTP/2. Connections that wait for a request come last: most
 * of them have no stream, but nginx leaves a connection among them whose first frame came in
 * pieces.
 */
static void read_streams(const struct serving_reader *r, const struct nginx_serving *s,
	const struct memory *m, struct nginx_streams *streams)
{
	for (int waits = 0; waits < 2; waits++)
		for (size_t i = 0; i < s->nr_open; i++)
			if ((s->uses[i] == NGINX_USE_WAITING) == waits)
				nginx_streams_read(streams, &r->w->layout, m, &s->connections[i]);
}

/*
 * Reads all requests. A connection leads to the request that is active on it, a connection of
 * HTTP/2 to the requests of its streams, and a subrequest to its main request.
 */
static void read_requests(struct serving_reader *r, struct nginx_serving *s)
{
	struct page_cache cache = {.memory = &r->w->target.memory};
	const struct memory cached = cached_memory(&cache);
	struct nginx_streams streams = {0};
	size_t nr;
	uint64_t *list = nginx_requests_list(s->connections, s->nr_open, &nr);

	index_connections(r, s);
	read_streams(r, s, &cached, &streams);
	add_requests(r, list, nr, s);
	add_requests(r, streams.requests, streams.nr, s);
	nginx_streams_release(&streams);
	free(list);
}

/*
 * Returns the current time of the clock of ngx_current_msec. The variable itself is late while the
 * worker waits. The clock is the monotonic one in the worker's time namespace, or the time of day
 * if nginx was built without a monotonic clock.
 */
static int64_t now_ms(const struct nginx_worker *w)
{
	int64_t there = (int64_t)nginx_worker_word(w, "ngx_current_msec", 0), monotonic;
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRIu32, w->pid);
	monotonic = (monotonic_ns() + monotonic_offset_ns(pid)) / 1000000;
	return there <= monotonic + MSEC_DIFFERS ? monotonic : realtime_ms();
}

void nginx_serving_read(
	const struct nginx_worker *w, const struct nginx_modules *modules, struct nginx_serving *s)
{
	struct serving_reader r = {.w = w,
		.modules = modules,
		.empty_handler = target_symbol(nginx_file(&w->target), "ngx_http_empty_handler"),
		.now_ms = now_ms(w),
		.uses_glibc = nginx_pool_uses_glibc(&w->target)};

	*s = (struct nginx_serving){.nr_connections = w->layout.nr_connections};
	table_init(&r.reusable);
	table_init(&r.added);
	table_init(&r.by_address);
	table_init(&r.by_request);
	for (int i = 0; i < TRIES && !s->is_consistent; i++) {
		uint64_t nr_free = 0, later = 0;
		bool is_known;

		forget_connections(s);
		is_known = read_reusable(&r, &nr_free);
		read_connections(&r, s);
		s->nr_free = nr_free;
		s->is_consistent = is_known && nr_free + s->nr_open == s->nr_connections &&
				   read_reusable(&r, &later) && later == nr_free;
	}
	read_requests(&r, s);
	free(r.before);
	table_release(&r.reusable);
	table_release(&r.added);
	table_release(&r.by_address);
	table_release(&r.by_request);
}

void nginx_serving_release(struct nginx_serving *s)
{
	free(s->requests);
	forget_connections(s);
}
