/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx/nginx_pool_groups.h"
#include "nginx/nginx_serving.h"
#include "nginx/nginx_zones.h"
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"

#include <inttypes.h>
#include <limits.h>

enum mem_table { MEM_POOLS, MEM_ZONES, MEM_SLOTS, MEM_DICTS, MEM_TABLES };

static const char *const table_names[] = {"pools", "zones", "slots", "dicts", NULL};

struct mem_command {
	uint32_t pid;
	enum grid_format format;
	enum mem_table table; /* only this one is shown; all if it is MEM_TABLES */
	struct nginx_workers workers;
	struct nginx_modules modules;
	struct nginx_zones zones;
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

enum { LOCATION = 3 }; /* its column */
static const char *const pool_columns[] = {"worker", "pools", "server", "location", "count",
	"bytes", "blocks", "block_bytes", "used", "unused", "large", "large_bytes", "state"};

static void add_group(struct mem_command *c, struct grid *l, const struct nginx_pool_group *g)
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

static void list_pools(struct grid *l, void *context)
{
	struct mem_command *c = context;

	grid_init(l, pool_columns, ARRAY_LEN(pool_columns));
	l->name = LOCATION;
	for (size_t i = 0; i < c->workers.nr; i++) {
		struct nginx_pool_groups groups;

		nginx_pool_groups_read(&groups, &c->workers.list[i], &c->modules);
		for (size_t k = 0; k < groups.nr; k++) {
			grid_addu(l, c->workers.list[i].pid);
			add_group(c, l, &groups.list[k]);
		}
		nginx_pool_groups_release(&groups);
	}
}

/* ---- shared memory ---- */

static const char *const zone_columns[] = {
	"zone", "module", "size", "used", "free", "largest_free", "state"};

static void list_zones(struct grid *l, void *context)
{
	struct mem_command *c = context;

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
static void list_slots(struct grid *l, void *context)
{
	const struct mem_command *c = context;

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

static void list_dicts(struct grid *l, void *context)
{
	struct mem_command *c = context;

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

static grid_list *const lists[MEM_TABLES] = {list_pools, list_zones, list_slots, list_dicts};

static int print(struct mem_command *c)
{
	grid_print(table_names, lists, c->table == MEM_TABLES ? UINT_MAX : 1U << c->table,
		c->format, c);
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
	program_say_rest(&err);
	nginx_zones_release(&c.zones);
	nginx_modules_release(&c.modules);
	nginx_workers_close(&c.workers);
	return program_end(ret);
}
