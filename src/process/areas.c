/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "areas.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A bit in a word of /proc/PID/pagemap. Only the frame numbers are hidden from unprivileged users.
 */
#define PAGE_PRESENT (1ULL << 63)

enum { WORDS = 8192 };

/* Limit of the address space that is examined: sanitizers map terabytes. */
#define SPACE_MAX (16ULL << 30)

struct areas {
	struct memory_area *list;
	size_t nr, alloc;
	uint64_t left, space; /* bytes that may still be listed, and examined */
	int pagemap;
};

struct memory_area areas_parse(const char *line)
{
	struct memory_area area;
	unsigned long inode;
	char permissions[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %lu %n", &area.start, &area.end,
		    permissions, &inode, &at) != 4 ||
		strncmp(permissions, "rw", 2) != 0 || permissions[3] != 'p' || inode ||
		area.start >= area.end)
		return (struct memory_area){0};
	if (line[at] && strcmp(line + at, "[heap]") != 0 && strncmp(line + at, "[anon", 5) != 0)
		return (struct memory_area){0};
	return area;
}

static bool add_page(struct areas *a, uint64_t address)
{
	if (a->left < AREA_PAGE)
		return false;
	a->left -= AREA_PAGE;
	if (a->nr && a->list[a->nr - 1].end == address) {
		a->list[a->nr - 1].end += AREA_PAGE;
		return true;
	}
	ALLOC_GROW(a->list, a->nr, a->alloc);
	a->list[a->nr++] = (struct memory_area){address, address + AREA_PAGE};
	return true;
}

/* Returns false if there is no room for more, or the process has ended. */
static bool add_present(struct areas *a, const struct memory_area *area)
{
	static uint64_t words[WORDS];
	uint64_t at = area->start, pages;

	if (area->end - area->start > a->space)
		return true;
	a->space -= area->end - area->start;
	while (at < area->end) {
		pages = (area->end - at) / AREA_PAGE;
		if (pages > WORDS)
			pages = WORDS;
		ssize_t n = pread(a->pagemap, words, pages * sizeof(*words),
			(off_t)(at / AREA_PAGE * sizeof(*words)));

		if (n <= 0)
			return false;
		for (size_t i = 0; i < (size_t)n / sizeof(*words); i++, at += AREA_PAGE)
			if (words[i] & PAGE_PRESENT && !add_page(a, at))
				return false;
	}
	return true;
}

static void read_maps(struct areas *a, int fd)
{
	struct strbuf text = STRBUF_INIT;
	struct lines lines;
	bool more = true;
	char *line;
	size_t len;

	lines_init(&lines, fd);
	while (more && lines_next(&lines, &line, &len)) {
		struct memory_area area;

		strbuf_reset(&text);
		strbuf_add(&text, line, len);
		area = areas_parse(text.buf);
		more = add_present(a, &area);
	}
	strbuf_release(&text);
	lines_release(&lines);
}

static int open_file(uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct memory_area *areas_read(uint32_t pid, uint64_t max, size_t *nr)
{
	struct areas a = {.left = max, .space = SPACE_MAX, .pagemap = open_file(pid, "pagemap")};
	int maps = open_file(pid, "maps");

	if (maps >= 0 && a.pagemap >= 0)
		read_maps(&a, maps);
	if (maps >= 0)
		close(maps);
	if (a.pagemap >= 0)
		close(a.pagemap);
	*nr = a.nr;
	return a.list;
}
