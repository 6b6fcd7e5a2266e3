/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_files.h"
#include "lookup_result.h"
#include "symbol_options.h"
#include "symbol/dwarf/debuginfo.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/inflated.h"
#include "symbol/elf/symtab.h"
#include "lib/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void explain(struct job_files *s, enum symbol_gap gap, const char *detail)
{
	struct lookup_header *header = s->about;

	header->gap = gap;
	strncpy(header->detail, detail, sizeof(header->detail) - 1);
}

static bool is_vdso(const struct lookup_job *job)
{
	return !strcmp(job->path, "[vdso]");
}

bool lookup_job_is_kernel(const struct lookup_job *job)
{
	return job->path[0] == '[' && !is_vdso(job);
}

/* Returns whether JOB is about a kernel module, whose path is its name in brackets. */
static bool is_kernel_module(const struct lookup_job *job)
{
	return lookup_job_is_kernel(job) && strcmp(job->path, "[kernel]") != 0;
}

static void explain_absent(struct job_files *s, int error)
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

/* Opens the file itself, if it is the recorded one. */
static struct elffile *open_mapped(struct job_files *s)
{
	const struct lookup_job *job = s->job;
	struct elffile *elf;

	if (job->open || lookup_job_is_kernel(job))
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
		s->about->replaced = 1;
		strncpy(s->about->other_id, elffile_build_id(elf), sizeof(s->about->other_id) - 1);
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

/*
 * Opens the debug file that was found. Servers send no compressed files, but an installed module
 * may be compressed.
 */
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

static struct elffile *open_debug(struct job_files *s)
{
	const struct lookup_job *job = s->job;
	struct debug_paths where = lookup_job_paths(job);
	struct elffile *debug = open_debug_fd(job);

	if (job->absent)
		return NULL;
	s->about->rejected = !debug && job->downloaded;
	if (!debug && lookup_job_is_kernel(job))
		debug = open_debug_kernel(job, &where);
	else if (!debug && s->elf)
		debug = debugfile_open(s->elf, job->path, &where);
	else if (!debug)
		debug = debugfile_open_alone(job->build_id, job->path, &where);
	return debug;
}

/*
 * Opens the file that dwz moved debug information of IN to. If it is missing, the result says so.
 */
static struct elffile *open_alt(struct job_files *s, const struct elffile *in)
{
	struct debug_paths where = lookup_job_paths(s->job);
	char *id = debugfile_alt_id(in);
	struct elffile *alt = NULL;

	if (id && s->job->alt_fd >= 0)
		alt = debugfile_open_alt_checked(s->job->alt_fd, id);
	if (id && !alt)
		alt = debugfile_open_alt(in, &where);
	if (id && !alt)
		strncpy(s->about->alt_id, id, sizeof(s->about->alt_id) - 1);
	free(id);
	return alt;
}

static void open_debuginfo(struct job_files *s)
{
	const struct elffile *in = has_debuginfo(s->debug) ? s->debug : s->elf;

	if (!has_debuginfo(in))
		return;
	s->alt = open_alt(s, in);
	s->debuginfo = debuginfo_new(in, s->alt);
	if (!s->debuginfo && inflated_needs_zstd(elffile_elf(in)))
		s->about->lack = DEBUG_LACK_ZSTD;
}

void job_files_check_dwo(struct job_files *s)
{
	if (s->debuginfo && debuginfo_lacks_dwo(s->debuginfo))
		s->about->lack = DEBUG_LACK_DWO;
}

/* Finds the code from which recorded offsets are counted. */
static bool find_text(struct job_files *s)
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

/* Opens a kernel's debug file. No other file is read, and only lines and inlined calls are used. */
static void open_kernel(struct job_files *s)
{
	s->debug = open_debug(s);
	if (!s->debug)
		explain(s, GAP_STRIPPED, "");
	else if (find_text(s))
		open_debuginfo(s);
	s->about->source = SOURCE_OWN;
	s->about->has_debuginfo = s->debuginfo != NULL;
}

static enum symbol_source source_of(const struct job_files *s)
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

void job_files_open(struct job_files *s, struct lookup_job *job, struct lookup_header *about)
{
	bool needs_debuginfo = symbol_needs_debuginfo(job->options);

	*s = (struct job_files){.job = job, .about = about};
	if (lookup_job_is_kernel(job)) {
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
	s->about->source = source_of(s);
	if (s->about->source <= SOURCE_DYNSYM)
		explain(s, GAP_STRIPPED, "");
	else
		explain(s, GAP_NONE, "");
	if (needs_debuginfo)
		open_debuginfo(s);
	s->about->has_debuginfo = s->debuginfo != NULL;
}

bool job_files_address(
	const struct job_files *s, const struct job_location *location, uint64_t *address)
{
	if (s->elf && elffile_address(s->elf, location->offset, address))
		return true;
	if (lookup_job_is_kernel(s->job)) {
		*address = s->text + location->offset;
		return location->offset < s->text_size;
	}
	*address = location->link_address;
	return location->has_link_address ||
	       (s->debug && elffile_address(s->debug, location->offset, address));
}

/*
 * The return address of a signal handler is the start of a trampoline, so the address of its call
 * is the byte before the trampoline.
 */
bool job_files_function(struct job_files *s, uint64_t address, struct symtab_hit *hit)
{
	struct ehframe_function f;

	if (!s->symtab)
		return false;
	if (symtab_find(s->symtab, address, hit))
		return true;
	return s->elf && ehframe_function(s->elf, address, &f) && f.is_trampoline &&
	       address + 1 == f.start && symtab_find(s->symtab, f.start, hit);
}

void job_files_close(struct job_files *s)
{
	debuginfo_free(s->debuginfo);
	symtab_free(s->symtab);
	elffile_close(s->alt);
	elffile_close(s->debug);
	if (s->elf != s->job->open)
		elffile_close(s->elf);
}
