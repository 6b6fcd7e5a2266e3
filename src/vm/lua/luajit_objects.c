/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_objects.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "luajit_gc.h"
#include "luajit_object_text.h"
#include "luajit_object_walk.h"
#include "process/halt.h"

#include <stdlib.h>
#include <time.h>

enum {
	TRIES = 100,
	TRIES_AT_REST = 3, /* while the program does not run: they will find the same */
	POLLS = 200,       /* for a collector that frees nothing, before a try */
	POLL_NS = 250000,
};

#define COPY_MAX (2ULL << 30) /* bytes */
#define TIME_MAX_NS 3000000000

const char *luajit_use_name(enum luajit_use use)
{
	static const char *const names[] = {
#define USE_NAME(what, name) name,
		LUAJIT_USE_LIST(USE_NAME)
#undef USE_NAME
	};

	return names[use];
}

void luajit_objects_release(struct luajit_objects *o)
{
	for (size_t i = 0; o->texts && i < o->nr_top; i++)
		free(o->texts[i]);
	free(o->texts);
	free(o->top);
	*o = (struct luajit_objects){0};
}

/* ---- when objects are freed ---- */

static bool frees(const struct luajit_gc_state *gc)
{
	return gc->phase != LUAJIT_PAUSE && gc->phase != LUAJIT_PROPAGATE;
}

/*
 * Whether all objects of the reading A were there until B. A cycle of the collector changes the
 * white, and its estimate; what it neither freed nor allocated has not changed at all.
 */
static bool is_steady(const struct luajit_gc_state *a, const struct luajit_gc_state *b)
{
	if (a->string_table != b->string_table || a->string_mask != b->string_mask)
		return false;
	if (!frees(a) && !frees(b))
		return a->white == b->white && a->estimate == b->estimate;
	return a->phase == b->phase && a->white == b->white && a->total == b->total &&
	       a->sweep == b->sweep && a->sweepstr == b->sweepstr && a->root == b->root &&
	       a->nr_strings == b->nr_strings;
}

/* Waits until it frees nothing, for a while. False: the state is gone. */
static bool read_resting(const struct memory *m, uint64_t global, struct luajit_gc_state *gc)
{
	static const struct timespec pause = {.tv_nsec = POLL_NS};
	struct luajit_gc_state before;

	if (!luajit_gc_read_state(m, global, gc))
		return false;
	for (int i = 0; i < POLLS && frees(gc); i++) {
		before = *gc;
		nanosleep(&pause, NULL);
		if (!luajit_gc_read_state(m, global, gc))
			return false;
		if (is_steady(&before, gc)) /* the program does not run */
			break;
	}
	return true;
}

/* ---- a try ---- */

/* What the last try has read, which is read at once in the next one. */
struct known_memory {
	struct memory_area *areas;
	size_t nr;
};

static bool copy(const struct luajit_objects_request *r, const struct known_memory *known,
	struct memory_copy *c, struct luajit_gc_state *gc, struct luajit_gc_state *after,
	struct luajit_objects *o)
{
	int64_t began = monotonic_ns(), until = r->stop_ns ? began + r->stop_ns : 0;
	bool stops = r->stop_ns && known->nr, ok;
	struct halt halt;

	*c = (struct memory_copy){0};
	if (stops && !halt_begin(&halt, r->pid, until)) {
		o->stopped_ns = halt_end(&halt);
		return false;
	}
	began = monotonic_ns();
	ok = luajit_gc_read_state(r->memory, r->global, gc) &&
	     memory_copy_init(c, r->memory, COPY_MAX);
	/*
	 * What refers to objects is read before them: those that it refers to are there then. The
	 * first one of the list is in the collector's state.
	 */
	if (ok)
		memory_copy_at(
			c, gc->string_table, ((uint64_t)gc->string_mask + 1) * sizeof(uint64_t));
	if (ok)
		memory_copy_read(c, known->areas, known->nr, until);
	ok = ok && luajit_gc_read_state(r->memory, r->global, after);
	o->copied_ns = monotonic_ns() - began;
	if (stops)
		o->stopped_ns = halt_end(&halt);
	return ok;
}

static int compare_objects(const void *a, const void *b)
{
	const struct luajit_object *x = a, *y = b;

	return x->bytes == y->bytes ? compare_u64(x->address, y->address)
				    : compare_u64(y->bytes, x->bytes);
}

static void finish_top(struct object_walk *w)
{
	struct luajit_objects *o = w->objects;

	if (!o->nr_top)
		return;
	qsort(o->top, o->nr_top, sizeof(*o->top), compare_objects);
	o->texts = xcalloc(o->nr_top, sizeof(*o->texts));
	for (size_t i = 0; i < o->nr_top; i++) {
		struct strbuf text = STRBUF_INIT;

		luajit_object_text(w, &o->top[i], &text);
		strbuf_addch(&text, '\0');
		o->texts[i] = strbuf_detach(&text);
	}
}

/* False: the state is gone, or there is no memory. */
static bool try_once(const struct luajit_objects_request *r, struct known_memory *known,
	struct luajit_objects *o)
{
	struct memory_copy c;
	struct luajit_gc_state after;
	struct object_walk w = {.copy = &c,
		.layout = r->layout,
		.global = r->global,
		.objects = o,
		.top_max = r->top};
	int64_t began = monotonic_ns();
	uint64_t size;
	bool ok;

	if (!r->stop_ns && !read_resting(r->memory, r->global, &after))
		return false;
	ok = copy(r, known, &c, &w.gc, &after, o);
	if (ok) {
		o->total = w.gc.total;
		o->top = xcalloc(r->top + 1, sizeof(*o->top));
		size = c.read;
		object_walk(&w);
		finish_top(&w);
		if (c.read > size) { /* some was read only then */
			o->copied_ns = monotonic_ns() - began;
			ok = luajit_gc_read_state(r->memory, r->global, &after);
		}
		o->is_steady = is_steady(&w.gc, &after);
		o->is_at_rest = !memcmp(&w.gc, &after, sizeof(after));
		free(known->areas);
		known->areas = memory_copy_areas(&c, &known->nr);
	}
	memory_copy_release(&c);
	return ok;
}

/* Stopped ones are better than whole ones, these than steady ones, and more better than less. */
static bool is_better(const struct luajit_objects *a, const struct luajit_objects *b)
{
	if (!a->stopped_ns != !b->stopped_ns)
		return a->stopped_ns;
	if (!a->lost != !b->lost)
		return !a->lost;
	if (a->is_steady != b->is_steady)
		return a->is_steady;
	return a->bytes > b->bytes;
}

bool luajit_objects_count(const struct luajit_objects_request *r, struct luajit_objects *o)
{
	struct known_memory known = {0};
	int64_t end = monotonic_ns() + TIME_MAX_NS;
	unsigned tries = 0, at_rest = 0;

	*o = (struct luajit_objects){0};
	while (tries < TRIES && at_rest < TRIES_AT_REST && (!tries || monotonic_ns() < end)) {
		struct luajit_objects next = {0};

		tries++;
		if (!try_once(r, &known, &next)) {
			luajit_objects_release(&next);
			if (tries > 1 && r->stop_ns) /* threads that do not stop in time */
				continue;
			break;
		}
		next.tries = tries;
		at_rest += next.is_at_rest;
		if (!o->tries || is_better(&next, o)) {
			luajit_objects_release(o);
			*o = next;
		} else {
			luajit_objects_release(&next);
		}
		/* the first one has learnt what there is to be copied at once */
		if (o->is_steady && !o->lost && (!r->stop_ns || o->stopped_ns))
			break;
	}
	free(known.areas);
	if (o->tries)
		o->tries = tries;
	return o->tries;
}
