/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup_job.h"
#include "job_files.h"
#include "lib/util.h"
#include "lookup_result.h"
#include "nginx_names.h"
#include "symbol_options.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/symtab.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char lookup_job_silent[] = "its file system does not answer";

struct debug_paths lookup_job_paths(const struct lookup_job *job)
{
	return (struct debug_paths){.root = job->options->root, .path = job->options->debug_path};
}

/* The state of a job's work. */
struct naming {
	struct job_files files;
	struct lookup_result result;
	struct strbuf name;
	struct nginx_names *modules; /* or NULL if the file has none or was not searched */
	bool looked_for_modules;
};

struct job_address {
	uint64_t address;
	uint32_t location;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct job_address *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->location > y->location) - (x->location < y->location);
}

static const char *hit_name(struct naming *n, const struct symtab_hit *hit)
{
	strbuf_reset(&n->name);
	strbuf_add(&n->name, hit->name, hit->name_len);
	if (hit->plt)
		strbuf_adds(&n->name, "@plt");
	return n->name.buf;
}

/* The argument of the callback of debuginfo_find. */
struct debuginfo_lookup {
	struct naming *n;
	const struct job_address *list;
	bool *found;
};

static bool has_symbol(void *context, uint64_t address)
{
	struct naming *n = context;
	struct symtab_hit hit;

	return job_files_function(&n->files, address, &hit) && hit.start == address;
}

/* Returns the module of nginx whose code is at ADDRESS, or NULL if it is not known. */
static const char *find_module(struct naming *n, uint64_t address)
{
	if (!n->looked_for_modules)
		n->modules = nginx_names_new(n->files.elf, has_symbol, n);
	n->looked_for_modules = true;
	return n->modules ? nginx_names_find(n->modules, address) : NULL;
}

/* Adds a function without a symbol, by its start or, if its module is known, by a name. */
static void add_start(struct naming *n, const struct job_address *address)
{
	struct ehframe_function f;
	const char *module;

	if (!n->files.elf || lookup_job_is_kernel(n->files.job) ||
		!ehframe_function(n->files.elf, address->address, &f))
		return;
	module = find_module(n, f.start);
	if (!module) {
		lookup_result_add_start(
			&n->result, &(struct lookup_start){f.start, address->location, f.is_cold});
		return;
	}
	strbuf_reset(&n->name);
	strbuf_addf(&n->name, "[%s]+0x%" PRIx64, module, f.start);
	lookup_result_begin(&n->result, address->location);
	lookup_result_add(&n->result, n->name.buf, address->address - f.start, NULL, 0);
}

/*
 * Adds the names of one location. Inlined calls come from the debug information, the function
 * itself comes from the symbol table. A kernel's functions have their names already. Assembly has
 * only lines in the debug information, and these are added, too.
 */
static void add_names(struct naming *n, const struct job_address *address,
	const struct debuginfo_frame *frames, size_t nr)
{
	const struct debuginfo_frame none = {0}, *last = nr ? &frames[nr - 1] : &none;
	const char *function = last->function;
	struct symtab_hit hit = {.start = address->address};

	if (job_files_function(&n->files, address->address, &hit))
		function = hit_name(n, &hit);
	if ((!function || !*function) && nr && lookup_job_is_kernel(n->files.job))
		function = "[unknown]";
	if (!function || !*function) {
		add_start(n, address);
		return;
	}
	lookup_result_begin(&n->result, address->location);
	for (size_t i = 0; i + 1 < nr; i++)
		lookup_result_add(&n->result,
			frames[i].function && *frames[i].function ? frames[i].function
								  : "[unknown]",
			0, frames[i].file, frames[i].line);
	lookup_result_add(
		&n->result, function, address->address - hit.start, last->file, last->line);
}

static void add_debuginfo_names(
	void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct debuginfo_lookup *l = arg;

	l->found[i] = true;
	add_names(l->n, &l->list[i], frames, nr);
}

static void find_names(struct naming *n, const struct job_address *list, size_t nr)
{
	struct debuginfo_lookup lookup = {.n = n, .list = list, .found = xcalloc(nr, sizeof(bool))};
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = list[i].address;
	if (n->files.debuginfo)
		debuginfo_find(n->files.debuginfo, addresses, nr, n->files.job->options->inlines,
			add_debuginfo_names, &lookup);
	for (size_t i = 0; i < nr; i++)
		if (!lookup.found[i])
			add_names(n, &list[i], NULL, 0);
	free(lookup.found);
	free(addresses);
}

static void look_up_all(struct naming *n)
{
	const struct lookup_job *job = n->files.job;
	struct job_address *list = xcalloc(job->nr_locations, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < job->nr_locations; i++)
		if (job_files_address(&n->files, &job->locations[i], &list[nr].address))
			list[nr++].location = (uint32_t)i;
	if (nr)
		qsort(list, nr, sizeof(*list), compare_addresses);
	find_names(n, list, nr);
	free(list);
}

static struct found_file find_mapped(const struct lookup_job *job, struct opener *opener)
{
	struct found_file none = FOUND_NONE;

	none.error = job->silent ? ETIMEDOUT : ENOENT;
	if (job->open || job->silent || job->path[0] != '/')
		return none;
	return opener_find(opener, job->options->root, job->path);
}

static struct found_file find_downloaded(struct opener *opener, const char *path)
{
	return path ? opener_find(opener, NULL, path) : FOUND_NONE;
}

bool lookup_job_prepare(struct lookup_job *job, struct opener *opener)
{
	struct debug_paths where = lookup_job_paths(job);

	job->mapped = find_mapped(job, opener);
	job->debug = job->downloaded ? find_downloaded(opener, job->downloaded)
				     : opener_find_debug(opener, job->build_id, &where);
	job->alt = find_downloaded(opener, job->downloaded_alt);
	job->fd = job->debug_fd = job->alt_fd = -1;
	job->absent = job->path[0] != '[' && !job->open && job->mapped.path_fd < 0 &&
		      job->debug.path_fd < 0 && !opener_is_named(opener, job->path, &where);
	job->store = (struct symstore){.in = -1, .out = -1};
	if (!job->absent)
		symstore_prepare(&job->store, job->build_id);
	return !job->absent;
}

void lookup_job_open(struct lookup_job *job)
{
	job->fd = found_file_open(&job->mapped);
	job->debug_fd = found_file_open(&job->debug);
	job->alt_fd = found_file_open(&job->alt);
}

void lookup_job_finish(struct lookup_job *job, bool done)
{
	const struct found_file *const files[] = {&job->mapped, &job->debug, &job->alt};
	struct symimage_origin own = job->mapped.origin;

	if (job->open)
		symstore_origin(elffile_fd(job->open), &own);
	if (done)
		symstore_keep(&job->store, job->build_id, &own, &job->debug.origin);
	symstore_release(&job->store);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (files[i]->path_fd >= 0)
			close(files[i]->path_fd);
}

void lookup_job_work(struct lookup_job *job, struct strbuf *output)
{
	struct naming n = {.name = STRBUF_INIT};

	lookup_result_init(&n.result);
	job_files_open(&n.files, job, &n.result.header);
	if (n.files.symtab || n.files.debuginfo)
		look_up_all(&n);
	job_files_check_dwo(&n.files);
	lookup_result_write(&n.result, output);
	nginx_names_free(n.modules);
	job_files_close(&n.files);
	lookup_result_release(&n.result);
	strbuf_release(&n.name);
}
