/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drain.h"
#include "lib/log_scale.h"
#include "lib/util.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void nodes_init(struct drain_nodes *n)
{
	*n = (struct drain_nodes){0};
	table_init(&n->by_id);
}

static void nodes_release(struct drain_nodes *n)
{
	free(n->keys);
	free(n->ids);
	table_release(&n->by_id);
}

void drain_init(struct drain *d)
{
	nodes_init(&d->now);
	nodes_init(&d->before);
	table_init(&d->span_stacks);
	table_init(&d->span_stacks_before);
}

static void close_map(struct drain_map *map)
{
	if (map->is_own)
		close(map->fd);
}

void drain_release(struct drain *d)
{
	for (int i = 0; i < 2; i++) {
		close_map(&d->maps[i].nodes);
		close_map(&d->maps[i].rows);
	}
	nodes_release(&d->now);
	nodes_release(&d->before);
	table_release(&d->span_stacks);
	table_release(&d->span_stacks_before);
}

/* Reads the map FD and returns the number of entries. An error is kept in d->error. */
static uint32_t read_entries(struct drain *d, int fd, bool remove, struct map_entries e)
{
	int error = map_entries_read(&e, fd, remove);

	if (error)
		d->error = error;
	return e.nr;
}

static const struct node_key *find_node(const struct drain *d, uint64_t id)
{
	const uint32_t *at = table_get(&d->now.by_id, id, 0);

	if (at)
		return &d->now.keys[*at];
	at = table_get(&d->before.by_id, id, 0);
	return at ? &d->before.keys[*at] : NULL;
}

/*
 * Adds an interpreter's stack with this ROOT, whose frames are NR words. Returns its number in
 * samples. In a process without an interpreter, the one that it had or that is recorded is not
 * running.
 */
static uint32_t add_vm_stack(struct drain *d, uint64_t *words, uint32_t nr, uint64_t root)
{
	const struct vm *vm = vm_of_kind(NODE_VM_KIND(root));
	unsigned end = root & 255;
	uint32_t named = 0;

	if (!vm)
		vm = vm_processes_vm(d->vms, NODE_VM_TGID(root));
	for (uint32_t i = 0; i + VM_WORDS <= nr; i += VM_WORDS)
		words[named++] = vm_processes_name(d->vms, vm, NODE_VM_TGID(root),
			NODE_VM_GENERATION(root), &(struct vm_words){words[i], words[i + 1]});
	return samples_stack(d->samples, words, end == VM_WHOLE || end == VM_CUT ? named : 0,
		language_stack(vm->language), end);
}

/* Adds a stack with NR words of frames and this ROOT. Returns its number in samples. */
static uint32_t add_stack(struct drain *d, uint64_t *words, uint32_t nr, uint64_t root)
{
	if (root & NODE_VM)
		return add_vm_stack(d, words, nr, root);
	return samples_stack(
		d->samples, words, nr, root & NODE_KERNEL ? STACK_KERNEL : STACK_USER, root & 255);
}

static uint32_t stack_of(struct drain *d, uint64_t id);

/*
 * Adds one waker, or several that have woken each other, of NODE. Returns the number in samples, or
 * 0 if a node is missing.
 */
static uint32_t add_waker(struct drain *d, const struct node_key *node)
{
	bool is_one = node->parent & NODE_WAKER;
	uint32_t nr = is_one ? SAMPLE_WAKER_COMM : WAKERS_MAX, list[WAKERS_MAX] = {0};
	char comm[COMM_LEN + 1] = "";

	for (uint32_t i = 0; i < nr; i++) {
		list[i] = stack_of(d, node->frame[i]);
		if (node->frame[i] && !list[i])
			return 0;
	}
	if (!is_one)
		return samples_wakers(d->samples, list, nr);
	memcpy(comm, &node->frame[WAKER_COMM], COMM_LEN);
	return samples_waker(
		d->samples, list[WAKER_USER], list[WAKER_KERNEL], list[WAKER_VM], comm);
}

/* Returns the stack in samples of the node or copy ID, or 0 if ID is 0 or a node is missing. */
static uint32_t stack_of(struct drain *d, uint64_t id)
{
	uint64_t frames[WALK_DEPTH + CHUNK], parent = id;
	const uint32_t *kept = table_get(&d->span_stacks, id, 0);
	uint32_t nr = 0;

	if (!kept)
		kept = table_get(&d->span_stacks_before, id, 0);
	if (!id)
		return 0;
	if (id & STACK_COPY)
		return stack_copies_stack(d->copies, id);
	if (id & STACK_NONE)
		return samples_stack(d->samples, NULL, 0, STACK_USER,
			SAMPLE_KERNEL_THREAD + (unsigned)(id & 255));
	if (kept)
		return *kept;
	const struct node_key *last = find_node(d, id);

	if (last && last->parent & NODE_ROOT && last->parent & (NODE_WAKER | NODE_WAKERS))
		return add_waker(d, last);
	while (!(parent & NODE_ROOT)) {
		const struct node_key *node = find_node(d, parent);

		if (!node || nr > WALK_DEPTH)
			return 0;
		for (int i = 0; i < CHUNK; i++)
			if (node->frame[i])
				frames[nr++] = node->frame[i];
		parent = node->parent;
	}
	return add_stack(d, frames, nr, parent);
}

/* Empties N, with room for the entries of MAP. */
static void nodes_reset(struct drain_nodes *n, const struct drain_map *map)
{
	table_release(&n->by_id);
	table_init(&n->by_id);
	if (n->alloc >= map->size)
		return;
	free(n->keys);
	free(n->ids);
	n->alloc = map->size;
	n->keys = xcalloc(n->alloc, sizeof(*n->keys));
	n->ids = xcalloc(n->alloc, sizeof(*n->ids));
}

static void read_nodes(struct drain *d, const struct drain_map *map)
{
	struct drain_nodes old = d->before;

	d->before = d->now;
	d->now = old;
	nodes_reset(&d->now, map);
	d->now.nr = read_entries(d, map->fd, true,
		(struct map_entries){.keys = d->now.keys,
			.values = d->now.ids,
			.key_size = sizeof(*d->now.keys),
			.value_size = sizeof(*d->now.ids),
			.max = map->size});
	for (uint32_t i = 0; i < d->now.nr; i++) {
		bool is_new;

		*table_put(&d->now.by_id, d->now.ids[i], 0, &is_new) = i;
	}
}

static uint32_t task_of(
	struct drain *d, uint32_t pid, uint32_t tid, uint64_t start_ns, const char from[COMM_LEN])
{
	char comm[COMM_LEN + 1] = "";

	memcpy(comm, from, COMM_LEN);
	return samples_task(d->samples, pid, tid, start_ns / task_tick_ns(), comm);
}

static uint32_t state_labels(struct drain *d, uint32_t state)
{
	if (state < STATES_MAX)
		return d->states[state];
	return d->labels_of ? d->labels_of(d->tool, state - STATES_MAX) : 0;
}

/* Returns LABELS with the operator that the row's task executes. */
static uint32_t add_operator(struct drain *d, const struct row_key *row, uint32_t labels)
{
	const char *name = vm_processes_operator(d->vms, row->tgid, row->op);
	char number[16];

	snprintf(number, sizeof(number), "op#%d", row->op - VM_OP(0));
	return samples_label(d->samples, labels, VM_OP_LABEL, name ? name : number);
}

/* Returns the set of labels of a row's state, operator and range. */
static uint32_t labels_of(struct drain *d, const struct row_key *row)
{
	uint32_t labels = state_labels(d, row->state);
	char from[24];

	if (row->op)
		labels = add_operator(d, row, labels);

	if (!row->range || row->range > LOG_SCALE_BUCKETS)
		return labels;
	snprintf(from, sizeof(from), "%" PRIu64, log_scale_lowest(row->range - 1));
	return samples_label(d->samples, labels, RECORDING_RANGE, from);
}

void drain_add(struct drain *d, const struct row_key *from, uint64_t count, uint64_t sum)
{
	struct sample_key key = {
		.event = d->events[from->event % ROW_EVENTS],
		.task = task_of(d, from->tgid, from->tid, from->start, from->comm),
		.user = stack_of(d, from->user),
		.kernel = stack_of(d, from->kernel),
		.vm = stack_of(d, from->vm),
		.waker = stack_of(d, from->waker),
		.labels = label_sets_join(
			d->label_sets, from->label_set, from->tgid, labels_of(d, from), count),
	};
	uint64_t nr = (uint64_t)from->more + 1;

	if ((from->user && !key.user) || (from->kernel && !key.kernel) || (from->vm && !key.vm) ||
		(from->waker && !key.waker))
		add_capped(&d->samples->lost[LOST_NO_BODY], count);
	else
		samples_add_at(d->samples, &key,
			&(struct series_item){from->slice, from->more, count / nr, sum / nr});
}

void drain_add_time(struct drain *d, const struct row_key *from, uint64_t since, uint64_t end)
{
	struct slice_part part;
	struct row_key row = *from;

	do {
		part = slice_next(d->slices, &since, end);
		row.slice = part.slice;
		row.more = part.more;
		drain_add(d, &row, part.is_last, part.ns);
	} while (!part.is_last);
}

/* Returns the number of rows. */
static uint32_t read_rows(struct drain *d, const struct drain_map *map)
{
	struct row_key *keys = xcalloc(map->size, sizeof(*keys));
	struct row_value *values = xcalloc(map->size, sizeof(*values));
	uint32_t nr = read_entries(d, map->fd, true,
		(struct map_entries){.keys = keys,
			.values = values,
			.key_size = sizeof(*keys),
			.value_size = sizeof(*values),
			.max = map->size});

	for (uint32_t i = 0; i < nr; i++)
		drain_add(d, &keys[i], values[i].count, values[i].sum);
	free(keys);
	free(values);
	return nr;
}

static void add_delayed(struct drain *d, const struct delayed *from, uint32_t slice)
{
	uint64_t frame = walk_frame(NULL, from->pc, false);

	samples_add_at(d->samples,
		&(struct sample_key){
			.event = d->events[ROW_SAMPLES],
			.task = task_of(d, from->tgid, from->tid, from->start, from->comm),
			.user = samples_stack(d->samples, &frame, 1, STACK_USER, WALK_BUSY),
		},
		&(struct series_item){slice, 0, from->count, from->count});
}

void drain_delayed(struct drain *d, int map, uint64_t end_ns)
{
	uint32_t *tids = xcalloc(DELAYED_MAX, sizeof(*tids));
	struct delayed *list = xcalloc(DELAYED_MAX, sizeof(*list));
	uint32_t nr = read_entries(d, map, true,
		(struct map_entries){.keys = tids,
			.values = list,
			.key_size = sizeof(*tids),
			.value_size = sizeof(*list),
			.max = DELAYED_MAX});

	for (uint32_t i = 0; i < nr; i++)
		add_delayed(d, &list[i], slice_at(d->slices, end_ns - 1));
	free(tids);
	free(list);
}

void drain_name_state(struct drain *d, uint32_t state, const char *key, const char *value)
{
	if (state < STATES_MAX)
		d->states[state] = samples_label(d->samples, 0, key, value);
}

struct drain_spans drain_read_spans(struct drain *d)
{
	struct drain_spans s = {.keys = xcalloc(d->nr_spans, sizeof(*s.keys)),
		.values = xcalloc(d->nr_spans, sizeof(*s.values))};

	s.nr = read_entries(d, d->spans, false,
		(struct map_entries){.keys = s.keys,
			.values = s.values,
			.key_size = sizeof(*s.keys),
			.value_size = sizeof(*s.values),
			.max = d->nr_spans});
	return s;
}

void drain_spans_release(struct drain_spans *spans)
{
	free(spans->keys);
	free(spans->values);
	*spans = (struct drain_spans){0};
}

static void keep_stack(struct drain *d, struct table *kept, uint64_t id)
{
	uint32_t stack = stack_of(d, id);
	bool is_new;

	if (stack)
		*table_put(kept, id, 0, &is_new) = stack;
}

/* Keeps the stacks of open spans, which may outlive the nodes of these stacks. */
static void keep_stacks(struct drain *d)
{
	struct drain_spans spans = drain_read_spans(d);
	struct table kept;

	table_init(&kept);
	for (uint32_t i = 0; i < spans.nr; i++) {
		const struct row_key *row = &spans.values[i].row;

		keep_stack(d, &kept, row->user);
		keep_stack(d, &kept, row->kernel);
		keep_stack(d, &kept, row->vm);
		for (uint32_t k = 0; k < WAKERS_MAX; k++)
			keep_stack(d, &kept, spans.values[i].wakers[k]);
	}
	table_release(&d->span_stacks_before);
	d->span_stacks_before = d->span_stacks;
	d->span_stacks = kept;
	drain_spans_release(&spans);
}

bool drain_is_half_full(const struct drain *d, uint64_t nr_nodes, uint64_t nr_rows)
{
	const struct drain_pair *written = &d->maps[*d->epoch & 1];

	return nr_nodes > written->nodes.size / 2 || nr_rows > written->rows.size / 2;
}

void drain_switch(struct drain *d)
{
	uint32_t which = *d->epoch & 1;

	__atomic_store_n(d->epoch, *d->epoch + 1, __ATOMIC_SEQ_CST);
	/* updating an array of maps waits until no program uses the old map */
	bpf_map_update_elem(d->nodes, &which, &d->maps[which].nodes.fd, BPF_ANY);
}

/*
 * Replaces MAP, entry WHICH of ARRAY, if more than 3/4 of it were used: it is read when half of it
 * is used, but the recorder may be late. If there is no memory for a larger map, MAP stays.
 */
static void grow(struct drain *d, struct drain_map *map, int array, uint32_t which, uint32_t used,
	struct map_entries entries)
{
	uint64_t size = (uint64_t)map->size * (used < map->size ? 2 : 4);

	if (used <= map->size / 4 * 3 || map->size >= d->size_max)
		return;
	if (size > d->size_max)
		size = d->size_max;
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, entries.key_size, entries.value_size,
		(uint32_t)size, NULL);

	if (fd < 0 || bpf_map_update_elem(array, &which, &fd, BPF_ANY)) {
		if (fd >= 0)
			close(fd);
		d->size_max = 0;
		return;
	}
	close_map(map);
	*map = (struct drain_map){fd, (uint32_t)size, true};
}

void drain_read(struct drain *d)
{
	uint32_t which = ~*d->epoch & 1, nr_rows;
	struct drain_pair *read = &d->maps[which]; /* the other pair */

	read_nodes(d, &read->nodes);
	nr_rows = read_rows(d, &read->rows);
	if (d->spans >= 0)
		keep_stacks(d);
	grow(d, &read->nodes, d->nodes, which, d->now.nr,
		(struct map_entries){
			.key_size = sizeof(struct node_key), .value_size = sizeof(uint64_t)});
	grow(d, &read->rows, d->rows, which, nr_rows,
		(struct map_entries){.key_size = sizeof(struct row_key),
			.value_size = sizeof(struct row_value)});
}

static void mark_nodes(const struct drain_nodes *n, bool *used, size_t nr)
{
	for (uint32_t i = 0; i < n->nr; i++)
		samples_mark_frames(n->keys[i].frame, CHUNK, used, nr);
}

void drain_mark_mappings(const struct drain *d, bool *used, size_t nr)
{
	mark_nodes(&d->now, used, nr);
	mark_nodes(&d->before, used, nr);
}

static void renumber(struct table *stacks, struct condense *to)
{
	for (size_t i = 0; i <= stacks->mask; i++)
		if (stacks->slots[i].used)
			stacks->slots[i].value = condense_keep(to, stacks->slots[i].value);
}

void drain_renumber(struct drain *d, struct condense *to)
{
	renumber(&d->span_stacks, to);
	renumber(&d->span_stacks_before, to);
}
