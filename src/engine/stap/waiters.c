/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waiters.h"
#include "lib/util.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a thread's stack. The kernel prints at most 64 frames (MAX_STACK_TRACE_DEPTH). */
static char *read_stack(uint32_t tid)
{
	char path[64], text[1 << 14];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stack", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	return n > 0 ? xstrndup(text, (size_t)n) : NULL;
}

static void update(struct waiter *w)
{
	free(w->stack);
	w->from_ns = monotonic_ns();
	w->stack = read_stack(w->tid);
	w->to_ns = monotonic_ns();
}

void waiters_add(struct waiters *ws, uint32_t tid)
{
	ALLOC_GROW(ws->list, ws->nr, ws->alloc);
	ws->list[ws->nr] = (struct waiter){.tid = tid};
	update(&ws->list[ws->nr++]);
}

void waiters_update(struct waiters *ws)
{
	for (size_t i = 0; i < ws->nr; i++)
		update(&ws->list[i]);
}

const char *waiters_stack(const struct waiters *ws, uint32_t tid, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < ws->nr; i++) {
		const struct waiter *w = &ws->list[i];

		if (w->tid == tid)
			return w->from_ns >= from_ns && w->to_ns <= to_ns ? w->stack : NULL;
	}
	return NULL;
}

/* Parses "[<0>] NAME+0xOFFSET/0xSIZE [MODULE]". */
static bool parse_line(const char *line, size_t len, struct waiter_frame *f)
{
	char text[512];
	int end = 0;

	if (len >= sizeof(text))
		return false;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "[<%*x>] %255[^+ ]+0x%" SCNx64 "/0x%*x%n", f->name, &f->offset, &end) !=
			2 ||
		!end)
		return false;
	if (sscanf(text + end, " %63s", f->module) != 1)
		strcpy(f->module, "[kernel]");
	return true;
}

bool waiters_frame(const char **text, struct waiter_frame *frame)
{
	while (**text) {
		size_t n = strcspn(*text, "\n");
		const char *line = *text;

		*text += n + (line[n] == '\n');
		if (parse_line(line, n, frame))
			return true;
	}
	return false;
}

void waiters_release(struct waiters *ws)
{
	for (size_t i = 0; i < ws->nr; i++)
		free(ws->list[i].stack);
	free(ws->list);
	*ws = (struct waiters){0};
}
