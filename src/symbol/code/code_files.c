/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_files.h"
#include "arch/x86_64/elf_names.h"
#include "code_job.h"
#include "lib/util.h"
#include "lib/user.h"
#include "lib/word.h"
#include "lib/worker.h"
#include "running_kernel.h"
#include "symbol/fetch/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_S = 60 };                /* seconds that one file may take */
enum { POSITIONS_ANSWER = 1 << 29 }; /* bytes of the positions in a file */

/* A frame whose code is read. */
struct code_lookup {
	uint32_t path, build_id; /* strings of the recording */
	uint32_t frame;
	uint64_t offset; /* in the file, or from the start of the kernel's text */
	uint32_t location;
};

struct code_reader {
	struct code_files *files;
	const struct recording *rec;
	const struct code_options *options;
	struct opener *opener;
	struct running_kernel kernel;
	struct code_lookup *lookups;
	size_t nr;
};

/* A file that is read. */
struct code_reading {
	struct code_reader *reader;
	struct code_lookup *lookups;
	size_t nr, number; /* number of lookups, and of the file in the list */
	struct code_job job;
	char *downloaded;
};

/* ---- which frames ---- */

static bool find_kernel(
	const struct code_reader *r, const struct rec_frame *f, struct code_lookup *lookup)
{
	if (!f->nr_names)
		return false;
	uint32_t path = r->rec->names[f->names + f->nr_names - 1].module;
	struct rec_module module = recording_find_module(r->rec, recording_get(r->rec, path));

	lookup->path = path;
	lookup->build_id = module.build_id;
	lookup->offset = f->addr - f->call - module.text;
	return module.text;
}

static bool find_place(const struct code_reader *r, uint32_t number, struct code_lookup *lookup)
{
	const struct rec_frame *f = &r->rec->frames[number];

	*lookup = (struct code_lookup){.frame = number};
	if (f->kind == FRAME_KERNEL && f->place == AT_ADDRESS)
		return find_kernel(r, f, lookup);
	if (f->place != AT_MAP || f->kind != FRAME_USER || f->map >= r->rec->nr_maps)
		return false;
	const struct rec_map *map = &r->rec->maps[f->map];

	lookup->path = map->path;
	lookup->build_id = map->build_id;
	return !__builtin_add_overflow(map->offset, f->addr, &lookup->offset) &&
	       !__builtin_sub_overflow(lookup->offset, f->call, &lookup->offset) &&
	       (map->build_id || !recording_is_memory(recording_get(r->rec, map->path)));
}

static int compare_files(const struct code_lookup *a, const struct code_lookup *b)
{
	int order = compare_u64(a->path, b->path);

	return order ? order : compare_u64(a->build_id, b->build_id);
}

static int compare_lookups(const void *a, const void *b)
{
	const struct code_lookup *x = a, *y = b;
	int order = compare_files(x, y);

	if (!order)
		order = compare_u64(x->offset, y->offset);
	return order ? order : compare_u64(x->frame, y->frame);
}

static void find_lookups(struct code_reader *r, const bool *wanted)
{
	r->lookups = xcalloc(r->rec->nr_frames, sizeof(*r->lookups));
	for (size_t i = 0; i < r->rec->nr_frames && i < UINT32_MAX; i++)
		r->nr += wanted[i] && find_place(r, (uint32_t)i, &r->lookups[r->nr]);
	if (r->nr)
		qsort(r->lookups, r->nr, sizeof(*r->lookups), compare_lookups);
}

/* ---- one file ---- */

static void add_location(struct code_reading *reading, struct code_lookup *lookup)
{
	const struct code_reader *r = reading->reader;
	struct lookup_job *job = &reading->job.lookup;
	const struct rec_frame *f = &r->rec->frames[lookup->frame];
	const struct rec_map *map = f->place == AT_MAP ? &r->rec->maps[f->map] : NULL;
	bool is_new = !job->nr_locations ||
		      job->locations[job->nr_locations - 1].offset != lookup->offset;

	if (is_new && reading->job.kernel_places)
		running_kernel_place(&r->kernel, f->addr - f->call,
			&reading->job.kernel_places[job->nr_locations]);
	if (is_new)
		job->locations[job->nr_locations++].offset = lookup->offset;
	lookup->location = (uint32_t)job->nr_locations - 1;
	if (map && map->has_link) {
		job->locations[lookup->location].has_link_address = true;
		job->locations[lookup->location].link_address = map->link + f->addr - f->call;
	}
}

static void begin_reading(struct code_reading *reading, struct code_file *file)
{
	const struct code_reader *r = reading->reader;
	struct code_job *job = &reading->job;

	*job = (struct code_job){
		.intel = r->options->intel,
		.positions = r->options->positions,
		.kcore = -1,
		.lookup =
			{
				.path = file->path,
				.build_id = file->build_id,
				.release = recording_get(r->rec, r->rec->kernel_release),
				.locations = xcalloc(reading->nr, sizeof(*job->lookup.locations)),
				.options = r->options->symbol,
			},
	};
	if (lookup_job_is_kernel(&job->lookup) && r->kernel.is_recorded) {
		job->kcore = r->kernel.kcore;
		job->text_now = recording_find_module(r->rec, file->path).text;
		job->kernel_places = xcalloc(reading->nr, sizeof(*job->kernel_places));
	}
	for (size_t i = 0; i < reading->nr; i++)
		add_location(reading, &reading->lookups[i]);
}

static bool prepare(void *arg)
{
	struct code_reading *reading = arg;
	struct code_file *file = &reading->reader->files->list[reading->number];
	struct lookup_job *job = &reading->job.lookup;
	struct stat st;

	lookup_job_prepare(job, reading->reader->opener);
	if (job->mapped.path_fd >= 0 && !fstat(job->mapped.path_fd, &st))
		file->modified_ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
	return true;
}

static void open_files(void *arg)
{
	struct code_reading *reading = arg;

	lookup_job_open(&reading->job.lookup);
}

static void work(void *arg, struct strbuf *output)
{
	struct code_reading *reading = arg;

	code_job_work(&reading->job, output);
}

/* Returns whether FILE may be another file. Without a build-id, only its age shows that. */
static bool is_too_new(const struct code_reader *r, const struct code_file *file)
{
	uint64_t started = recording_started(r->rec);

	return !*file->build_id && started && file->modified_ns > 0 &&
	       (uint64_t)file->modified_ns > started;
}

static void add_absent(struct strbuf *why, int error)
{
	switch (error) {
	case 0:
		strbuf_adds(why, " is not an ELF file");
		break;
	case ENOENT:
	case ENOTDIR:
		strbuf_adds(why, " is not there: give its folder with --root");
		break;
	case ETIMEDOUT:
		strbuf_addf(why, ": %s", lookup_job_silent);
		break;
	case ENXIO:
		strbuf_adds(why, " is not a regular file");
		break;
	default:
		strbuf_addf(why, " cannot be read: %s", strerror(error));
	}
}

/* Appends why FILE, which was read, has no code, or nothing if it has code. */
static void explain(
	const struct code_reading *reading, const struct code_file *file, struct strbuf *why)
{
	const struct code_header *h = &file->code.header;

	if (lookup_job_is_kernel(&reading->job.lookup)) {
		if (h->nr_insns)
			return;
		message_add(why, file->path, strlen(file->path));
		running_kernel_explain(&reading->reader->kernel, why);
		return;
	}
	message_add_path(why, file->path);
	if (h->about.replaced)
		strbuf_addf(why,
			" is not the file that was recorded (build-id %s, not %s): its code is not "
			"shown",
			*h->about.other_id ? h->about.other_id : "missing", file->build_id);
	else if (!h->is_recorded)
		add_absent(why, reading->job.lookup.mapped.error);
	else if (is_too_new(reading->reader, file))
		strbuf_adds(why, " has no build-id and is newer than the recording: it may be "
				 "another file");
	else if (h->machine)
		strbuf_addf(why,
			" is for a machine that is not supported (%u, not " MACHINE_NAME ")",
			h->machine);
	else
		strbuf_reset(why);
}

static void finish(struct worker *w)
{
	struct code_reading *reading = w->arg;
	struct code_file *file = &reading->reader->files->list[reading->number];
	struct strbuf why = STRBUF_INIT;

	lookup_job_finish(&reading->job.lookup, w->end == WORKER_DONE);
	if (w->end == WORKER_DONE && !code_read(&file->code, &w->output)) {
		explain(reading, file, &why);
	} else {
		/* the reader may have been taken over, so its output is discarded */
		code_release(&file->code);
		code_init(&file->code);
		message_add_path(&why, file->path);
		strbuf_addf(&why, " cannot be read: %s", worker_failure(w->end));
	}
	if (why.len)
		file->why = strbuf_detach(&why);
	strbuf_release(&why);
	strbuf_release(&w->output);
}

/* ---- all files ---- */

static bool lacks_debuginfo(const struct code_file *file)
{
	return !file->code.header.about.has_debuginfo && *file->build_id && !file->why;
}

static void run(struct code_reading *readings, size_t nr, bool again)
{
	struct worker *workers = xcalloc(nr, sizeof(*workers));
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		struct code_file *file = &readings[i].reader->files->list[readings[i].number];

		if (again && !readings[i].downloaded)
			continue;
		code_release(&file->code);
		code_init(&file->code);
		readings[i].job.lookup.downloaded = readings[i].downloaded;
		workers[n++] = (struct worker){
			.prepare = prepare,
			.open = open_files,
			.work = work,
			.finish = finish,
			.arg = &readings[i],
			.answer_max = readings[i].job.positions ? POSITIONS_ANSWER : 0,
			.output = STRBUF_INIT,
		};
	}
	workers_run(workers, n, FILE_S);
	free(workers);
}

/* Downloads debug files with source lines. The ones for names are already in the cache. */
static void download(struct code_reading *readings, size_t nr, struct strbuf *notes)
{
	const struct code_reader *r = readings->reader;
	const struct symbol_options *symbol = r->options->symbol;
	struct debuginfod_options options = {
		.again = symbol->debuginfod == DEBUGINFOD_ALWAYS, .quiet = symbol->quiet};
	struct debuginfod_file *list = xcalloc(nr, sizeof(*list));
	size_t *from = xcalloc(nr, sizeof(*from)), n = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct code_file *file = &r->files->list[readings[i].number];

		if (!lacks_debuginfo(file))
			continue;
		from[n] = i;
		list[n++] =
			(struct debuginfod_file){.build_id = file->build_id, .name = file->path};
	}
	if (n)
		debuginfod_fetch(list, n, &options, notes);
	for (size_t i = 0; i < n; i++)
		readings[from[i]].downloaded = list[i].path;
	run(readings, nr, true);
	free(list);
	free(from);
}

static bool may_download(const struct code_reader *r)
{
	return r->options->symbol->debuginfod != DEBUGINFOD_NEVER && !user_is_sudo() &&
	       debuginfod_has_servers();
}

static size_t add_files(struct code_reader *r, struct code_reading *readings)
{
	struct code_files *files = r->files;
	size_t end;

	for (size_t i = 0; i < r->nr; i = end) {
		struct code_reading *reading = &readings[files->nr];

		for (end = i + 1; end < r->nr && !compare_files(&r->lookups[i], &r->lookups[end]);
			end++)
			;
		ALLOC_GROW(files->list, files->nr, files->alloc);
		files->list[files->nr] = (struct code_file){
			.path = xstrdup(recording_get(r->rec, r->lookups[i].path)),
			.build_id = xstrdup(recording_get(r->rec, r->lookups[i].build_id)),
		};
		code_init(&files->list[files->nr].code);
		*reading = (struct code_reading){
			.reader = r, .lookups = &r->lookups[i], .nr = end - i, .number = files->nr};
		begin_reading(reading, &files->list[files->nr++]);
	}
	return files->nr;
}

static void take_places(struct code_files *files, const struct code_reading *reading)
{
	const struct code *code = &files->list[reading->number].code;

	for (size_t i = 0; i < reading->nr; i++) {
		const struct code_lookup *lookup = &reading->lookups[i];
		uint32_t insn = lookup->location < code->header.nr_places
					? code->places[lookup->location]
					: 0;

		files->places[lookup->frame] =
			(struct code_place){(uint32_t)reading->number, insn ? insn - 1 : NO_CODE};
	}
}

void code_files_read(struct code_files *files, const struct recording *rec, const bool *wanted,
	const struct code_options *options, struct opener *opener, struct strbuf *notes)
{
	struct code_reader r = {.files = files, .rec = rec, .options = options, .opener = opener};
	struct code_reading *readings;

	*files = (struct code_files){.places = xcalloc(rec->nr_frames, sizeof(*files->places))};
	for (size_t i = 0; i < rec->nr_frames; i++)
		files->places[i] = (struct code_place){NO_CODE, NO_CODE};
	running_kernel_open(&r.kernel, rec);
	find_lookups(&r, wanted);
	readings = xcalloc(r.nr, sizeof(*readings));
	size_t nr = add_files(&r, readings);

	run(readings, nr, false);
	if (nr && may_download(&r))
		download(readings, nr, notes);
	for (size_t i = 0; i < nr; i++) {
		take_places(files, &readings[i]);
		free(readings[i].job.lookup.locations);
		free(readings[i].job.kernel_places);
		free(readings[i].downloaded);
	}
	free(readings);
	free(r.lookups);
	running_kernel_close(&r.kernel);
}

void code_files_release(struct code_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		code_release(&files->list[i].code);
		free(files->list[i].path);
		free(files->list[i].build_id);
		free(files->list[i].why);
	}
	free(files->list);
	free(files->places);
	*files = (struct code_files){0};
}
