/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangle.h"
#include "elffile.h"
#include "symbol.h"
#include "symtab.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <stdlib.h>
#include <string.h>

/* A frame that wants a name, with what says where it lies. */
struct wanted {
	uint32_t path, build_id; /* strings of the recording */
	uint32_t frame;
	uint64_t at; /* offset in the file of the byte that is looked up */
};

struct resolver {
	struct recording *rec;
	const struct symbol_options *options;
	struct strbuf *notes;
	struct strbuf scratch, mangled;
	/* the function that was named last: sorted frames come in runs of one function */
	const char *last_name;
	bool last_plt;
	uint32_t last_string;
	size_t missing;
	uint32_t first_missing;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int order = compare_u64(x->path, y->path);

	if (!order)
		order = compare_u64(x->build_id, y->build_id);
	if (!order)
		order = compare_u64(x->at, y->at);
	return order ? order : compare_u64(x->frame, y->frame);
}

/* False when FRAME has a name or lies in no mapping. */
static bool wants_name(const struct recording *rec, uint32_t number, struct wanted *wanted)
{
	const struct rec_frame *frame = &rec->frames[number];
	const struct rec_map *map;
	uint64_t at;

	if (frame->place != AT_MAP || frame->nr_names || frame->map >= rec->nr_maps)
		return false;
	map = &rec->maps[frame->map];
	if (__builtin_add_overflow(map->offset, frame->addr, &at) || (frame->call && !at))
		return false;
	*wanted = (struct wanted){map->path, map->build_id, number, at - frame->call};
	return true;
}

static struct elffile *open_vdso(const char *build_id)
{
	struct elffile *elf = elffile_open_vdso();

	if (elf && *build_id && !strcmp(elffile_build_id(elf), build_id))
		return elf;
	elffile_close(elf);
	return NULL;
}

static struct elffile *open_file(struct resolver *r, const struct wanted *first, const char *path)
{
	const char *build_id = recording_get(r->rec, first->build_id);
	const char *root = r->options->root;
	struct elffile *elf;
	char *full;

	full = xasprintf("%s%s", root ? root : "", path);
	elf = elffile_open(full, NULL);
	free(full);
	if (!elf) {
		if (!r->missing++)
			r->first_missing = first->path;
		return NULL;
	}
	if (*build_id && strcmp(elffile_build_id(elf), build_id)) {
		message_add_path(r->notes, path);
		strbuf_addf(r->notes, " is not the file that was recorded (build-id %s, not ",
			*elffile_build_id(elf) ? elffile_build_id(elf) : "missing");
		message_add(r->notes, build_id, strlen(build_id));
		strbuf_adds(r->notes, ")\n");
		elffile_close(elf);
		return NULL;
	}
	return elf;
}

void symbol_files_add(struct symbol_files *files, struct elffile *elf)
{
	ALLOC_GROW(files->list, files->nr, files->alloc);
	files->list[files->nr++] = elf;
}

void symbol_files_release(struct symbol_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		elffile_close(files->list[i]);
	free(files->list);
	*files = (struct symbol_files){0};
}

static struct elffile *find_open(const struct symbol_files *files, const char *build_id)
{
	for (size_t i = 0; files && *build_id && i < files->nr; i++)
		if (!strcmp(elffile_build_id(files->list[i]), build_id))
			return files->list[i];
	return NULL;
}

static bool is_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), n = sizeof(mark) - 1;

	return len >= n && !strcmp(path + len - n, mark);
}

static uint32_t function_string(struct resolver *r, const struct symtab_hit *hit)
{
	if (r->last_name == hit->name && r->last_plt == hit->plt)
		return r->last_string;
	strbuf_reset(&r->mangled);
	strbuf_add(&r->mangled, hit->name, hit->name_len);
	strbuf_reset(&r->scratch);
	if (!demangle_add(&r->scratch, r->mangled.buf, r->options->demangle))
		strbuf_add(&r->scratch, hit->name, hit->name_len);
	if (hit->plt)
		strbuf_adds(&r->scratch, "@plt");
	r->last_name = hit->name;
	r->last_plt = hit->plt;
	r->last_string = strpool_add(&r->rec->strings, r->scratch.buf, r->scratch.len);
	return r->last_string;
}

static void name_frames(struct resolver *r, const struct elffile *elf, struct symtab *tab,
	const struct wanted *wanted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct rec_name name = {0};
		struct symtab_hit hit;
		uint64_t address;

		if (!elffile_address(elf, wanted[i].at, &address) ||
			!symtab_find(tab, address, &hit))
			continue;
		name.function = function_string(r, &hit);
		name.offset = address - hit.start + r->rec->frames[wanted[i].frame].call;
		recording_name_frame(r->rec, wanted[i].frame, &name, 1);
	}
	r->last_name = NULL; /* goes with the file */
}

/* Names the N frames of WANTED, which all lie in one file. */
static void resolve_file(struct resolver *r, const struct wanted *wanted, size_t n)
{
	/* strings of the recording move when names are added */
	char *path = xstrdup(recording_get(r->rec, wanted->path));
	const char *build_id = recording_get(r->rec, wanted->build_id);
	struct elffile *open = find_open(r->options->files, build_id), *elf = open;

	if (!elf && !strcmp(path, "[vdso]"))
		elf = open_vdso(build_id);
	else if (!elf && path[0] == '/' && !is_deleted(path))
		elf = open_file(r, wanted, path);
	if (elf) {
		struct symtab *tab = symtab_new(elf, path, r->options->root);

		name_frames(r, elf, tab, wanted, n);
		symtab_free(tab);
	}
	if (!open)
		elffile_close(elf);
	free(path);
}

static void note_missing(const struct resolver *r)
{
	const char *path = recording_get(r->rec, r->first_missing);

	if (!r->missing)
		return;
	if (r->missing > 1)
		strbuf_addf(r->notes, "%zu files are not here or cannot be read, as ", r->missing);
	message_add_path(r->notes, path);
	strbuf_adds(r->notes, r->missing > 1 ? "\n" : " is not here or cannot be read\n");
}

void symbol_resolve(
	struct recording *rec, const struct symbol_options *options, struct strbuf *notes)
{
	struct resolver r = {
		.rec = rec,
		.options = options,
		.notes = notes,
		.scratch = STRBUF_INIT,
		.mangled = STRBUF_INIT,
	};
	struct wanted *wanted = xmalloc(rec->nr_frames * sizeof(*wanted));
	size_t nr = 0, end;

	for (size_t i = 0; i < rec->nr_frames && i < UINT32_MAX; i++)
		nr += wants_name(rec, (uint32_t)i, &wanted[nr]);
	qsort(wanted, nr, sizeof(*wanted), compare_wanted);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && wanted[end].path == wanted[i].path &&
				  wanted[end].build_id == wanted[i].build_id;
			end++)
			;
		resolve_file(&r, wanted + i, end - i);
	}
	note_missing(&r);
	strbuf_release(&r.scratch);
	strbuf_release(&r.mangled);
	free(wanted);
}
