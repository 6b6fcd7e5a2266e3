/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfod.h"
#include "download.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "progress.h"
#include "servers.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	AT_ONCE = 4,
	FILE_S = 90,
	ALL_S = 180,
	SILENCE_S = 10,
	GRACE_S = 1, /* how long a process may take to end after SIGTERM */
	TICK_MS = 100,
};

static const int64_t second = 1000000000;

/*
 * A file to download. It waits until it is started or over, and runs as long as its download has a
 * pid.
 */
struct download_job {
	struct debuginfod_file *file;
	char *path;
	bool started, over;
	struct download download;
	int64_t began_ns, stopped_ns; /* or 0 if that did not happen */
	char *reason;                 /* why it failed, or NULL if there is nothing to report */
};

struct queue {
	struct download_job *jobs;
	size_t n;
	char *cache;
	const struct download_library *lib;
	unsigned file_s, all_s, silence_s;
	int64_t began_ns;
	int64_t heard_ns; /* when a server last responded */
	bool heard;       /* a server responded */
	bool ending;      /* no more downloads are started */
	struct progress progress;
};

bool debuginfod_has_servers(void)
{
	return servers_find();
}

/* ---- the cache ---- */

/* Returns the library's default folder, except that root uses its own home. The caller frees it. */
static char *cache_folder(void)
{
	const char *set = getenv(DEBUGINFOD_CACHE_PATH_ENV_VAR);
	struct stat st;

	if (set && *set)
		return xstrdup(set);
	char *old = xasprintf("%s/.debuginfod_client_cache", folder_home());

	if (!stat(old, &st))
		return old;
	free(old);
	char *caches = folder_caches(), *folder = xasprintf("%s/debuginfod_client", caches);

	free(caches);
	return folder;
}

static bool is_build_id(const char *s)
{
	size_t len = strspn(s, "0123456789abcdef");

	return !s[len] && len >= 2 && len <= 128 && len % 2 == 0;
}

static bool is_whole(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && !access(path, R_OK);
}

void debuginfod_reject(const struct debuginfod_file *file)
{
	char *cache = cache_folder(), *path = download_path(cache, file);

	if (file->path && is_build_id(file->build_id) && !strcmp(path, file->path))
		download_remove(path);
	free(path);
	free(cache);
}

/* ---- results ---- */

static bool is_running(const struct download_job *job)
{
	return job->download.pid > 0;
}

/* Takes ownership of REASON. */
static void set_result(struct download_job *job, enum debuginfod_result result, char *reason)
{
	job->over = true;
	job->file->result = result;
	free(job->reason);
	job->reason = reason;
}

static void set_found(struct download_job *job, const char *path)
{
	set_result(job, DEBUGINFOD_FOUND, NULL);
	job->file->path = xstrdup(path);
}

/*
 * Returns the name of the server that sends JOB's file, or of all servers if it is not known,
 * followed by the text. The caller frees it.
 */
static __attribute__((format(printf, 2, 3))) char *of_server(
	const struct download_job *job, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	if (job && job->download.report.server[0])
		strbuf_adds(&sb, job->download.report.server);
	else
		servers_add_names(&sb);
	strbuf_addch(&sb, ' ');
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	return strbuf_detach(&sb);
}

/* Stops JOB, whether it runs or was never started. Takes ownership of REASON. */
static void stop(struct download_job *job, enum debuginfod_result result, char *reason)
{
	job->stopped_ns = monotonic_ns();
	set_result(job, result, reason);
}

/*
 * Stops all jobs that have no result. The started ones get RESULT, the rest DEBUGINFOD_LEFT_OUT.
 * Takes ownership of REASON.
 */
static void give_up(struct queue *q, enum debuginfod_result result, char *reason)
{
	q->ending = true;
	for (size_t i = 0; i < q->n; i++) {
		struct download_job *job = &q->jobs[i];

		if (!job->over)
			stop(job, job->started ? result : DEBUGINFOD_LEFT_OUT, xstrdup(reason));
	}
	free(reason);
}

/* Adds "'a' was" or "3 files were". */
static void add_files(struct strbuf *out, const struct download_job *first, size_t nr)
{
	if (nr == 1)
		message_add_path(out, first->file->name);
	else
		strbuf_addf(out, "%zu files", nr);
	strbuf_adds(out, nr == 1 ? " was" : " were");
}

static void add_notes(const struct queue *q, struct strbuf *notes)
{
	for (size_t i = 0; i < q->n; i++) {
		struct download_job *first = &q->jobs[i];
		size_t nr = 0;

		if (!first->reason)
			continue;
		for (size_t k = q->n; k-- > i;) {
			struct download_job *job = &q->jobs[k];

			if (!job->reason || strcmp(job->reason, first->reason))
				continue;
			nr++;
			if (job != first) {
				free(job->reason);
				job->reason = NULL;
			}
		}
		strbuf_addf(notes, "debuginfod: %s; ", first->reason);
		add_files(notes, first, nr);
		strbuf_adds(notes, " not fetched\n");
	}
}

static struct progress_sums sum_up(const struct queue *q)
{
	struct progress_sums sums = {.files = q->n};
	uint64_t named = 0; /* bytes of the file to show, preferably one that has begun to arrive */
	bool known = true;

	for (size_t i = 0; i < q->n; i++) {
		const struct download_job *job = &q->jobs[i];
		const struct download_report *r = &job->download.report;

		sums.started += job->started;
		sums.found += job->over && job->file->result == DEBUGINFOD_FOUND;
		add_capped(&sums.bytes, r->bytes);
		add_capped(&sums.total, r->total);
		known = known && (r->total || !r->bytes);
		if (is_running(job) && (!sums.name || (r->bytes && !named))) {
			sums.name = job->file->name;
			sums.server = r->server;
			named = r->bytes;
		}
	}
	if (!known)
		sums.total = 0;
	return sums;
}

/* ---- the work ---- */

static volatile sig_atomic_t interrupted; /* stays set, as later calls must not wait either */

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static bool is_unreachable(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
	       error == ETIME;
}

/* Returns why JOB's process failed without being stopped, or NULL if no server has the file. */
static char *failure(const struct download_job *job)
{
	const struct download_report *r = &job->download.report;

	if (r->error == EMLINK)
		return of_server(job, "redirected without end");
	if (r->error == EFBIG)
		return of_server(job, "sent too much; $DEBUGINFOD_MAXSIZE may allow more");
	if (r->status)
		return of_server(job, "answered with HTTP status %d", r->status);
	if (r->message[0] || r->error != ENOENT)
		return of_server(
			job, "failed: %s", r->message[0] ? r->message : strerror(r->error));
	return NULL;
}

static void take_result(struct queue *q, struct download_job *job)
{
	const struct download_report *r = &job->download.report;
	const char *path = job->file->kind == DEBUGINFOD_SOURCE ? r->found : job->path;

	if (!r->error && is_whole(path)) {
		set_found(job, path);
	} else if (job->over) {
		/* the library may have noted another failure just before it was stopped */
		download_forget(job->path);
	} else if (!q->heard && is_unreachable(r->error)) {
		give_up(q, DEBUGINFOD_FAILED,
			of_server(NULL, "cannot be reached: %s",
				r->message[0] ? r->message : strerror(r->error)));
		servers_set_silent(true);
	} else {
		char *reason = failure(job);

		set_result(job, reason ? DEBUGINFOD_FAILED : DEBUGINFOD_UNKNOWN, reason);
	}
}

/*
 * Reads the reports of JOB's process. Takes its result if it has ended, or stops it if it is too
 * slow.
 */
static void update(struct queue *q, struct download_job *job)
{
	uint64_t events = job->download.report.events;
	bool more = download_read(&job->download);
	int64_t now = monotonic_ns();

	if (job->download.report.events != events)
		q->heard_ns = now;
	q->heard |= job->download.report.heard;
	if (!more) {
		download_end(&job->download);
		take_result(q, job);
		return;
	}
	if (!job->stopped_ns && now - job->began_ns >= q->file_s * second)
		stop(job, DEBUGINFOD_TIMEOUT, of_server(job, "took more than %u s", q->file_s));
	if (job->stopped_ns && now - job->stopped_ns >= GRACE_S * second)
		download_kill(&job->download, job->path);
	else if (job->stopped_ns)
		download_stop(
			&job->download); /* again, as the process may block between two checks */
}

/* Gives up all jobs after a SIGINT or at the timeouts for all files. */
static void check_timeouts(struct queue *q)
{
	int64_t now = monotonic_ns();

	if (q->ending)
		return;
	if (interrupted) {
		give_up(q, DEBUGINFOD_LEFT_OUT, xstrdup("interrupted"));
	} else if (now - q->began_ns >= q->all_s * second) {
		give_up(q, DEBUGINFOD_TIMEOUT,
			of_server(NULL, "took more than %u s for all files", q->all_s));
	} else if (now - q->heard_ns >= q->silence_s * second) {
		give_up(q, DEBUGINFOD_TIMEOUT,
			of_server(NULL, "did not answer within %u s", q->silence_s));
		if (!q->heard)
			servers_set_silent(true);
	}
}

static void begin(struct queue *q, struct download_job *job)
{
	job->started = true;
	job->began_ns = monotonic_ns();
	if (download_start(&job->download, q->lib, q->cache, job->file))
		set_result(job, DEBUGINFOD_FAILED,
			xasprintf("cannot start a process: %s", strerror(errno)));
}

/* Waits for a report of any process, but not longer than TICK_MS. */
static void wait_for_report(const struct queue *q)
{
	struct pollfd fds[AT_ONCE];
	nfds_t nr = 0;

	for (size_t i = 0; i < q->n && nr < AT_ONCE; i++)
		if (is_running(&q->jobs[i]))
			fds[nr++] =
				(struct pollfd){.fd = q->jobs[i].download.pipe, .events = POLLIN};
	poll(fds, nr, TICK_MS);
}

/* Starts as many jobs as may run at once. Returns how many run. */
static size_t keep_busy(struct queue *q)
{
	size_t running = 0;

	for (size_t i = 0; i < q->n; i++)
		running += is_running(&q->jobs[i]);
	for (size_t i = 0; i < q->n && running < AT_ONCE; i++)
		if (!q->jobs[i].over && !q->jobs[i].started) {
			begin(q, &q->jobs[i]);
			running += is_running(&q->jobs[i]);
		}
	return running;
}

static void fetch_all(struct queue *q)
{
	struct sigaction ours = {.sa_handler = on_interrupt}, before;
	struct progress_sums sums;

	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &ours, NULL);
	q->began_ns = q->heard_ns = monotonic_ns();
	while (keep_busy(q)) {
		wait_for_report(q);
		for (size_t i = 0; i < q->n; i++)
			if (is_running(&q->jobs[i]))
				update(q, &q->jobs[i]);
		check_timeouts(q);
		sums = sum_up(q);
		progress_show(&q->progress, &sums);
	}
	sums = sum_up(q);
	progress_end(&q->progress, &sums);
	if (q->heard)
		servers_set_silent(false);
	sigaction(SIGINT, &before, NULL);
}

/* ---- all files ---- */

static void queue_init(struct queue *q, size_t n, const struct debuginfod_options *options)
{
	*q = (struct queue){
		.jobs = xcalloc(n, sizeof(*q->jobs)),
		.cache = cache_folder(),
		.file_s = options->file_s ? options->file_s : FILE_S,
		.all_s = options->all_s ? options->all_s : ALL_S,
		.silence_s = options->silence_s ? options->silence_s : SILENCE_S,
	};
	progress_begin(&q->progress, !options->quiet);
}

static void queue_release(struct queue *q)
{
	for (size_t i = 0; i < q->n; i++) {
		free(q->jobs[i].path);
		free(q->jobs[i].reason);
	}
	free(q->jobs);
	free(q->cache);
}

/* Adds a job for FILE unless it is in the cache. */
static void queue_add(struct queue *q, struct debuginfod_file *file, bool again)
{
	struct download_job *job = &q->jobs[q->n];

	file->result = DEBUGINFOD_UNKNOWN;
	file->path = NULL;
	if (!is_build_id(file->build_id))
		return;
	*job = (struct download_job){.file = file, .path = download_path(q->cache, file)};
	if (is_whole(job->path)) {
		file->result = DEBUGINFOD_FOUND;
		file->path = job->path;
		return;
	}
	if (again)
		download_forget(job->path);
	q->n++;
}

/* Returns a line that says why no server can be used, or NULL if they can. The caller frees it. */
static char *find_obstacle(struct queue *q, bool again)
{
	struct strbuf why = STRBUF_INIT;
	int silent_s = again ? -1 : servers_silent_s();

	if (interrupted)
		return xstrdup("interrupted");
	if (!servers_find())
		return xstrdup("no server is configured");
	if (silent_s >= 0)
		return of_server(NULL,
			"did not answer %d s ago and will not be asked for another %d s", silent_s,
			SERVERS_REST_S - silent_s);
	q->lib = download_library_open(DEBUGINFOD_SONAME, &why);
	if (!q->lib || folder_make_above(q->cache, &why))
		return strbuf_detach(&why);
	return NULL;
}

void debuginfod_fetch(struct debuginfod_file *files, size_t n,
	const struct debuginfod_options *options, struct strbuf *notes)
{
	struct queue q;

	queue_init(&q, n, options);
	for (size_t i = 0; i < n; i++)
		queue_add(&q, &files[i], options->again);
	if (q.n) {
		char *why = find_obstacle(&q, options->again);

		if (why)
			give_up(&q, DEBUGINFOD_LEFT_OUT, why);
		else
			fetch_all(&q);
		add_notes(&q, notes);
	}
	queue_release(&q);
}
