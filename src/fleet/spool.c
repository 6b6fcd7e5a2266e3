/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spool.h"
#include "lib/compress/zstd_writer.h"
#include "lib/strbuf.h"
#include "lib/tempfile.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".rec.zst"
#define COUNTED ".counted"

static int cannot(const char *what, const char *path, struct strbuf *err)
{
	const char *why = strerror(errno);

	if (!err)
		return -1;
	strbuf_addf(err, "cannot %s ", what);
	message_add_path(err, path);
	return fail(err, ": %s\n", why);
}

static int check_folder(const char *folder, struct strbuf *err)
{
	struct stat st;

	if ((mkdir(folder, 0700) && errno != EEXIST) || lstat(folder, &st))
		return cannot("make the spool", folder, err);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return 0;
	strbuf_adds(err, "the spool ");
	message_add_path(err, folder);
	return fail(err, " is not a folder of this user alone: chown it, and chmod go-w\n");
}

/* Adds a message that another recorder has the lock of FD. */
static int in_use(const struct spool *spool, int fd, struct strbuf *err)
{
	struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	strbuf_adds(err, "the spool ");
	message_add_path(err, spool->folder);
	strbuf_adds(err, " is in use by another recorder");
	if (!fcntl(fd, F_GETLK, &other) && other.l_type != F_UNLCK && other.l_pid > 0)
		strbuf_addf(err, ", process %d", (int)other.l_pid);
	return fail(err, ": give each its own folder (--spool)\n");
}

/* The lock is the process's, not its children's: a helper that hangs does not keep it. */
int spool_open(struct spool *spool, struct strbuf *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	spool->lock = -1;
	if (check_folder(spool->folder, err))
		return -1;
	char *path = xasprintf("%s/.lock", spool->folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int ret = 0;

	if (fd < 0 || fcntl(fd, F_SETLK, &lock))
		ret = fd >= 0 && (errno == EAGAIN || errno == EACCES)
			      ? in_use(spool, fd, err)
			      : cannot("lock the spool", spool->folder, err);
	if (ret && fd >= 0)
		close(fd);
	else
		spool->lock = fd;
	free(path);
	return ret;
}

void spool_close(struct spool *spool)
{
	if (spool->lock >= 0)
		close(spool->lock);
	spool->lock = -1;
}

/* ---- the windows in it ---- */

/* Sets what the NAME of a file tells. Returns false if it is neither a window nor a rest. */
static bool parse_name(const char *name, struct spool_file *file)
{
	const char *last = strrchr(name, '-');
	size_t digits = last ? strspn(++last, "0123456789") : 0;

	if (!digits || !parse_u64(last, digits, 10, &file->nr_events) ||
		!begins_with(last + digits, strlen(last + digits), ENDING))
		return false;
	last += digits + strlen(ENDING);
	file->is_rest = *last;
	if (ends_with(last, COUNTED))
		file->nr_events = 0;
	return !*last || *last == '.';
}

static int compare_files(const void *va, const void *vb)
{
	const struct spool_file *a = va, *b = vb;

	return strcmp(a->path, b->path);
}

static void add_file(struct spool_list *files, const char *folder, const char *name)
{
	struct spool_file file = {0};
	struct stat st;

	if (!parse_name(name, &file))
		return;
	file.path = xasprintf("%s/%s", folder, name);
	if (lstat(file.path, &st) || !S_ISREG(st.st_mode)) {
		free(file.path);
		return;
	}
	file.bytes = (uint64_t)st.st_size;
	file.written_s = st.st_mtime;
	ALLOC_GROW(files->list, files->nr, files->alloc);
	files->list[files->nr++] = file;
}

int spool_read(const char *folder, struct spool_list *files, struct strbuf *err)
{
	DIR *dir = opendir(folder);

	*files = (struct spool_list){0};
	if (!dir)
		return cannot("read the spool", folder, err);
	for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
		add_file(files, folder, e->d_name);
	closedir(dir);
	if (files->nr)
		qsort(files->list, files->nr, sizeof(*files->list), compare_files);
	return 0;
}

void spool_list_release(struct spool_list *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->list[i].path);
	free(files->list);
	*files = (struct spool_list){0};
}

int spool_take(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	int error = errno;

	close(fd);
	errno = error;
	return -1;
}

/* ---- setting aside ---- */

char *spool_set_aside(const struct spool_file *file, const char *why, struct strbuf *err)
{
	char *other = xasprintf("%s.%s", file->path, why);

	if (!rename(file->path, other))
		return other;
	cannot("rename", file->path, err);
	free(other);
	return NULL;
}

static bool is_set_aside(const char *path)
{
	return ends_with(path, ENDING ".damaged") || ends_with(path, ENDING ".refused");
}

/* Counts the events of windows that were set aside, each once, as they will never be sent. */
static void count_set_aside(struct spool *spool, struct strbuf *err)
{
	struct spool_list files;

	if (spool_read(spool->folder, &files, err))
		return;
	for (size_t i = 0; i < files.nr; i++) {
		const struct spool_file *file = &files.list[i];

		if (!is_set_aside(file->path))
			continue;
		char *counted = xasprintf("%s%s", file->path, COUNTED);

		if (!rename(file->path, counted))
			add_capped(&spool->nr_dropped, file->nr_events);
		free(counted);
	}
	spool_list_release(&files);
}

/* ---- adding and dropping ---- */

/* Returns whether the window was dropped. */
static bool drop(struct spool *spool, const struct spool_file *file)
{
	int fd = spool_take(file->path);
	bool dropped = fd >= 0 && !unlink(file->path);

	if (dropped)
		add_capped(&spool->nr_dropped, file->nr_events);
	if (fd >= 0)
		close(fd);
	return dropped;
}

/* Drops the windows that are older than AGE_MAX, and the oldest ones while all are too large. */
static void trim(struct spool *spool, double age_max, struct strbuf *err)
{
	struct spool_list files;
	uint64_t bytes = 0;
	int64_t now = time(NULL);

	if (spool_read(spool->folder, &files, err))
		return;
	for (size_t i = 0; i < files.nr; i++)
		bytes += files.list[i].bytes;
	for (size_t i = 0; i < files.nr; i++) {
		const struct spool_file *file = &files.list[i];
		bool is_old = (double)(now - file->written_s) > age_max;

		if ((bytes > spool->bytes_max || is_old) && drop(spool, file))
			bytes -= file->bytes;
	}
	spool_list_release(&files);
}

/* Returns how many events of its first kind the window has kept or lost. */
static uint64_t count_events(const struct recording *rec)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < rec->nr_rows; i++)
		if (!rec->rows[i].event)
			add_capped(&nr, rec->rows[i].count);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&nr, rec->lost[i]);
	return nr;
}

/* ---- the order of windows ---- */

static bool is_begin(const struct spool *spool, uint32_t second)
{
	for (size_t i = 0; i < spool->nr_begins && i < SPOOL_BEGINS; i++)
		if (spool->begins[i] == second)
			return true;
	return false;
}

/* Makes the begin of the window a second in which none began before. */
static void settle_begin(struct spool *spool, struct recording *rec)
{
	uint32_t begin = (uint32_t)(recording_started(rec) / 1000000000), second = begin;
	char date[32] = "";
	struct tm tm;

	while (is_begin(spool, second))
		second++;
	spool->begins[spool->nr_begins++ % SPOOL_BEGINS] = second;
	if (second == begin || !gmtime_r(&(time_t){second}, &tm))
		return;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	recording_set_meta(rec, "started", date);
}

/* The first part of a window's name, by which windows are sorted. */
struct spool_key {
	char time[17];
	unsigned number;
};

/* Sets *KEY to the greatest key in the folder, or to an empty one. */
static void find_newest(const struct spool *spool, struct spool_key *key)
{
	struct spool_list files;

	*key = (struct spool_key){.number = 0};
	if (spool_read(spool->folder, &files, NULL))
		return;
	if (files.nr)
		sscanf(file_name(files.list[files.nr - 1].path), "%16[0-9TZ].%6u", key->time,
			&key->number);
	spool_list_release(&files);
}

/* Appends the key of a window that is newer than all in the folder. */
static void add_key(const struct spool *spool, const struct recording *rec, struct strbuf *out)
{
	time_t started = (time_t)(recording_started(rec) / 1000000000);
	struct spool_key newest;
	char time[32] = "";
	struct tm tm;

	find_newest(spool, &newest);
	if (gmtime_r(&started, &tm))
		strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &tm);
	if (strcmp(time, newest.time) > 0)
		strbuf_adds(out, time);
	else
		strbuf_addf(out, "%s.%06u", newest.time, newest.number + 1);
}

/* Returns the path of the window. The caller frees it. */
static char *path_of(const struct spool *spool, const struct recording *rec, uint64_t nr_events)
{
	const char *event = rec->nr_events ? recording_get(rec, rec->events[0].name) : "none";
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/", spool->folder);
	add_key(spool, rec, &path);
	strbuf_addf(&path, "-%s-%" PRIu64 ENDING, event, nr_events);
	for (char *c = path.buf + strlen(spool->folder) + 1; *c; c++)
		*c = *c == '/' ? '_' : *c;
	return path.buf;
}

/* ---- writing ---- */

static int write_to(struct tempfile *file, const struct recording *rec)
{
	FILE *stream = zstd_writer(file->out);

	if (!stream) {
		tempfile_drop(file);
		return -1;
	}
	recording_write(rec, stream, NULL);
	if (!fclose(stream))
		return tempfile_commit(file);
	int error = errno;

	tempfile_drop(file);
	errno = error;
	return -1;
}

int spool_add(struct spool *spool, struct recording *rec, struct strbuf *err)
{
	struct tempfile file;

	count_set_aside(spool, err);
	trim(spool, spool->age_max, err);
	settle_begin(spool, rec);
	add_capped(&rec->lost[LOST_SPOOL], spool->nr_dropped);
	spool->nr_dropped = 0;
	uint64_t nr = count_events(rec);
	char *path = path_of(spool, rec, nr);
	int ret = tempfile_open(&file, path);

	if (!ret)
		ret = write_to(&file, rec);
	int error = errno;

	if (ret) {
		spool->nr_dropped = nr;
		strbuf_adds(err, "cannot write windows into ");
		message_add_path(err, spool->folder);
		fail(err, ": %s; their samples will be in the account of a later one, as lost\n",
			strerror(error));
	}
	trim(spool, INFINITY, err);
	free(path);
	return ret;
}
