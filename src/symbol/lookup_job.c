/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup_job.h"
#include "lib/util.h"
#include "lookup_result.h"
#include "symbol_options.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files that names come from. */
struct sources {
	struct lookup_job *job;
	struct elffile *elf, *debug, *alt;
	struct symtab *symtab;
	struct debuginfo *debuginfo;
	/* of a kernel or its module: link address and size of the code that offsets count from */
	uint64_t text, text_size;
	struct lookup_result result;
	struct strbuf name;
};

static struct debug_paths debug_paths_of(const struct lookup_job *job)
{
	return (struct debug_paths){.root = job->options->root, .path = job->options->debug_path};
}

const char lookup_job_silent[] = "its file system does not answer";

static void explain(struct sources *s, enum symbol_gap gap, const char *detail)
{
	struct lookup_header *header = &s->result.header;

	header->gap = gap;
	strncpy(header->detail, detail, sizeof(header->detail) - 1);
}

static bool is_vdso(const struct lookup_job *job)
{
	return !strcmp(job->path, "[vdso]");
}

static bool is_kernel(const struct lookup_job *job)
{
	return job->path[0] == '[' && !is_vdso(job);
}

/* The path is its name in brackets. */
static bool is_kernel_module(const struct lookup_job *job)
{
	return is_kernel(job) && strcmp(job->path, "[kernel]") != 0;
}

static void explain_absent(struct sources *s, int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		explain(s, GAP_GONE, "");
		break;
	case ENXIO:
		explain(s, GAP_NOT_ELF, "");
		break;
	case ETIMEDOUT:
		explain(s, GAP_UNREADABLE, lookup_job_silent);
		break;
	default:
		explain(s, GAP_UNREADABLE, strerror(error));
	}
}

/* The file itself, if it is the recorded one. */
static struct elffile *open_mapped(struct sources *s)
{
	const struct lookup_job *job = s->job;
	struct elffile *elf;

	if (job->open || is_kernel(job))
		return job->open;
	if (!is_vdso(job) && job->fd < 0) {
		explain_absent(s, job->mapped.error);
		return NULL;
	}
	elf = is_vdso(job) ? elffile_open_vdso() : elffile_open_fd(job->fd, NULL);
	if (!elf) {
		explain(s, is_vdso(job) ? GAP_OTHER : GAP_NOT_ELF, "");
	} else if (*job->build_id ? strcmp(elffile_build_id(elf), job->build_id) != 0
				  : is_vdso(job)) {
		explain(s, GAP_OTHER, elffile_build_id(elf));
		s->result.header.replaced = 1;
		strncpy(s->result.header.other_id, elffile_build_id(elf),
			sizeof(s->result.header.other_id) - 1);
		elffile_close(elf);
		elf = NULL;
	}
	return elf;
}

static bool has_section(const struct elffile *elf, const char *name)
{
	GElf_Shdr shdr;

	return elf && elffile_section(elffile_elf(elf), name, &shdr);
}

static bool has_debuginfo(const struct elffile *elf)
{
	return has_section(elf, ".debug_info") || has_section(elf, ".zdebug_info");
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

/* Servers send no compressed files; installed modules may be. */
static struct elffile *open_debug_fd(const struct lookup_job *job)
{
	if (job->debug_fd < 0 || (job->downloaded && !is_elf(job->debug_fd)))
		return NULL;
	return is_kernel_module(job) ? debugfile_open_module_checked(job->debug_fd, job->build_id)
				     : debugfile_open_checked(job->debug_fd, job->build_id);
}

static struct elffile *open_debug_kernel(
	const struct lookup_job *job, const struct debug_paths *where)
{
	char *name = xstrndup(job->path + 1, strcspn(job->path + 1, "]"));
	struct elffile *debug = debugfile_open_kernel(
		job->build_id, job->release, is_kernel_module(job) ? name : NULL, where);

	free(name);
	return debug;
}

static struct elffile *open_debug(struct sources *s)
{
	const struct lookup_job *job = s->job;
	struct debug_paths where = debug_paths_of(job);
	struct elffile *debug = open_debug_fd(job);

	if (job->absent)
		return NULL;
	s->result.header.rejected = !debug && job->downloaded;
	if (!debug && is_kernel(job))
		debug = open_debug_kernel(job, &where);
	else if (!debug && s->elf)
		debug = debugfile_open(s->elf, job->path, &where);
	else if (!debug)
		debug = debugfile_open_alone(job->build_id, job->path, &where);
	return debug;
}

/* The file that dwz moved debug information of IN to; if it is missing, the result says so. */
static struct elffile *open_alt(struct sources *s, const struct elffile *in)
{
	struct debug_paths where = debug_paths_of(s->job);
	char *id = debugfile_alt_id(in);
	struct elffile *alt = NULL;

	if (id && s->job->alt_fd >= 0)
		alt = debugfile_open_alt_checked(s->job->alt_fd, id);
	if (id && !alt)
		alt = debugfile_open_alt(in, &where);
	if (id && !alt)
		strncpy(s->result.header.alt_id, id, sizeof(s->result.header.alt_id) - 1);
	free(id);
	return alt;
}

static void open_debuginfo(struct sources *s)
{
	const struct elffile *in = has_debuginfo(s->debug) ? s->debug : s->elf;

	if (!has_debuginfo(in))
		return;
	s->alt = open_alt(s, in);
	s->debuginfo = debuginfo_new(in, s->alt);
}

/* Finds the code that recorded offsets count from. */
static bool find_text(struct sources *s)
{
	GElf_Shdr shdr;

	if (!is_kernel_module(s->job)) {
		s->text_size = UINT64_MAX;
		return elffile_symbol(s->debug, "_stext", &s->text);
	}
	if (!elffile_section(elffile_elf(s->debug), ".text", &shdr))
		return false;
	s->text = shdr.sh_addr;
	s->text_size = shdr.sh_size;
	return true;
}

/* Only a kernel's debug file is read, and only for lines and inlined calls. */
static void open_kernel(struct sources *s)
{
	s->debug = open_debug(s);
	if (!s->debug)
		explain(s, GAP_STRIPPED, "");
	else if (find_text(s))
		open_debuginfo(s);
	s->result.header.source = SOURCE_OWN;
	s->result.header.has_debuginfo = s->debuginfo != NULL;
}

static enum symbol_source source_of(const struct sources *s)
{
	switch (symtab_source(s->symtab)) {
	case SYMTAB_DYNSYM:
		return SOURCE_DYNSYM;
	case SYMTAB_OWN:
		return SOURCE_OWN;
	case SYMTAB_DEBUG:
		return s->job->downloaded ? SOURCE_SERVER : SOURCE_DEBUG;
	default:
		return SOURCE_NONE;
	}
}

static void open_sources(struct sources *s)
{
	struct lookup_job *job = s->job;
	bool needs_debuginfo = symbol_needs_debuginfo(job->options);

	if (is_kernel(job)) {
		open_kernel(s);
		return;
	}
	s->elf = open_mapped(s);
	if (!has_section(s->elf, ".symtab") || job->downloaded ||
		(needs_debuginfo && !has_debuginfo(s->elf)))
		s->debug = open_debug(s);
	if (!s->elf && !s->debug)
		return;
	s->symtab = symtab_new(s->elf, s->debug, &job->store);
	s->result.header.source = source_of(s);
	if (s->result.header.source <= SOURCE_DYNSYM)
		explain(s, GAP_STRIPPED, "");
	else
		explain(s, GAP_NONE, "");
	if (needs_debuginfo)
		open_debuginfo(s);
	s->result.header.has_debuginfo = s->debuginfo != NULL;
}

static bool link_address(
	const struct sources *s, const struct job_location *location, uint64_t *address)
{
	if (s->elf && elffile_address(s->elf, location->offset, address))
		return true;
	if (is_kernel(s->job)) {
		*address = s->text + location->offset;
		return location->offset < s->text_size;
	}
	*address = location->link_address;
	return location->has_link_address ||
	       (s->debug && elffile_address(s->debug, location->offset, address));
}

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

static const char *hit_name(struct sources *s, const struct symtab_hit *hit)
{
	strbuf_reset(&s->name);
	strbuf_add(&s->name, hit->name, hit->name_len);
	if (hit->plt)
		strbuf_adds(&s->name, "@plt");
	return s->name.buf;
}

/* For the callback of debuginfo_find. */
struct debuginfo_lookup {
	struct sources *s;
	const struct job_address *list;
	bool *found;
};

/* A function without a symbol has a start at least. */
static void add_start(struct sources *s, const struct job_address *address)
{
	struct ehframe_function f;

	if (s->elf && !is_kernel(s->job) && ehframe_function(s->elf, address->address, &f))
		lookup_result_add_start(
			&s->result, &(struct lookup_start){f.start, address->location, f.is_cold});
}

/* The address before a signal trampoline looks like that of the call of the handler. */
static bool find_function(struct sources *s, uint64_t address, struct symtab_hit *hit)
{
	struct ehframe_function f;

	if (!s->symtab)
		return false;
	if (symtab_find(s->symtab, address, hit))
		return true;
	return s->elf && ehframe_function(s->elf, address, &f) && f.is_trampoline &&
	       address + 1 == f.start && symtab_find(s->symtab, f.start, hit);
}

/*
 * Adds the names of one location: inlined calls from the debug information, the function itself
 * from the symbol table. A kernel's functions have their names already; assembly has only lines in
 * the debug information, and these are added, too.
 */
static void add_names(struct sources *s, const struct job_address *address,
	const struct debuginfo_frame *frames, size_t nr)
{
	const struct debuginfo_frame none = {0}, *last = nr ? &frames[nr - 1] : &none;
	const char *function = last->function;
	struct symtab_hit hit = {.start = address->address};

	if (find_function(s, address->address, &hit))
		function = hit_name(s, &hit);
	if ((!function || !*function) && nr && is_kernel(s->job))
		function = "[unknown]";
	if (!function || !*function) {
		add_start(s, address);
		return;
	}
	lookup_result_begin(&s->result, address->location);
	for (size_t i = 0; i + 1 < nr; i++)
		lookup_result_add(&s->result,
			frames[i].function && *frames[i].function ? frames[i].function
								  : "[unknown]",
			0, frames[i].file, frames[i].line);
	lookup_result_add(
		&s->result, function, address->address - hit.start, last->file, last->line);
}

static void add_debuginfo_names(
	void *arg, size_t i, const struct debuginfo_frame *frames, size_t nr)
{
	struct debuginfo_lookup *l = arg;

	l->found[i] = true;
	add_names(l->s, &l->list[i], frames, nr);
}

static void find_names(struct sources *s, const struct job_address *list, size_t nr)
{
	struct debuginfo_lookup lookup = {.s = s, .list = list, .found = xcalloc(nr, sizeof(bool))};
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = list[i].address;
	if (s->debuginfo)
		debuginfo_find(s->debuginfo, addresses, nr, s->job->options->inlines,
			add_debuginfo_names, &lookup);
	for (size_t i = 0; i < nr; i++)
		if (!lookup.found[i])
			add_names(s, &list[i], NULL, 0);
	free(lookup.found);
	free(addresses);
}

static void look_up_all(struct sources *s)
{
	const struct lookup_job *job = s->job;
	struct job_address *list = xcalloc(job->nr_locations, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < job->nr_locations; i++)
		if (link_address(s, &job->locations[i], &list[nr].address))
			list[nr++].location = (uint32_t)i;
	if (nr)
		qsort(list, nr, sizeof(*list), compare_addresses);
	find_names(s, list, nr);
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
	struct debug_paths where = debug_paths_of(job);

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
	struct sources s = {.job = job, .name = STRBUF_INIT};

	lookup_result_init(&s.result);
	open_sources(&s);
	if (s.symtab || s.debuginfo)
		look_up_all(&s);
	lookup_result_write(&s.result, output);
	debuginfo_free(s.debuginfo);
	symtab_free(s.symtab);
	elffile_close(s.alt);
	elffile_close(s.debug);
	if (s.elf != s.job->open)
		elffile_close(s.elf);
	lookup_result_release(&s.result);
	strbuf_release(&s.name);
}
