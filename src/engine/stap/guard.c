/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guard.h"
#include "claim.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "stap_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- in the guard, after fork */

enum {
	CONTROL = 3, /* requests are read from it; at EOF the recorder has ended */
	REPORT,      /* pid and status are written to it */
	FIRST_FREE,
	ESCALATE_MS = 10000, /* between two steps of ending an orphaned program */
	POLL_MS = 200,       /* between two checks whether a second reader is ready */
};

/* Signals that are blocked in the guard. The program gets their default actions. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

struct watch {
	struct claim claim;
	const struct stap_module *module;
	pid_t child;
	int stops;             /* number of requests to end so far */
	bool is_second_reader; /* the program replaces a killed reader: stop it once it reads */
	bool orphaned;         /* the recorder has ended */
	int events;            /* a signalfd */
};

/*
 * Ends the program step by step. stapio counts signals and stops waiting for its output at the
 * third one. Two pending signals of the same number would be delivered as one, so the second step
 * sends two different signals.
 */
static void stop_child(struct watch *w)
{
	switch (w->stops++) {
	case 0:
		kill(w->child, SIGINT);
		break;
	case 1:
		kill(w->child, SIGINT);
		kill(w->child, SIGTERM);
		break;
	default:
		kill(-w->child, SIGKILL); /* including a compiler that stap may be running */
	}
}

static void run_child(char *const argv[])
{
	sigset_t none;

	setpgid(0, 0);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	dprintf(2, "cannot run '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int start_child(struct watch *w, char *const argv[])
{
	w->stops = 0;
	w->child = fork();
	if (!w->child) {
		if (w->module && !w->is_second_reader)
			claim_write(&w->claim, w->module, getpid());
		run_child(argv);
	}
	if (w->child < 0)
		dprintf(2, "cannot start '%s': %s\n", argv[0], strerror(errno));
	return w->child < 0 ? -1 : 0;
}

/* Reads requests. Each byte is a request to end the program, and so is EOF. */
static void read_requests(struct watch *w)
{
	char requests[16];
	ssize_t n = read(CONTROL, requests, sizeof(requests));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		w->orphaned = true;
	stop_child(w);
	for (ssize_t i = 1; i < n; i++)
		stop_child(w);
}

/*
 * Returns whether PID is a stapio that already catches SIGINT, which would kill it otherwise
 * (proc_pid_status(5)).
 */
static bool is_reading(pid_t pid)
{
	char path[64], line[256];
	unsigned long long caught = 0;
	bool stapio = false;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof(line), in)) {
		stapio = stapio || !strcmp(line, "Name:\tstapio\n");
		sscanf(line, "SigCgt: %llx", &caught);
	}
	if (in)
		fclose(in);
	return stapio && (caught & 1ULL << (SIGINT - 1));
}

static int wait_ms(const struct watch *w)
{
	if (w->is_second_reader && !w->stops)
		return POLL_MS;
	return w->orphaned ? ESCALATE_MS : -1;
}

/* Waits until the child has ended. Returns its exit code, or 128 + signal as in a shell. */
static int wait_child(struct watch *w)
{
	struct signalfd_siginfo info;
	int status;

	for (;;) {
		struct pollfd fds[2] = {
			{.fd = w->events, .events = POLLIN},
			{.fd = w->orphaned ? -1 : CONTROL, .events = POLLIN},
		};
		int n = poll(fds, 2, wait_ms(w));

		if (n > 0 && fds[0].revents)
			while (read(w->events, &info, sizeof(info)) > 0)
				;
		if (n > 0 && fds[1].revents)
			read_requests(w);
		if (waitpid(w->child, &status, WNOHANG) == w->child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (n == 0 && (!w->is_second_reader || w->stops || is_reading(w->child)))
			stop_child(w);
	}
}

/* Runs, after stapio was killed, another one that attaches to the module and prints the sums. */
static void run_second_reader(struct watch *w, char *name)
{
	char program[] = "staprun", attach[] = "-A";
	char *argv[] = {program, attach, name, NULL};

	w->is_second_reader = true;
	if (!start_child(w, argv))
		wait_child(w);
}

/* Unloads the module. Returns false if it is still loaded. */
static bool unload(struct watch *w, pid_t loader, bool read_sums)
{
	char *name = stap_module_loaded_as(w->module, loader);
	bool gone = !name;

	if (name && read_sums)
		run_second_reader(w, name);
	for (int i = 0; !gone && i < 10; i++) {
		if (i)
			usleep(200000);
		if (stap_module_is_loaded(name))
			stap_module_unload(name);
		gone = !stap_module_is_loaded(name);
	}
	free(name);
	return gone;
}

/*
 * Cleans up after the program has ended with STATUS: if a compiler was ended, stap has noted a
 * failure in its cache; if the program loaded a module, that is unloaded. Returns false if it is
 * still loaded. A stapio that ended by itself has unloaded the module. A signed module has no
 * unique name, so a module with its name that is loaded after that may belong to another recording.
 */
static bool clean_up(struct watch *w, pid_t loader, int status)
{
	bool killed = status > 128, by_us = w->stops > 2;

	if (!w->module && (w->stops || killed))
		stap_cache_forget_failures(time(NULL) + 1);
	if (!w->module || (w->module->is_signed && !killed))
		return true;
	return unload(w, loader, killed && !by_us && !w->orphaned);
}

/*
 * Sets descriptors 0 to 2, for the program, and CONTROL and REPORT, for the guard. Closes all other
 * descriptors.
 */
static void set_descriptors(int out, int err, int control, int report)
{
	int null = open("/dev/null", O_RDONLY);
	int from[] = {null, out, err, control, report};
	int moved[ARRAY_LEN(from)];

	for (size_t i = 0; i < ARRAY_LEN(from); i++) { /* so that none overwrites another */
		moved[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FIRST_FREE);
		if (moved[i] < 0) {
			dprintf(err, "cannot arrange descriptors: %s\n", strerror(errno));
			_exit(127);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(from); i++)
		dup3(moved[i], (int)i, i < CONTROL ? 0 : O_CLOEXEC);
	if (syscall(SYS_close_range, FIRST_FREE, ~0U, 0))
		for (int fd = FIRST_FREE; fd < 1024; fd++)
			close(fd);
}

static void report_number(int32_t n)
{
	if (write(REPORT, &n, sizeof(n)) != sizeof(n))
		return; /* the recorder has ended */
}

/*
 * Blocks the signals, and ignores them, so that they stay pending in a child until the child resets
 * them.
 */
static void block_signals(struct watch *w)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		signal(signals[i], SIG_IGN);
		sigaddset(&set, signals[i]);
	}
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	w->events = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The guard process; does not return. */
static void guard_main(char *const argv[], const struct stap_module *module)
{
	struct watch w = {.module = module};

	setsid();
	prctl(PR_SET_NAME, "flametap-guard");
	block_signals(&w);
	if (module)
		claim_make(&w.claim);
	if (w.events < 0 || start_child(&w, argv))
		_exit(127);
	pid_t loader = w.child;

	report_number((int32_t)loader);
	int status = wait_child(&w);

	if (clean_up(&w, loader, status))
		claim_release(&w.claim); /* else the next recording tries to unload it again */
	report_number(status);
	_exit(0);
}

/* ---- in the recorder */

static int make_pipe(int ends[2], struct strbuf *err)
{
	return pipe2(ends, O_CLOEXEC) ? fail(err, "cannot make a pipe: %s", strerror(errno)) : 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int guard_start(
	struct guard *g, char *const argv[], const struct stap_module *module, struct strbuf *err)
{
	int ends[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_LEN(ends) && !ret; i++)
		ret = make_pipe(ends[i], err);
	fflush(NULL);
	g->status = -1;
	g->child = 0;
	g->pid = ret ? -1 : fork();
	if (!g->pid) {
		set_descriptors(ends[0][1], ends[1][1], ends[2][0], ends[3][1]);
		guard_main(argv, module);
	}
	if (g->pid < 0 && !ret)
		ret = fail(err, "cannot start '%s': %s", argv[0], strerror(errno));
	int *const ours[] = {&ends[0][0], &ends[1][0], &ends[2][1], &ends[3][0]};
	int *const theirs[] = {&ends[0][1], &ends[1][1], &ends[2][0], &ends[3][1]};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		close_end(theirs[i]);
		if (ret)
			close_end(ours[i]);
	}
	g->out = ends[0][0];
	g->err = ends[1][0];
	g->control = ends[2][1];
	g->report = ends[3][0];
	if (ret)
		g->pid = 0;
	return ret;
}

/* Reads once from *FD; closes it at EOF. */
static void read_output(int *fd, guard_output_fn *fn, void *context)
{
	char buf[1 << 16];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n > 0)
		fn(context, buf, (size_t)n);
	if (n == 0 || (n < 0 && errno != EINTR))
		close_end(fd);
}

/*
 * Reads the program's pid, which is reported first, or its status. At EOF before the status the
 * guard was killed.
 */
static void read_report(struct guard *g)
{
	int32_t number;
	ssize_t n = read(g->report, &number, sizeof(number));

	if (n < 0 && errno == EINTR)
		return;
	if (n != sizeof(number)) {
		close_end(&g->report);
		close_end(&g->control);
		if (g->status < 0 && g->child > 0)
			kill(g->child, SIGINT);
	} else if (!g->child) {
		g->child = number;
	} else {
		g->status = number;
	}
}

bool guard_wait(struct guard *g, int timeout_ms)
{
	struct pollfd fds[3] = {{.fd = g->out, .events = POLLIN}, {.fd = g->err, .events = POLLIN},
		{.fd = g->report, .events = POLLIN}};

	if (g->pid && poll(fds, 3, timeout_ms) > 0) {
		if (fds[0].revents)
			read_output(&g->out, g->on_out, g->context);
		if (fds[1].revents)
			read_output(&g->err, g->on_err, g->context);
		if (fds[2].revents)
			read_report(g);
	}
	if (g->pid && g->out < 0 && g->err < 0 && g->report < 0) {
		while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
			;
		g->pid = 0;
		guard_release(g);
	}
	return !g->pid;
}

void guard_stop(struct guard *g)
{
	if (g->control >= 0 && write(g->control, "s", 1) != 1)
		close_end(&g->control);
	else if (g->control < 0 && g->child > 0 && g->pid)
		kill(g->child, SIGINT);
}

void guard_release(struct guard *g)
{
	close_end(&g->control);
	close_end(&g->report);
	close_end(&g->out);
	close_end(&g->err);
	if (g->pid > 0)
		waitpid(g->pid, NULL, WNOHANG);
	g->pid = 0;
}
