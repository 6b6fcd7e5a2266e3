/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup.h"
#include "lib/util.h"
#include "open_files.h"

#include <stdlib.h>
#include <string.h>

struct finder {
	const struct recording *rec;
	const struct symbol_options *options;
	struct lookup_list *list;
};

static bool is_file(const struct finder *f, const struct rec_map *map)
{
	const char *path = recording_get(f->rec, map->path);

	return !recording_is_memory(path) || *recording_get(f->rec, map->build_id) ||
	       (path[0] == '/' && open_files_find(f->options->files, "", path, map->owner));
}

bool lookup_lacks_debuginfo(const struct recording *rec, const struct symbol_options *options,
	const struct rec_frame *frame)
{
	const struct rec_name *last = &rec->names[frame->names + frame->nr_names - 1];

	if (!symbol_needs_debuginfo(options))
		return false;
	return !last->file || (options->inlines && !recording_meta(rec, "inlines"));
}

/*
 * Returns whether a frame of the kernel needs a lookup. Such frames were named when they were
 * recorded, but have no lines.
 */
static bool needs_kernel_lookup(const struct finder *f, uint32_t number, struct lookup *lookup)
{
	const struct recording *rec = f->rec;
	const struct rec_frame *frame = &rec->frames[number];

	if (frame->place != AT_ADDRESS || frame->nr_names == 0 ||
		!lookup_lacks_debuginfo(rec, f->options, frame))
		return false;
	uint32_t path = rec->names[frame->names + frame->nr_names - 1].module;
	struct rec_module module = recording_find_module(rec, recording_get(rec, path));

	*lookup = (struct lookup){
		.path = path,
		.build_id = module.build_id,
		.frame = number,
		.offset = frame->addr - frame->call - module.text,
	};
	return module.build_id && module.text;
}

/* Returns false if frame NUMBER lacks nothing or lies in no mapping. */
static bool needs_lookup(const struct finder *f, uint32_t number, struct lookup *lookup)
{
	const struct recording *rec = f->rec;
	const struct rec_frame *frame = &rec->frames[number];
	const struct rec_map *map;
	bool in_file;
	uint64_t at;

	if (frame->kind == FRAME_KERNEL)
		return needs_kernel_lookup(f, number, lookup);
	if (frame->place != AT_MAP || frame->map >= rec->nr_maps || frame->kind != FRAME_USER)
		return false;
	map = &rec->maps[frame->map];
	in_file = is_file(f, map);
	if (frame->nr_names && (!in_file || !lookup_lacks_debuginfo(f->rec, f->options, frame)))
		return false;
	if (__builtin_add_overflow(in_file ? map->offset : map->start, frame->addr, &at) ||
		(frame->call && !at))
		return false;
	*lookup = (struct lookup){
		.path = in_file ? map->path : 0,
		.build_id = in_file ? map->build_id : 0,
		.pid = in_file ? 0 : map->pid,
		.owner = in_file ? map->owner : 0,
		.frame = number,
		.offset = at - frame->call,
	};
	return true;
}

static int compare_files(const struct lookup *a, const struct lookup *b)
{
	int order = compare_u64(a->path, b->path);

	if (!order)
		order = compare_u64(a->build_id, b->build_id);
	if (!order)
		order = compare_u64(a->pid, b->pid);
	return order ? order : compare_u64(a->owner, b->owner);
}

static int compare_lookups(const void *a, const void *b)
{
	const struct lookup *x = a, *y = b;
	int order = compare_files(x, y);

	if (!order)
		order = compare_u64(x->offset, y->offset);
	return order ? order : compare_u64(x->frame, y->frame);
}

/* Makes one location for each offset, which several frames may share. */
static void make_locations(const struct recording *rec, struct lookup_file *file)
{
	struct lookup_job *job = &file->job;

	job->locations = xcalloc(file->nr, sizeof(*job->locations));
	for (size_t i = 0; i < file->nr; i++) {
		struct lookup *lookup = &file->lookups[i];
		const struct rec_frame *frame = &rec->frames[lookup->frame];
		const struct rec_map *map = frame->place == AT_MAP ? &rec->maps[frame->map] : NULL;

		if (!job->nr_locations ||
			job->locations[job->nr_locations - 1].offset != lookup->offset)
			job->locations[job->nr_locations++].offset = lookup->offset;
		lookup->location = (uint32_t)job->nr_locations - 1;
		if (map && map->has_link) {
			job->locations[lookup->location].has_link_address = true;
			job->locations[lookup->location].link_address =
				map->link + frame->addr - frame->call;
		}
	}
}

/* Returns whether all frames of FILE have names. */
static bool has_names(const struct recording *rec, const struct lookup_file *file)
{
	for (size_t i = 0; i < file->nr; i++)
		if (!rec->frames[file->lookups[i].frame].nr_names)
			return false;
	return true;
}

static void add_file(struct finder *f, struct lookup *lookups, size_t nr)
{
	struct lookup_list *list = f->list;

	ALLOC_GROW(list->files, list->nr, list->alloc);
	struct lookup_file *file = &list->files[list->nr++];

	*file = (struct lookup_file){
		.lookups = lookups,
		.nr = nr,
		.path = xstrdup(recording_get(f->rec, lookups->path)),
		.build_id = xstrdup(recording_get(f->rec, lookups->build_id)),
		.release = xstrdup(recording_get(f->rec, f->rec->kernel_release)),
		.module = {.path = lookups->path,
			.build_id = lookups->build_id,
			.pid = lookups->pid},
	};
	file->job = (struct lookup_job){
		.path = file->path,
		.build_id = file->build_id,
		.release = file->release,
		.open = open_files_find(
			f->options->files, file->build_id, file->path, lookups->owner),
		.silent = open_files_is_silent(f->options->files, file->path),
		.options = f->options,
	};
	file->named = has_names(f->rec, file);
	make_locations(f->rec, file);
}

void lookup_list_init(
	struct lookup_list *list, const struct recording *rec, const struct symbol_options *options)
{
	struct finder f = {rec, options, list};
	size_t nr = 0, end;

	*list = (struct lookup_list){.lookups = xcalloc(rec->nr_frames, sizeof(*list->lookups))};
	for (size_t i = 0; i < rec->nr_frames && i < UINT32_MAX; i++)
		nr += needs_lookup(&f, (uint32_t)i, &list->lookups[nr]);
	if (nr)
		qsort(list->lookups, nr, sizeof(*list->lookups), compare_lookups);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1;
			end < nr && !compare_files(&list->lookups[i], &list->lookups[end]); end++)
			;
		add_file(&f, list->lookups + i, end - i);
	}
}

void lookup_list_release(struct lookup_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct lookup_file *file = &list->files[i];

		free(file->job.locations);
		free(file->path);
		free(file->build_id);
		free(file->release);
		free(file->downloaded);
		free(file->downloaded_alt);
	}
	free(list->files);
	free(list->lookups);
}
