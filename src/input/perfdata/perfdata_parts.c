/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_parts.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perfdata_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct perfdata_part {
	char *name;
	struct lines lines;
	struct perfdata_stream stream;
	/* Its next record, or NULL at the end. */
	const unsigned char *record;
	struct perf_event_header header;
	uint64_t time;
};

static void read_next(struct perfdata_part *p, const struct perfdata_places *places)
{
	p->record = perfdata_stream_next(&p->stream, &p->header);
	p->time = p->record ? perfdata_time(places, &p->header, p->record) : 0;
}

/* Returns false if there is no file with this number, or sets *ERROR if it cannot be opened. */
static bool open_part(struct perfdata_parts *ps, const char *folder, int *error)
{
	char *name = xasprintf("data.%zu", ps->nr), *path = xasprintf("%s/%s", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*error = fd < 0 ? errno : 0;
	free(path);
	if (fd < 0) {
		free(name);
		return false;
	}
	ALLOC_GROW(ps->list, ps->nr, ps->alloc);
	ps->list[ps->nr++] = (struct perfdata_part){.name = name};
	lines_init(&ps->list[ps->nr - 1].lines, fd);
	return true;
}

int perfdata_parts_open(struct perfdata_parts *ps, const char *folder,
	const struct perfdata_places *places, struct strbuf *notes)
{
	int error;

	*ps = (struct perfdata_parts){.places = places};
	while (open_part(ps, folder, &error))
		;
	if (error != ENOENT || !ps->nr)
		return fail(notes, "cannot open 'data.%zu' of this folder, which has records: %s\n",
			ps->nr, strerror(error));
	for (size_t i = 0; i < ps->nr; i++) { /* the list moves no more */
		perfdata_stream_init(&ps->list[i].stream, &ps->list[i].lines, UINT64_MAX);
		read_next(&ps->list[i], places);
	}
	return 0;
}

void perfdata_parts_release(struct perfdata_parts *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		struct perfdata_part *p = &ps->list[i];

		perfdata_stream_release(&p->stream);
		close(p->lines.fd);
		lines_release(&p->lines);
		free(p->name);
	}
	free(ps->list);
	*ps = (struct perfdata_parts){0};
}

const unsigned char *perfdata_parts_next(
	struct perfdata_parts *ps, struct perf_event_header *header)
{
	struct perfdata_part *first = NULL;

	if (ps->last)
		read_next(ps->last, ps->places);
	for (size_t i = 0; i < ps->nr; i++) {
		struct perfdata_part *p = &ps->list[i];

		if (p->record && (!first || p->time < first->time))
			first = p;
	}
	ps->last = first;
	if (!first)
		return NULL;
	*header = first->header;
	return first->record;
}

const char *perfdata_parts_get(
	const struct perfdata_parts *ps, size_t i, const struct perfdata_stream **stream)
{
	if (i >= ps->nr)
		return NULL;
	*stream = &ps->list[i].stream;
	return ps->list[i].name;
}
