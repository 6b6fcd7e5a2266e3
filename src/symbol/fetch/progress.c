/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "servers.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOMENT_MS = 500, CHANGE_MS = 200, WIDTH = 80 };

static const int64_t millisecond = 1000000;

void progress_begin(struct progress *progress, bool enabled)
{
	*progress = (struct progress){
		.enabled = enabled,
		.terminal = isatty(STDERR_FILENO),
		.began_ns = monotonic_ns(),
	};
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void add_amount(struct strbuf *out, uint64_t bytes, uint64_t total)
{
	if (total > bytes)
		strbuf_addf(out, "%.1f of %.1f MB", (double)bytes / 1e6, (double)total / 1e6);
	else
		strbuf_addf(out, "%.1f MB", (double)bytes / 1e6);
}

static void add_state(struct strbuf *out, const struct progress_sums *sums)
{
	if (sums->bytes) {
		add_amount(out, sums->bytes, sums->total);
		strbuf_adds(out, " from ");
	} else {
		strbuf_adds(out, "waiting for ");
	}
	if (*sums->server)
		strbuf_adds(out, sums->server);
	else
		servers_add_names(out);
	strbuf_addf(out, ", file %zu of %zu: ", sums->started, sums->files);
	message_add(out, sums->name, strlen(sums->name));
}

/* Returns how many bytes of LINE fit on the terminal, in whole characters. */
static size_t fitting(const struct strbuf *line)
{
	struct winsize size;
	size_t width =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? WIDTH : size.ws_col;
	size_t len = line->len < width ? line->len : width - 1;

	while (len < line->len && (line->buf[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void show_line(const struct progress_sums *sums)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s: debuginfod: ", program_invocation_short_name);
	add_state(&line, sums);
	fprintf(stderr, "\r%.*s\033[K", (int)fitting(&line), line.buf);
	fflush(stderr);
	strbuf_release(&line);
}

static void say_begin(const struct progress_sums *sums)
{
	struct strbuf servers = STRBUF_INIT;

	servers_add_names(&servers);
	program_say("debuginfod: fetching %zu file%s from %s", sums->files, plural(sums->files),
		servers.buf);
	strbuf_release(&servers);
}

void progress_show(struct progress *progress, const struct progress_sums *sums)
{
	int64_t now = monotonic_ns();

	if (!progress->enabled || !sums->name || now - progress->began_ns < MOMENT_MS * millisecond)
		return;
	if (!progress->terminal) {
		if (!progress->shown)
			say_begin(sums);
	} else if (now - progress->shown_ns >= CHANGE_MS * millisecond) {
		progress->shown_ns = now;
		show_line(sums);
	}
	progress->shown = true;
}

void progress_end(const struct progress *progress, const struct progress_sums *sums)
{
	struct strbuf line = STRBUF_INIT;

	if (!progress->shown)
		return;
	if (progress->terminal)
		fputs("\r\033[K", stderr);
	add_amount(&line, sums->bytes, sums->total);
	strbuf_adds(&line, " from ");
	servers_add_names(&line);
	program_say("debuginfod: fetched %zu of %zu file%s, %s", sums->found, sums->files,
		plural(sums->files), line.buf);
	strbuf_release(&line);
}
