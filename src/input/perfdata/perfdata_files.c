/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_files.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "model/recording.h"
#include "runtime/native.h"
#include "symbol/elf/elffile.h"
#include "unwind/unwind_build.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RULES_S = 60 /* seconds that the rules of one file may take */ };

void perfdata_files_init(
	struct perfdata_files *fs, struct recording *rec, const struct debug_paths *paths)
{
	*fs = (struct perfdata_files){.rec = rec, .paths = *paths};
	table_init(&fs->by_name);
	table_init(&fs->build_ids);
	opener_init(&fs->opener);
}

void perfdata_files_release(struct perfdata_files *fs)
{
	for (size_t i = 0; i < fs->nr; i++) {
		elffile_close(fs->list[i].elf);
		unwind_table_release(&fs->list[i].table);
	}
	free(fs->list);
	free(fs->pages);
	table_release(&fs->by_name);
	table_release(&fs->build_ids);
	opener_release(&fs->opener);
}

uint32_t perfdata_files_add(
	struct perfdata_files *fs, const char *path, uint32_t build_id, uint32_t pid)
{
	struct perfdata_file f = {.build_id = build_id, .gap = CUT_DENIED};
	bool is_new, is_memory = recording_is_memory(path) && strcmp(path, "[vdso]") != 0;

	f.path = recording_string(fs->rec, path);
	f.pid = is_memory ? pid : 0;

	uint32_t *at = table_put(&fs->by_name, (uint64_t)f.path << 32 | f.pid, f.build_id, &is_new);

	if (!is_new)
		return *at;
	ALLOC_GROW(fs->list, fs->nr, fs->alloc);
	fs->list[fs->nr] = f;
	return *at = (uint32_t)fs->nr++;
}

uint32_t perfdata_files_build_id(const struct perfdata_files *fs, const struct perfdata_file *f)
{
	const uint32_t *listed =
		f->build_id || f->pid ? NULL : table_get(&fs->build_ids, f->path, 0);

	return listed ? *listed : f->build_id;
}

/* Reads a file's rules in a child. */
struct rules_job {
	struct perfdata_file *file;
	const char *build_id;
	bool analysed;
};

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void build(void *arg, struct strbuf *output)
{
	const struct rules_job *job = arg;
	struct unwind_table table = {0};

	if (unwind_build(&table, job->file->elf, native_sources, job->analysed, NULL))
		return;
	strbuf_add(output, table.blocks, table.size);
	unwind_table_release(&table);
}

/* Opens the table in the child's OUTPUT, which is not trusted. */
static int take_table(const struct strbuf *output, const char *build_id, struct unwind_table *table)
{
	int fd = output->len ? memfd_create("unwind", MFD_CLOEXEC) : -1, ret = -1;

	if (fd >= 0 && !write_whole(fd, output->buf, output->len))
		ret = unwind_table_open(table, fd, build_id);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Reads the rules of F. With ANALYSED, also of code without unwind information. */
static void read_rules(struct perfdata_file *f, bool analysed)
{
	struct rules_job job = {f, elffile_build_id(f->elf), analysed};
	struct worker worker = {.prepare = always,
		.work = build,
		.arg = &job,
		.no_files = true,
		.output = STRBUF_INIT};
	struct unwind_table table = {0};

	f->is_read = true;
	f->is_analysed = analysed;
	workers_run(&worker, 1, RULES_S);
	if (worker.end == WORKER_DONE && !take_table(&worker.output, job.build_id, &table)) {
		unwind_table_release(&f->table);
		f->table = table;
	}
	f->gap = worker.end == WORKER_DONE ? CUT_RULES : CUT_DAMAGED;
	strbuf_release(&worker.output);
}

/* Opens what was FOUND if its build-id is BUILD_ID, or if that is "". */
static struct elffile *open_found(
	struct perfdata_file *f, struct found_file found, const char *build_id)
{
	struct elffile *elf;
	int error = found.error, fd = found_file_open(&found);

	if (fd < 0) {
		f->gap = error == ETIMEDOUT ? CUT_SILENT : CUT_DENIED;
		return NULL;
	}
	elf = elffile_open_fd(fd, NULL);
	f->gap = elf ? CUT_RULES : CUT_NOT_ELF;
	if (elf && *build_id && strcmp(elffile_build_id(elf), build_id) != 0) {
		elffile_close(elf);
		f->gap = CUT_DENIED;
		return NULL;
	}
	return elf;
}

static void open_file(struct perfdata_files *fs, struct perfdata_file *f)
{
	const char *path = recording_get(fs->rec, f->path);
	const char *build_id = recording_get(fs->rec, perfdata_files_build_id(fs, f));

	if (!strcmp(path, "[vdso]"))
		f->elf = elffile_open_vdso();
	else if (path[0] == '/')
		f->elf = open_found(f, opener_find(&fs->opener, fs->paths.root, path), build_id);
	if (f->elf && *build_id && strcmp(elffile_build_id(f->elf), build_id) != 0) {
		elffile_close(f->elf);
		f->elf = NULL;
	}
	if (!f->elf && *build_id)
		f->elf = open_found(
			f, opener_find_debug(&fs->opener, build_id, &fs->paths), build_id);
}

const struct perfdata_file *perfdata_files_open(struct perfdata_files *fs, uint32_t file)
{
	struct perfdata_file *f = &fs->list[file];

	if (!f->is_opened && !f->pid)
		open_file(fs, f);
	f->is_opened = true;
	return f;
}

const struct unwind_rule *perfdata_files_rule(
	struct perfdata_files *fs, uint32_t file, uint64_t address)
{
	struct perfdata_file *f = &fs->list[file];
	const struct unwind_rule *rule;

	if (!f->is_read)
		read_rules(f, false);
	rule = unwind_table_find(&f->table, address);
	if (rule->cfa != UNWIND_CFA_NONE || f->is_analysed || f->gap != CUT_RULES)
		return rule;
	read_rules(f, true);
	return unwind_table_find(&f->table, address);
}

/* Returns the page of the file at OFFSET, or NULL if it cannot be read. */
static const unsigned char *page_at(struct perfdata_files *fs, uint32_t file, uint64_t offset)
{
	struct perfdata_page *page;

	if (!fs->pages)
		fs->pages = xcalloc(PERFDATA_PAGES, sizeof(*fs->pages));
	page = &fs->pages[(offset / PERFDATA_PAGE + file) % PERFDATA_PAGES];
	if (page->file != file + 1 || page->offset != offset) {
		page->file = file + 1;
		page->offset = offset;
		page->is_there = pread(elffile_fd(fs->list[file].elf), page->bytes, PERFDATA_PAGE,
					 (off_t)offset) == PERFDATA_PAGE;
	}
	return page->is_there ? page->bytes : NULL;
}

int perfdata_files_code(
	struct perfdata_files *fs, uint32_t file, uint64_t offset, void *to, uint32_t size)
{
	unsigned char *bytes = to;

	if (!fs->list[file].elf)
		return -1;
	for (uint32_t done = 0, n; done < size; done += n, offset += n) {
		uint64_t in = offset % PERFDATA_PAGE;
		const unsigned char *page = page_at(fs, file, offset - in);

		if (!page)
			return -1;
		n = PERFDATA_PAGE - in < size - done ? (uint32_t)(PERFDATA_PAGE - in) : size - done;
		memcpy(bytes + done, page + in, n);
	}
	return 0;
}
