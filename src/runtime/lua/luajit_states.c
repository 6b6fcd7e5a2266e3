/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_states.h"
#include "lib/util.h"

#include <stdlib.h>

enum {
	FIRST = 0x350, /* offset in a page of the WORDS words that may be a main state's glref */
	WORDS = 16,
	NARROW_SIZE = 0x40, /* of a lua_State with 32-bit references */
	PAGE_WORDS = AREA_PAGE / sizeof(uint64_t),
	BATCH = 1 << 21,   /* bytes */
	PROBE_NS = 600,    /* time to read WORDS words of a page */
	READ_NS = 1200,    /* time to read a whole page */
	CHECKS_MAX = 1024, /* words that look like a glref; more of them are no coincidence */
};

#define PROBED_MAX (2ULL << 30)
#define LISTED_MAX (16ULL << 30)
#define READ_MAX (256ULL << 20)

/* A search through a number of words in each page. */
struct state_search {
	const struct memory *memory;
	struct luajit_states found;
	size_t words;
	uint32_t checks;
	uint64_t *addresses; /* of a batch */
	uint64_t *bytes;
	size_t nr, max;
};

bool luajit_thread_is_at(
	const struct memory *m, enum luajit_build build, uint64_t thread, uint64_t global)
{
	unsigned char head[LUAJIT_GLREF + sizeof(uint64_t)];
	uint64_t own;
	uint32_t narrow;

	if (!thread || thread % 8 || !memory_read(m, thread, head, sizeof(head)))
		return false;
	if (build == LUAJIT_GC64) {
		memcpy(&own, head + LUAJIT_GLREF, sizeof(own));
		return head[LUAJIT_GCT] == LUAJIT_THREAD && own == global;
	}
	memcpy(&narrow, head + LUAJIT_GLREF_32, sizeof(narrow));
	return head[LUAJIT_GCT_32] == LUAJIT_THREAD && narrow == global;
}

/* Returns whether SIZE is the size of a lua_State, upstream's or OpenResty's. */
static bool is_size(uint64_t size)
{
	return size == 0x60 || size == 0x70;
}

/*
 * Returns the build with 32-bit references that has a state at GLOBAL, by its reference to the main
 * thread, which is right before the global_State.
 */
static enum luajit_build narrow_state_at(const struct memory *m, uint64_t global)
{
	uint64_t thread = global - NARROW_SIZE;
	uint32_t refs[(LUAJIT_MAINTHREAD_2_0 - LUAJIT_MAINTHREAD_32) / sizeof(uint32_t) + 1];

	if (global > UINT32_MAX ||
		!memory_read(m, global + LUAJIT_MAINTHREAD_32, refs, sizeof(refs)))
		return LUAJIT_NONE;
	if (refs[0] == thread)
		return LUAJIT_GC32;
	return refs[ARRAY_LEN(refs) - 1] == thread ? LUAJIT_2_0 : LUAJIT_NONE;
}

enum luajit_build luajit_state_at(const struct memory *m, uint64_t global)
{
	enum luajit_build narrow;
	uint64_t thread;

	if (!global)
		return LUAJIT_NONE;
	if (memory_pointer(m, global + LUAJIT_MAINTHREAD, &thread) && is_size(global - thread) &&
		luajit_thread_is_at(m, LUAJIT_GC64, thread, global))
		return LUAJIT_GC64;
	narrow = narrow_state_at(m, global);
	return narrow && luajit_thread_is_at(m, narrow, global - NARROW_SIZE, global) ? narrow
										      : LUAJIT_NONE;
}

/*
 * Adds a state if WORD, at ADDRESS, or with 32-bit references its lower half, is the glref of a
 * main lua_State.
 */
static void take_word(struct state_search *s, uint64_t address, uint64_t word)
{
	if (!is_size(word - (address - LUAJIT_GLREF))) {
		word = (uint32_t)word;
		if (word - (address - LUAJIT_GLREF_32) != NARROW_SIZE)
			return;
	}
	if (s->checks == CHECKS_MAX)
		return;
	s->checks++;
	if (!luajit_state_at(s->memory, word))
		return;
	ALLOC_GROW(s->found.list, s->found.nr, s->found.alloc);
	s->found.list[s->found.nr++] = word;
}

static void take_batch(struct state_search *s)
{
	const uint64_t *word = s->bytes;

	s->found.work_ns += (int64_t)s->nr * (s->words == WORDS ? PROBE_NS : READ_NS);
	if (s->nr && memory_scattered(
			     s->memory, s->addresses, s->nr, s->words * sizeof(*word), s->bytes))
		for (size_t i = 0; i < s->nr; i++)
			for (size_t k = 0; k < s->words; k++)
				take_word(s, s->addresses[i] + k * sizeof(*word), *word++);
	s->nr = 0;
}

static void add_page(struct state_search *s, uint64_t address)
{
	s->addresses[s->nr++] = address;
	if (s->nr == s->max)
		take_batch(s);
}

/*
 * Searches WORDS words from FIRST on in each page of the areas, from the highest page down or from
 * the lowest page up, in at most MAX bytes.
 */
static void search_words(struct state_search *s, size_t first, size_t words, bool down,
	const struct memory_area *areas, size_t nr, uint64_t max)
{
	s->words = words;
	s->max = BATCH / (words * sizeof(uint64_t));
	s->addresses = xcalloc(s->max, sizeof(*s->addresses));
	s->bytes = xcalloc(s->max, words * sizeof(uint64_t));
	for (size_t i = 0; i < nr; i++) {
		const struct memory_area *a = &areas[down ? nr - 1 - i : i];
		uint64_t size = a->end - a->start < max ? a->end - a->start : max;

		max -= size;
		for (uint64_t at = 0; at < size; at += AREA_PAGE)
			add_page(s, first + (down ? a->end - AREA_PAGE - at : a->start + at));
	}
	take_batch(s);
	free(s->addresses);
	free(s->bytes);
}

struct luajit_states luajit_states_search(const struct memory *m)
{
	struct state_search s = {.memory = m};
	size_t nr;
	struct memory_area *areas = memory_areas(m, LISTED_MAX, &nr);

	search_words(&s, FIRST, WORDS, true, areas, nr, PROBED_MAX);
	if (!s.found.nr)
		search_words(&s, 0, PAGE_WORDS, false, areas, nr, READ_MAX);
	free(areas);
	return s.found;
}
