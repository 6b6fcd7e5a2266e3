/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "terminal.h"
#include "strbuf.h"
#include "utf8.h"
#include "util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 40, MOST = 1000, DOTS = 3 };

size_t terminal_columns(FILE *out, size_t otherwise)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	int fd = out == stdout ? STDOUT_FILENO : fileno(out);
	uint64_t n;

	if (!isatty(fd))
		return otherwise;
	if (env && parse_u64(env, strlen(env), 10, &n) && n >= LEAST && n <= MOST)
		return (size_t)n;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= LEAST)
		return size.ws_col;
	return otherwise;
}

/*
 * Returns the number of bytes in the character at S. Sets *COLUMNS to the largest width that it can
 * have, and *PLAIN if it is not escaped.
 */
static size_t measure(const char *s, size_t len, size_t *columns, bool *plain)
{
	uint32_t c;
	size_t n = utf8_decode(s, len, &c);

	*plain = n && utf8_is_visible(c);
	if (!n)
		n = 1;
	*columns = !*plain ? 4 * n : n > 2 ? 2 : 1;
	return n;
}

static void show(struct strbuf *out, const char *s, size_t n, bool plain)
{
	if (plain)
		strbuf_add(out, s, n);
	else
		for (size_t i = 0; i < n; i++)
			strbuf_addf(out, "\\x%02x", (unsigned char)s[i]);
}

void terminal_add(struct strbuf *out, const char *s, size_t len, size_t columns)
{
	size_t used = 0, fits = out->len, width;
	bool plain;

	for (size_t i = 0; i < len;) {
		size_t n = measure(s + i, len - i, &width, &plain);

		if (used + DOTS <= columns)
			fits = out->len;
		show(out, s + i, n, plain);
		used += width;
		i += n;
		if (used > columns) {
			out->len = fits;
			strbuf_adds(out, "...");
			return;
		}
	}
}

size_t terminal_width(const char *s, size_t len)
{
	size_t used = 0, width;
	bool plain;

	for (size_t i = 0; i < len; used += width)
		i += measure(s + i, len - i, &width, &plain);
	return used;
}

/* Returns the offset in S, which takes WIDTH columns, from which on the rest fits into COLUMNS. */
static size_t place_from_end(const char *s, size_t len, size_t width, size_t columns)
{
	size_t i = 0, one;
	bool plain;

	for (; i < len && width > columns; width -= one)
		i += measure(s + i, len - i, &one, &plain);
	return i;
}

void terminal_add_end(struct strbuf *out, const char *s, size_t len, size_t columns)
{
	size_t width = terminal_width(s, len), i = 0;

	if (width > columns) {
		strbuf_adds(out, "...");
		i = place_from_end(s, len, width, columns > DOTS ? columns - DOTS : 0);
	}
	terminal_add(out, s + i, len - i, SIZE_MAX);
}

void terminal_add_ends(struct strbuf *out, const char *s, size_t len, size_t columns)
{
	size_t width = terminal_width(s, len), i = 0;

	if (width > columns) {
		size_t rest = columns > DOTS ? columns - DOTS : 0;

		terminal_add(out, s, len, rest - rest / 2 + DOTS);
		i = place_from_end(s, len, width, rest / 2);
	}
	terminal_add(out, s + i, len - i, SIZE_MAX);
}

void terminal_add_lines(struct strbuf *out, const char *s, size_t indent, size_t columns)
{
	struct strbuf text = STRBUF_INIT;
	size_t used = 0;

	terminal_add(&text, s, strlen(s), SIZE_MAX);
	for (const char *word = text.buf; *word; word += strspn(word, " ")) {
		size_t n = strcspn(word, " ");

		if (used && used + 1 + n > columns) {
			strbuf_addch(out, '\n');
			used = 0;
		}
		strbuf_addf(out, "%*s", used ? 1 : (int)indent, "");
		strbuf_add(out, word, n);
		used += (used ? 1 : indent) + n;
		word += n;
	}
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

/* ---- stdout ---- */

/* The beginning of a character whose other bytes have not been written yet. */
struct terminal_guard {
	char rest[4];
	size_t nr;
};

static bool is_begun(const char *s, size_t len)
{
	unsigned char first = (unsigned char)*s;
	size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
	uint32_t c;

	return len < whole && !utf8_decode(s, len, &c);
}

/*
 * Shows S without an incomplete character at its end, unless IS_END. Returns the number of bytes
 * that were shown.
 */
static size_t guard_show(struct strbuf *out, const char *s, size_t len, bool is_end)
{
	size_t i = 0, n, columns;
	bool plain;

	for (; i < len && (is_end || !is_begun(s + i, len - i)); i += n) {
		n = measure(s + i, len - i, &columns, &plain);
		show(out, s + i, n, plain || s[i] == '\n' || s[i] == '\t');
	}
	return i;
}

static bool guarded;

static int guard_flush(struct strbuf *out)
{
	int ret = write_whole(STDOUT_FILENO, out->buf, out->len);

	strbuf_release(out);
	return ret;
}

static ssize_t guard_write(void *cookie, const char *s, size_t len)
{
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	struct terminal_guard *g = cookie;

	strbuf_add(&in, g->rest, g->nr);
	strbuf_add(&in, s, len);
	size_t shown = guard_show(&out, in.buf, in.len, false);

	g->nr = in.len - shown;
	memcpy(g->rest, in.buf + shown, g->nr);
	strbuf_release(&in);
	return guard_flush(&out) ? 0 : (ssize_t)len;
}

static int guard_close(void *cookie)
{
	struct strbuf out = STRBUF_INIT;
	struct terminal_guard *g = cookie;

	guard_show(&out, g->rest, g->nr, true);
	free(g);
	int ret = guard_flush(&out);

	return close(STDOUT_FILENO) ? -1 : ret;
}

bool terminal_has_colour(const FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return out == stdout && guarded && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void terminal_colour(enum terminal_colour colour)
{
	static const char *const codes[] = {
		[TERMINAL_PLAIN] = "\033[m",
		[TERMINAL_RED] = "\033[31m",
		[TERMINAL_GREEN] = "\033[32m",
	};

	/* bypasses the guard; a failed write is noticed when stdout is closed */
	if (!fflush(stdout))
		write_whole(STDOUT_FILENO, codes[colour], strlen(codes[colour]));
}

void terminal_guard_stdout(void)
{
	const cookie_io_functions_t guard = {.write = guard_write, .close = guard_close};

	if (!isatty(STDOUT_FILENO))
		return;
	FILE *out = fopencookie(xcalloc(1, sizeof(struct terminal_guard)), "w", guard);

	if (!out)
		return;
	setvbuf(out, NULL, _IOLBF, BUFSIZ);
	stdout = out;
	guarded = true;
}
