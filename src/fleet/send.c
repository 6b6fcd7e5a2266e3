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
	REFUSALS_MAX = 5, /* of a window, before it is set aside */
	REFUSED_MAX = 10, /* windows that may be refused before the next look, if there is one */
};

/* When something may be tried again. */
struct retry {
	unsigned wait_s;    /* after the next failure */
	int64_t not_before; /* monotonic, ns */
};

/*
 * A window that the server refuses does not hold up the windows behind it. As long as the server
 * takes none, it may refuse all, and they are kept; if it has taken another, the window itself is
 * the reason, and is set aside after some trials.
 */
struct refusal {
	uint64_t taken; /* NR_TAKEN when it was refused first */
	unsigned nr;    /* how often; 0 if it was taken or set aside since */
	unsigned pass;  /* in which it was refused last */
};

struct sender {
	const struct send *send;
	struct fleet_memory memory;
	struct table tried;     /* hashes of the paths of windows that may have been sent */
	struct trouble trouble; /* what keeps windows from being sent */
	struct retry all;       /* after a failure that all windows meet */
	struct retry again;     /* of windows that were refused */
	struct table refused;   /* hash of a window's path -> index in refusals */
	struct refusal *refusals;
	size_t nr_refusals, refusals_alloc;
	uint64_t nr_taken;   /* windows that the server has taken */
	unsigned nr_refused; /* windows that it has refused in this pass over all */
	unsigned pass;
	struct strbuf why;    /* of the last refusal, without a newline */
	struct trouble aside; /* windows that were set aside */
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
static enum http_result post_otlp(
	const struct fleet_url *url, const struct recording *rec, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT;
	char *place = xasprintf("%s/v1development/profiles", url->base), *bytes = NULL;
	struct http_request request = {
		.url = place, .type = "application/x-protobuf", .gzip = true};
	struct profile p;

	enum http_result ret = HTTP_FAILED;

	make_profile(rec, &p);
	if (!make_request(&p, &bytes, &request.len, err)) {
		request.body = bytes;
		ret = http_post(&request, &answer, err);
	}
	profile_release(&p);
	strbuf_release(&answer);
	free(bytes);
	free(place);
	return ret;
}

static uint64_t hash_of(const struct spool_file *file)
{
	return hash_bytes(file->path, strlen(file->path));
}

/* Returns whether the window may have been sent before, and notes that it may have been now. */
static bool is_again(struct sender *s, const struct spool_file *file)
{
	bool is_new;

	table_put(&s->tried, hash_of(file), 0, &is_new);
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
		return post_otlp(url, rec, err);
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
	s->nr_taken++;
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

/* ---- windows that are refused ---- */

/* Returns the refusal of the window, or NULL if there was none. */
static struct refusal *refusal_of(const struct sender *s, const struct spool_file *file)
{
	const uint32_t *at = table_get(&s->refused, hash_of(file), 0);

	return at && s->refusals[*at].nr ? &s->refusals[*at] : NULL;
}

static struct refusal *first_refusal(struct sender *s, const struct spool_file *file)
{
	bool is_new;
	uint32_t *at = table_put(&s->refused, hash_of(file), 0, &is_new);

	if (is_new) {
		*at = (uint32_t)s->nr_refusals++;
		ALLOC_GROW(s->refusals, *at, s->refusals_alloc);
	}
	s->refusals[*at] = (struct refusal){.taken = s->nr_taken};
	return &s->refusals[*at];
}

static void forget_refusal(struct sender *s, const struct spool_file *file)
{
	struct refusal *r = refusal_of(s, file);

	if (r)
		r->nr = 0;
}

/* Says that the window FROM is kept as TO, at most each TROUBLE_QUIET_S. */
static void say_aside(struct sender *s, const char *from, const char *to)
{
	char *text = xasprintf("%s, refused %d times while others were taken: '%s' is kept as '%s'",
		s->why.buf, REFUSALS_MAX, from, to);
	int64_t now = monotonic_ns();

	if (trouble_note(&s->aside, text, "", now)) {
		program_say("%s", text);
		trouble_note(&s->aside, "", "", now);
	}
	free(text);
}

static void set_refused_aside(struct sender *s, const struct spool_file *file)
{
	char *other = spool_set_aside(file, "refused", NULL);

	if (!other)
		return;
	say_aside(s, file->path, other);
	forget_refusal(s, file);
	free(other);
}

/* Notes that the server has refused the window, and WHY. */
static void note_refusal(struct sender *s, const struct spool_file *file, const struct strbuf *why)
{
	struct refusal *r = refusal_of(s, file);

	s->nr_refused++;
	strbuf_reset(&s->why);
	strbuf_add(&s->why, why->buf, strcspn(why->buf, "\n"));
	if (!r)
		r = first_refusal(s, file);
	r->pass = s->pass;
	if (++r->nr >= REFUSALS_MAX && s->nr_taken > r->taken)
		set_refused_aside(s, file);
}

/*
 * Appends what has to be said of the windows in FILES that are still refused: nothing while others
 * are taken, unless this pass is the LAST. Returns how many they are.
 */
static size_t add_refused(
	const struct sender *s, const struct spool_list *files, bool last, struct strbuf *out)
{
	bool is_open = last;
	size_t nr = 0;

	for (size_t i = 0; i < files->nr; i++) {
		const struct refusal *r = refusal_of(s, &files->list[i]);

		nr += r != NULL;
		is_open |= r && r->taken == s->nr_taken;
	}
	if (nr && is_open)
		strbuf_addf(out, "%s, windows left: %zu\n", s->why.buf, nr);
	return nr;
}

/* ---- all windows ---- */

/* Chooses when to try again. */
static void wait_longer(struct sender *s, struct retry *retry)
{
	double part = 0.5 + (double)rand_r(&s->seed) / RAND_MAX / 2;

	retry->not_before = monotonic_ns() + (int64_t)(retry->wait_s * part * 1e9);
	retry->wait_s = 2 * retry->wait_s < WAIT_MAX_S ? 2 * retry->wait_s : WAIT_MAX_S;
}

static bool is_failure(enum http_result result)
{
	return result == HTTP_FAILED || result == HTTP_UNKNOWN;
}

static bool are_enough(const struct sender *s)
{
	return s->send->follow && s->nr_refused >= REFUSED_MAX;
}

/*
 * Sends the windows of FILES that were refused in a pass before, or the ones that were not. Stops
 * at a failure that all will meet.
 */
static enum http_result send_some(
	struct sender *s, const struct spool_list *files, bool refused, struct strbuf *err)
{
	enum http_result ret = HTTP_DONE;

	for (size_t i = 0; i < files->nr && !are_enough(s) && !program_is_stopped(); i++) {
		const struct spool_file *file = &files->list[i];
		const struct refusal *r = refusal_of(s, file);

		if (file->is_rest || (r != NULL) != refused || (r && r->pass == s->pass))
			continue;
		ret = send_file(s, file, err);
		if (is_failure(ret))
			break;
		if (ret == HTTP_REFUSED)
			note_refusal(s, file, err);
		else
			forget_refusal(s, file);
		strbuf_reset(err);
	}
	return ret;
}

/* Sends what is in the spool. Returns whether that failed, so that all windows have to wait. */
static bool send_all(
	struct sender *s, const struct spool_list *files, bool last, struct strbuf *err)
{
	uint64_t taken = s->nr_taken;

	s->pass++;
	s->nr_refused = 0;
	enum http_result ret = send_some(s, files, false, err);

	if (!is_failure(ret) && (last || monotonic_ns() >= s->again.not_before))
		ret = send_some(s, files, true, err);
	return is_failure(ret) || (are_enough(s) && s->nr_taken == taken);
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
		nr_left = add_refused(s, &files, last, &err);
	}
	const char *said =
		trouble_note(&s->trouble, err.buf, "windows are sent again", monotonic_ns());

	if (said)
		program_say("%.*s", (int)strcspn(said, "\n"), said);
	try_again_later(s, &s->all, failed);
	if (s->nr_refused || !nr_left)
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
		.why = STRBUF_INIT,
		.seed = (unsigned)monotonic_ns() ^ (unsigned)getpid()};
	int ret;

	fleet_memory_init(&s.memory);
	table_init(&s.tried);
	table_init(&s.refused);
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
	table_release(&s.refused);
	trouble_release(&s.trouble);
	trouble_release(&s.aside);
	strbuf_release(&s.why);
	free(s.refusals);
	return ret ? EXIT_FAILED : EXIT_OK;
}
