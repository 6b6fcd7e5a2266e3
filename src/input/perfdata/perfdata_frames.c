/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_frames.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "perfdata_files.h"
#include "perfdata_jit.h"
#include "perfdata_tasks.h"

#include <stdlib.h>

enum { CHAINS_MAX = 1 << 21 };

/* Spaces of frames that are in no map. */
#define KERNEL_SPACE (1ULL << 40)
#define OTHER_SPACE (2ULL << 40)
#define NO_MAP_SPACE (3ULL << 40)
#define COMPILED_SPACE (4ULL << 40) /* and the number of the function */

void perfdata_frames_init(struct perfdata_frames *fs, struct recording *rec,
	struct perfdata_files *files, struct perfdata_jit *jit)
{
	*fs = (struct perfdata_frames){.rec = rec, .files = files, .jit = jit};
	table_init(&fs->maps);
	table_init(&fs->frames);
	table_init(&fs->stacks);
	table_init(&fs->chains);
	table_init(&fs->pairs);
	table_init(&fs->rows);
}

void perfdata_frames_release(struct perfdata_frames *fs)
{
	table_release(&fs->maps);
	table_release(&fs->frames);
	table_release(&fs->stacks);
	table_release(&fs->chains);
	table_release(&fs->pairs);
	table_release(&fs->rows);
	free(fs->list);
}

void perfdata_frames_begin(struct perfdata_frames *fs)
{
	fs->nr = 0;
}

static void push(struct perfdata_frames *fs, uint32_t frame)
{
	ALLOC_GROW(fs->list, fs->nr, fs->alloc);
	fs->list[fs->nr++] = frame;
}

/*
 * Returns the map of SPAN. All processes that have mapped a part of a file share its map; memory is
 * different in each process.
 */
static uint32_t map_of(struct perfdata_frames *fs, const struct perfdata_span *span, uint32_t pid)
{
	const struct perfdata_file *f = &fs->files->list[span->file];
	uint64_t size = span->end - span->start;
	bool is_new;
	uint32_t *at =
		table_put(&fs->maps, span->file, f->pid ? span->start : span->offset, &is_new);

	if (is_new)
		*at = recording_add_map(fs->rec, &(struct rec_map){.pid = f->pid ? f->pid : pid,
							 .generation = 1,
							 .start = span->start,
							 .end = span->end,
							 .offset = f->pid ? 0 : span->offset,
							 .build_id = f->build_id,
							 .path = f->path});
	struct rec_map *map = &fs->rec->maps[*at];

	if (map->end - map->start < size && map->start <= UINT64_MAX - size)
		map->end = map->start + size;
	return *at;
}

/* Adds a frame, with NAME unless that is NULL. */
static void push_frame(struct perfdata_frames *fs, uint64_t space, const struct rec_frame *frame,
	const struct rec_name *name)
{
	bool is_new;
	uint32_t *at = table_put(&fs->frames, space << 1 | frame->call, frame->addr, &is_new);

	if (is_new) {
		*at = recording_add_frame(fs->rec, frame);
		if (name)
			recording_name_frame(fs->rec, *at, name, 1);
	}
	push(fs, *at);
}

/*
 * Names F, which is at ADDRESS in the memory of PID, if a dump of its compiler tells its function.
 * Returns the function's number.
 */
static uint32_t name_compiled(struct perfdata_frames *fs, struct rec_frame *f, uint32_t pid,
	uint64_t address, struct rec_name *name)
{
	uint32_t function = perfdata_jit_name(fs->jit, pid, address - f->call, fs->time, name);

	if (function == JITDUMP_NONE)
		return function;
	f->kind = FRAME_JIT;
	name->offset += f->call;
	return function;
}

void perfdata_frames_user(struct perfdata_frames *fs, const struct perfdata_span *span,
	uint32_t pid, uint64_t address, bool call)
{
	struct rec_frame f = {
		.kind = FRAME_USER, .place = AT_ADDRESS, .call = call, .addr = address};
	uint32_t function = JITDUMP_NONE;
	struct rec_name name;

	if (!span || fs->files->list[span->file].pid)
		function = name_compiled(fs, &f, pid, address, &name);
	if (span) {
		f.place = AT_MAP;
		f.map = map_of(fs, span, pid);
		f.addr -= span->start;
	}
	if (function != JITDUMP_NONE)
		push_frame(fs, COMPILED_SPACE | function, &f, &name);
	else
		push_frame(fs, span ? f.map : NO_MAP_SPACE, &f, NULL);
}

uint32_t perfdata_frames_alone(struct perfdata_frames *fs, const struct perfdata_span *span,
	uint32_t pid, uint64_t address)
{
	perfdata_frames_begin(fs);
	perfdata_frames_user(fs, span, pid, address, false);
	return fs->list[0];
}

void perfdata_frames_kernel(struct perfdata_frames *fs, uint64_t address, bool call)
{
	push_frame(fs, KERNEL_SPACE,
		&(struct rec_frame){
			.kind = FRAME_KERNEL, .place = AT_ADDRESS, .call = call, .addr = address},
		NULL);
}

void perfdata_frames_other(struct perfdata_frames *fs, const char *name)
{
	struct rec_name n = {.function = recording_string(fs->rec, name)};
	bool is_new;
	uint32_t *at = table_put(&fs->frames, OTHER_SPACE, n.function, &is_new);

	n.module = n.function;
	if (is_new) {
		*at = recording_add_frame(
			fs->rec, &(struct rec_frame){.kind = FRAME_KERNEL, .place = AT_NAME});
		recording_name_frame(fs->rec, *at, &n, 1);
	}
	push(fs, *at);
}

static bool is_stack(const struct perfdata_frames *fs, uint32_t number)
{
	const struct rec_stack *stack = &fs->rec->stacks[number];

	return stack->nr == fs->nr &&
	       !memcmp(fs->rec->frame_refs + stack->first, fs->list, fs->nr * sizeof(*fs->list));
}

uint32_t perfdata_frames_end(
	struct perfdata_frames *fs, enum stack_kind kind, enum stack_end end, uint32_t cut_by)
{
	uint64_t hash = hash_text((const char *)fs->list, fs->nr * sizeof(*fs->list));
	bool is_new;
	uint32_t *at =
		table_put(&fs->stacks, hash, (uint64_t)cut_by << 32 | kind << 8 | end, &is_new);

	if (!is_new && is_stack(fs, *at))
		return *at;
	return *at = recording_add_stack(fs->rec, kind, end, cut_by, fs->list, fs->nr);
}

uint32_t *perfdata_frames_chain(
	struct perfdata_frames *fs, const uint64_t *addresses, size_t nr, uint64_t space)
{
	uint64_t hash = hash_text((const char *)addresses, nr * sizeof(*addresses));
	bool is_new;

	if (fs->chains.nr >= CHAINS_MAX) {
		table_release(&fs->chains);
		table_init(&fs->chains);
	}
	return table_put(&fs->chains, hash, hash_pair(space, nr), &is_new);
}

struct rec_row *perfdata_frames_row(struct perfdata_frames *fs, uint32_t event, uint32_t task,
	const uint32_t stacks[2], uint32_t labels, uint64_t sum)
{
	struct rec_row row = {.event = event,
		.task = task,
		.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
		.labels = labels};
	bool is_new;
	uint32_t *pair = table_put(&fs->pairs, stacks[0], stacks[1], &is_new), *at;

	if (is_new)
		*pair = (uint32_t)fs->pairs.nr;
	at = table_put(
		&fs->rows, (uint64_t)*pair << 32 | task, (uint64_t)event << 32 | labels, &is_new);
	if (is_new) {
		unsigned nr = 0;

		*at = (uint32_t)fs->rec->nr_rows;
		for (int i = 0; i < 2; i++)
			if (stacks[i] != NO_STACK)
				row.stacks[nr++] = stacks[i];
		recording_add_row(fs->rec, &row);
	}
	struct rec_row *r = &fs->rec->rows[*at];

	add_capped(&r->count, 1);
	add_capped(&r->sum, sum);
	return r;
}
