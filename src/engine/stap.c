/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine that SystemTap runs: builds its command, reads what its script prints. */
#include "busy.h"
#include "engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "script.h"
#include "stage.h"
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_MAX = 1 << 20 }; /* bytes of stap's own words that are kept */

struct stap {
	struct engine engine;
	const struct engine_request *request;
	struct script script;
	struct processes processes;
	struct stage stage;
	struct tally tally;
	struct kallsyms
		*kallsyms; /* of when the probes were in place: stap's own module is in it */
	char **argv;
	size_t nr_args, args_alloc;
	pid_t pid; /* of stap, 0: not running */
	int status;
	int out, err;          /* our ends of its stdout and stderr, -1: closed */
	struct strbuf partial; /* a line of its output that has not ended yet */
	struct strbuf log;     /* its stderr */
	struct strbuf notes;
};

static void arg(struct stap *s, char *value)
{
	ALLOC_GROW(s->argv, s->nr_args + 1, s->args_alloc);
	s->argv[s->nr_args++] = value;
	s->argv[s->nr_args] = NULL;
}

static void arg_pair(struct stap *s, const char *option, char *value)
{
	arg(s, xstrdup(option));
	arg(s, value);
}

/*
 * Room for stacks comes in few sizes, each is a module of its own. An entry of the two large arrays
 * takes 150 bytes by estimate, and one of them is there once per CPU: without a wish, what should
 * stay below 128 MiB.
 */
static size_t size_class(size_t wish)
{
	static const size_t classes[] = {4096, 16384, 65536, 262144, 1048576};
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t i = 0;

	if (!wish) {
		while (i + 1 < 4 && classes[i + 1] * 150 * (cpus + 3) <= 128 << 20)
			i++;
		return classes[i];
	}
	while (i + 1 < ARRAY_LEN(classes) && classes[i] < wish)
		i++;
	return classes[i];
}

static void add_limits(struct stap *s)
{
	size_t size = size_class(s->request->stacks);

	arg(s, xstrdup("-DMAXBACKTRACE=1024"));
	arg(s, xstrdup("-DMAXSTRINGLEN=4096"));
	arg(s, xstrdup("-DMAXACTION=100000"));
	arg(s, xstrdup("-DMAXACTION_INTERRUPTIBLE=100000000"));
	arg(s, xasprintf("-DMAXMAPENTRIES=%zu", size));
	arg(s, xstrdup("-DMAXSKIPPED=1000000000")); /* counted at the end, never fatal */
	arg(s, xstrdup("-DSTP_NO_OVERLOAD"));
	arg(s, xstrdup("--suppress-handler-errors"));
	arg_pair(s, "-s", xasprintf("%zu", 4 + size / 16384)); /* MiB: all rows leave at once */
}

static void add_rules(struct stap *s)
{
	if (s->stage.root)
		arg(s, xasprintf("--sysroot=%s", s->stage.root));
	for (size_t i = 0; i < s->stage.nr_files; i++)
		arg_pair(s, "-d", xstrdup(s->stage.files[i]));
	if (s->request->user && s->request->command) {
		arg_pair(s, "-d", xstrdup(s->request->command));
		arg(s, xstrdup("--ldd"));
	}
}

/*
 * With --sysroot stap would look for the kernel's build tree below it, too, unless that is given by
 * its path.
 */
static void add_release(struct stap *s)
{
	const char *release = s->request->release;
	struct utsname uts;

	if (s->stage.root && (release || !uname(&uts)))
		arg_pair(s, "-r",
			xasprintf("/lib/modules/%s/build", release ? release : uts.release));
	else if (release)
		arg_pair(s, "-r", xstrdup(release));
}

/* "1302.1303", as -G takes it. */
static char *list_targets(const uint32_t *list, size_t nr)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%" PRIu32, i ? "." : "", list[i]);
	return strbuf_detach(&text);
}

/*
 * Returns the script's WHOSE. One process goes by -x, which the script compares without a lock. But
 * with -x stap makes the program's file a part of the module: one for kernel stacks shall serve all
 * processes, and below --sysroot it takes the file for one named after the process number.
 */
static const char *add_targets(struct stap *s)
{
	const struct engine_request *r = s->request;

	if (r->all)
		return r->idle ? "idle" : "all";
	const uint32_t *list = r->nr_tids ? r->tids : r->pids;
	size_t nr = r->nr_tids ? r->nr_tids : r->nr_pids;

	if (nr == 1 && r->user && !r->command && !s->stage.root) {
		arg_pair(s, "-x", xasprintf("%" PRIu32, list[0]));
		return r->nr_tids ? "tid" : "pid";
	}
	char *targets = list_targets(list, nr);

	arg_pair(s, "-G", xasprintf("targets=%s", targets));
	free(targets);
	return r->nr_tids ? "tids" : "pids";
}

static void build_command(struct stap *s)
{
	const struct engine_request *r = s->request;

	arg(s, xstrdup("stap"));
	if (r->verbose)
		arg(s, xstrdup("-v"));
	for (char **t = s->script.tapsets; *t; t++)
		arg_pair(s, "-I", xstrdup(*t));
	add_limits(s);
	if (r->compile_only)
		arg(s, xstrdup("-p4"));
	add_release(s);
	add_rules(s);
	for (size_t i = 0; i < r->nr_stap_args; i++)
		arg(s, xstrdup(r->stap_args[i]));
	const char *whose = add_targets(s);

	arg(s, xstrdup(s->script.path));
	arg(s, xstrdup(r->user && r->kernel ? "uk" : r->user ? "u" : "k"));
	arg(s, xstrdup(whose));
	if (r->hz)
		arg(s, xasprintf("%u", r->hz));
}

static int look_at(struct stap *s, uint32_t pid, struct strbuf *err)
{
	struct process *p = processes_get(&s->processes, pid);

	if (p->generation)
		return 0;
	process_look(&s->processes, p, err);
	return fail(err, "; give the number of a running process");
}

/* Looks at the processes whose files get rules. */
static int look_at_targets(struct stap *s, struct strbuf *err)
{
	const struct engine_request *r = s->request;
	uint32_t busy[8];
	size_t nr_busy = r->all ? busy_processes(busy, ARRAY_LEN(busy)) : 0;

	for (size_t i = 0; i < nr_busy; i++) {
		processes_get(&s->processes, busy[i]);
		if (r->verbose && r->user)
			fprintf(stderr, "unwind rules for the files of process %" PRIu32 "\n",
				busy[i]);
	}
	for (size_t i = 0; i < r->nr_tids; i++)
		if (look_at(s, r->tids[i], err))
			return -1;
	for (size_t i = 0; i < r->nr_pids && !r->command; i++)
		if (look_at(s, r->pids[i], err))
			return -1;
	return 0;
}

static void stap_free(struct engine *engine)
{
	struct stap *s = (struct stap *)engine;

	if (!s)
		return;
	if (s->out >= 0)
		close(s->out);
	if (s->err >= 0)
		close(s->err);
	for (size_t i = 0; i < s->nr_args; i++)
		free(s->argv[i]);
	free(s->argv);
	tally_release(&s->tally);
	kallsyms_free(s->kallsyms);
	stage_release(&s->stage);
	processes_release(&s->processes);
	script_release(&s->script);
	strbuf_release(&s->partial);
	strbuf_release(&s->log);
	strbuf_release(&s->notes);
	free(s);
}

static struct engine *stap_new(const struct engine_request *request, struct strbuf *err)
{
	struct stap *s = xcalloc(1, sizeof(*s));

	s->engine.ops = &stap_engine;
	s->request = request;
	s->out = s->err = -1;
	s->partial = s->log = s->notes = (struct strbuf)STRBUF_INIT;
	processes_init(&s->processes);
	tally_init(&s->tally, &s->processes);
	if (script_find(&s->script, request->script, err) || look_at_targets(s, err)) {
		stap_free(&s->engine);
		return NULL;
	}
	if (request->user)
		stage_init(&s->stage, &s->processes, &s->notes);
	build_command(s);
	return &s->engine;
}

static void describe_arg(const char *value, FILE *out)
{
	if (!value[strcspn(value, " \t\n'\"\\$`*?[]()<>|&;~#!{}")] && *value) {
		fprintf(out, " %s", value);
		return;
	}
	fputs(" '", out);
	for (; *value; value++)
		fputs(*value == '\'' ? "'\\''" : (char[]){*value, 0}, out);
	fputc('\'', out);
}

static void stap_describe(const struct engine *engine, FILE *out)
{
	const struct stap *s = (const struct stap *)engine;
	FILE *script = fopen(s->script.path, "re");
	char buf[4096];
	size_t n;

	fputc('#', out);
	for (size_t i = 0; i < s->nr_args; i++)
		describe_arg(s->argv[i], out);
	fputc('\n', out);
	while (script && (n = fread(buf, 1, sizeof(buf), script)) > 0)
		fwrite(buf, 1, n, out);
	if (script)
		fclose(script);
}

/*
 * In the child: a process group of its own, so that Ctrl-C at the terminal reaches only us; and
 * signals as they are by default: a shell's background job ignores SIGINT, by which we end stap.
 */
static void run_stap(struct stap *s, int out, int err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	int null = open("/dev/null", O_RDONLY);

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	setpgid(0, 0);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	execvp(s->argv[0], s->argv);
	dprintf(2, "cannot run '%s': %s\n", s->argv[0], strerror(errno));
	_exit(127);
}

static int stap_start(struct engine *engine, struct strbuf *err)
{
	struct stap *s = (struct stap *)engine;
	int out[2], log[2];

	if (pipe2(out, O_CLOEXEC))
		return fail(err, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(log, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return fail(err, "cannot make a pipe: %s", strerror(errno));
	}
	fflush(NULL);
	s->pid = fork();
	if (!s->pid)
		run_stap(s, out[1], log[1]);
	close(out[1]);
	close(log[1]);
	s->out = out[0];
	s->err = log[0];
	if (s->pid < 0) {
		s->pid = 0;
		return fail(err, "cannot start stap: %s", strerror(errno));
	}
	return 0;
}

/* Gives the whole lines in TEXT to the tally, keeps the rest. */
static void take_output(struct stap *s, const char *text, size_t len)
{
	if (s->request->compile_only) { /* the module's path */
		fwrite(text, 1, len, stdout);
		return;
	}
	strbuf_add(&s->partial, text, len);
	char *line = s->partial.buf, *end = line + s->partial.len, *nl;

	while ((nl = memchr(line, '\n', (size_t)(end - line)))) {
		tally_line(&s->tally, line, (size_t)(nl - line));
		line = nl + 1;
	}
	size_t rest = (size_t)(end - line);

	memmove(s->partial.buf, line, rest);
	s->partial.len = rest;
}

static void take_log(struct stap *s, const char *text, size_t len)
{
	if (s->request->verbose)
		fwrite(text, 1, len, stderr);
	if (s->log.len + len <= LOG_MAX)
		strbuf_add(&s->log, text, len);
}

/* Reads once from *FD, closes it at its end. */
static void take(struct stap *s, int *fd, void (*taker)(struct stap *, const char *, size_t))
{
	char buf[1 << 16];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n > 0)
		taker(s, buf, (size_t)n);
	if (n == 0 || (n < 0 && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
}

static void read_kallsyms(struct stap *s)
{
	struct strbuf why = STRBUF_INIT;

	s->kallsyms = kallsyms_new(&why);
	if (!s->kallsyms)
		strbuf_addf(&s->notes, "kernel frames have no names: %s\n", why.buf);
	strbuf_release(&why);
}

static enum engine_state stap_wait(struct engine *engine, int timeout_ms)
{
	struct stap *s = (struct stap *)engine;
	bool was_ready = s->tally.ready;
	struct pollfd fds[2] = {{.fd = s->out, .events = POLLIN}, {.fd = s->err, .events = POLLIN}};

	if (s->out >= 0 || s->err >= 0) {
		if (poll(fds, 2, timeout_ms) > 0) {
			if (fds[0].revents)
				take(s, &s->out, take_output);
			if (fds[1].revents)
				take(s, &s->err, take_log);
		}
	} else if (s->pid && waitpid(s->pid, &s->status, 0) == s->pid) {
		s->pid = 0;
	}
	if (s->tally.ready && !was_ready && s->request->kernel)
		read_kallsyms(s);
	if (!s->pid)
		return ENGINE_ENDED;
	return s->tally.ready ? ENGINE_READY : ENGINE_STARTING;
}

static void stap_stop(struct engine *engine)
{
	struct stap *s = (struct stap *)engine;

	if (s->pid)
		kill(s->pid, SIGINT);
}

/* The number behind WHAT in what stap said, 0 when it did not say it. */
static uint64_t logged_number(const struct stap *s, const char *what)
{
	const char *at = strstr(s->log.buf, what);
	uint64_t value = 0;

	if (at) {
		at += strlen(what);
		if (!parse_u64(at, strspn(at, "0123456789"), 10, &value))
			value = 0;
	}
	return value;
}

/* stap's first line that says what is wrong. */
static char *logged_error(const struct stap *s)
{
	static const char *const marks[] = {
		"semantic error: ", "parse error: ", "ERROR: ", "error: ", "cannot run "};
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(marks) && !found; i++)
		found = strstr(s->log.buf, marks[i]);
	return found ? xstrndup(found, strcspn(found, "\n")) : xstrdup("it did not say why");
}

static void look_once_more(struct stap *s)
{
	for (size_t i = 0; i < s->processes.nr; i++)
		process_look(&s->processes, &s->processes.list[i], NULL);
}

static int stap_finish(struct engine *engine, struct recording *rec, struct symbol_files *files,
	struct strbuf *err)
{
	struct stap *s = (struct stap *)engine;
	uint64_t period = s->request->hz ? 1000000000 / s->request->hz : 1000000;
	int ret = 0;

	if (s->request->compile_only && WIFEXITED(s->status) && !WEXITSTATUS(s->status))
		return 0;
	if (!s->tally.ended || !WIFEXITED(s->status) || WEXITSTATUS(s->status)) {
		char *error = logged_error(s);

		ret = fail(err, "stap failed: %s; run again with -v for all of its words\n", error);
		free(error);
		if (!s->tally.ended)
			return ret;
		ret = 1; /* it fell, but the sums had come */
	}
	look_once_more(s);
	s->tally.lost[LOST_SKIPPED] += logged_number(s, "skipped probes: ");
	s->tally.lost[LOST_TRANSPORT] += logged_number(s, "There were ");
	uint32_t event =
		recording_add_event(rec, s->script.event, s->script.unit, s->script.clock, period);

	recording_add_meta(rec, "title", s->script.title);
	recording_add_meta(rec, "engine", "stap");
	tally_to_recording(&s->tally, s->kallsyms, event, rec);
	processes_give_files(&s->processes, files);
	strbuf_add(err, s->notes.buf, s->notes.len);
	return ret;
}

const struct engine_ops stap_engine = {
	.name = "stap",
	.new = stap_new,
	.describe = stap_describe,
	.start = stap_start,
	.wait = stap_wait,
	.stop = stap_stop,
	.finish = stap_finish,
	.free = stap_free,
};
