/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"
#include "strbuf.h"
#include "util.h"
#include "word.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* In the wrong mode, so that reading stdin and writing stdout still fail with EBADF. */
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

void program_init(void)
{
	argp_program_version = "flametap " VERSION;
	argp_err_exit_status = EXIT_USAGE_ERROR;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, do_nothing);
	take_closed();
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

int program_print(const char *text)
{
	fputs(text, stdout);
	return program_close(stdout, "stdout") < 0 ? EXIT_FAILED : EXIT_OK;
}
