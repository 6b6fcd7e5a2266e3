/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_times.h"
#include "lib/util.h"
#include "view/preorder.h"

#include <stdlib.h>

static bool is_task(const struct thread_times *t, uint32_t node)
{
	const struct profile_node *nodes = t->p->nodes;

	return t->p->frames[nodes[node].frame].kind == FRAME_TASK &&
	       (!nodes[node].parent || t->are_tasks[nodes[node].parent]);
}

static uint32_t add_thread(struct thread_times *t, uint32_t process, uint32_t thread)
{
	ALLOC_GROW(t->threads, t->nr_threads, t->threads_alloc);
	t->threads[t->nr_threads] = (struct timed_thread){process, thread};
	return (uint32_t)t->nr_threads++;
}

static void set_thread(struct thread_times *t, uint32_t node)
{
	const struct profile_node *nodes = t->p->nodes;
	uint32_t parent = nodes[node].parent;

	t->are_tasks[node] = node && is_task(t, node);
	t->thread_of[node] = !node ? add_thread(t, 0, 0)
			     : t->are_tasks[node]
				     ? add_thread(t, nodes[parent].frame, nodes[node].frame)
				     : t->thread_of[parent];
}

/* Adds the weights of a node. */
static void add_node(struct thread_times *t, uint32_t node, uint32_t order)
{
	const struct profile_times *times = &t->p->times;
	struct timed_weight next = {.thread = t->thread_of[node], .node = node, .order = order};
	uint64_t rest = t->p->nodes[node].self;
	size_t nr;
	struct series_item *list = series_list(&times->series, profile_times_of(times, node), &nr);

	for (size_t k = 0; k < nr && times->nr; k++) {
		next.slice = list[k].slice;
		next.weight = list[k].sum;
		thread_times_add(t, &next);
		rest -= list[k].sum < rest ? list[k].sum : rest;
	}
	next.slice = 1;
	next.weight = rest;
	if (rest)
		thread_times_add(t, &next);
	free(list);
}

static int compare_weights(const void *va, const void *vb)
{
	const struct timed_weight *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

void thread_times_init(struct thread_times *t, const struct profile *p)
{
	struct preorder w = preorder_begin(p);
	uint32_t order = 0;

	*t = (struct thread_times){
		.p = p,
		.thread_of = xcalloc(p->nr_nodes, sizeof(*t->thread_of)),
		.are_tasks = xcalloc(p->nr_nodes, sizeof(*t->are_tasks)),
	};
	do {
		set_thread(t, w.node);
		if (p->nodes[w.node].self)
			add_node(t, w.node, order);
		order++;
	} while (preorder_next(&w));
	thread_times_sort(t);
}

void thread_times_release(struct thread_times *t)
{
	free(t->threads);
	free(t->thread_of);
	free(t->are_tasks);
	free(t->list);
}

void thread_times_add(struct thread_times *t, const struct timed_weight *weight)
{
	ALLOC_GROW(t->list, t->nr, t->alloc);
	t->list[t->nr++] = *weight;
}

void thread_times_sort(struct thread_times *t)
{
	if (t->nr)
		qsort(t->list, t->nr, sizeof(*t->list), compare_weights);
}

size_t thread_times_end(const struct thread_times *t, size_t first)
{
	size_t end = first;

	while (end < t->nr && t->list[end].thread == t->list[first].thread)
		end++;
	return end;
}
