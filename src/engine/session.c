/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"
#include "command.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100 }; /* between two looks at clock and targets */

struct run {
	struct session *session;
	struct engine *engine;
	struct command command;
	uint32_t command_pid;
	double began; /* monotonic seconds; 0: the probes are not in place */
	double ended;
};

static volatile sig_atomic_t interrupts;

static void on_signal(int sig)
{
	(void)sig;
	interrupts++;
}

static void catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	interrupts = 0;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool all_gone(const uint32_t *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!kill((pid_t)list[i], 0) || errno != ESRCH)
			return false;
	return true;
}

static bool targets_gone(struct run *r)
{
	const struct engine_request *q = &r->session->request;

	if (q->all)
		return false;
	if (r->session->command)
		return command_ended(&r->command);
	return q->nr_tids ? all_gone(q->tids, q->nr_tids) : all_gone(q->pids, q->nr_pids);
}

static void show_progress(const struct run *r)
{
	static int shown = -1;
	int seconds = r->began ? (int)(now() - r->began) : -1;

	if (!r->session->progress || (shown == seconds && shown >= 0))
		return;
	shown = seconds;
	if (!r->began)
		fprintf(stderr, "\rsample-bt: preparing the probes …\033[K");
	else if (r->session->seconds > 0)
		fprintf(stderr, "\rsample-bt: recording, %d of %.0f s\033[K", seconds,
			r->session->seconds);
	else
		fprintf(stderr, "\rsample-bt: recording, %d s; Ctrl-C ends\033[K", seconds);
}

static void clear_progress(const struct run *r)
{
	if (r->session->progress)
		fprintf(stderr, "\r\033[K");
}

/* Until the time is over, the targets are gone, a signal or the engine's own end. */
static enum engine_state record(struct run *r)
{
	const struct engine_ops *ops = r->session->ops;
	double limit = r->session->seconds;
	enum engine_state state = ENGINE_STARTING;

	while (state != ENGINE_ENDED && !interrupts) {
		int wait_ms = TICK_MS;

		show_progress(r);
		if (r->began && limit > 0) {
			double left = r->began + limit - now();

			if (left <= 0)
				break;
			wait_ms = left * 1000 < TICK_MS ? (int)(left * 1000) + 1 : TICK_MS;
		}
		state = ops->wait(r->engine, wait_ms);
		if (state == ENGINE_READY && !r->began) {
			r->began = now();
			command_go(&r->command);
		} else if (r->began && targets_gone(r)) {
			break;
		}
	}
	r->ended = now();
	return state;
}

static void take_sums(struct run *r, enum engine_state state)
{
	const struct engine_ops *ops = r->session->ops;
	int seen = interrupts;

	if (state != ENGINE_ENDED)
		ops->stop(r->engine);
	while (state != ENGINE_ENDED) {
		state = ops->wait(r->engine, TICK_MS);
		if (interrupts > seen) { /* impatient: the engine gives up its own waiting */
			seen = interrupts;
			ops->stop(r->engine);
		}
	}
}

/* The GNU build-id in the running kernel's notes (elf(5)), as hex; nothing when they cannot be
 * read. */
static void kernel_build_id(struct strbuf *hex)
{
	unsigned char notes[4096];
	FILE *in = fopen("/sys/kernel/notes", "re");
	size_t n = in ? fread(notes, 1, sizeof(notes), in) : 0;
	Elf64_Nhdr note;

	for (size_t at = 0; at + sizeof(note) <= n;) {
		memcpy(&note, notes + at, sizeof(note));
		size_t name = at + sizeof(note), body = name + ((note.n_namesz + 3ULL) & ~3ULL);
		size_t end = body + ((note.n_descsz + 3ULL) & ~3ULL);

		if (end > n || body > end)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(notes + name, "GNU", 4))
			for (size_t i = 0; i < note.n_descsz; i++)
				strbuf_addf(hex, "%02x", notes[body + i]);
		at = end;
	}
	if (in)
		fclose(in);
}

static void describe_kernel(struct recording *rec)
{
	struct strbuf build_id = STRBUF_INIT;
	struct utsname uts;

	kernel_build_id(&build_id);
	rec->kernel_build_id = recording_string(rec, build_id.buf);
	if (!uname(&uts)) {
		rec->kernel_release = recording_string(rec, uts.release);
		recording_add_meta(rec, "host", uts.nodename);
	}
	strbuf_release(&build_id);
}

static void describe_command(const struct session *session, struct recording *rec)
{
	struct strbuf words = STRBUF_INIT;

	for (char **w = session->words; w && *w; w++)
		strbuf_addf(&words, "%s%s", w == session->words ? "" : " ", *w);
	recording_add_meta(rec, "command", words.buf);
	strbuf_release(&words);
}

static void describe_run(const struct run *r, struct recording *rec)
{
	time_t end = time(NULL), start = end - (time_t)(now() - r->began);
	char date[32];
	struct tm tm;

	describe_kernel(rec);
	recording_add_meta(rec, "producer", "flametap " VERSION);
	describe_command(r->session, rec);
	if (gmtime_r(&start, &tm) && strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		recording_add_meta(rec, "started", date);
	char *seconds = xasprintf("%.3f", r->began ? r->ended - r->began : 0.0);

	recording_add_meta(rec, "seconds", seconds);
	free(seconds);
}

static int run_engine(
	struct run *r, struct recording *rec, struct symbol_files *files, struct strbuf *err)
{
	const struct engine_ops *ops = r->session->ops;

	if (ops->start(r->engine, err))
		return -1;
	catch_signals();
	enum engine_state state = record(r);

	take_sums(r, state);
	clear_progress(r);
	if (!r->session->request.compile_only)
		describe_run(r, rec);
	return ops->finish(r->engine, rec, files, err);
}

int session_run(struct session *session, struct recording *rec, struct symbol_files *files,
	struct strbuf *err)
{
	struct run r = {.session = session, .command = {.gate = -1}};
	int ret = -1;

	if (session->command) {
		if (command_start(&r.command, session->command, err))
			goto out;
		r.command_pid = (uint32_t)r.command.pid;
		session->request.pids = &r.command_pid;
		session->request.nr_pids = 1;
		session->request.command = r.command.path;
	}
	r.engine = session->ops->new (&session->request, err);
	if (!r.engine)
		goto out;
	if (session->describe) {
		session->ops->describe(r.engine, stdout);
		ret = 0;
	} else {
		ret = run_engine(&r, rec, files, err);
	}
out:
	if (r.engine)
		session->ops->free(r.engine);
	command_release(&r.command);
	return ret;
}
