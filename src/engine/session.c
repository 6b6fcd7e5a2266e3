/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"
#include "symbol/names/kernel.h"
#include "label/label.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/tempfile.h"
#include "lib/util.h"
#include "model/amount.h"
#include "process/command.h"
#include "process/descendants.h"
#include "process/reader.h"
#include "process/task.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DELAY_SHARE 0.01 /* of the recording's length, from which on a delay is noted */

enum {
	TICK_MS = 100,   /* between two checks of clock and targets */
	REST_MS = 1000,  /* the same for windows without a command, as each check costs */
	PATIENCE_S = 60, /* wait for an engine that was asked to stop */
};

struct run {
	struct session *session;
	struct engine *engine;
	struct command command;
	uint32_t command_pid;
	struct recorded_target {
		uint32_t id;
		uint64_t start;
	} * targets;
	size_t nr_targets;
	char comm[32];         /* of the first target */
	double shown;          /* when the recording so far was due to be shown the last time */
	double began;          /* monotonic seconds, or 0 while the probes are not in place */
	double since;          /* likewise, when the window began that will be taken next */
	int64_t since_ms;      /* when that was, in ms since 1970 */
	int64_t window_end_ms; /* when it ends */
	double ended;
	uint64_t delay; /* of the targets before the recording began, in ns */
};

static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t recording; /* the engine still runs */

/*
 * The first signal requests the end, the second one an immediate end; the recorded data is still
 * written. The third signal ends the program and leaves no half-written file.
 */
static void on_signal(int sig)
{
	interrupts++;
	if (interrupts > 2 && !recording) {
		tempfile_unlink_all();
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

/*
 * SIGHUP stays ignored if it was, because of nohup(1). SIGINT does not, because shells ignore it
 * for background jobs on account of the terminal, not of kill(1).
 */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal}, before;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		sigaction(signals[i], &sa, &before);
		if (signals[i] == SIGHUP && before.sa_handler == SIG_IGN)
			sigaction(SIGHUP, &before, NULL);
	}
}

static double now(void)
{
	return (double)monotonic_ns() / 1e9;
}

static bool all_gone(const struct recorded_target *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (task_lives(list[i].id, list[i].start))
			return false;
	return true;
}

static bool targets_gone(struct run *r)
{
	if (r->session->command)
		return command_ended(&r->command);
	if (r->session->request.all || r->session->request.selection.kind)
		return false;
	return all_gone(r->targets, r->nr_targets);
}

/* Identifies the targets at the start, as a PID can be reused. */
static void remember_targets(struct run *r)
{
	const struct engine_request *q = &r->session->request;
	const uint32_t *list = q->nr_tids ? q->tids : q->pids;

	r->nr_targets = q->nr_tids ? q->nr_tids : q->nr_pids;
	r->targets = xcalloc(r->nr_targets, sizeof(*r->targets));
	for (size_t i = 0; i < r->nr_targets; i++)
		r->targets[i] = (struct recorded_target){list[i], task_start(list[i], list[i])};
	if (r->nr_targets)
		task_comm(r->targets[0].id, r->comm, sizeof(r->comm));
}

/*
 * Returns the nanoseconds that the targets' threads have waited for a processor so far, or 0 if
 * that is recorded, or does not matter to the tool.
 */
static uint64_t run_delay(const struct run *r)
{
	const struct engine_request *q = &r->session->request;
	uint64_t sum = 0;

	if (!tool_leaves_out(q->tool, &q->values, "state", "runnable"))
		return 0;
	for (size_t i = 0; i < r->nr_targets; i++)
		sum += task_run_delay(r->targets[i].id, q->nr_tids ? r->targets[i].id : 0);
	return sum;
}

/* Notes that the targets waited for a processor, if that was long and is not recorded. */
static void note_run_delay(const struct run *r, struct strbuf *notes)
{
	uint64_t delay = run_delay(r);

	if (!r->began || delay <= r->delay)
		return;
	delay -= r->delay;
	if ((double)delay < (r->ended - r->began) * 1e9 * DELAY_SHARE)
		return;
	strbuf_adds(notes, "the target's threads waited ");
	amount_add_unit(notes, delay / 1000, "us");
	strbuf_adds(
		notes, " for a processor, which is not recorded; --state all records this, too\n");
}

/* Returns whether stdout is a pipe that no process reads any more. */
static bool reader_gone(const struct run *r)
{
	struct pollfd fd = {.fd = STDOUT_FILENO};

	return r->session->to_stdout && poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR);
}

static void show_progress(const struct run *r)
{
	static int shown = -1;
	int seconds = r->began ? (int)(now() - r->began) : -1;

	if (!r->session->progress || (shown == seconds && shown >= 0))
		return;
	shown = seconds;
	fprintf(stderr, "\r%s: ", program_invocation_short_name);
	if (!r->began)
		fputs("preparing the probes …\033[K", stderr);
	else if (r->session->request.seconds > 0)
		fprintf(stderr, "recording, %d of %g s\033[K", seconds,
			r->session->request.seconds);
	else
		fprintf(stderr, "recording, %d s; Ctrl-C ends\033[K", seconds);
}

static void clear_progress(const struct run *r)
{
	if (r->session->progress)
		fprintf(stderr, "\r\033[K");
}

/* Notes that a window begins now, and when it will end. */
static void begin_window(struct run *r)
{
	const struct session_windows *w = &r->session->windows;
	int64_t every = (int64_t)(w->every * 1000), offset = (int64_t)(w->offset * 1000);

	r->since = now();
	r->since_ms = realtime_ms();
	if (every)
		r->window_end_ms = ((r->since_ms - offset) / every + 1) * every + offset;
}

/* Returns the seconds until the window ends, or until it is too long as the clock was set back. */
static double window_left(const struct run *r)
{
	double every = r->session->windows.every;
	double left = (double)(r->window_end_ms - realtime_ms()) / 1000;
	double least = r->since + every - now();

	return left < least ? left : least;
}

/* Begins the recording. The terminal then belongs to the command or to what shows it. */
static void begin(struct run *r)
{
	struct session *s = r->session;

	r->delay = run_delay(r);
	r->began = r->shown = now();
	begin_window(r);
	if (s->announcement || s->command || s->live)
		clear_progress(r);
	if (s->announcement && !s->live)
		program_say("%s", s->announcement);
	if (s->request.verbose)
		fputs("the probes are in place\n", stderr);
	s->progress &= !s->command && !s->live;
	command_go(&r->command);
}

static void describe_command(const struct session *session, struct recording *rec)
{
	struct strbuf words = STRBUF_INIT;

	for (char **w = session->words; w && *w; w++)
		strbuf_addf(&words, "%s%s", w == session->words ? "" : " ", *w);
	recording_add_meta(rec, "command", words.buf);
	strbuf_release(&words);
}

/* Adds the IDs, as in "1302, 1303". If there are many, only the first ones are shown. */
static void add_ids(const struct recorded_target *list, size_t nr, struct strbuf *out)
{
	enum { SHOWN = 4 };
	const char *before = "";

	for (size_t i = 0; i < nr && i < SHOWN; i++) {
		strbuf_addf(out, "%s%" PRIu32, before, list[i].id);
		before = ", ";
	}
	if (nr > SHOWN)
		strbuf_adds(out, ", \xe2\x80\xa6");
}

static void describe_target(const struct run *r, struct recording *rec)
{
	static const char *const kinds[] = {
		[SELECT_NONE] = "",
		[SELECT_COMM] = "processes called",
		[SELECT_CGROUP] = "cgroup",
		[SELECT_CONTAINER] = "container",
		[SELECT_UNIT] = "unit",
	};
	const struct session *s = r->session;
	const struct selection *selection = &s->request.selection;
	struct strbuf text = STRBUF_INIT;

	if (s->request.all)
		strbuf_adds(&text, s->command ? "all processes during " : "all processes");
	else if (selection->kind)
		strbuf_addf(&text, "%s %s%s", kinds[selection->kind], selection->name,
			s->command ? " during " : "");
	else if (!s->command)
		strbuf_addf(&text, "%s ", r->comm);
	for (char **w = s->command; w && *w; w++)
		strbuf_addf(&text, "%s%s", w == s->command ? "" : " ", *w);
	if (!s->request.all && !selection->kind && !s->command)
		add_ids(r->targets, r->nr_targets, &text);
	recording_add_meta(rec, "target", text.buf);
	strbuf_release(&text);
}

static void describe_run(const struct run *r, struct recording *rec)
{
	time_t start = r->began ? (time_t)(r->since_ms / 1000) : time(NULL);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname uts;
	char date[32], number[32];
	struct tm tm;

	snprintf(number, sizeof(number), "%ld", cpus);
	kernel_describe(rec, "/sys");
	if (!uname(&uts))
		recording_add_meta(rec, "host", uts.nodename);
	if (cpus > 0)
		recording_add_meta(rec, "cpus", number);
	recording_add_meta(rec, "producer", "flametap " VERSION);
	describe_command(r->session, rec);
	describe_target(r, rec);
	if (gmtime_r(&start, &tm) && strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		recording_add_meta(rec, "started", date);
	char *seconds = xasprintf("%.3f", r->began ? r->ended - r->since : 0.0);

	if (!recording_meta(rec, "seconds"))
		recording_add_meta(rec, "seconds", seconds);
	free(seconds);
}

/* Gives the window that has ended to the session's owner. */
static void take_window(struct run *r)
{
	struct session_windows *w = &r->session->windows;
	struct strbuf notes = STRBUF_INIT, err = STRBUF_INIT;
	struct recording rec;

	recording_init(&rec);
	r->ended = now();
	r->session->ops->window(r->engine, &rec, w->files, &notes, &err);
	describe_run(r, &rec);
	begin_window(r);
	w->take(w->arg, &rec);
	program_say_rest(&err);
	strbuf_release(&notes); /* the last window has notes of all */
	recording_release(&rec);
}

/* Takes the window if it has ended. Returns how long to wait for the next one, at most LIMIT_MS. */
static int end_window(struct run *r, int limit_ms)
{
	if (!r->began || !r->session->windows.every)
		return limit_ms;
	if (window_left(r) <= 0)
		take_window(r);
	int left_ms = (int)(window_left(r) * 1000) + 1;

	return left_ms < limit_ms ? left_ms : limit_ms;
}

/*
 * Takes the sums from the engine. Each further signal, or a minute without an end, stops the engine
 * harder, until it is given up.
 */
static void take_sums(struct run *r, enum engine_state state)
{
	const struct engine_ops *ops = r->session->ops;
	int seen = interrupts ? 1 : 0; /* more signals may have come with the first */
	double last_stop = now();

	if (state != ENGINE_ENDED)
		ops->stop(r->engine);
	for (int times = 1; state != ENGINE_ENDED && times < 4;) {
		state = ops->wait(r->engine, TICK_MS);
		bool impatient = interrupts > seen;

		if (impatient || now() - last_stop > PATIENCE_S) {
			seen += impatient;
			last_stop = now();
			ops->stop(r->engine);
			times++;
		}
	}
}

/*
 * Shows the recording so far, when that is due and the last one has been shown. Returns false if
 * nobody looks any more.
 */
static bool show(struct run *r)
{
	struct session_live *live = r->session->live;
	enum live_state state = live ? live->ask(live) : LIVE_BUSY;
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;

	if (state != LIVE_READY || now() < r->shown + live->every_s)
		return state != LIVE_GONE;
	while (r->shown + live->every_s <= now())
		r->shown += live->every_s; /* just behind the end of a slice */
	recording_init(&rec);
	if (r->session->ops->take(r->engine, &rec, NULL, &notes, &notes) >= 0) {
		r->ended = now();
		describe_run(r, &rec);
		live->show(live, &rec);
	}
	recording_release(&rec);
	strbuf_release(&notes);
	return true;
}

static bool ends_by_itself(struct run *r, struct strbuf *notes)
{
	return targets_gone(r) || reader_gone(r) ||
	       trigger_fires(&r->session->trigger, now(), notes);
}

/* Returns how long to wait if nothing happens. */
static int tick_ms(const struct run *r)
{
	return r->began && r->session->windows.every && !r->session->command ? REST_MS : TICK_MS;
}

/* Records until the time is over, the targets have ended, a signal arrives, or the engine ends. */
static enum engine_state record(struct run *r, struct strbuf *notes)
{
	const struct engine_ops *ops = r->session->ops;
	double limit = r->session->request.seconds;
	enum engine_state state = ENGINE_STARTING;

	while (state != ENGINE_ENDED && !interrupts) {
		int wait_ms = tick_ms(r);

		show_progress(r);
		if (r->began && limit > 0) {
			double left = r->began + limit - now();

			if (left <= 0)
				break;
			wait_ms = left * 1000 < wait_ms ? (int)(left * 1000) + 1 : wait_ms;
		}
		wait_ms = end_window(r, wait_ms);
		state = ops->wait(r->engine, wait_ms);
		if (state == ENGINE_READY && !r->began) {
			begin(r);
		} else if (r->began && !show(r)) {
			break;
		} else if (r->began && ends_by_itself(r, notes)) {
			r->session->ended_by_itself = true;
			break;
		}
	}
	r->session->ended_by_itself |= state == ENGINE_ENDED;
	r->ended = now();
	return state;
}

/*
 * Takes the exit code of the command. A command that has not ended is left running. After a signal
 * there is no exit code, as the signal may have ended the command, too.
 */
static void take_command(struct run *r, struct strbuf *notes)
{
	struct session *s = r->session;

	if (!s->command || r->command.gate >= 0)
		return;
	if (!command_ended(&r->command)) {
		strbuf_addf(notes, "the command continues: '%s' is process %d\n", s->command[0],
			(int)r->command.pid);
	} else if (!interrupts) {
		s->exit_code = command_exit_code(&r->command);
		if (s->exit_code)
			strbuf_addf(notes, "the command '%s' ended with exit code %d\n",
				s->command[0], s->exit_code);
	}
}

static int run_engine(struct run *r, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	const struct engine_ops *ops = r->session->ops;

	int ret = -1;

	recording = 1;
	catch_signals();
	remember_targets(r);
	r->session->trigger.pids = r->session->request.pids;
	r->session->trigger.nr_pids = r->session->request.nr_pids;
	if (!ops->start(r->engine, err)) {
		enum engine_state state = record(r, notes);

		note_run_delay(r, notes);
		take_sums(r, state);
		clear_progress(r);
		ret = ops->take(r->engine, rec, files, notes, err);
		if (!r->session->request.compile_only)
			describe_run(r, rec);
	}
	recording = 0;
	return ret;
}

static bool is_impatient(void)
{
	return interrupts > 1;
}

/* Returns -1 with ERR if one of the processes is only a thread of another process. */
static int check_processes(const struct engine_request *q, struct strbuf *err)
{
	for (size_t i = 0; i < q->nr_pids; i++) {
		uint32_t pid = q->pids[i], process = task_process(pid);

		if (process && process != pid)
			return fail(err,
				"%" PRIu32 " is a thread of process %" PRIu32 ": give -p %" PRIu32
				", or --tid %" PRIu32 "\n",
				pid, process, process, pid);
	}
	return 0;
}

/*
 * The variables with which a command runs: the library of the tool that it loads before all others,
 * and the values of the tool's options, for that library.
 */
struct variables {
	char *list[TOOL_OPTIONS_MAX + 2];
	size_t nr;
};

/* Returns the name of the variable for OPTION, in capital letters. The caller frees it. */
static char *variable_name(const struct tool_option *option)
{
	char *name = xasprintf("FLAMETAP_%s", option->name);

	for (char *c = name; *c; c++)
		*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
	return name;
}

static void set_variables(struct variables *v, const struct engine_request *r)
{
	const char *before = getenv("LD_PRELOAD");

	if (!r->preload)
		return;
	v->list[v->nr++] = xasprintf("LD_PRELOAD=%s%s%s", r->preload, before && *before ? ":" : "",
		before ? before : "");
	for (size_t i = 0; i < r->tool->nr_options; i++) {
		if (r->tool->options[i]->is_text)
			continue;
		char *name = variable_name(r->tool->options[i]);

		v->list[v->nr++] =
			xasprintf("%s=%" PRIu64, name, tool_value_at(r->tool, &r->values, i));
		free(name);
	}
}

/* Starts the command, which waits until the recording has begun. */
static int start_command(struct run *r, struct strbuf *err)
{
	struct engine_request *q = &r->session->request;
	struct variables variables = {0};

	q->preload = tool_find_preload(q->tool, &q->values);
	set_variables(&variables, q);
	int ret = command_start(&r->command, r->session->command, variables.list, err);

	while (variables.nr)
		free(variables.list[--variables.nr]);
	if (ret)
		return ret;
	r->command_pid = (uint32_t)r->command.pid;
	q->pids = &r->command_pid;
	q->nr_pids = 1;
	q->command = r->command.path;
	return 0;
}

int session_run(struct session *session, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct run r = {.session = session, .command = {.gate = -1}};
	int ret = -1;

	session->exit_code = -1;
	session->ended_by_itself = false;
	session->request.impatient = is_impatient;
	if (check_processes(&session->request, err))
		goto out;
	if (session->command && start_command(&r, err))
		goto out;
	r.engine = session->ops->new (&session->request, err);
	if (!r.engine)
		goto out;
	if (session->describe) {
		session->ops->describe(r.engine, stdout);
		ret = 0;
	} else {
		ret = run_engine(&r, rec, files, notes, err);
		const char *log = ret < 0 && !interrupts ? session->ops->log(r.engine) : NULL;

		session->log = log ? xstrdup(log) : NULL;
	}
out:
	reader_describe(notes);
	if (ret >= 0)
		take_command(&r, notes);
	if (r.engine)
		session->ops->free(r.engine);
	reader_end();
	command_release(&r.command);
	if (session->command) { /* the path is freed, and the list is local */
		session->request.pids = NULL;
		session->request.nr_pids = 0;
		session->request.command = NULL;
		free(session->request.preload);
		session->request.preload = NULL;
	}
	free(r.targets);
	return ret;
}

size_t session_children_left_out(const struct engine_request *q)
{
	size_t nr = 0;

	if (q->nr_pids && !q->command && !q->children && !label_need_children(&q->labels))
		free(descendants("/proc", q->pids, q->nr_pids, &nr));
	return nr;
}
