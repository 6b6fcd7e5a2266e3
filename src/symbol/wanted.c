/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wanted.h"
#include "files.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

struct finder {
	const struct recording *rec;
	const struct symbol_options *options;
	struct wanted_list *list;
};

static bool is_file(const struct finder *f, const struct rec_map *map)
{
	const char *path = recording_get(f->rec, map->path);

	return !recording_is_memory(path) || *recording_get(f->rec, map->build_id) ||
	       (path[0] == '/' && symbol_files_find(f->options->files, "", path));
}

bool wanted_debuginfo(const struct symbol_options *options)
{
	return options->inlines || options->lines || options->lines_here;
}

bool wanted_more(const struct recording *rec, const struct symbol_options *options,
	const struct rec_frame *frame)
{
	const struct rec_name *last = &rec->names[frame->names + frame->nr_names - 1];

	if (!wanted_debuginfo(options))
		return false;
	return !last->file || (options->inlines && !recording_meta(rec, "inlines"));
}

/* Frames of the kernel have their names from the start, but no more. */
static bool wants_kernel(const struct finder *f, uint32_t number, struct wanted *wanted)
{
	const struct recording *rec = f->rec;
	const struct rec_frame *frame = &rec->frames[number];

	if (frame->place != AT_ADDRESS || frame->nr_names == 0 ||
		!wanted_more(rec, f->options, frame))
		return false;
	uint32_t path = rec->names[frame->names + frame->nr_names - 1].module;
	struct rec_module module = recording_find_module(rec, recording_get(rec, path));

	*wanted = (struct wanted){
		.path = path,
		.build_id = module.build_id,
		.frame = number,
		.at = frame->addr - frame->call - module.text,
	};
	return module.build_id && module.text;
}

/* False when FRAME has all that is wanted, or lies in no mapping. */
static bool wants_name(const struct finder *f, uint32_t number, struct wanted *wanted)
{
	const struct recording *rec = f->rec;
	const struct rec_frame *frame = &rec->frames[number];
	const struct rec_map *map;
	bool in_file;
	uint64_t at;

	if (frame->kind == FRAME_KERNEL)
		return wants_kernel(f, number, wanted);
	if (frame->place != AT_MAP || frame->map >= rec->nr_maps || frame->kind != FRAME_USER)
		return false;
	map = &rec->maps[frame->map];
	in_file = is_file(f, map);
	if (frame->nr_names && (!in_file || !wanted_more(f->rec, f->options, frame)))
		return false;
	if (__builtin_add_overflow(in_file ? map->offset : map->start, frame->addr, &at) ||
		(frame->call && !at))
		return false;
	*wanted = (struct wanted){
		.path = in_file ? map->path : 0,
		.build_id = in_file ? map->build_id : 0,
		.pid = in_file ? 0 : map->pid,
		.frame = number,
		.at = at - frame->call,
	};
	return true;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_files(const struct wanted *a, const struct wanted *b)
{
	int order = compare_u64(a->path, b->path);

	if (!order)
		order = compare_u64(a->build_id, b->build_id);
	return order ? order : compare_u64(a->pid, b->pid);
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int order = compare_files(x, y);

	if (!order)
		order = compare_u64(x->at, y->at);
	return order ? order : compare_u64(x->frame, y->frame);
}

/* Each byte of the file once, however many frames stand there. */
static void make_places(const struct recording *rec, struct wanted_file *file)
{
	struct module *m = &file->module;

	m->places = xcalloc(file->nr, sizeof(*m->places));
	for (size_t i = 0; i < file->nr; i++) {
		struct wanted *w = &file->frames[i];
		const struct rec_frame *frame = &rec->frames[w->frame];
		const struct rec_map *map = frame->place == AT_MAP ? &rec->maps[frame->map] : NULL;

		if (!m->nr_places || m->places[m->nr_places - 1].offset != w->at)
			m->places[m->nr_places++].offset = w->at;
		w->place = (uint32_t)m->nr_places - 1;
		if (map && map->has_link) {
			m->places[w->place].has_link = true;
			m->places[w->place].link = map->link + frame->addr - frame->call;
		}
	}
}

static void add_file(struct finder *f, struct wanted *frames, size_t nr)
{
	struct wanted_list *list = f->list;

	ALLOC_GROW(list->files, list->nr, list->alloc);
	struct wanted_file *file = &list->files[list->nr++];

	*file = (struct wanted_file){
		.frames = frames,
		.nr = nr,
		.path = xstrdup(recording_get(f->rec, frames->path)),
		.build_id = xstrdup(recording_get(f->rec, frames->build_id)),
		.release = xstrdup(recording_get(f->rec, f->rec->kernel_release)),
		.said = {.path = frames->path, .build_id = frames->build_id, .pid = frames->pid},
	};
	file->module = (struct module){
		.path = file->path,
		.build_id = file->build_id,
		.release = file->release,
		.open = symbol_files_find(f->options->files, file->build_id, file->path),
		.options = f->options,
	};
	make_places(f->rec, file);
}

void wanted_find(
	struct wanted_list *list, const struct recording *rec, const struct symbol_options *options)
{
	struct finder f = {rec, options, list};
	size_t nr = 0, end;

	*list = (struct wanted_list){.frames = xcalloc(rec->nr_frames, sizeof(*list->frames))};
	for (size_t i = 0; i < rec->nr_frames && i < UINT32_MAX; i++)
		nr += wants_name(&f, (uint32_t)i, &list->frames[nr]);
	if (nr)
		qsort(list->frames, nr, sizeof(*list->frames), compare_wanted);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && !compare_files(&list->frames[i], &list->frames[end]);
			end++)
			;
		add_file(&f, list->frames + i, end - i);
	}
}

void wanted_release(struct wanted_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct wanted_file *file = &list->files[i];

		free(file->module.places);
		free(file->path);
		free(file->build_id);
		free(file->release);
		free(file->fetched);
		free(file->fetched_alt);
	}
	free(list->files);
	free(list->frames);
}
