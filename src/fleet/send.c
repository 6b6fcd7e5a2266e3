/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "send.h"
#include "clickhouse.h"
#include "input/input.h"
#include "lib/compress/gzip.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/trouble.h"
#include "lib/util.h"
#include "model/recording.h"
#include "spool.h"
#include "view/view.h"

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
};

struct sender {
	const struct send *send;
	struct fleet_memory memory;
	struct table tried;     /* hashes of the names of windows that may have been sent */
	struct trouble trouble; /* what keeps windows from being sent */
	unsigned wait_s;        /* after the next failure */
	int64_t not_before;     /* monotonic, ns */
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

static void make_profile(const struct recording *rec, struct profile *p)
{
	struct recording_view view = {
		.event = -1, .comm = true, .label_sets = true, .places = true};

	profile_init(p);
	recording_to_profile(rec, &view, p);
	profile_finish(p);
}

/* Writes the profile as OTLP, compressed. The caller frees *BYTES. */
static int make_request(const struct profile *p, char **bytes, size_t *len, struct strbuf *err)
{
	char *plain = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&plain, &nr), *packed = open_memstream(bytes, len);
	struct gzip gzip;
	int ret = out && packed ? view_otlp(p, out, err) : -1;

	if (out)
		fclose(out);
	if (!ret)
		ret = gzip_init(&gzip, packed, err);
	if (!ret) {
		gzip_add(&gzip, plain, nr);
		gzip_finish(&gzip);
	}
	if (packed)
		fclose(packed);
	free(plain);
	return ret;
}

/* A collector has no way to ask whether it has a window: after an unknown outcome it gets it again.
 */
static int post_otlp(const struct fleet_url *url, const struct recording *rec, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT;
	char *place = xasprintf("%s/v1development/profiles", url->base), *bytes = NULL;
	struct http_request request = {
		.url = place, .type = "application/x-protobuf", .gzip = true};
	struct profile p;

	make_profile(rec, &p);
	int ret = make_request(&p, &bytes, &request.len, err);

	request.body = bytes;
	if (!ret)
		ret = http_post(&request, &answer, err) == HTTP_DONE ? 0 : -1;
	profile_release(&p);
	strbuf_release(&answer);
	free(bytes);
	free(place);
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

static int send_recording(struct sender *s, const struct spool_file *file,
	const struct recording *rec, struct strbuf *err)
{
	const struct fleet_url *url = s->send->url;

	if (url->is_otlp)
		return post_otlp(url, rec, err);
	return clickhouse_store(url, rec, &s->memory, is_again(s, file), err);
}

/* Sends a window and deletes it. A damaged one is kept under another name. */
static int send_file(struct sender *s, const struct spool_file *file, struct strbuf *err)
{
	int fd = spool_take(file->path), ret = 0;
	struct recording rec;

	if (fd < 0) /* it was dropped, or another program sends it */
		return 0;
	recording_init(&rec);
	if (read_window(fd, &rec, err)) {
		char *other = xasprintf("%s.damaged", file->path);

		program_say("'%s' is damaged, and kept as '%s'", file->path, other);
		rename(file->path, other);
		strbuf_reset(err);
		free(other);
	} else {
		ret = send_recording(s, file, &rec, err);
		if (!ret && unlink(file->path))
			ret = fail(err, "cannot delete '%s': %s\n", file->path, strerror(errno));
	}
	recording_release(&rec);
	close(fd);
	return ret;
}

/* ---- all windows ---- */

static int send_all(struct sender *s, struct strbuf *err)
{
	struct spool_list files;
	int ret = spool_read(s->send->folder, &files, err);

	for (size_t i = 0; i < files.nr && !ret && !program_is_stopped(); i++)
		if (!files.list[i].is_rest)
			ret = send_file(s, &files.list[i], err);
	spool_list_release(&files);
	return ret;
}

/* Chooses when to try again. */
static void wait_longer(struct sender *s)
{
	double part = 0.5 + (double)rand_r(&s->seed) / RAND_MAX / 2;

	s->not_before = monotonic_ns() + (int64_t)(s->wait_s * part * 1e9);
	s->wait_s = 2 * s->wait_s < WAIT_MAX_S ? 2 * s->wait_s : WAIT_MAX_S;
}

static int try_all(struct sender *s)
{
	struct strbuf err = STRBUF_INIT;
	int ret = send_all(s, &err);
	const char *said = trouble_note(
		&s->trouble, ret ? err.buf : "", "windows are sent again", monotonic_ns());

	if (said)
		program_say("%.*s", (int)strcspn(said, "\n"), said);
	if (ret)
		wait_longer(s);
	else
		s->wait_s = WAIT_FIRST_S;
	strbuf_release(&err);
	return ret;
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
		.wait_s = WAIT_FIRST_S,
		.seed = (unsigned)monotonic_ns() ^ (unsigned)getpid()};
	int ret;

	fleet_memory_init(&s.memory);
	table_init(&s.tried);
	note_begun(&s);
	program_catch_signals();
	for (;;) {
		bool last = !send->follow || is_last() || program_is_stopped();

		if (last || monotonic_ns() >= s.not_before)
			ret = try_all(&s);
		if (last)
			break;
	}
	fleet_memory_release(&s.memory);
	table_release(&s.tried);
	trouble_release(&s.trouble);
	return ret ? EXIT_FAILED : EXIT_OK;
}
