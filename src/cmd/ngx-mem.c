/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx/nginx_serving.h"
#include "nginx/nginx_zones.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/grid_args.h"
#include "view/args/process_args.h"
#include "view/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum mem_table { MEM_POOLS, MEM_ZONES, MEM_SLOTS, MEM_DICTS, MEM_TABLES };

static const char *const table_names[] = {"pools", "zones", "slots", "dicts", NULL};

/* Pools of one kind. Pools of requests are also grouped by server and location. */
struct pool_group {
	const char *kind;
	char *server, *location; /* NULL unless the pools belong to requests */
	uint64_t nr;
	struct nginx_pool sum;
	bool is_consistent;
};

struct mem_command {
	uint32_t pid;
	enum grid_format format;
	enum mem_table table; /* only this one is shown; all if it is MEM_TABLES */
	struct nginx_workers workers;
	struct nginx_modules modules;
	struct nginx_zones zones;
	struct pool_group *groups; /* groups of one worker at a time */
	size_t nr_groups, groups_alloc;
	bool partial;
};

static const struct arg_option options[] = {
	{"table", 0, "NAME", "Only this one: pools, zones, slots or dicts", 1, arg_word,
		ARG_AT(struct mem_command, table), .words = table_names},
	{0},
};

static void settle(void *input)
{
	struct mem_command *o = input;

	if (o->format == GRID_CSV && o->table == MEM_TABLES) /* a CSV has only one table */
		o->table = MEM_POOLS;
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = PROCESS_ARGS_WORDS,
	.about =
		"Shows what a running nginx uses its memory for: pools of requests by location, of "
		"connections and of the configuration; zones of shared memory with their slabs; "
		"dictionaries of Lua. The workers are not stopped.\v"
		"Exit status: 0 all rows; 1 some changed while they were read; 2 failed; 64 wrong "
		"usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct mem_command, pid)},
		{&grid_args, offsetof(struct mem_command, format)}, {0}},
};

/* ---- pools ---- */

static bool is_same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/* Adds POOL to its group. Takes ownership of SERVER and LOCATION. */
static void add_pool(struct mem_command *c, const char *kind, char *server, char *location,
	const struct nginx_pool *pool, bool is_consistent)
{
	struct pool_group *g;
	size_t i = 0;

	while (i < c->nr_groups &&
		(c->groups[i].kind != kind || !is_same_text(c->groups[i].server, server) ||
			!is_same_text(c->groups[i].location, location)))
		i++;
	if (i == c->nr_groups) {
		ALLOC_GROW(c->groups, c->nr_groups, c->groups_alloc);
		c->groups[c->nr_groups++] = (struct pool_group){.kind = kind,
			.server = server,
			.location = location,
			.sum.is_whole = true,
			.is_consistent = true};
	} else {
		free(server);
		free(location);
	}
	g = &c->groups[i];
	g->nr++;
	g->is_consistent &= is_consistent;
	nginx_pool_add(&g->sum, pool);
}

static void read_pool(
	struct mem_command *c, const struct nginx_worker *w, const char *kind, uint64_t address)
{
	struct nginx_pool pool;
	bool is_same = nginx_pool_read_same(
		&w->target.memory, address, nginx_pool_uses_glibc(&w->target), &pool);

	add_pool(c, kind, NULL, NULL, &pool, is_same);
}

static char *text_of(const struct nginx_text *t)
{
	return xstrndup(t->bytes, t->len < NGINX_TEXT_MAX ? t->len : NGINX_TEXT_MAX);
}

/* Subrequests use the pools of their main requests. */
static void read_requests(struct mem_command *c, const struct nginx_serving *s)
{
	for (size_t i = 0; i < s->nr_requests; i++) {
		const struct nginx_serving_request *q = &s->requests[i];
		const struct nginx_texts *t = &q->request.texts;

		if (!t->subrequest)
			add_pool(c, "requests", text_of(&t->text[NGINX_SERVER]),
				text_of(&t->text[NGINX_LOCATION]), &q->pool, q->is_consistent);
	}
}

static void read_connections(struct mem_command *c, const struct nginx_worker *w,
	const struct nginx_serving *s, uint64_t of_cycle)
{
	for (size_t i = 0; i < s->nr_open; i++) {
		uint64_t pool = 0;

		if (!memory_pointer(&w->target.memory,
			    s->connections[i].address + NGINX_CONNECTION_POOL, &pool) ||
			!pool || pool == of_cycle || s->uses[i] == NGINX_USE_LISTENING)
			continue;
		read_pool(c, w,
			s->connections[i].listening ? "connections" : "upstream connections", pool);
	}
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_groups(const void *a, const void *b)
{
	const struct pool_group *x = a, *y = b;
	int order = compare_u64(nginx_pool_bytes(&y->sum), nginx_pool_bytes(&x->sum));

	if (!order)
		order = strcmp(x->kind, y->kind);
	if (!order)
		order = compare_texts(x->server, y->server);
	return order ? order : compare_texts(x->location, y->location);
}

static void read_groups(struct mem_command *c, const struct nginx_worker *w)
{
	struct nginx_serving s;
	uint64_t cycle, pool = 0;

	nginx_serving_read(w, &c->modules, &s);
	if (memory_pointer(&w->target.memory, w->layout.cycle, &cycle) &&
		memory_pointer(&w->target.memory, cycle + NGINX_CYCLE_POOL, &pool))
		read_pool(c, w, "cycle", pool);
	read_connections(c, w, &s, pool);
	read_requests(c, &s);
	nginx_serving_release(&s);
	if (c->nr_groups)
		qsort(c->groups, c->nr_groups, sizeof(*c->groups), compare_groups);
}

static void drop_groups(struct mem_command *c)
{
	for (size_t i = 0; i < c->nr_groups; i++) {
		free(c->groups[i].server);
		free(c->groups[i].location);
	}
	c->nr_groups = 0;
}

static const char *const pool_columns[] = {"worker", "pools", "server", "location", "count",
	"bytes", "blocks", "block_bytes", "used", "unused", "large", "large_bytes", "state"};

static void add_group(struct mem_command *c, struct grid *l, const struct pool_group *g)
{
	const struct nginx_pool *p = &g->sum;

	grid_adds(l, g->kind);
	grid_adds(l, g->server);
	grid_adds(l, g->location);
	grid_addu(l, g->nr);
	grid_addu(l, nginx_pool_bytes(p));
	grid_addu(l, p->nr_blocks);
	grid_addu(l, p->block_bytes);
	grid_addu(l, p->used);
	grid_addu(l, p->unused);
	grid_addu(l, p->nr_large);
	if (p->nr_unknown)
		grid_add_empty(l);
	else
		grid_addu(l, p->large_bytes);
	grid_adds(l, !g->is_consistent ? "changing" : NULL);
	c->partial |= !g->is_consistent;
}

static void list_pools(struct mem_command *c, struct grid *l)
{
	grid_init(l, pool_columns, ARRAY_LEN(pool_columns));
	for (size_t i = 0; i < c->workers.nr; i++) {
		read_groups(c, &c->workers.list[i]);
		for (size_t k = 0; k < c->nr_groups; k++) {
			grid_addu(l, c->workers.list[i].pid);
			add_group(c, l, &c->groups[k]);
		}
		drop_groups(c);
	}
}

/* ---- shared memory ---- */

static const char *const zone_columns[] = {
	"zone", "module", "size", "used", "free", "largest_free", "state"};

static void list_zones(struct mem_command *c, struct grid *l)
{
	grid_init(l, zone_columns, ARRAY_LEN(zone_columns));
	for (size_t i = 0; i < c->zones.nr; i++) {
		const struct nginx_zone *z = &c->zones.list[i];

		grid_adds(l, z->name);
		grid_adds(l, z->module ? z->module->name : NULL);
		grid_addu(l, z->size);
		if (z->has_slab) {
			grid_addu(l, (z->pages - z->free_pages) * NGINX_ZONE_PAGE);
			grid_addu(l, z->free_pages * NGINX_ZONE_PAGE);
			grid_addu(l, z->largest_free * NGINX_ZONE_PAGE);
		} else {
			for (int k = 0; k < 3; k++)
				grid_add_empty(l);
		}
		grid_adds(l, z->has_slab ? NULL : "changing");
		c->partial |= !z->has_slab;
	}
}

static const char *const slot_columns[] = {
	"zone", "slot", "total", "used", "free", "requests", "fails"};

/* Slots that were never requested are left out. */
static void list_slots(struct mem_command *c, struct grid *l)
{
	grid_init(l, slot_columns, ARRAY_LEN(slot_columns));
	for (size_t i = 0; i < c->zones.nr; i++) {
		const struct nginx_zone *z = &c->zones.list[i];

		for (size_t k = 0; z->has_slab && k < z->nr_slots; k++) {
			const struct nginx_slot *s = &z->slots[k];

			if (!s->requests && !s->total)
				continue;
			grid_adds(l, z->name);
			grid_addu(l, s->size);
			grid_addu(l, s->total);
			grid_addu(l, s->used);
			grid_addu(l, s->total > s->used ? s->total - s->used : 0);
			grid_addu(l, s->requests);
			grid_addu(l, s->fails);
		}
	}
}

static const char *const dict_columns[] = {
	"dict", "capacity", "free", "keys", "expired", "key_bytes", "value_bytes", "state"};

static void list_dicts(struct mem_command *c, struct grid *l)
{
	grid_init(l, dict_columns, ARRAY_LEN(dict_columns));
	for (size_t i = 0; i < c->zones.nr; i++) {
		const struct nginx_zone *z = &c->zones.list[i];
		const uint64_t numbers[] = {
			z->dict.keys, z->dict.expired, z->dict.key_bytes, z->dict.value_bytes};

		if (!nginx_zone_is_dict(z))
			continue;
		grid_adds(l, z->name);
		grid_addu(l, z->size);
		if (z->has_slab)
			grid_addu(l, z->free_pages * NGINX_ZONE_PAGE);
		else
			grid_add_empty(l);
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			if (z->has_dict)
				grid_addu(l, numbers[k]);
			else
				grid_add_empty(l);
		grid_adds(l, z->has_dict ? NULL : "changing");
		c->partial |= !z->has_dict;
	}
}

/* ---- all of it ---- */

typedef void list_memory(struct mem_command *c, struct grid *l);

static list_memory *const lists[MEM_TABLES] = {list_pools, list_zones, list_slots, list_dicts};

static int print(struct mem_command *c)
{
	struct strbuf out = STRBUF_INIT;
	bool any = false, json = c->format == GRID_JSON;

	for (size_t i = 0; i < MEM_TABLES; i++) {
		struct grid l;

		if (c->table != MEM_TABLES && i != c->table)
			continue;
		if (json)
			strbuf_addf(&out, "%s\"%s\": ", any ? ",\n" : "{", table_names[i]);
		else if (any)
			strbuf_addch(&out, '\n');
		lists[i](c, &l);
		grid_write(&l, c->format, &out);
		grid_release(&l);
		any = true;
	}
	strbuf_adds(&out, json ? "}\n" : "");
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
	if (program_close(stdout, "stdout"))
		return EXIT_FAILED;
	return c->partial ? EXIT_PARTIAL : EXIT_OK;
}

static int show(struct mem_command *c, struct strbuf *err)
{
	static const char *const names[] = {NGINX_SERVING_SYMBOLS};
	const struct nginx_worker *w;

	if (nginx_workers_open(&c->workers, c->pid, names, ARRAY_LEN(names), err))
		return EXIT_FAILED;
	w = &c->workers.list[0];
	if (!nginx_modules_read(&w->layout, &w->target, &c->modules)) {
		nginx_modules_refuse(w->pid, err);
		return EXIT_FAILED;
	}
	nginx_zones_read(w, &c->modules, &c->zones);
	if (!c->zones.is_known) {
		program_say("not all zones of nginx in process %" PRIu32
			    " are shown: they changed while they were read, or this variant of "
			    "nginx keeps them in another way",
			w->pid);
		c->partial = true;
	}
	return print(c);
}

int main(int argc, char **argv)
{
	struct mem_command c = {.table = MEM_TABLES};
	struct strbuf err = STRBUF_INIT;
	int ret;

	program_init();
	arg_parse(&program, argc, argv, &c);
	ret = show(&c, &err);
	program_say_lines(&err);
	strbuf_release(&err);
	free(c.groups);
	nginx_zones_release(&c.zones);
	nginx_modules_release(&c.modules);
	nginx_workers_close(&c.workers);
	return program_end(ret);
}
