/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"
#include "filter.h"
#include "lib/compress/zstd_writer.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/tempfile.h"
#include "lib/util.h"
#include "lib/word.h"
#include "skid.h"
#include "symbol/names/demangle_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef int (*writer)(const struct output *o, FILE *out, struct strbuf *err);

static int write_rec(const struct output *o, FILE *out, struct strbuf *err)
{
	recording_write(o->rec, out, NULL);
	return written(out, err);
}

static int write_compressed(const struct output *o, FILE *out, struct strbuf *err)
{
	FILE *stream = zstd_writer(out);

	if (!stream)
		return fail(err, "cannot compress: %s\n", strerror(errno));
	recording_write(o->rec, stream, NULL);
	fclose(stream); /* OUT knows whether it could be written */
	return written(out, err);
}

static int write_bt(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_bt(o->rec, o->view, o->demangle, out, err);
}

static int write_folded(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_folded(o->profile, out, err);
}

static int write_svg(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_flame(o->profile, &(struct flame_options){0}, out, err);
}

static int write_functions(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_report(o->profile, &(struct report_options){0}, out, err);
}

/* Makes P of the recording as VIEW, where other outputs show it as their view. */
static void make_profile(const struct output *o, const struct recording_view *view,
	struct profile *p, struct strbuf *err)
{
	profile_init(p);
	recording_to_profile(o->rec, view, p);
	demangle_profiles(&p, 1, o->demangle);
	filter_apply(&(struct filter){.skid = o->skid}, p, err);
	profile_finish(p);
}

/* Writes the recording as VIEW. */
static int write_viewed(const struct output *o, const struct recording_view *view,
	int (*write)(const struct profile *p, FILE *out, struct strbuf *err), FILE *out,
	struct strbuf *err)
{
	struct profile profile;

	make_profile(o, view, &profile, err);
	int ret = write(&profile, out, err);

	profile_release(&profile);
	return ret;
}

/* Adds the keys of labels, and of the task, at the root of VIEW. */
static void add_keys(struct report_keys *keys, const struct recording_view *view)
{
	struct strbuf list = STRBUF_INIT;

	if (view->comm || view->processes || view->threads)
		strbuf_addf(&list, "%s,",
			view->threads     ? "thread"
			: view->processes ? "process"
					  : "comm");
	strbuf_addf(&list, "label:%s", view->by);
	for (size_t i = 0; view->by_more[i]; i++)
		strbuf_addf(&list, ",label:%s", view->by_more[i]);
	report_keys_parse(keys, list.buf, NULL);
	strbuf_release(&list);
}

/* Writes a table of functions or, if there are labels at the root, of their values. */
static int write_table(const struct output *o, enum report_form form, FILE *out, struct strbuf *err)
{
	struct report_options options = {.form = form};
	struct recording_view view = *o->view;
	struct profile profile;

	if (!view.by)
		return view_report(o->profile, &options, out, err);
	options.of = REPORT_GROUPS;
	add_keys(&options.keys, &view);
	report_keys_read(&options.keys, &view);
	make_profile(o, &view, &profile, err);
	int ret = view_report(&profile, &options, out, err);

	profile_release(&profile);
	report_keys_release(&options.keys);
	return ret;
}

static int write_csv(const struct output *o, FILE *out, struct strbuf *err)
{
	return write_table(o, REPORT_CSV, out, err);
}

static int write_json(const struct output *o, FILE *out, struct strbuf *err)
{
	return write_table(o, REPORT_JSON, out, err);
}

static int write_pprof(const struct output *o, FILE *out, struct strbuf *err)
{
	struct recording_view view = *o->view;

	view.label_sets = view.places = true;
	return write_viewed(o, &view, view_pprof, out, err);
}

static int write_speedscope(const struct output *o, FILE *out, struct strbuf *err)
{
	struct recording_view view = *o->view;

	if (!o->rec->slices.nr || view.by)
		return view_speedscope(o->profile, out, err);
	view.timeline = true;
	return write_viewed(o, &view, view_speedscope, out, err);
}

static int write_firefox(const struct output *o, FILE *out, struct strbuf *err)
{
	struct recording_view view = *o->view;

	view.threads = view.processes = view.times = true;
	return write_viewed(o, &view, view_firefox, out, err);
}

static int write_summary(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_report(o->profile, &(struct report_options){.of = REPORT_CATEGORIES}, out, err);
}

static int write_callers(const struct output *o, FILE *out, struct strbuf *err)
{
	struct profile callers;

	profile_init(&callers);
	int ret = filter_reverse(o->profile, &callers, err);

	profile_finish(&callers);
	if (!ret)
		ret = view_flame(&callers,
			&(struct flame_options){.subtitle = "callers", .inverted = true}, out, err);
	profile_release(&callers);
	return ret;
}

static int write_run(const struct output *o, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < o->rec->nr_meta; i++) {
		const char *value = recording_get(o->rec, o->rec->meta[i].value);

		strbuf_addf(&line, "%s: ", recording_get(o->rec, o->rec->meta[i].key));
		message_add(&line, value, strlen(value)); /* names of processes are untrusted */
		strbuf_addch(&line, '\n');
	}
	fputs(line.buf, out);
	strbuf_reset(&line);
	fprintf(out, "kernel: %s\n", recording_get(o->rec, o->rec->kernel_release));
	account_line(&o->profile->account, &o->profile->timing, o->profile->unit, &line);
	fprintf(out, "account: %s\n", line.buf);
	strbuf_reset(&line);
	cuts_lines(&o->profile->cuts, &o->profile->account, &line);
	skid_line(o->profile, &line);
	fputs(line.buf, out);
	strbuf_release(&line);
	return written(out, err);
}

static const struct {
	const char *ending;
	writer write;
} formats[OUT_FORMATS] = {
	[OUT_REC] = {".rec", write_rec},
	[OUT_REC_ZST] = {".rec.zst", write_compressed},
	[OUT_BT] = {".bt", write_bt},
	[OUT_FOLDED] = {".folded", write_folded},
	[OUT_SVG] = {".svg", write_svg},
	[OUT_CSV] = {".csv", write_csv},
	[OUT_PPROF] = {".pb.gz", write_pprof},
	[OUT_SPEEDSCOPE] = {".speedscope.json", write_speedscope},
	[OUT_FIREFOX] = {".firefox.json", write_firefox},
	[OUT_JSON] = {".json", write_json},
};

int output_format(const char *path)
{
	for (int i = 0; i < OUT_FORMATS; i++)
		if (ends_with(path, formats[i].ending) && strcmp(path, formats[i].ending))
			return i;
	return -1;
}

const char *output_endings(void)
{
	return ".rec .rec.zst .bt .folded .svg .csv .json .pb.gz .speedscope.json .firefox.json";
}

/* Appends "cannot write 'PATH': " and errno's text, followed by MORE. */
static int cannot(const char *verb, const char *path, const char *more, struct strbuf *err)
{
	const char *why = strerror(errno);

	if (!err)
		return -1;
	strbuf_addf(err, "cannot %s ", verb);
	message_add_path(err, path);
	return fail(err, ": %s%s\n", why, more);
}

/* Appends "'PATH' is left out: WHY". WHY ends the line. */
static void say_left_out(struct strbuf *err, const char *path, const char *why)
{
	if (!err)
		return;
	message_add_path(err, path);
	strbuf_addf(err, " is left out: %s", why);
}

static int write_file(const struct output *o, writer write, const char *path, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	struct tempfile file;
	int ret = tempfile_open(&file, path);

	if (!ret && write(o, file.out, &why) < 0 && !ferror(file.out)) {
		tempfile_drop(&file);
		say_left_out(err, path, why.buf);
		strbuf_release(&why);
		return -1;
	}
	if (!ret)
		ret = tempfile_commit(&file);
	if (ret)
		cannot("write", path, "; it is left out, the others are still written", err);
	strbuf_release(&why);
	return ret;
}

int output_write(
	const struct output *o, enum output_format format, const char *path, struct strbuf *err)
{
	if (!strcmp(path, "-"))
		return formats[format].write(
			o, stdout, NULL); /* errors are detected when it is closed */
	return write_file(o, formats[format].write, path, err);
}

int output_check(const char *path, struct strbuf *err)
{
	return tempfile_check(path) ? cannot("write", path, "", err) : 0;
}

/* Returns the length of PATH without its last slashes. */
static size_t folder_length(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

int output_report_check(const char *dir, struct strbuf *err)
{
	char *path = xstrndup(dir, folder_length(dir)), *inside = xasprintf("%s/report", path);
	struct stat st;
	bool is_there = !stat(path, &st);
	int ret = tempfile_check(is_there ? inside : path);

	free(inside);
	free(path);
	return ret ? cannot(is_there ? "write to" : "make", dir, "", err) : 0;
}

/* Appends the date as "20261120-142501". */
static void add_date(struct strbuf *out)
{
	time_t t = time(NULL);
	struct tm tm;
	char date[32];

	if (localtime_r(&t, &tm) && strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm))
		strbuf_adds(out, date);
	else
		strbuf_addf(out, "%lld", (long long)t);
}

static int write_new(const struct output *o, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return -1;
	write_rec(o, out, NULL);
	if (!close_whole(out))
		return 0;
	int error = errno;

	unlink(path);
	errno = error;
	return -1;
}

int output_rescue(const struct output *o, char **path, struct strbuf *err)
{
	const char *const folders[] = {
		getenv("TMPDIR"), "/var/tmp", "/tmp", folder_home(), "/dev/shm"};
	struct strbuf name = STRBUF_INIT;
	int ret = -1;

	strbuf_adds(&name, "sample-bt-");
	add_date(&name);
	strbuf_addf(&name, "-%d.rec", (int)getpid());
	*path = NULL;
	for (size_t i = 0; ret && i < ARRAY_LEN(folders); i++) {
		if (!folders[i] || !*folders[i])
			continue;
		free(*path);
		*path = xasprintf("%s/%s", folders[i], name.buf);
		ret = write_new(o, *path);
	}
	if (ret) {
		cannot("keep the recording in", *path, "", err);
		free(*path);
		*path = NULL;
	}
	strbuf_release(&name);
	return ret;
}

/* Creates DIR/DATE or, if it exists, DIR/DATE-2 and so on. Returns the path. */
static char *make_report_folder(const char *dir, struct strbuf *err)
{
	struct strbuf path = STRBUF_INIT;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		cannot("make", dir, "", err);
		return NULL;
	}
	strbuf_addf(&path, "%s/", dir);
	add_date(&path);
	size_t len = path.len;

	for (int i = 2; mkdir(path.buf, 0700); i++) {
		if (errno != EEXIST || i == 100) {
			cannot("make", path.buf, "", err);
			strbuf_release(&path);
			return NULL;
		}
		path.len = len;
		strbuf_addf(&path, "-%d", i);
	}
	return strbuf_detach(&path);
}

int output_report(const struct output *o, const char *dir, char **made, struct strbuf *err)
{
	static const struct {
		const char *name;
		writer write;
	} files[] = {
		{"profile.rec", write_rec},
		{"flame.svg", write_svg},
		{"callers.svg", write_callers},
		{"profile.csv", write_functions},
		{"summary.csv", write_summary},
		{"profile.folded", write_folded},
		{"profile.bt", write_bt},
		{"profile.json", write_json},
		{"run.txt", write_run},
	};
	char *folder = make_report_folder(dir, err);
	int ret = folder ? 0 : -1;

	for (size_t i = 0; folder && i < ARRAY_LEN(files); i++) {
		char *path = xasprintf("%s/%s", folder, files[i].name);

		if (write_file(o, files[i].write, path, err))
			ret = -1;
		free(path);
	}
	*made = folder;
	return ret;
}
