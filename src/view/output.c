/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"
#include "lib/strbuf.h"
#include "lib/util.h"

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

static int write_bt(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_bt(o->rec, o->view, out, err);
}

static int write_folded(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_folded(o->profile, out, err);
}

static int write_svg(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_flame(o->profile, &(struct flame_options){0}, out, err);
}

static int write_csv(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_report_csv(o->profile, out, err);
}

static int write_json(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_report_json(o->profile, out, err);
}

static int write_summary(const struct output *o, FILE *out, struct strbuf *err)
{
	return view_report_summary(o->profile, out, err);
}

static int write_callers(const struct output *o, FILE *out, struct strbuf *err)
{
	struct profile callers;

	profile_init(&callers);
	output_callers(o->profile, &callers);
	int ret = view_flame(&callers,
		&(struct flame_options){.subtitle = "callers", .inverted = true}, out, err);

	profile_release(&callers);
	return ret;
}

static int write_run(const struct output *o, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < o->rec->nr_meta; i++)
		fprintf(out, "%s: %s\n", recording_get(o->rec, o->rec->meta[i].key),
			recording_get(o->rec, o->rec->meta[i].value));
	fprintf(out, "kernel: %s\n", recording_get(o->rec, o->rec->kernel_release));
	account_line(&o->profile->account, o->profile->unit, &line);
	fprintf(out, "account: %s\n", line.buf);
	strbuf_release(&line);
	return written(out, err);
}

static const struct {
	const char *ending;
	writer write;
} formats[OUT_FORMATS] = {
	[OUT_REC] = {".rec", write_rec},
	[OUT_BT] = {".bt", write_bt},
	[OUT_FOLDED] = {".folded", write_folded},
	[OUT_SVG] = {".svg", write_svg},
	[OUT_CSV] = {".csv", write_csv},
	[OUT_JSON] = {".json", write_json},
};

int output_format(const char *path)
{
	size_t len = strlen(path);

	for (int i = 0; i < OUT_FORMATS; i++) {
		size_t n = strlen(formats[i].ending);

		if (len > n && !strcmp(path + len - n, formats[i].ending))
			return i;
	}
	return -1;
}

const char *output_endings(void)
{
	return ".rec .bt .folded .svg .csv .json";
}

static int write_file(const struct output *o, writer write, const char *path, struct strbuf *err)
{
	char *tmp = xasprintf("%s.%d", path, (int)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int ret = -1;

	if (!out) {
		fail(err, "cannot write '%s': %s\n", path, strerror(errno));
	} else {
		ret = write(o, out, err);
		if (fclose(out) && !ret)
			ret = fail(err, "cannot write '%s': %s\n", path, strerror(errno));
		if (!ret && rename(tmp, path))
			ret = fail(err, "cannot rename to '%s': %s\n", path, strerror(errno));
		if (ret)
			unlink(tmp);
	}
	free(tmp);
	return ret;
}

int output_write(
	const struct output *o, enum output_format format, const char *path, struct strbuf *err)
{
	if (!strcmp(path, "-"))
		return formats[format].write(o, stdout, err);
	return write_file(o, formats[format].write, path, err);
}

/* DIR/DATE or, where that is taken, DATE-2 and so on. */
static char *make_report_folder(const char *dir, struct strbuf *err)
{
	time_t t = time(NULL);
	struct tm tm;
	char date[32];

	if (!localtime_r(&t, &tm) || !strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm)) {
		fail(err, "cannot tell the date\n");
		return NULL;
	}
	if (mkdir(dir, 0700) && errno != EEXIST) {
		fail(err, "cannot make '%s': %s\n", dir, strerror(errno));
		return NULL;
	}
	for (int i = 1; i < 100; i++) {
		char *path = i == 1 ? xasprintf("%s/%s", dir, date)
				    : xasprintf("%s/%s-%d", dir, date, i);

		if (!mkdir(path, 0700))
			return path;
		int error = errno;

		free(path);
		errno = error;
		if (error != EEXIST)
			break;
	}
	fail(err, "cannot make a folder in '%s': %s\n", dir, strerror(errno));
	return NULL;
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
		{"profile.csv", write_csv},
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

void output_callers(const struct profile *p, struct profile *out)
{
	uint32_t *map = xcalloc(p->nr_frames, sizeof(*map));
	uint32_t *stack = NULL;
	size_t alloc = 0;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		size_t len;
		const char *name = profile_name(p, i, &len);
		const char *module = profile_module(p, i);

		map[i] = profile_frame(out, p->frames[i].kind, name, len, module, strlen(module));
	}
	for (uint32_t node = 1; node < p->nr_nodes; node++) {
		size_t n = 0;

		if (!p->nodes[node].self)
			continue;
		for (uint32_t at = node; at; at = p->nodes[at].parent) {
			ALLOC_GROW(stack, n, alloc);
			stack[n++] = map[p->nodes[at].frame];
		}
		profile_add(out, stack, n, p->nodes[node].self);
	}
	profile_set(&out->title, p->title);
	profile_set(&out->unit, p->unit);
	out->account = p->account;
	profile_finish(out);
	free(stack);
	free(map);
}
