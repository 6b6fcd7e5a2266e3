/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_copy.h"
#include "lib/util.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
	BLOCK = 1 << 18, /* bytes; a block may have pages of several areas */
	BLOCK_PAGES = BLOCK / AREA_PAGE,
	BATCH = 8, /* blocks */
	MARK = 8,
};

#define LISTED_MAX (16ULL << 30)

/* The states of a block: not read, to be read in the next batch, read, and not to be read. */
enum { ABSENT, WANTED, READ, REFUSED };

/* Reserves memory, of which pages that are never touched cost nothing. */
static void *reserve(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t marks_size(const struct memory_copy *c)
{
	return c->room / MARK / 8;
}

static size_t nr_blocks(const struct memory_copy *c)
{
	return (c->size + BLOCK - 1) / BLOCK;
}

static void release_room(struct memory_copy *c)
{
	if (c->bytes)
		munmap(c->bytes, c->room);
	if (c->marks)
		munmap(c->marks, marks_size(c));
	c->bytes = NULL;
	c->marks = NULL;
	c->room = c->written = 0;
}

/* Makes room for all areas, without marks. */
static bool make_room(struct memory_copy *c)
{
	if (c->size <= c->room && c->written <= c->max / 2)
		return !madvise(c->marks, marks_size(c), MADV_DONTNEED);
	release_room(c);
	c->room = c->size + c->size / 4 / BLOCK * BLOCK; /* the process may map more */
	c->bytes = reserve(c->room);
	c->marks = reserve(marks_size(c));
	return c->bytes && c->marks;
}

static void forget(struct memory_copy *c)
{
	free(c->areas);
	free(c->offsets);
	free(c->blocks);
	c->areas = NULL;
	c->offsets = NULL;
	c->blocks = NULL;
	c->nr_areas = c->found = 0;
	c->size = c->read = 0;
	c->is_full = c->has_ended = false;
	c->goes_on = NULL;
}

void memory_copy_init(struct memory_copy *c, const struct memory *m, uint64_t max)
{
	*c = (struct memory_copy){.memory = m, .max = max};
}

bool memory_copy_renew(struct memory_copy *c)
{
	forget(c);
	c->areas = memory_areas(c->memory, LISTED_MAX, &c->nr_areas);
	c->offsets = xcalloc(c->nr_areas + 1, sizeof(*c->offsets));
	for (size_t i = 0; i < c->nr_areas; i++) {
		c->offsets[i] = c->size;
		c->size += c->areas[i].end - c->areas[i].start;
	}
	c->offsets[c->nr_areas] = c->size;
	if (!c->size)
		return false;
	c->blocks = xcalloc(nr_blocks(c), 1);
	return make_room(c);
}

void memory_copy_release(struct memory_copy *c)
{
	forget(c);
	release_room(c);
}

/* ---- reading ---- */

/* Returns the area of the byte OFFSET. */
static size_t area_of(const struct memory_copy *c, uint64_t offset)
{
	size_t low = 0, high = c->nr_areas;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (c->offsets[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Reads NR blocks from FIRST on. */
static void read_blocks(struct memory_copy *c, size_t first, size_t nr)
{
	static uint64_t pages[BATCH * BLOCK_PAGES];
	uint64_t at = (uint64_t)first * BLOCK, end = at + (uint64_t)nr * BLOCK;
	size_t area = area_of(c, at), count = 0;

	if (end > c->size)
		end = c->size;
	if (end - at > c->max - c->read)
		c->is_full = true;
	if (c->is_full || c->has_ended) {
		memset(c->blocks + first, REFUSED, nr);
		return;
	}
	memset(c->blocks + first, READ, nr);
	c->read += end - at;
	c->written += end - at;
	for (uint64_t offset = at; offset < end; offset += AREA_PAGE) {
		while (offset >= c->offsets[area + 1])
			area++;
		pages[count++] = c->areas[area].start + (offset - c->offsets[area]);
	}
	if (!memory_scattered(c->memory, pages, count, AREA_PAGE, c->bytes + at))
		memset(c->bytes + at, 0, end - at); /* the pages may have what was read before */
	c->has_ended = c->goes_on && !c->goes_on(c->context);
}

/* Marks the blocks with bytes from OFFSET to END, and one more, to be read. */
static void want_blocks(struct memory_copy *c, uint64_t offset, uint64_t end)
{
	size_t last = (end - 1) / BLOCK + 1;

	for (size_t i = offset / BLOCK; i <= last && i < nr_blocks(c); i++)
		if (c->blocks[i] == ABSENT)
			c->blocks[i] = WANTED;
}

/* Marks the blocks of AREAS to be read. Both lists of areas are sorted. */
static void want_areas(struct memory_copy *c, const struct memory_area *areas, size_t nr)
{
	for (size_t i = 0, k = 0; i < c->nr_areas && k < nr;) {
		const struct memory_area *a = &c->areas[i];
		uint64_t start = areas[k].start > a->start ? areas[k].start : a->start,
			 end = areas[k].end < a->end ? areas[k].end : a->end;

		if (start < end)
			want_blocks(c, c->offsets[i] + (start - a->start),
				c->offsets[i] + (end - a->start));
		if (areas[k].end < a->end)
			k++;
		else
			i++;
	}
}

void memory_copy_read(
	struct memory_copy *c, const struct memory_area *areas, size_t nr, int64_t until_ns)
{
	size_t count;

	want_areas(c, areas, nr);
	for (size_t i = 0; i < nr_blocks(c); i += count) {
		for (count = 0; count < BATCH && i + count < nr_blocks(c); count++)
			if (c->blocks[i + count] != WANTED)
				break;
		if (count && until_ns && monotonic_ns() >= until_ns)
			memset(c->blocks + i, ABSENT, count);
		else if (count)
			read_blocks(c, i, count);
		else
			count = 1;
	}
}

struct memory_area *memory_copy_areas(const struct memory_copy *c, size_t *nr)
{
	struct memory_area *list = NULL;
	size_t alloc = 0;

	*nr = 0;
	for (size_t i = 0; i < c->nr_areas; i++)
		for (uint64_t at = c->areas[i].start; at < c->areas[i].end; at += AREA_PAGE) {
			uint64_t offset = c->offsets[i] + (at - c->areas[i].start);

			if (c->blocks[offset / BLOCK] != READ)
				continue;
			if (*nr && list[*nr - 1].end == at) {
				list[*nr - 1].end += AREA_PAGE;
				continue;
			}
			ALLOC_GROW(list, *nr, alloc);
			list[(*nr)++] = (struct memory_area){at, at + AREA_PAGE};
		}
	return list;
}

/* ---- use ---- */

/* Sets c->found to the area with ADDRESS. Returns false if it is in no area. */
static bool find_area(struct memory_copy *c, uint64_t address)
{
	size_t low = 0, high = c->nr_areas;

	if (address >= c->areas[c->found].start && address < c->areas[c->found].end)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (address >= c->areas[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->nr_areas || address < c->areas[low].start)
		return false;
	c->found = low;
	return true;
}

const void *memory_copy_at(struct memory_copy *c, uint64_t address, uint64_t len)
{
	uint64_t offset;

	if (!len || !find_area(c, address) || len > c->areas[c->found].end - address)
		return NULL;
	offset = c->offsets[c->found] + (address - c->areas[c->found].start);
	for (size_t i = offset / BLOCK; i <= (offset + len - 1) / BLOCK; i++)
		if (c->blocks[i] != READ) {
			if (c->blocks[i] != REFUSED)
				read_blocks(c, i, 1);
			if (c->blocks[i] != READ)
				return NULL;
		}
	return c->bytes + offset;
}

bool memory_copy_mark(struct memory_copy *c, uint64_t address)
{
	uint64_t bit;

	if (!find_area(c, address))
		return false;
	bit = (c->offsets[c->found] + (address - c->areas[c->found].start)) / MARK;
	if (c->marks[bit / 8] >> bit % 8 & 1)
		return false;
	c->marks[bit / 8] |= (unsigned char)(1 << bit % 8);
	return true;
}
