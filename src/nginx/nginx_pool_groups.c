/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_pool_groups.h"
#include "lib/util.h"
#include "nginx_serving.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/* Adds POOL to its group. Takes ownership of SERVER and LOCATION. */
static void add_pool(struct nginx_pool_groups *groups, const char *kind, char *server,
	char *location, const struct nginx_pool *pool, bool is_consistent)
{
	struct nginx_pool_group *g;
	size_t i = 0;

	while (i < groups->nr &&
		(groups->list[i].kind != kind || !is_same_text(groups->list[i].server, server) ||
			!is_same_text(groups->list[i].location, location)))
		i++;
	if (i == groups->nr) {
		ALLOC_GROW(groups->list, groups->nr, groups->alloc);
		groups->list[groups->nr++] = (struct nginx_pool_group){.kind = kind,
			.server = server,
			.location = location,
			.sum.is_whole = true,
			.is_consistent = true};
	} else {
		free(server);
		free(location);
	}
	g = &groups->list[i];
	g->nr++;
	g->is_consistent &= is_consistent;
	nginx_pool_add(&g->sum, pool);
}

static void read_pool(struct nginx_pool_groups *groups, const struct nginx_worker *w,
	const char *kind, uint64_t address)
{
	struct nginx_pool pool;
	bool is_same = nginx_pool_read_same(
		&w->target.memory, address, nginx_pool_uses_glibc(&w->target), &pool);

	add_pool(groups, kind, NULL, NULL, &pool, is_same);
}

static char *text_of(const struct nginx_text *t)
{
	return xstrndup(t->bytes, t->len < NGINX_TEXT_MAX ? t->len : NGINX_TEXT_MAX);
}

/* Subrequests use the pools of their main requests. */
static void read_requests(struct nginx_pool_groups *groups, const struct nginx_serving *s)
{
	for (size_t i = 0; i < s->nr_requests; i++) {
		const struct nginx_serving_request *q = &s->requests[i];
		const struct nginx_texts *t = &q->request.texts;

		if (!t->subrequest)
			add_pool(groups, "requests", text_of(&t->text[NGINX_SERVER]),
				text_of(&t->text[NGINX_LOCATION]), &q->pool, q->is_consistent);
	}
}

static void read_connections(struct nginx_pool_groups *groups, const struct nginx_worker *w,
	const struct nginx_serving *s, uint64_t of_cycle)
{
	for (size_t i = 0; i < s->nr_open; i++) {
		uint64_t pool = 0;

		if (!memory_pointer(&w->target.memory,
			    s->connections[i].address + NGINX_CONNECTION_POOL, &pool) ||
			!pool || pool == of_cycle || s->uses[i] == NGINX_USE_LISTENING)
			continue;
		read_pool(groups, w,
			s->connections[i].listening ? "connections" : "upstream connections", pool);
	}
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_groups(const void *a, const void *b)
{
	const struct nginx_pool_group *x = a, *y = b;
	int order = compare_u64(nginx_pool_bytes(&y->sum), nginx_pool_bytes(&x->sum));

	if (!order)
		order = strcmp(x->kind, y->kind);
	if (!order)
		order = compare_texts(x->server, y->server);
	return order ? order : compare_texts(x->location, y->location);
}

void nginx_pool_groups_read(struct nginx_pool_groups *groups, const struct nginx_worker *w,
	const struct nginx_modules *modules)
{
	struct nginx_serving s;
	uint64_t cycle, pool = 0;

	*groups = (struct nginx_pool_groups){0};
	nginx_serving_read(w, modules, &s);
	if (memory_pointer(&w->target.memory, w->layout.cycle, &cycle) &&
		memory_pointer(&w->target.memory, cycle + NGINX_CYCLE_POOL, &pool))
		read_pool(groups, w, "cycle", pool);
	read_connections(groups, w, &s, pool);
	read_requests(groups, &s);
	nginx_serving_release(&s);
	if (groups->nr)
		qsort(groups->list, groups->nr, sizeof(*groups->list), compare_groups);
}

void nginx_pool_groups_release(struct nginx_pool_groups *groups)
{
	for (size_t i = 0; i < groups->nr; i++) {
		free(groups->list[i].server);
		free(groups->list[i].location);
	}
	free(groups->list);
}
