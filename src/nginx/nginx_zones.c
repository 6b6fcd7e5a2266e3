/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_zones.h"
#include "lib/util.h"
#include "nginx_dict.h"

#include <stdlib.h>
#include <string.h>

enum {
	CYCLE_BYTES = 0x300,
	LIST_BEFORE_CONNECTIONS = 9, /* words: an ngx_list_t and two numbers */
	ZONES_MAX = 1 << 12,
	PARTS_MAX = 1 << 12, /* of the list of zones */
	NAME_BYTES_MAX = 256,
	READ_S = 5, /* time limit for all zones */
	/* Words of ngx_list_t. */
	LIST_ELEMENTS = 1,
	LIST_NR,
	LIST_NEXT,
	LIST_SIZE,
	LIST_ROOM,
	LIST_WORDS,
	/* Words of ngx_shm_zone_t. */
	ZONE_ADDRESS = 1,
	ZONE_SIZE,
	ZONE_NAME_LEN,
	ZONE_NAME,
	ZONE_TAG = 8,
	ZONE_WORDS,
	ZONE_WORDS_MAX = 24,
	/* Words of ngx_slab_pool_t. */
	SLAB_MIN_SIZE = 2,
	SLAB_MIN_SHIFT,
	SLAB_PAGES,
	SLAB_LAST,
	SLAB_FREE_NEXT = 7,
	SLAB_STATS = 9,
	SLAB_PFREE,
	SLAB_START,
	SLAB_END,
	SLAB_DATA = 23,
	SLAB_ADDRESS,
	SLAB_WORDS,
	PAGE_WORDS = 3, /* words of ngx_slab_page_t: pages of a free run, next, previous */
	PAGE_SHIFT = 12,
};

struct zones_reader {
	const struct memory *memory;
	const struct nginx_modules *modules;
	int64_t end_ns; /* free pages that are not read by then count as changing */
};

/* ---- slab ---- */

static bool is_in(const struct nginx_zone *z, uint64_t address, uint64_t size)
{
	return address >= z->address && size <= z->size && address - z->address <= z->size - size;
}

/*
 * Reads the free pages. Runs of them are linked from FIRST to the list's head at END. The links
 * back are checked, so that the list cannot be a circle.
 */
static bool read_free_pages(
	const struct zones_reader *r, uint64_t first, uint64_t end, struct nginx_zone *z)
{
	uint64_t page[PAGE_WORDS], before = end, free_pages = 0;

	z->largest_free = 0;
	for (uint64_t at = first; at != end; before = at, at = page[1]) {
		if (!is_in(z, at, sizeof(page)) ||
			!memory_read(r->memory, at, page, sizeof(page)) || page[2] != before ||
			!page[0] || page[0] > z->pages - free_pages || monotonic_ns() > r->end_ns)
			return false;
		free_pages += page[0];
		if (page[0] > z->largest_free)
			z->largest_free = page[0];
	}
	return free_pages == z->free_pages && free_pages <= z->pages;
}

static bool read_slots(const struct memory *m, const uint64_t *slab, struct nginx_zone *z)
{
	uint64_t stat[4], shift = slab[SLAB_MIN_SHIFT];

	z->nr_slots = PAGE_SHIFT - shift;
	for (size_t i = 0; i < z->nr_slots; i++) {
		uint64_t at = slab[SLAB_STATS] + i * sizeof(stat);

		if (!is_in(z, at, sizeof(stat)) || !memory_read(m, at, stat, sizeof(stat)))
			return false;
		z->slots[i] = (struct nginx_slot){
			1ULL << (shift + i), stat[0], stat[1], stat[2], stat[3]};
	}
	return true;
}

/* Reads the allocator, and reads it again if it changes meanwhile. */
static bool read_slab(const struct zones_reader *r, struct nginx_zone *z)
{
	enum { TRIES = 5 };
	const struct memory *m = r->memory;
	uint64_t slab[SLAB_WORDS];

	for (int i = 0; i < TRIES; i++) {
		if (!memory_read(m, z->address, slab, sizeof(slab)) ||
			slab[SLAB_ADDRESS] != z->address || slab[SLAB_MIN_SHIFT] < 3 ||
			slab[SLAB_MIN_SHIFT] >= PAGE_SHIFT ||
			slab[SLAB_MIN_SIZE] != 1ULL << slab[SLAB_MIN_SHIFT] ||
			!is_in(z, slab[SLAB_PAGES], 0) || !is_in(z, slab[SLAB_LAST], 0) ||
			slab[SLAB_LAST] < slab[SLAB_PAGES])
			return false;
		z->pages = (slab[SLAB_LAST] - slab[SLAB_PAGES]) / (PAGE_WORDS * 8);
		z->free_pages = slab[SLAB_PFREE];
		z->data = slab[SLAB_DATA];
		if (read_slots(m, slab, z) && read_free_pages(r, slab[SLAB_FREE_NEXT],
						      z->address + 8 * (SLAB_FREE_NEXT - 1), z))
			return true;
	}
	return false;
}

/* ---- zones ---- */

bool nginx_zone_is_dict(const struct nginx_zone *z)
{
	return z->module && !strcmp(z->module->name, "ngx_http_lua_module");
}

static const struct nginx_module *module_at(const struct nginx_modules *modules, uint64_t address)
{
	for (size_t i = 0; i < modules->nr; i++)
		if (modules->list[i].address == address)
			return &modules->list[i];
	return NULL;
}

/* Adds the zone with these WORDs; returns false if it is not a zone. */
static bool add_zone(const struct zones_reader *r, const uint64_t *word, struct nginx_zones *zones)
{
	const struct memory *m = r->memory;
	struct nginx_zone *z;
	char name[NAME_BYTES_MAX];

	if (!word[ZONE_NAME_LEN] || word[ZONE_NAME_LEN] > sizeof(name) ||
		!memory_read(m, word[ZONE_NAME], name, word[ZONE_NAME_LEN]))
		return false;
	zones->list = xrealloc(zones->list, zones->nr + 1, sizeof(*zones->list));
	z = &zones->list[zones->nr++];
	*z = (struct nginx_zone){.name = xstrndup(name, word[ZONE_NAME_LEN]),
		.module = module_at(r->modules, word[ZONE_TAG]),
		.address = word[ZONE_ADDRESS],
		.size = word[ZONE_SIZE]};
	z->has_slab = read_slab(r, z);
	if (z->has_slab && nginx_zone_is_dict(z))
		z->has_dict = nginx_dict_read(m, z, &z->dict);
	return true;
}

/*
 * Finds the list of zones in the cycle, which is in front of its arrays of connections. Returns
 * false if it is not found.
 */
static bool find_list(const struct nginx_worker *w, uint64_t list[LIST_WORDS])
{
	const struct nginx_layout *l = &w->layout;
	uint64_t word[CYCLE_BYTES / 8], cycle;

	if (!memory_pointer(&w->target.memory, l->cycle, &cycle) ||
		!memory_read(&w->target.memory, cycle, word, sizeof(word)))
		return false;
	for (size_t i = LIST_BEFORE_CONNECTIONS; i + 1 < ARRAY_LEN(word); i++) {
		if (word[i] != l->connections || word[i + 1] != l->read_events)
			continue;
		memcpy(list, &word[i - LIST_BEFORE_CONNECTIONS], LIST_WORDS * 8);
		return list[LIST_SIZE] >= ZONE_WORDS * 8 && list[LIST_SIZE] % 8 == 0 &&
		       list[LIST_SIZE] <= ZONE_WORDS_MAX * 8 && list[LIST_ROOM] &&
		       list[LIST_ROOM] <= ZONES_MAX;
	}
	return false;
}

void nginx_zones_read(
	const struct nginx_worker *w, const struct nginx_modules *modules, struct nginx_zones *z)
{
	const struct memory *m = &w->target.memory;
	const struct zones_reader r = {m, modules, monotonic_ns() + READ_S * 1000000000LL};
	uint64_t list[LIST_WORDS], word[ZONE_WORDS_MAX], *part = &list[LIST_ELEMENTS];
	uint64_t size;

	*z = (struct nginx_zones){0};
	if (!find_list(w, list))
		return;
	size = list[LIST_SIZE];
	for (int nr_parts = 0; nr_parts < PARTS_MAX && z->nr < ZONES_MAX; nr_parts++) {
		for (uint64_t i = 0; i < part[1] && i < list[LIST_ROOM]; i++)
			if (!memory_read(m, part[0] + i * size, word, size) ||
				!add_zone(&r, word, z))
				return;
		z->is_known = !part[2];
		if (z->is_known || !memory_read(m, part[2], part, 3 * sizeof(*part)))
			return;
	}
}

void nginx_zones_release(struct nginx_zones *z)
{
	for (size_t i = 0; i < z->nr; i++)
		free(z->list[i].name);
	free(z->list);
	*z = (struct nginx_zones){0};
}
