/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source_files.h"
#include "lib/blob_id.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "lib/word.h"
#include "lib/worker.h"
#include "symbol/fetch/debuginfod.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILE_S = 30,          /* seconds that one file may take */
	SOURCE_MAX = 1 << 24, /* bytes; a longer file is no source file */
	PARTS_MAX = 64,       /* how many leading parts of a path are left out at most */
};

/* A file that is read. */
struct source_reading {
	struct source_file *file;
	const struct source_options *options;
	struct opener *opener;
	struct found_file where;
	char *downloaded;
	int fd;
};

/* ---- where it is ---- */

/* Takes FOUND if it is a file. Takes ownership of PATH in any case. */
static bool take_found(struct source_reading *r, struct found_file found, char *path)
{
	if (found.path_fd < 0) {
		free(path);
		return false;
	}
	r->where = found;
	free(r->file->found);
	r->file->found = path;
	return true;
}

/* Finds the file in FOLDER, under its whole path or the last parts of it. */
static bool find_in_folder(struct source_reading *r, const char *folder, size_t len)
{
	const char *rest = r->file->path;

	for (int i = 0; i < PARTS_MAX && rest; i++) {
		rest += strspn(rest, "/");
		char *path = xasprintf("%.*s/%s", (int)len, folder, rest);

		if (take_found(r, opener_find(r->opener, NULL, path), path))
			return true;
		rest = strchr(rest, '/');
	}
	return false;
}

/* Returns the start of task TID in ticks since boot, or 0 if it is not known. */
static uint64_t start_of(uint32_t tid)
{
	enum { FIELDS = 20 }; /* of proc_pid_stat(5), from behind the name to the start */
	char path[64], text[1024];
	uint64_t start = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tid);
	FILE *in = fopen(path, "re");

	if (!in)
		return 0;
	const char *s = fgets(text, sizeof(text), in) ? strrchr(text, ')') : NULL;

	for (int i = 0; s && i < FIELDS; i++)
		s = strchr(s + 1, ' ');
	if (s)
		start = strtoull(s + 1, NULL, 10);
	fclose(in);
	return start;
}

bool source_task_runs(uint32_t tid, uint64_t start)
{
	return start && start_of(tid) == start;
}

/* Finds a script where its process, if it still runs, has it. */
static bool find_in_process(struct source_reading *r)
{
	const struct source_file *file = r->file;
	bool absolute = file->path[0] == '/';

	if (!source_task_runs(file->tid, file->start))
		return false;
	char *root = xasprintf("/proc/%" PRIu32 "/%s", file->tid, absolute ? "root" : "cwd");
	char *path = xasprintf("%s%s", absolute ? "" : "/", file->path);
	bool found = take_found(r, opener_find(r->opener, root, path), xstrdup(file->path));

	free(root);
	free(path);
	return found;
}

static bool find_locally(struct source_reading *r)
{
	const char *folders = r->options->folders ? r->options->folders : "";
	const char *root = r->options->symbol->root;

	for (const char *s = folders; *s; s += strcspn(s, ":"), s += *s == ':')
		if (strcspn(s, ":") && find_in_folder(r, s, strcspn(s, ":")))
			return true;
	if (r->file->path[0] != '/')
		return !r->file->program &&
		       (find_in_process(r) ||
			       take_found(r, opener_find(r->opener, NULL, r->file->path),
				       xstrdup(r->file->path)));
	return find_in_process(r) || take_found(r, opener_find(r->opener, root, r->file->path),
					     xasprintf("%s%s", root ? root : "", r->file->path));
}

/* Returns whether the file is newer than the program. Files from servers match the build-id. */
static bool is_newer(const struct source_reading *r)
{
	const struct source_file *file = r->file;
	struct stat st;

	return !r->downloaded && !r->options->any_age && !file->nr_blobs && file->built_ns &&
	       !fstat(r->where.path_fd, &st) &&
	       st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec > file->built_ns;
}

/* ---- reading ---- */

static bool prepare(void *arg)
{
	(void)arg;
	return true;
}

static void open_file(void *arg)
{
	struct source_reading *r = arg;

	r->fd = found_file_open(&r->where);
}

static void work(void *arg, struct strbuf *output)
{
	struct source_reading *r = arg;
	ssize_t n = 1;

	while (n > 0 && output->len <= SOURCE_MAX) {
		strbuf_grow(output, 1 << 16);
		n = read(r->fd, output->buf + output->len, 1 << 16);
		output->len += n > 0 ? (size_t)n : 0;
	}
	output->buf[output->len] = '\0';
}

/* Returns whether the text, of LEN bytes, is one that was recorded, or need not be. */
static bool is_recorded(const struct source_reading *r, size_t len)
{
	const struct source_file *file = r->file;
	char id[BLOB_ID + 1];

	if (!file->nr_blobs || r->options->any_age)
		return true;
	blob_id(file->text, len, id);
	for (size_t i = 0; i < file->nr_blobs; i++)
		if (!strcmp(file->blobs[i], id))
			return true;
	return false;
}

static void refuse_other(struct source_file *file)
{
	struct strbuf why = STRBUF_INIT;

	message_add_path(&why, file->found);
	strbuf_addf(&why,
		" is not what was recorded: its lines may be others; --any-source shows it, and "
		"git "
		"cat-file blob %.12s prints the right one if its repository has it",
		file->blobs[0]);
	file->why = strbuf_detach(&why);
	free(file->text);
	file->text = NULL;
}

static void find_lines(struct source_file *file, size_t len)
{
	size_t alloc = 0;

	for (size_t at = 0; at < len;) {
		const char *end = memchr(file->text + at, '\n', len - at);

		ALLOC_GROW(file->lines, file->nr_lines, alloc);
		file->lines[file->nr_lines++] = at;
		at = end ? (size_t)(end - file->text) + 1 : len;
	}
	ALLOC_GROW(file->lines, file->nr_lines, alloc);
	file->lines[file->nr_lines] = len;
}

static void finish(struct worker *w)
{
	struct source_reading *r = w->arg;
	struct strbuf why = STRBUF_INIT;
	size_t len = w->output.len;

	if (r->where.path_fd >= 0)
		close(r->where.path_fd);
	r->where.path_fd = -1;
	if (w->end == WORKER_DONE && len <= SOURCE_MAX) {
		r->file->text = strbuf_detach(&w->output);
		if (is_recorded(r, len))
			find_lines(r->file, len);
		else
			refuse_other(r->file);
		return;
	}
	message_add_path(&why, r->file->found);
	if (w->end == WORKER_DONE)
		strbuf_adds(&why, " is larger than a source file");
	else
		strbuf_addf(&why, " cannot be read: %s", worker_failure(w->end));
	r->file->why = strbuf_detach(&why);
	strbuf_release(&w->output);
}

/* ---- all files ---- */

static bool may_download(const struct source_options *options)
{
	return options->symbol->debuginfod != DEBUGINFOD_NEVER && !user_is_sudo() &&
	       debuginfod_has_servers();
}

/* Downloads the files that were not found. */
static void download(struct source_reading *list, size_t nr, struct strbuf *notes)
{
	const struct symbol_options *symbol = list->options->symbol;
	struct debuginfod_options options = {
		.again = symbol->debuginfod == DEBUGINFOD_ALWAYS, .quiet = symbol->quiet};
	struct debuginfod_file *files = xcalloc(nr, sizeof(*files));
	size_t *from = xcalloc(nr, sizeof(*from)), n = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct source_file *file = list[i].file;

		if (list[i].where.path_fd >= 0 || file->path[0] != '/' || !*file->build_id)
			continue;
		from[n] = i;
		files[n++] = (struct debuginfod_file){.build_id = file->build_id,
			.name = file->path,
			.kind = DEBUGINFOD_SOURCE,
			.source = file->path};
	}
	if (n)
		debuginfod_fetch(files, n, &options, notes);
	for (size_t i = 0; i < n; i++) {
		struct source_reading *r = &list[from[i]];

		r->downloaded = files[i].path;
		if (r->downloaded)
			take_found(r, opener_find(r->opener, NULL, r->downloaded),
				xstrdup(r->downloaded));
	}
	free(files);
	free(from);
}

/* Returns whether the file of R can be read. If not, sets the reason. */
static bool is_usable(struct source_reading *r)
{
	struct strbuf why = STRBUF_INIT;

	if (r->file->is_text) {
		message_add_path(&why, r->file->path);
		strbuf_adds(&why, " is the text of an eval, of a command line, or of code that was "
				  "loaded from memory: it is not in a file");
	} else if (r->where.path_fd < 0) {
		strbuf_adds(&why, "no source file ");
		message_add_path(&why, r->file->path);
		strbuf_adds(&why, ": --source-path gives its folder");
	} else if (is_newer(r)) {
		message_add_path(&why, r->file->found);
		strbuf_adds(&why, " was changed after ");
		if (r->file->program)
			message_add_path(&why, r->file->program);
		strbuf_adds(&why, r->file->program ? " was built" : "the recording had begun");
		strbuf_adds(&why, ": its lines may be others; --any-source shows it");
		close(r->where.path_fd);
		r->where.path_fd = -1;
	}
	if (why.len)
		r->file->why = strbuf_detach(&why);
	return !r->file->why;
}

static void read_all(struct source_reading *list, size_t nr)
{
	struct worker *workers = xcalloc(nr, sizeof(*workers));
	size_t n = 0;

	for (size_t i = 0; i < nr; i++)
		if (is_usable(&list[i]))
			workers[n++] = (struct worker){
				.prepare = prepare,
				.open = open_file,
				.work = work,
				.finish = finish,
				.arg = &list[i],
				.no_files = true,
				.output = STRBUF_INIT,
			};
	workers_run(workers, n, FILE_S);
	for (size_t i = 0; i < n; i++) {
		struct source_reading *r = workers[i].arg;

		if (!r->file->text && !r->file->why)
			finish(&workers[i]);
	}
	free(workers);
}

void source_files_read(struct source_file *list, size_t nr, const struct source_options *options,
	struct opener *opener, struct strbuf *notes)
{
	struct source_reading *readings = xcalloc(nr, sizeof(*readings));
	bool missing = false;

	for (size_t i = 0; i < nr; i++) {
		readings[i] = (struct source_reading){.file = &list[i],
			.options = options,
			.opener = opener,
			.where = FOUND_NONE,
			.fd = -1};
		if (!list[i].is_text)
			missing |= !find_locally(&readings[i]);
	}
	if (missing && may_download(options))
		download(readings, nr, notes);
	read_all(readings, nr);
	for (size_t i = 0; i < nr; i++)
		free(readings[i].downloaded);
	free(readings);
}

void source_file_release(struct source_file *file)
{
	free(file->found);
	free(file->text);
	free(file->lines);
	free(file->why);
}

const char *source_file_line(const struct source_file *file, uint32_t line, size_t *len)
{
	*len = 0;
	if (!file->text || !line || line > file->nr_lines)
		return "";
	const char *s = file->text + file->lines[line - 1];

	*len = file->lines[line] - file->lines[line - 1];
	while (*len && (s[*len - 1] == '\n' || s[*len - 1] == '\r'))
		--*len;
	return s;
}
