/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch.h"
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
	TELL_MS = 100,
	UNPACKED = 64 << 20, /* more bytes than that */
	ORPHAN_S = 2,        /* to end in when nobody is there to kill us */
};

#define BYTES_MAX (8ull << 30) /* an answer without end */

struct fetch_library {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_verbose_fd) *set_verbose_fd;
	__typeof__(debuginfod_get_url) *get_url;
	__typeof__(debuginfod_find_debuginfo) *find[2]; /* by kind */
};

const struct fetch_library *fetch_library_open(const char *name, struct strbuf *err)
{
	static struct fetch_library lib;
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

char *fetch_path(const char *cache, const struct debuginfod_file *file)
{
	return xasprintf("%s/%s/%s", cache, file->build_id,
		file->kind == DEBUGINFOD_EXECUTABLE ? "executable" : "debuginfo");
}

void fetch_remove(const char *path)
{
	char *folder = xstrndup(path, (size_t)(file_name(path) - path));

	unlink(path);
	rmdir(folder);
	free(folder);
}

void fetch_forget(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		fetch_remove(path);
}

/* ---- the process ---- */

static struct child {
	const struct fetch_library *lib;
	char *path;      /* where the file will be */
	char *tail;      /* of it, in the cache */
	int out;         /* reports go here */
	int said;        /* what the library says of its work comes from here */
	char line[1024]; /* of it, the beginning of one */
	size_t len;
	bool asking; /* of servers; before, it tidies up its cache */
	unsigned redirects;
	uint64_t bytes_max;
	int64_t told_ns;
	int error; /* our own reason to end, an errno */
	struct fetch_report report;
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

/* The library writes to PATH.XXXXXX; which one, only our own open files tell. */
static void look_for_unfinished(void)
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

static void heed_status(int status)
{
	child.report.heard = true;
	if (status / 100 == 3)
		child.redirects++;
	else if (status >= 201 && status != 404)
		child.report.status = status;
}

/* What is wrong when a server simply does not have it, or HTTP's status tells more. */
static bool is_plain(const char *answer)
{
	return strstr(answer, "No error") || strstr(answer, "HTTP response code") ||
	       strstr(answer, "file://");
}

/* A line of what the library says: the only way to learn of headers, and of HTTP's status. */
static void heed(const char *line)
{
	static const char answer[] = "server response ";
	int status;

	child.report.events++;
	if (sscanf(line, "header HTTP/%*[0-9.] %d", &status) == 1) {
		heed_status(status);
	} else if (!strncmp(line, "query ", 6)) {
		child.asking = true;
		look_for_unfinished();
	} else if (!strncmp(line, answer, sizeof(answer) - 1) && !is_plain(line)) {
		copy(child.report.answer, sizeof(child.report.answer), line + sizeof(answer) - 1);
	}
}

static void listen_to_library(void)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(child.said, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				child.line[child.len] = '\0';
				heed(child.line);
				child.len = 0;
			} else if (child.len < sizeof(child.line) - 1) {
				child.line[child.len++] = buf[i];
			}
		}
}

/* The pipe takes a report whole or not at all; a parent that does not read misses some. */
static void tell(void)
{
	ssize_t n = write(child.out, &child.report, sizeof(child.report));

	(void)n;
	child.told_ns = monotonic_ns();
}

/* A of B bytes came from URL. */
static void count(struct fetch_report *r, const char *url, long a, long b)
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

	listen_to_library();
	if (url)
		count(&child.report, url, a, b);
	else if (!child.asking)
		child.report.events++;
	if (child.report.bytes > child.bytes_max)
		child.error = EFBIG;
	else if (child.redirects > REDIRECTS_MAX)
		child.error = EMLINK;
	if (monotonic_ns() - child.told_ns > TELL_MS * 1000000ll)
		tell();
	return stopped || child.error;
}

/*
 * What our parent handles is not ours: SIGINT ends its waiting, and we hear of that; a hang-up or a
 * dead parent end us as fetch_stop does.
 */
static void set_signals(pid_t parent)
{
	static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction stop = {.sa_handler = on_stop}, before;
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the library removes what it began */
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
 * The library looks at the length that a server announces; this holds for what it sends, which may
 * be small and unpack to much.
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

/*
 * A second try of the library's would append to what came in the first one (as of elfutils 0.188).
 * That a fetch was stopped is no reason for it to note that no server has the file, but it does.
 */
static void find(const char *cache, const struct debuginfod_file *file)
{
	char *path = NULL;
	int pair[2];

	setenv(DEBUGINFOD_CACHE_PATH_ENV_VAR, cache, 1);
	setenv(DEBUGINFOD_RETRY_LIMIT_ENV_VAR, "0", 1);
	setenv(DEBUGINFOD_TIMEOUT_ENV_VAR, "0", 0); /* it is others who look at the clock */
	debuginfod_client *client = child.lib->begin();

	if (!client || pipe2(pair, O_CLOEXEC | O_NONBLOCK)) {
		child.error = errno ? errno : ENOMEM;
		return;
	}
	child.said = pair[0];
	child.lib->set_verbose_fd(client, pair[1]);
	child.lib->set_progressfn(client, on_progress);
	int fd = child.lib->find[file->kind](
		client, (const unsigned char *)file->build_id, 0, &path);

	listen_to_library();
	if (fd < 0 && !child.error)
		child.error = stopped ? EINTR : -fd;
}

static __attribute__((noreturn)) void run(const char *cache, const struct debuginfod_file *file)
{
	struct pollfd out = {.fd = child.out, .events = POLLOUT};

	set_limits();
	find(cache, file);
	if (stopped)
		fetch_forget(child.path);
	child.report.ended = true;
	child.report.error = child.error;
	poll(&out, 1, -1);
	tell();
	_exit(EXIT_OK);
}

/* ---- whoever waits for it ---- */

/* No signal meets the handlers of the parent in the child. */
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

int fetch_start(struct fetch *f, const struct fetch_library *lib, const char *cache,
	const struct debuginfod_file *file)
{
	pid_t parent = getpid();
	int pair[2];

	*f = (struct fetch){0};
	if (pipe2(pair, O_CLOEXEC | O_NONBLOCK))
		return -1;
	pid_t pid = fork_quietly();

	if (!pid) {
		child = (struct child){.lib = lib, .out = pair[1], .path = fetch_path(cache, file)};
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
	f->pid = pid;
	f->pipe = pair[0];
	return 0;
}

bool fetch_read(struct fetch *f)
{
	struct fetch_report report;
	ssize_t n;

	while ((n = read(f->pipe, &report, sizeof(report))) == sizeof(report))
		f->report = report;
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void fetch_stop(struct fetch *f)
{
	kill(f->pid, SIGTERM);
}

void fetch_end(struct fetch *f)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(f->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	close(f->pipe);
	if (!f->report.ended) {
		f->report.error = ECHILD;
		snprintf(f->report.answer, sizeof(f->report.answer), "libdebuginfod crashed (%s)",
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
	}
	f->pid = 0;
}

void fetch_kill(struct fetch *f, const char *path)
{
	char *unfinished = xasprintf("%s.%s", path, f->report.unfinished);

	kill(f->pid, SIGKILL);
	fetch_end(f);
	fetch_forget(path);
	if (f->report.unfinished[0])
		fetch_remove(unfinished);
	free(unfinished);
}
