/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "download.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "servers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	REDIRECTS_MAX = 50,
	REPORT_MS = 100,
	UNPACKED = 64 << 20, /* bytes that unpacking may add */
	ORPHAN_S = 2,        /* how long the process may take to end if the parent is gone */
};

#define BYTES_MAX (8ull << 30) /* largest file, because a response may be endless */

struct download_library {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_verbose_fd) *set_verbose_fd;
	__typeof__(debuginfod_get_url) *get_url;
	__typeof__(debuginfod_find_debuginfo) *find[2]; /* indexed by enum debuginfod_kind */
	__typeof__(debuginfod_find_source) *find_source;
};

const struct download_library *download_library_open(const char *name, struct strbuf *err)
{
	static struct download_library lib;
	const struct {
		const char *name;
		void *at;
	} symbols[] = {
		{"debuginfod_begin", &lib.begin},
		{"debuginfod_set_progressfn", &lib.set_progressfn},
		{"debuginfod_set_verbose_fd", &lib.set_verbose_fd},
		{"debuginfod_get_url", &lib.get_url},
		{"debuginfod_find_debuginfo", &lib.find[DEBUGINFOD_DEBUGINFO]},
		{"debuginfod_find_executable", &lib.find[DEBUGINFOD_EXECUTABLE]},
		{"debuginfod_find_source", &lib.find_source},
	};
	void *handle = dlopen(name, RTLD_NOW), *symbol;

	if (!handle) {
		const char *why = dlerror();

		if (strstr(why, "No such file"))
			fail(err,
				"%s is not installed: apt install libdebuginfod1 (dnf install "
				"elfutils-debuginfod-client)",
				name);
		else
			fail(err, "cannot load libdebuginfod: %s", why);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		symbol = dlsym(handle, symbols[i].name);
		if (!symbol) {
			fail(err, "%s is too old: it has no %s", name, symbols[i].name);
			dlclose(handle);
			return NULL;
		}
		memcpy(symbols[i].at, &symbol, sizeof(symbol));
	}
	return &lib;
}

char *download_path(const char *cache, const struct debuginfod_file *file)
{
	static const char *const names[] = {
		[DEBUGINFOD_DEBUGINFO] = "debuginfo",
		[DEBUGINFOD_EXECUTABLE] = "executable",
		[DEBUGINFOD_SOURCE] = "source", /* the library's versions append more */
	};

	return xasprintf("%s/%s/%s", cache, file->build_id, names[file->kind]);
}

void download_remove(const char *path)
{
	char *folder = xstrndup(path, (size_t)(file_name(path) - path));

	unlink(path);
	rmdir(folder);
	free(folder);
}

void download_forget(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		download_remove(path);
}

/* ---- the process ---- */

static struct download_process {
	const struct download_library *lib;
	char *path;      /* the path that the file will have */
	char *tail;      /* the part of the path inside the cache */
	int out;         /* pipe for the reports */
	int messages;    /* pipe with the library's debug output */
	char line[1024]; /* the last line of that output, not yet complete */
	size_t len;
	bool asking; /* servers are asked; before that, the library cleans its cache */
	unsigned redirects;
	uint64_t bytes_max;
	int64_t reported_ns;
	int error; /* errno that says why this process ends the download */
	struct download_report report;
} child;

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
	(void)sig;
	stopped = 1;
	alarm(ORPHAN_S);
}

static void copy(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

/* Finds the name of the incomplete file. The library writes to PATH.XXXXXX, which is open here. */
static void find_unfinished(void)
{
	DIR *dir = opendir("/proc/self/fd");
	char link[4096];

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		const char *tail = strstr(link, child.tail);

		if (tail && tail[strlen(child.tail)] == '.')
			copy(child.report.unfinished, sizeof(child.report.unfinished),
				tail + strlen(child.tail) + 1);
	}
	if (dir)
		closedir(dir);
}

static void take_status(int status)
{
	child.report.heard = true;
	if (status / 100 == 3)
		child.redirects++;
	else if (status >= 201 && status != 404)
		child.report.status = status;
}

/*
 * Returns whether MESSAGE only says that a server lacks the file, or less than the HTTP status
 * says.
 */
static bool is_ignored(const char *message)
{
	return strstr(message, "No error") || strstr(message, "HTTP response code") ||
	       strstr(message, "file://");
}

/* Reads a line of the library's debug output, the only source of headers and the HTTP status. */
static void read_message(const char *line)
{
	static const char response[] = "server response ";
	int status;

	child.report.events++;
	if (sscanf(line, "header HTTP/%*[0-9.] %d", &status) == 1) {
		take_status(status);
	} else if (!strncmp(line, "query ", 6)) {
		child.asking = true;
		find_unfinished();
	} else if (!strncmp(line, response, sizeof(response) - 1) && !is_ignored(line)) {
		copy(child.report.message, sizeof(child.report.message),
			line + sizeof(response) - 1);
	}
}

static void read_messages(void)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(child.messages, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				child.line[child.len] = '\0';
				read_message(child.line);
				child.len = 0;
			} else if (child.len < sizeof(child.line) - 1) {
				child.line[child.len++] = buf[i];
			}
		}
}

/* Sends a report. Writes to a pipe are atomic. If the pipe is full, the report is dropped. */
static void report(void)
{
	ssize_t n = write(child.out, &child.report, sizeof(child.report));

	(void)n;
	child.reported_ns = monotonic_ns();
}

/* Records that A of B bytes came from URL. */
static void count(struct download_report *r, const char *url, long a, long b)
{
	struct strbuf name = STRBUF_INIT;
	uint64_t bytes = a > 0 ? (uint64_t)a : 0;

	r->events += bytes != r->bytes;
	r->heard = true;
	r->bytes = bytes;
	r->total = b > 0 ? (uint64_t)b : 0;
	if (r->server[0])
		return;
	servers_add_name(&name, url);
	copy(r->server, sizeof(r->server), name.buf);
	strbuf_release(&name);
}

static int on_progress(debuginfod_client *client, long a, long b)
{
	const char *url = child.lib->get_url(client);

	read_messages();
	if (url)
		count(&child.report, url, a, b);
	else if (!child.asking)
		child.report.events++;
	if (child.report.bytes > child.bytes_max || child.report.total > child.bytes_max)
		child.error = EFBIG;
	else if (child.redirects > REDIRECTS_MAX)
		child.error = EMLINK;
	if (monotonic_ns() - child.reported_ns > REPORT_MS * 1000000ll)
		report();
	return stopped || child.error;
}

/*
 * Replaces the parent's signal handlers. The parent handles SIGINT and then stops this process.
 * SIGHUP and the parent's death have the effect of download_stop.
 */
static void set_signals(pid_t parent)
{
	static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction stop = {.sa_handler = on_stop}, before;
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the library removes the incomplete file */
	signal(SIGALRM, SIG_DFL);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++) {
		sigaction(ending[i], NULL, &before);
		if (ending[i] == SIGTERM || before.sa_handler != SIG_IGN)
			sigaction(ending[i], &stop, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
}

/*
 * Limits the size of the data itself, also after it is unpacked. The library checks only the length
 * that a server announces.
 */
static void set_limits(void)
{
	const char *user = getenv(DEBUGINFOD_MAXSIZE_ENV_VAR);
	struct rlimit core = {0, 0}, size;
	uint64_t max;

	if (!user || !parse_u64(user, strlen(user), 10, &max) || !max)
		max = BYTES_MAX;
	child.bytes_max = max;
	add_capped(&max, UNPACKED);
	setrlimit(RLIMIT_CORE, &core);
	if (!getrlimit(RLIMIT_FSIZE, &size) && size.rlim_cur > max) {
		size.rlim_cur = max;
		setrlimit(RLIMIT_FSIZE, &size);
	}
}

static int find_file(debuginfod_client *client, const struct debuginfod_file *file, char **path)
{
	const unsigned char *id = (const unsigned char *)file->build_id;

	if (file->kind == DEBUGINFOD_SOURCE)
		return child.lib->find_source(client, id, 0, file->source, path);
	return child.lib->find[file->kind](client, id, 0, path);
}

/*
 * Finds the file without retries, because the library would append to the data of the first try
 * (elfutils 0.188). If it is stopped, the library notes that no server has the file; run() removes
 * that note.
 */
static void find(const char *cache, const struct debuginfod_file *file)
{
	char *path = NULL;
	int pair[2];

	setenv(DEBUGINFOD_CACHE_PATH_ENV_VAR, cache, 1);
	setenv(DEBUGINFOD_RETRY_LIMIT_ENV_VAR, "0", 1);
	setenv(DEBUGINFOD_TIMEOUT_ENV_VAR, "0", 0); /* the parent checks timeouts */
	debuginfod_client *client = child.lib->begin();

	if (!client || pipe2(pair, O_CLOEXEC | O_NONBLOCK)) {
		child.error = errno ? errno : ENOMEM;
		return;
	}
	child.messages = pair[0];
	child.lib->set_verbose_fd(client, pair[1]);
	child.lib->set_progressfn(client, on_progress);
	int fd = find_file(client, file, &path);

	read_messages();
	if (fd < 0 && !child.error)
		child.error = stopped ? EINTR : -fd;
	if (fd >= 0 && path)
		copy(child.report.found, sizeof(child.report.found), path);
}

static __attribute__((noreturn)) void run(const char *cache, const struct debuginfod_file *file)
{
	struct pollfd out = {.fd = child.out, .events = POLLOUT};

	set_limits();
	find(cache, file);
	if (stopped)
		download_forget(child.path);
	child.report.ended = true;
	child.report.error = child.error;
	poll(&out, 1, -1);
	report();
	_exit(EXIT_OK);
}

/* ---- the parent ---- */

/* Forks with signals blocked, so that no handler of the parent runs in the child. */
static pid_t fork_quietly(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	int error = errno;

	if (pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return pid;
}

int download_start(struct download *download, const struct download_library *lib, const char *cache,
	const struct debuginfod_file *file)
{
	pid_t parent = getpid();
	int pair[2];

	*download = (struct download){0};
	if (pipe2(pair, O_CLOEXEC | O_NONBLOCK))
		return -1;
	pid_t pid = fork_quietly();

	if (!pid) {
		child = (struct download_process){
			.lib = lib, .out = pair[1], .path = download_path(cache, file)};
		child.tail = child.path + strlen(cache);
		set_signals(parent);
		run(cache, file);
	}
	int error = errno;

	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		errno = error;
		return -1;
	}
	download->pid = pid;
	download->pipe = pair[0];
	return 0;
}

bool download_read(struct download *download)
{
	struct download_report report;
	ssize_t n;

	while ((n = read(download->pipe, &report, sizeof(report))) == sizeof(report))
		download->report = report;
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void download_stop(struct download *download)
{
	kill(download->pid, SIGTERM);
}

void download_end(struct download *download)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(download->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	close(download->pipe);
	if (!download->report.ended) {
		download->report.error = ECHILD;
		snprintf(download->report.message, sizeof(download->report.message),
			"libdebuginfod crashed (%s)",
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
	}
	download->pid = 0;
}

void download_kill(struct download *download, const char *path)
{
	char *unfinished = xasprintf("%s.%s", path, download->report.unfinished);

	kill(download->pid, SIGKILL);
	download_end(download);
	download_forget(path);
	if (download->report.unfinished[0])
		download_remove(unfinished);
	free(unfinished);
}
