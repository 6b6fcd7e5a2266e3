/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ftrace.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char tracer[] = "function_graph";

/*
 * The settings, in the order in which they are made, with the value that they have while nobody
 * traces. Files that are missing are options of newer kernels, or of older ones.
 */
static const struct {
	const char *file, *value, *idle;
} settings[] = {
	{"tracing_on", "0", NULL},
	{"trace", "", NULL},
	{"current_tracer", tracer, "nop"},
	{"options/funcgraph-cpu", "1", "1"},
	{"options/funcgraph-proc", "1", "0"},
	{"options/funcgraph-duration", "1", "1"},
	{"options/funcgraph-abstime", "0", "0"},
	{"options/funcgraph-args", "0", "0"},
	{"options/funcgraph-retval", "0", "0"},
	{"options/function-fork", "1", "0"},
	{"options/latency-format", "0", "0"},
	{"max_graph_depth", NULL, "0"},
	{"buffer_size_kb", NULL, NULL},
	{"set_graph_function", NULL, ""},
	{"set_ftrace_pid", NULL, ""},
	{"set_ftrace_notrace_pid", NULL, ""},
};

/* Opens a file of tracefs. With MORE, what is written is added to its list. */
static int open_file(const struct ftrace *f, const char *file, bool more)
{
	char *path = xasprintf("%s/%s", f->folder, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC | (more ? O_APPEND : O_TRUNC));

	free(path);
	return fd;
}

/*
 * Writes VALUE, or empties the file's list if it is "". Returns -1 with errno on failure. Without a
 * newline, the kernel would not check a name before the file is closed, and not tell.
 */
static int put(const struct ftrace *f, const char *file, const char *value, bool more)
{
	int fd = open_file(f, file, more), error = 0;
	char *line = xasprintf("%s\n", value);

	if (fd >= 0 && *value && write(fd, line, strlen(line)) < 0)
		error = errno;
	free(line);
	if (fd < 0)
		return -1;
	close(fd);
	errno = error;
	return error ? -1 : 0;
}

static int set(const struct ftrace *f, const char *file, const char *value, struct strbuf *err)
{
	if (!put(f, file, value, false) || errno == ENOENT)
		return 0;
	return fail(
		err, "cannot write '%s' to '%s/%s': %s", value, f->folder, file, strerror(errno));
}

/* Reads the first bytes of a file of tracefs. Returns false if it cannot be read. */
static bool get(const struct ftrace *f, const char *file, char *to, size_t size)
{
	char *path = xasprintf("%s/%s", f->folder, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size - 1);

	if (fd >= 0)
		close(fd);
	free(path);
	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
	return n >= 0;
}

/* ---- the guard ---- */

static void restore(const struct ftrace *f, const char *size)
{
	put(f, "tracing_on", "0", false);
	for (size_t i = ARRAY_LEN(settings); i--;)
		if (settings[i].idle)
			put(f, settings[i].file, settings[i].idle, false);
	put(f, "buffer_size_kb", size, false);
	put(f, "trace", "", false);
	put(f, "tracing_on", "1", false);
}

/* Waits until the other end of the pipe is closed, also by the death of its owner. */
static void guard(const struct ftrace *f, int end, const char *size)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	char byte;

	setsid();
	prctl(PR_SET_NAME, "flametap-guard");
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	restore(f, size);
	_exit(0);
}

static int start_guard(struct ftrace *f, struct strbuf *err)
{
	char size[64];
	int ends[2];

	get(f, "buffer_size_kb", size, sizeof(size));
	size[strcspn(size, " ")] = '\0'; /* "7 (expanded: 1408)" */
	if (pipe2(ends, O_CLOEXEC))
		return fail(err, "cannot make a pipe: %s", strerror(errno));
	f->guard = fork();
	if (!f->guard) {
		close(ends[1]);
		guard(f, ends[0], size);
	}
	close(ends[0]);
	f->guarded = ends[1];
	return f->guard < 0 ? fail(err, "cannot start a process: %s", strerror(errno)) : 0;
}

/* ---- the settings ---- */

/* Finds tracefs, and whether it has the tracer, and nobody uses it. */
static int find(struct ftrace *f, struct strbuf *err)
{
	static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char text[256];
	size_t i = 0;

	for (; i < ARRAY_LEN(folders) && !f->folder; i++) {
		f->folder = xstrdup(folders[i]);
		if (get(f, "current_tracer", text, sizeof(text)))
			break;
		free(f->folder);
		f->folder = NULL;
	}
	if (!f->folder)
		return fail(err,
			"cannot read '%s/current_tracer': run as root, after mount -t tracefs "
			"none %s",
			*folders, *folders);
	if (strcmp(text, "nop"))
		return fail(err,
			"the tracer '%s' is in use: there is one for the whole system; when it is "
			"not needed any more, echo nop > %s/current_tracer",
			text, f->folder);
	if (!get(f, "available_tracers", text, sizeof(text)) || !strstr(text, tracer))
		return fail(err,
			"this kernel has no %s (CONFIG_FUNCTION_GRAPH_TRACER): sample-bt -k and "
			"bt-report --callees FUNCTION show by samples what it calls",
			tracer);
	return 0;
}

static int add_functions(const struct ftrace *f, const struct ftrace_request *r, struct strbuf *err)
{
	for (size_t i = 0; i < r->nr_functions; i++)
		if (put(f, "set_graph_function", r->functions[i], true))
			return fail(err,
				"the kernel cannot trace a function '%s': %s/"
				"available_filter_functions lists those that it can",
				r->functions[i], f->folder);
	return 0;
}

/* Adds all threads of the process. */
static int add_threads(const struct ftrace *f, uint32_t pid, struct strbuf *err)
{
	char *path = xasprintf("/proc/%" PRIu32 "/task", pid);
	DIR *threads = opendir(path);
	int ret = 0;

	if (!threads)
		ret = fail(err, "there is no process %" PRIu32, pid);
	for (struct dirent *e; !ret && (e = readdir(threads));)
		if (*e->d_name != '.' && put(f, "set_ftrace_pid", e->d_name, true) &&
			errno != ESRCH)
			ret = fail(err, "cannot trace thread %s: %s", e->d_name, strerror(errno));
	if (threads)
		closedir(threads);
	free(path);
	return ret;
}

/* Our own reads and writes of the trace would never end. Linux before 5.8 lacks the file. */
static int leave_out_ourselves(const struct ftrace *f, struct strbuf *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)getpid());
	return set(f, "set_ftrace_notrace_pid", text, err);
}

static int set_number(const struct ftrace *f, const char *file, unsigned number, struct strbuf *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return set(f, file, text, err);
}

int ftrace_begin(struct ftrace *f, const struct ftrace_request *r, struct strbuf *err)
{
	char *path;

	*f = (struct ftrace){.pipe = -1, .guarded = -1, .guard = -1};
	if (find(f, err) || start_guard(f, err))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		if (settings[i].value && set(f, settings[i].file, settings[i].value, err))
			return -1;
	if (set_number(f, "buffer_size_kb", r->buffer, err) ||
		set_number(f, "max_graph_depth", r->depth, err) || add_functions(f, r, err) ||
		(r->pid ? add_threads(f, r->pid, err) : leave_out_ourselves(f, err)))
		return -1;
	path = xasprintf("%s/trace_pipe", f->folder);
	f->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (f->pipe < 0)
		fail(err, "cannot open '%s': %s", path, strerror(errno));
	free(path);
	return f->pipe < 0 ? -1 : 0;
}

int ftrace_run(const struct ftrace *f, bool on, struct strbuf *err)
{
	return set(f, "tracing_on", on ? "1" : "0", err);
}

ssize_t ftrace_copy(const struct ftrace *f, int timeout_ms, FILE *out, struct strbuf *err)
{
	struct pollfd ready = {.fd = f->pipe, .events = POLLIN};
	char bytes[1 << 16];
	ssize_t n;

	if (timeout_ms)
		poll(&ready, 1, timeout_ms);
	n = read(f->pipe, bytes, sizeof(bytes));
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return fail(err, "cannot read the trace: %s", strerror(errno));
	if (n > 0 && fwrite(bytes, 1, (size_t)n, out) != (size_t)n)
		return fail(err, "cannot write the trace: %s", strerror(errno));
	return n > 0 ? n : 0;
}

uint64_t ftrace_lost(const struct ftrace *f)
{
	char *pattern = xasprintf("%s/per_cpu/cpu*/stats", f->folder), line[128];
	unsigned long long overrun;
	uint64_t lost = 0;
	glob_t files = {0};

	glob(pattern, 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *in = fopen(files.gl_pathv[i], "re");

		while (in && fgets(line, sizeof(line), in))
			if (sscanf(line, "overrun: %llu", &overrun) == 1)
				lost += overrun;
		if (in)
			fclose(in);
	}
	globfree(&files);
	free(pattern);
	return lost;
}

int ftrace_end(struct ftrace *f, struct strbuf *err)
{
	char text[64] = "nop";

	if (f->pipe >= 0)
		close(f->pipe);
	if (f->guarded >= 0)
		close(f->guarded);
	if (f->guard > 0) {
		waitpid(f->guard, NULL, 0);
		get(f, "current_tracer", text, sizeof(text));
	}
	free(f->folder);
	return strcmp(text, "nop") ? fail(err, "the tracer '%s' could not be removed", text) : 0;
}
