/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"
#include "strbuf.h"
#include "terminal.h"
#include "untrusted/child.h"
#include "util.h"
#include "word.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20, STACK_LEAST = 256 << 10 };

/*
 * Opens closed descriptors in the wrong mode, so that reading stdin and writing stdout still fail
 * with EBADF.
 */
static void take_closed(void)
{
	static const int modes[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDWR};

	for (int fd = 0; fd < (int)ARRAY_LEN(modes); fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", modes[fd]);
}

/* Unlike SIG_IGN, a handler is not inherited by programs that we execute. */
static void do_nothing(int sig)
{
	(void)sig;
}

/* The limit when we were started. */
static struct rlimit stack_limit = {RLIM_INFINITY, RLIM_INFINITY};

/* Recursion is bounded, but libraries have buffers on the stack. */
static void raise_stack_limit(void)
{
	getrlimit(RLIMIT_STACK, &stack_limit);
	if (stack_limit.rlim_cur >= STACK_BYTES)
		return;
	struct rlimit limit = {STACK_BYTES, STACK_BYTES};

	if (stack_limit.rlim_max > STACK_BYTES)
		limit.rlim_max = stack_limit.rlim_max;
	if (!setrlimit(RLIMIT_STACK, &limit))
		return;
	limit.rlim_cur = limit.rlim_max = stack_limit.rlim_max;
	setrlimit(RLIMIT_STACK, &limit);
	if (limit.rlim_max >= STACK_LEAST)
		return;
	program_say("the stack is limited to %llu KiB: allow at least %d KiB (ulimit -s)",
		(unsigned long long)limit.rlim_max >> 10, STACK_LEAST >> 10);
	exit(EXIT_FAILED);
}

void program_restore_stack_limit(void)
{
	setrlimit(RLIMIT_STACK, &stack_limit);
}

void program_init(void)
{
	argp_program_version = "flametap " VERSION;
	argp_err_exit_status = EXIT_USAGE_ERROR;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, do_nothing);
	signal(SIGCHLD, SIG_DFL);
	take_closed();
	terminal_guard_stdout();
	raise_stack_limit();
}

static volatile sig_atomic_t is_stopped;

static void on_signal(int number)
{
	(void)number;
	is_stopped = 1;
}

void program_catch_signals(void)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < ARRAY_LEN(ending); i++) {
		struct sigaction before;

		sigaction(ending[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

bool program_is_stopped(void)
{
	return is_stopped;
}

void program_say(const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&text, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	message_add(&line, text.buf, text.len);
	strbuf_addch(&line, '\n');
	fputs(line.buf, stderr);
	strbuf_release(&text);
	strbuf_release(&line);
}

void program_say_lines(const struct strbuf *lines)
{
	const char *s = lines->buf;

	while (*s) {
		size_t n = strcspn(s, "\n");

		program_say("%.*s", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

void program_say_rest(struct strbuf *lines)
{
	program_say_lines(lines);
	strbuf_release(lines);
}

int program_close(FILE *out, const char *path)
{
	int failed = ferror(out), error = errno;

	if (fclose(out)) {
		failed = 1;
		error = errno;
	}
	if (!failed)
		return 0;
	if (error != EPIPE)
		program_say(
			"cannot write '%s': %s; the output is not whole", path, strerror(error));
	errno = error;
	return -1;
}

int program_end(int status)
{
	struct strbuf notes = STRBUF_INIT;

	if (child_note_signals(&notes) && status == EXIT_OK)
		status = EXIT_PARTIAL;
	program_say_lines(&notes);
	strbuf_release(&notes);
	return status;
}
