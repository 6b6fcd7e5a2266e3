/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "send.h"
#include "clickhouse.h"
#include "collector.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/trouble.h"
#include "lib/util.h"
#include "model/recording.h"
#include "refusals.h"
#include "spool.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000,   /* between two looks for new windows */
	WAIT_FIRST_S = 1, /* after a failure; twice as long after each other one */
	WAIT_MAX_S = 300,
	FAILED_MAX = 5, /* windows that may fail before the next look, if there is one */
};

/* When something may be tried again. */
struct retry {
	unsigned wait_s;    /* after the next failure */
	int64_t not_before; /* monotonic, ns */
};

struct sender {
	const struct send *send;
	struct fleet_memory memory;
	struct table tried;     /* hashes of the paths of windows that may have been sent */
	struct trouble trouble; /* what keeps windows from being sent */
	struct retry all;       /* after a failure that all windows meet */
	struct retry again;     /* of windows that were not taken */
	struct refusals refusals;
	unsigned seed;
};

/* ---- one window ---- */

static int read_window(int fd, struct recording *rec, struct strbuf *err)
{
	struct lines lines;

	lines_init(&lines, fd);
	lines_decompress(&lines);
	int ret = recording_read(rec, &lines, err);

	if (!ret && (lines_damage(&lines) || !rec->complete))
		ret = fail(err, "the window is damaged\n");
	lines_release(&lines);
	return ret;
}

/* Returns whether the window may have been sent before, and notes that it may have been now. */
static bool is_again(struct sender *s, const struct spool_file *file)
{
	bool is_new;

	table_put(&s->tried, hash_bytes(file->path, strlen(file->path)), 0, &is_new);
	return !is_new;
}

/* Notes the windows that a program before this one may have sent. */
static void note_begun(struct sender *s)
{
	struct spool_list files;

	if (spool_read(s->send->folder, &files, NULL))
		return;
	for (size_t i = 0; i < files.nr; i++)
		is_again(s, &files.list[i]);
	spool_list_release(&files);
}

static enum http_result send_recording(struct sender *s, const struct spool_file *file,
	const struct recording *rec, struct strbuf *err)
{
	const struct fleet_url *url = s->send->url;

	if (url->is_otlp)
		return collector_store(url, rec, err);
	return clickhouse_store(url, rec, &s->memory, is_again(s, file), err);
}

/* Keeps a damaged window under another name. */
static enum http_result set_damaged_aside(const struct spool_file *file, struct strbuf *err)
{
	strbuf_reset(err);
	char *other = spool_set_aside(file, "damaged", err);

	if (other)
		program_say("'%s' is damaged, and kept as '%s'", file->path, other);
	free(other);
	return other ? HTTP_DONE : HTTP_FAILED;
}

static enum http_result delete_sent(
	struct sender *s, const struct spool_file *file, struct strbuf *err)
{
	s->refusals.nr_taken++;
	if (!unlink(file->path))
		return HTTP_DONE;
	fail(err, "cannot delete '%s': %s\n", file->path, strerror(errno));
	return HTTP_FAILED;
}

/* Sends a window and deletes it. */
static enum http_result send_file(
	struct sender *s, const struct spool_file *file, struct strbuf *err)
{
	int fd = spool_take(file->path);
	enum http_result ret;
	struct recording rec;

	if (fd < 0) /* it was dropped, or another program sends it */
		return HTTP_DONE;
	recording_init(&rec);
	if (read_window(fd, &rec, err)) {
		ret = set_damaged_aside(file, err);
	} else {
		ret = send_recording(s, file, &rec, err);
		if (ret == HTTP_DONE)
			ret = delete_sent(s, file, err);
	}
	recording_release(&rec);
	close(fd);
	return ret;
}

/* ---- all windows ---- */

/* Chooses when to try again. */
static void wait_longer(struct sender *s, struct retry *retry)
{
	double part = 0.5 + (double)rand_r(&s->seed) / RAND_MAX / 2;

	retry->not_before = monotonic_ns() + (int64_t)(retry->wait_s * part * 1e9);
	retry->wait_s = 2 * retry->wait_s < WAIT_MAX_S ? 2 * retry->wait_s : WAIT_MAX_S;
}

static bool are_enough(const struct sender *s)
{
	return s->send->follow && s->refusals.nr_in_pass >= FAILED_MAX;
}

/* Notes what became of a window. Returns whether others may be sent. */
static bool note_result(struct sender *s, const struct spool_file *file, enum http_result result,
	struct strbuf *err)
{
	if (result == HTTP_FAILED)
		return false;
	if (result == HTTP_DONE)
		refusals_forget(&s->refusals, file);
	else
		refusals_add(&s->refusals, file, result == HTTP_ERROR, err);
	strbuf_reset(err);
	return true;
}

/* Sends what is in the spool. Returns whether that failed, so that all windows have to wait. */
static bool send_all(struct sender *s, struct spool_list *files, bool last, struct strbuf *err)
{
	uint64_t taken = s->refusals.nr_taken;
	bool again = last || monotonic_ns() >= s->again.not_before;

	refusals_begin_pass(&s->refusals);
	refusals_sort(&s->refusals, files);
	for (size_t i = 0; i < files->nr && !are_enough(s) && !program_is_stopped(); i++) {
		const struct spool_file *file = &files->list[i];

		if (file->is_rest)
			continue;
		if (!again && refusals_has(&s->refusals, file))
			break;
		if (!note_result(s, file, send_file(s, file, err), err))
			return true;
	}
	return are_enough(s) && s->refusals.nr_taken == taken;
}

static void try_again_later(struct sender *s, struct retry *retry, bool later)
{
	if (later)
		wait_longer(s, retry);
	else
		retry->wait_s = WAIT_FIRST_S;
}

/* Does a pass over all windows. Returns -1 if some are left. */
static int try_all(struct sender *s, bool last)
{
	struct strbuf err = STRBUF_INIT;
	struct spool_list files;
	size_t nr_left = 0;
	bool failed = spool_read(s->send->folder, &files, &err);

	if (!failed) {
		failed = send_all(s, &files, last, &err);
		nr_left = refusals_left(&s->refusals, &files, last, &err);
	}
	const char *said =
		trouble_note(&s->trouble, err.buf, "windows are sent again", monotonic_ns());

	if (said)
		program_say("%.*s", (int)strcspn(said, "\n"), said);
	try_again_later(s, &s->all, failed);
	if (s->refusals.nr_in_pass || !nr_left)
		try_again_later(s, &s->again, nr_left);
	spool_list_release(&files);
	strbuf_release(&err);
	return failed || nr_left ? -1 : 0;
}

/* Waits for LOOK_MS. Returns whether the program that gives stdin has ended. */
static bool is_last(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char byte;

	return poll(&in, 1, LOOK_MS) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

int send_windows(const struct send *send)
{
	struct sender s = {.send = send,
		.all = {.wait_s = WAIT_FIRST_S},
		.again = {.wait_s = WAIT_FIRST_S},
		.seed = (unsigned)monotonic_ns() ^ (unsigned)getpid()};
	int ret;

	fleet_memory_init(&s.memory);
	table_init(&s.tried);
	refusals_init(&s.refusals);
	note_begun(&s);
	program_catch_signals();
	for (;;) {
		bool last = !send->follow || is_last() || program_is_stopped();

		if (last || monotonic_ns() >= s.all.not_before)
			ret = try_all(&s, last);
		if (last)
			break;
	}
	fleet_memory_release(&s.memory);
	table_release(&s.tried);
	refusals_release(&s.refusals);
	trouble_release(&s.trouble);
	return ret ? EXIT_FAILED : EXIT_OK;
}
