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
	TRIES_AT_REST = 5, /* while the program does not run: further tries would find the same */
	REST_NS = 5000000, /* the pause after the first of these tries; it grows with each try */
	POLLS = 200,       /* times to wait before a try for a collector that frees nothing */
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
 * Returns whether no object that existed at the reading A was freed before the reading B. Each
 * cycle of the collector flips the current white and sets a new estimate.
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

/*
 * Waits for a short time until the collector is not freeing objects. Returns false if the state is
 * gone.
 */
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

/* The results of earlier tries. */
struct known_memory {
	struct memory_copy copy;   /* of the last try */
	struct memory_area *areas; /* areas that contain objects, which the next try reads first */
	size_t nr;
	uint64_t objects;
	unsigned nr_counted; /* tries that counted the objects */
};

/*
 * Checks the collector again and again while memory is read: after two cycles the white is the same
 * again, and often the estimate, too.
 */
struct collector_watch {
	const struct memory *memory;
	uint64_t global;
	struct luajit_gc_state first, last;
	int64_t last_ns, gap_ns; /* two cycles may fit between checks that are farther apart */
	bool is_steady, is_sure; /* is_sure is false if there was such a gap */
	bool ends;               /* reading ends as soon as the collector is not steady */
};

static bool look(void *context)
{
	struct collector_watch *w = context;
	struct luajit_gc_state gc;
	int64_t now;
	bool ok = luajit_gc_read_state(w->memory, w->global, &gc);

	now = monotonic_ns();
	if (!ok || !is_steady(&w->first, &gc))
		w->is_steady = false;
	if (now - w->last_ns > w->gap_ns && memcmp(&gc, &w->last, sizeof(gc)) != 0)
		w->is_sure = false;
	w->last = gc;
	w->last_ns = now;
	return w->is_steady || !w->ends;
}

static void begin_watch(struct collector_watch *w, const struct luajit_objects_request *r,
	const struct known_memory *known)
{
	/* OBJECT_NS is the least time to create, mark and sweep an object twice. */
	enum { OBJECT_NS = 20, FULL_TRIES = 3 };
	uint64_t objects = known->objects;

	if (objects < w->first.nr_strings)
		objects = w->first.nr_strings;
	w->memory = r->memory;
	w->global = r->global;
	w->last = w->first;
	w->last_ns = monotonic_ns();
	w->gap_ns = (int64_t)(objects > INT32_MAX ? INT32_MAX : objects) * OBJECT_NS;
	w->is_steady = w->is_sure = true;
	w->ends = known->nr_counted >= FULL_TRIES && !r->stop_ns;
}

/*
 * Returns whether the copy has the string table and the first object, which lead to all objects. It
 * may lack them because its areas are listed, which takes long, before the collector's state is
 * read.
 */
static bool has_heads(struct memory_copy *c, const struct luajit_gc_state *gc)
{
	return memory_copy_at(
		       c, gc->string_table, ((uint64_t)gc->string_mask + 1) * sizeof(uint64_t)) &&
	       memory_copy_at(c, gc->root, sizeof(uint64_t));
}

/*
 * Reads the references to objects before the objects, so that the objects exist in the copy. The
 * collector's state refers to the first object of the list. If the program has mapped more memory
 * since the areas were listed, they are listed again.
 */
static bool begin_copy(const struct luajit_objects_request *r, struct known_memory *known,
	struct collector_watch *w)
{
	struct memory_copy *c = &known->copy;

	if (!luajit_gc_read_state(r->memory, r->global, &w->first))
		return false;
	begin_watch(w, r, known);
	if (!has_heads(c, &w->first)) {
		if (!luajit_gc_read_state(r->memory, r->global, &w->first))
			return false;
		begin_watch(w, r, known);
		if (!memory_copy_renew(c))
			return false;
		has_heads(c, &w->first);
	}
	c->goes_on = look;
	c->context = w;
	return true;
}

static bool copy(const struct luajit_objects_request *r, struct known_memory *known,
	struct collector_watch *w, struct luajit_objects *o)
{
	bool stops = r->stop_ns && known->nr, ok;
	int64_t began, until;
	struct halt halt;

	if (!memory_copy_renew(&known->copy))
		return false;
	began = monotonic_ns();
	until = r->stop_ns ? began + r->stop_ns : 0;
	if (stops && !halt_begin(&halt, r->pid, until)) {
		o->stopped_ns = halt_end(&halt);
		return false;
	}
	began = monotonic_ns();
	ok = begin_copy(r, known, w);
	if (ok)
		memory_copy_read(&known->copy, known->areas, known->nr, until);
	if (ok)
		look(w);
	o->copied_ns = monotonic_ns() - began;
	if (stops)
		o->stopped_ns = halt_end(&halt);
	/* the copy is from the time of the stop, so later changes leave no gap */
	if (stops && ok)
		w->last_ns = monotonic_ns();
	return ok;
}

static int compare_objects(const void *a, const void *b)
{
	const struct luajit_object *x = a, *y = b;

	return x->bytes == y->bytes ? compare_u64(x->address, y->address)
				    : compare_u64(y->bytes, x->bytes);
}

static uint64_t nr_objects(const struct luajit_objects *o)
{
	uint64_t nr = 0;

	for (int i = 0; i < LUAJIT_USES; i++)
		nr += o->sums[i].nr;
	return nr;
}

/* Returns the difference between the sum of the objects and the collector's total. */
static uint64_t distance(const struct luajit_objects *o)
{
	return o->bytes > o->total ? o->bytes - o->total : o->total - o->bytes;
}

/* Returns whether the objects account for nearly all of the total, as they usually do. */
static bool is_plausible(const struct luajit_objects *o)
{
	enum { OTHER = 32768, SHARE = 32 };

	return distance(o) <= OTHER || distance(o) <= o->total / SHARE;
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

/* Returns false if the state is gone or memory could not be allocated. */
static bool try_once(const struct luajit_objects_request *r, struct known_memory *known,
	struct luajit_objects *o)
{
	struct memory_copy *c = &known->copy;
	struct collector_watch watch = {0};
	struct object_walk w = {.copy = c,
		.layout = r->layout,
		.global = r->global,
		.objects = o,
		.top_max = r->top};
	int64_t began = monotonic_ns();
	bool ok;

	if (!r->stop_ns && !read_resting(r->memory, r->global, &watch.first))
		return false;
	ok = copy(r, known, &watch, o);
	if (ok && !c->has_ended) {
		uint64_t size = c->read;

		w.gc = watch.first;
		o->total = w.gc.total;
		o->top = xcalloc(r->top + 1, sizeof(*o->top));
		object_walk(&w);
		finish_top(&w);
		if (c->read > size) /* the walk has read more memory */
			o->copied_ns = monotonic_ns() - began;
	}
	if (ok && !c->has_ended) {
		free(known->areas);
		known->areas = memory_copy_areas(c, &known->nr);
		known->objects = nr_objects(o);
	}
	o->has_ended = c->has_ended;
	o->is_steady = watch.is_steady && (watch.is_sure || is_plausible(o));
	o->is_at_rest = !memcmp(&watch.first, &watch.last, sizeof(watch.last));
	return ok;
}

static bool is_whole(const struct luajit_objects *o)
{
	return o->is_steady && !o->lost;
}

static bool is_better(const struct luajit_objects *a, const struct luajit_objects *b)
{
	if (a->has_ended != b->has_ended)
		return !a->has_ended;
	if (!a->stopped_ns != !b->stopped_ns)
		return a->stopped_ns;
	if (is_whole(a) != is_whole(b))
		return is_whole(a);
	return distance(a) < distance(b);
}

/* Keeps the better one of O and NEXT in O, and releases the other. */
static void keep_better(struct luajit_objects *o, struct luajit_objects *next)
{
	if (!o->tries || is_better(next, o)) {
		struct luajit_objects before = *o;

		*o = *next;
		*next = before;
	}
	luajit_objects_release(next);
}

static bool is_done(const struct luajit_objects_request *r, const struct luajit_objects *o)
{
	/* the first try has learnt which memory is to be copied */
	return is_whole(o) && (!r->stop_ns || o->stopped_ns);
}

bool luajit_objects_count(const struct luajit_objects_request *r, struct luajit_objects *o)
{
	struct known_memory known = {0};
	int64_t end = monotonic_ns() + TIME_MAX_NS;
	unsigned tries = 0, at_rest = 0;

	*o = (struct luajit_objects){0};
	memory_copy_init(&known.copy, r->memory, COPY_MAX);
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
		known.nr_counted += !next.has_ended;
		at_rest += next.is_at_rest;
		keep_better(o, &next);
		if (is_done(r, o))
			break;
		nanosleep(&(struct timespec){.tv_nsec = (long)at_rest * REST_NS}, NULL);
	}
	free(known.areas);
	memory_copy_release(&known.copy);
	if (o->tries)
		o->tries = tries;
	return o->tries;
}
