/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"
#include "strbuf.h"
#include "util.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

void program_init(void)
{
	argp_program_version = "flametap " VERSION;
	argp_err_exit_status = EXIT_USAGE_ERROR;
	signal(SIGPIPE, SIG_IGN);
}

void program_say(const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&line, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	strbuf_addch(&line, '\n');
	fputs(line.buf, stderr);
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
	return -1;
}
