/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perfdata_ends.h"
#include "perfdata_events.h"
#include "perfdata_files.h"
#include "perfdata_format.h"
#include "perfdata_jit.h"
#include "perfdata_kernel.h"
#include "perfdata_off_cpu.h"
#include "perfdata_parts.h"
#include "perfdata_rounds.h"
#include "perfdata_rows.h"
#include "perfdata_sample.h"
#include "perfdata_stream.h"
#include "perfdata_tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SECTIONS_MAX = 64 << 20 /* bytes of the events and of one section behind the data */ };

struct perfdata_reader {
	struct recording *rec;
	struct lines *lines;
	struct strbuf *notes;
	struct perfdata_header header;
	bool is_pipe;
	bool is_read_ahead;  /* what is behind the data is read already */
	const char *folder;  /* which perf record made in place of a file, or NULL */
	uint64_t dir_format; /* enum perfdata_dir_format */
	struct perfdata_events events;
	struct perfdata_places places;
	struct perfdata_tasks tasks;
	struct perfdata_files files;
	struct perfdata_jit jit;
	struct perfdata_rows rows;
	struct perfdata_rounds rounds;
	struct perfdata_kernel kernel;
	struct perfdata_off_cpu off_cpu;
	uint64_t throttled, unreadable;
	bool is_cut; /* the records of one file are not whole */
	bool failed; /* the notes tell why */
};

bool perfdata_is_head(const char *bytes, size_t n)
{
	return begins_with(bytes, n, PERFDATA_MAGIC);
}

/* ---- records ---- */

/* The fields of a record, from behind its header. */
static struct bytes fields_of(const void *record)
{
	struct perf_event_header h;

	memcpy(&h, record, sizeof(h));
	return (struct bytes){(const unsigned char *)record + sizeof(h),
		(const unsigned char *)record + h.size, false};
}

static uint32_t take_u32(struct bytes *b)
{
	return (uint32_t)bytes_number(b, 4);
}

/* Returns the number of the text in the rest of a record. */
static uint32_t take_text(struct perfdata_reader *r, struct bytes *b)
{
	size_t n = (size_t)(b->end - b->at);

	return n ? strpool_add(
			   &r->rec->strings, (const char *)b->at, strnlen((const char *)b->at, n))
		 : 0;
}

/* Returns the build-id of N bytes in lower-case hex, or 0 if it is not there. */
static uint32_t add_build_id(struct perfdata_reader *r, const unsigned char *id, size_t n)
{
	struct strbuf hex = STRBUF_INIT;
	uint32_t string;

	for (size_t i = 0; id && i < n && i < PERFDATA_ID_MAX; i++)
		strbuf_addf(&hex, "%02x", id[i]);
	string = strpool_add(&r->rec->strings, hex.buf, hex.len);
	strbuf_release(&hex);
	return string;
}

/*
 * Takes the build-id of a mapped file, or the numbers of its device and *INODE. While another
 * program asks for build-ids, some kernels set the flag also in records of events that have not
 * asked for them.
 */
static uint32_t take_build_id(struct perfdata_reader *r, const struct perf_event_header *h,
	struct bytes *b, uint64_t *inode)
{
	struct bytes numbers = *b;
	uint64_t size = bytes_number(b, 4);
	const unsigned char *id = bytes_take(b, PERFDATA_ID_MAX);

	bytes_take(&numbers, 8);
	*inode = h->misc & PERFDATA_MMAP_BUILD_ID ? 0 : bytes_number(&numbers, 8);
	return h->misc & PERFDATA_MMAP_BUILD_ID && r->events.build_ids && size <= PERFDATA_ID_MAX
		       ? add_build_id(r, id, size)
		       : 0;
}

static void read_mmap(struct perfdata_reader *r, const struct perf_event_header *h, struct bytes b)
{
	uint32_t pid = take_u32(&b), build_id = 0;
	struct perfdata_span span;
	uint64_t inode = 0;

	take_u32(&b);
	span.start = bytes_number(&b, 8);
	span.end = span.start + bytes_number(&b, 8);
	span.offset = bytes_number(&b, 8);
	if (h->type == PERFDATA_MMAP2) {
		build_id = take_build_id(r, h, &b, &inode);
		bytes_take(&b, 8);
	}

	const char *path = recording_get(r->rec, take_text(r, &b));

	if (b.bad || span.end <= span.start || span.offset > UINT64_MAX - (span.end - span.start) ||
		h->misc & PERFDATA_MMAP_DATA)
		return;
	if (pid == UINT32_MAX || (h->misc & PERFDATA_MODE) == PERFDATA_KERNEL) {
		if (perfdata_kernel_map(&r->kernel, path, span.offset) && build_id)
			r->rec->kernel_build_id = build_id;
		return;
	}
	if (!strcmp(path, "//anon"))
		path = "";
	char *copy = xstrdup(path); /* the strings may move */

	span.file = perfdata_files_add(&r->files, copy, build_id, pid);
	perfdata_jit_map(&r->jit, pid, copy, inode);
	free(copy);
	perfdata_tasks_map(&r->tasks, pid, &span);
}

static void read_comm(struct perfdata_reader *r, struct bytes b)
{
	uint32_t pid = take_u32(&b), tid = take_u32(&b);

	if (!b.bad)
		perfdata_tasks_comm(&r->tasks, pid, tid, take_text(r, &b));
}

static void read_fork_or_exit(
	struct perfdata_reader *r, const struct perf_event_header *h, struct bytes b)
{
	uint32_t pid = take_u32(&b), ppid = take_u32(&b), tid = take_u32(&b), ptid = take_u32(&b);

	if (b.bad)
		return;
	r->tasks.keeps_ended = r->events.has_output; /* their waits come at the end */
	if (h->type == PERFDATA_FORK)
		perfdata_tasks_fork(&r->tasks, pid, tid, ppid, ptid);
	else
		perfdata_tasks_exit(&r->tasks, pid, tid);
}

static void read_ksymbol(struct perfdata_reader *r, struct bytes b)
{
	uint64_t address = bytes_number(&b, 8), size = bytes_number(&b, 4);
	uint64_t flags = bytes_number(&b, 4) >> 16;

	if (!b.bad && !(flags & 1)) /* it was not removed */
		perfdata_kernel_add(&r->kernel, address, size, take_text(r, &b));
}

static void read_cgroup(struct perfdata_reader *r, struct bytes b)
{
	uint64_t id = bytes_number(&b, 8);
	char *path = xstrdup(recording_get(r->rec, take_text(r, &b)));

	if (!b.bad)
		perfdata_rows_cgroup(&r->rows, id, path);
	free(path);
}

static void read_deferred(struct perfdata_reader *r, const uint64_t *record, size_t nr)
{
	enum { COOKIE = 1, LENGTH, ADDRESSES };

	if (nr < ADDRESSES || record[LENGTH] > nr - ADDRESSES)
		r->unreadable++;
	else
		perfdata_rows_join(&r->rows, record[COOKIE], record + ADDRESSES, record[LENGTH]);
}

/* Adds a sample of E, or of each event that is read with it and has counted since the last one. */
static void add_sample(struct perfdata_reader *r, struct perfdata_event *e,
	struct perfdata_sample *s, unsigned mode)
{
	enum { VALUE, ID };

	if (!s->nr_counts)
		perfdata_rows_add(&r->rows, e, s, mode);
	for (uint64_t i = 0; i < s->nr_counts; i++) {
		const uint64_t *count = s->counts + i * s->count_words;
		struct perfdata_event *counted = perfdata_events_find(&r->events, count[ID]);

		s->has_period = true;
		s->period =
			perfdata_events_count(&r->events, counted, count[ID], s->tid, count[VALUE]);
		if (s->period)
			perfdata_rows_add(&r->rows, counted, s, mode);
	}
}

static void read_sample(struct perfdata_reader *r, const struct perf_event_header *h,
	const uint64_t *record, size_t nr)
{
	struct perfdata_event *e =
		perfdata_events_find(&r->events, perfdata_record_id(&r->places, true, record, nr));
	struct perfdata_sample s;

	if (e && perfdata_sample_read(&s, &e->attr, record, nr) &&
		(!e->is_off_cpu || perfdata_off_cpu_read(&r->off_cpu, &s)))
		add_sample(r, e, &s, h->misc & PERFDATA_MODE);
	else
		r->unreadable++;
}

/* Takes RECORD, which comes in the order of time. */
static void take_record(void *arg, const uint64_t *record, uint64_t time)
{
	struct perfdata_reader *r = arg;
	struct perf_event_header h;
	struct bytes b = fields_of(record);
	size_t nr;

	(void)time;
	memcpy(&h, record, sizeof(h));
	nr = h.size / 8;
	switch (h.type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		read_mmap(r, &h, b);
		break;
	case PERFDATA_COMM:
		read_comm(r, b);
		break;
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		read_fork_or_exit(r, &h, b);
		break;
	case PERFDATA_LOST:
		bytes_take(&b, 8);
		/* fall through */
	case PERFDATA_LOST_SAMPLES:
		add_capped(&r->rec->lost[LOST_TRANSPORT], bytes_number(&b, 8));
		break;
	case PERFDATA_THROTTLE:
		r->throttled++;
		break;
	case PERFDATA_KSYMBOL:
		read_ksymbol(r, b);
		break;
	case PERFDATA_CGROUP:
		read_cgroup(r, b);
		break;
	case PERFDATA_DEFERRED:
		read_deferred(r, record, nr);
		break;
	case PERFDATA_SAMPLE:
		read_sample(r, &h, record, nr);
		break;
	}
}

/* ---- what describes the data ---- */

static void add_event(
	struct perfdata_reader *r, const unsigned char *attr, uint64_t size, struct bytes ids)
{
	if (perfdata_events_add(&r->events, attr, size, &ids, r->failed ? NULL : r->notes))
		r->failed = true;
	if (r->events.nr == 1) {
		const struct perf_event_attr *first = &r->events.list[0].attr;

		r->places = perfdata_places_of(first);
		r->jit.is_monotonic = first->use_clockid && first->clockid == CLOCK_MONOTONIC;
	}
}

/* Reads an attribute in a pipe, which begins with its type and its size, and its identifiers. */
static void read_attr(struct perfdata_reader *r, struct bytes b)
{
	struct bytes head = b;

	take_u32(&head);

	uint64_t size = take_u32(&head);
	const unsigned char *attr = bytes_take(&b, size);

	if (attr && size >= 8)
		add_event(r, attr, size, b);
}

static void read_update(struct perfdata_reader *r, struct bytes b)
{
	enum { NAME = 2 };
	uint64_t type = bytes_number(&b, 8), id = bytes_number(&b, 8);

	if (!b.bad && type == NAME)
		perfdata_events_name(&r->events, id, (const char *)b.at, (size_t)(b.end - b.at));
}

/* Reads the build-id of a file, in a record of its own or in a section. */
static void read_build_id(struct perfdata_reader *r, const unsigned char *record)
{
	struct bytes b = fields_of(record);
	struct perf_event_header h;
	uint64_t pid = take_u32(&b);
	const unsigned char *id = bytes_take(&b, 24);
	bool is_new;

	memcpy(&h, record, sizeof(h));
	if (b.bad)
		return;
	uint32_t build_id =
		add_build_id(r, id, h.misc & PERFDATA_BUILD_ID_SIZE ? id[20] : PERFDATA_ID_MAX);
	uint32_t path = take_text(r, &b);

	if (pid == UINT32_MAX && !strcmp(recording_get(r->rec, path), "[kernel.kallsyms]"))
		r->rec->kernel_build_id = build_id;
	*table_put(&r->files.build_ids, path, 0, &is_new) = build_id;
}

static void read_build_ids(struct perfdata_reader *r, struct bytes section)
{
	struct perf_event_header h;

	while (section.end - section.at >= (ptrdiff_t)sizeof(h)) {
		memcpy(&h, section.at, sizeof(h));

		const unsigned char *record =
			h.size >= sizeof(h) ? bytes_take(&section, h.size) : NULL;

		if (!record)
			return;
		read_build_id(r, record);
	}
}

/* Returns a text behind its length, up to its NUL. The caller frees it. */
static char *take_string(struct bytes *b)
{
	uint64_t len = bytes_number(b, 4);
	const unsigned char *text = bytes_take(b, len);

	return text ? xstrndup((const char *)text, strnlen((const char *)text, len)) : NULL;
}

static void set_meta(struct perfdata_reader *r, const char *key, struct bytes *b)
{
	char *text = take_string(b);

	if (text && *text)
		recording_set_meta(r->rec, key, text);
	free(text);
}

static void read_command(struct perfdata_reader *r, struct bytes *b)
{
	uint64_t nr = bytes_number(b, 4);
	struct strbuf command = STRBUF_INIT;

	for (uint64_t i = 0; i < nr && !b->bad; i++) {
		char *word = take_string(b);

		strbuf_addf(&command, i ? " %s" : "%s", word ? file_name(word) : "");
		free(word);
	}
	if (command.len)
		recording_set_meta(r->rec, "command", command.buf);
	strbuf_release(&command);
}

static void read_feature(struct perfdata_reader *r, uint64_t feature, struct bytes b)
{
	char *text;

	switch (feature) {
	case PERFDATA_HAS_TRACING:
		perfdata_formats_read(&r->rows.labels.formats, b);
		break;
	case PERFDATA_HAS_BUILD_IDS:
		read_build_ids(r, b);
		break;
	case PERFDATA_HAS_HOST:
		set_meta(r, "host", &b);
		break;
	case PERFDATA_HAS_RELEASE:
		text = take_string(&b);
		r->rec->kernel_release = recording_string(r->rec, text);
		free(text);
		break;
	case PERFDATA_HAS_ARCH:
		text = take_string(&b);
		r->rows.other_processor = text && strcmp(text, "x86_64") != 0;
		free(text);
		break;
	case PERFDATA_HAS_CPUS:
		take_u32(&b);
		text = xasprintf("%" PRIu32, take_u32(&b));
		if (!b.bad)
			recording_set_meta(r->rec, "cpus", text);
		free(text);
		break;
	case PERFDATA_HAS_COMMAND:
		read_command(r, &b);
		break;
	case PERFDATA_HAS_EVENTS:
		perfdata_events_read_names(&r->events, b);
		break;
	case PERFDATA_HAS_DIR_FORMAT:
		r->dir_format = bytes_number(&b, 8);
		break;
	}
}

/* Takes a record as it comes from the file. */
static void take_raw(
	struct perfdata_reader *r, const struct perf_event_header *h, const unsigned char *record)
{
	struct bytes b = fields_of(record);

	switch (h->type) {
	case PERFDATA_ATTR:
		if (r->is_pipe)
			read_attr(r, b);
		return;
	case PERFDATA_EVENT_UPDATE:
		read_update(r, b);
		return;
	case PERFDATA_BUILD_ID:
		read_build_id(r, record);
		return;
	case PERFDATA_TIME_CONV:
		r->jit.clock.shift = bytes_number(&b, 8);
		r->jit.clock.multiplier = bytes_number(&b, 8);
		r->jit.clock.zero = bytes_number(&b, 8);
		return;
	case PERFDATA_FEATURE: {
		uint64_t feature = bytes_number(&b, 8);

		read_feature(r, feature, b);
		return;
	}
	case PERFDATA_FINISHED_ROUND:
		perfdata_rounds_finish(&r->rounds);
		return;
	}
	if (h->type < PERFDATA_OWN)
		perfdata_rounds_add(
			&r->rounds, record, h->size, perfdata_time(&r->places, h, record));
}

/* ---- the file ---- */

/* Returns the next N bytes of the input, or NULL if there are fewer. Valid until the next call. */
static const char *take_bytes(struct perfdata_reader *r, uint64_t n)
{
	const char *bytes;

	return n <= SECTIONS_MAX && lines_take(r->lines, n, &bytes) == n ? bytes : NULL;
}

/* Reads the events that are between the header and the data, in BYTES from the header's end on. */
static int read_events(struct perfdata_reader *r, const char *bytes, uint64_t size)
{
	const struct perfdata_header *h = &r->header;
	const unsigned char *first = (const unsigned char *)bytes - sizeof(*h);
	uint64_t each = h->attr_size, end = size + sizeof(*h);

	if (each < 64 + sizeof(struct perfdata_section) || each > UINT16_MAX ||
		h->attrs.offset < sizeof(*h) || h->attrs.offset > end ||
		h->attrs.size > end - h->attrs.offset)
		return fail(r->notes, "its header is damaged\n");
	for (uint64_t at = 0; at + each <= h->attrs.size; at += each) {
		const unsigned char *attr = first + h->attrs.offset + at;
		struct perfdata_section ids;
		struct bytes list = {first, first, false};

		memcpy(&ids, attr + each - sizeof(ids), sizeof(ids));
		if (ids.offset >= sizeof(*h) && ids.offset <= end && ids.size <= end - ids.offset)
			list = (struct bytes){
				first + ids.offset, first + ids.offset + ids.size, false};
		add_event(r, attr, each - sizeof(ids), list);
	}
	return r->failed ? -1 : 0;
}

/* Reads the section of a feature from the file's descriptor. */
static void read_section(
	struct perfdata_reader *r, int fd, uint64_t feature, const struct perfdata_section *section)
{
	unsigned char *bytes;

	if (section->size > SECTIONS_MAX || section->offset > INT64_MAX)
		return;
	bytes = xmalloc(section->size + 1);

	ssize_t n = pread(fd, bytes, section->size, (off_t)section->offset);

	if (n > 0)
		read_feature(r, feature, (struct bytes){bytes, bytes + n, false});
	free(bytes);
}

/*
 * Reads what is behind the data now, if the input is a file: stacks are unwound only with the files
 * that have the right build-ids.
 */
static void read_ahead(struct perfdata_reader *r)
{
	const struct perfdata_header *h = &r->header;
	uint64_t at = h->data.offset + h->data.size;
	struct perfdata_section section;
	int fd = r->lines->fd;

	if (!h->data.size || r->lines->decompress)
		return;
	for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		if (pread(fd, &section, sizeof(section), (off_t)at) != sizeof(section))
			return;
		r->is_read_ahead = true;
		read_section(r, fd, i, &section);
		at += sizeof(section);
	}
}

/* Reads what is behind the data, which is the rest of the input. */
static void read_behind(struct perfdata_reader *r)
{
	const struct perfdata_header *h = &r->header;
	uint64_t begin = h->data.offset + h->data.size;
	const char *bytes;
	size_t n = lines_take(r->lines, SECTIONS_MAX, &bytes);
	struct bytes list = {(const unsigned char *)bytes, (const unsigned char *)bytes + n, false};

	for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		uint64_t at = bytes_number(&list, 8) - begin, size = bytes_number(&list, 8);

		if (!list.bad && at <= n && size <= n - at)
			read_feature(r, i,
				(struct bytes){(const unsigned char *)bytes + at,
					(const unsigned char *)bytes + at + size, false});
	}
}

/* Whether the folder of a perf record that did not end has files with records. */
static bool has_parts(const char *folder)
{
	char *part = xasprintf("%s/data.0", folder);
	bool is_there = !access(part, F_OK);

	free(part);
	return is_there;
}

/* Reads the header. Returns the size of the data, or 0 with a message. */
static uint64_t read_header(struct perfdata_reader *r)
{
	struct perfdata_header *h = &r->header;
	const char *bytes = take_bytes(r, PERFDATA_PIPE_HEADER);
	uint64_t between;

	if (!bytes) {
		fail(r->notes, "it is cut inside its header\n");
		return 0;
	}
	memcpy(h, bytes, PERFDATA_PIPE_HEADER);
	r->is_pipe = h->size == PERFDATA_PIPE_HEADER;
	if (r->is_pipe)
		return UINT64_MAX;
	bytes = take_bytes(r, sizeof(*h) - PERFDATA_PIPE_HEADER);
	if (!bytes || h->size < sizeof(*h)) {
		fail(r->notes, "it is cut inside its header\n");
		return 0;
	}
	memcpy((char *)h + PERFDATA_PIPE_HEADER, bytes, sizeof(*h) - PERFDATA_PIPE_HEADER);
	between = h->data.offset - sizeof(*h);
	if (h->data.offset < sizeof(*h) || !(bytes = take_bytes(r, between))) {
		fail(r->notes, "its header is damaged\n");
		return 0;
	}
	if (read_events(r, bytes, between))
		return 0;
	read_ahead(r);
	if (!h->data.size && r->folder && has_parts(r->folder))
		r->dir_format = PERFDATA_DIR_PARTS;
	return h->data.size ? h->data.size : UINT64_MAX;
}

/* Says how the records of NAME, "it" or a file of the folder, end if they are not whole. */
static void note_end(struct perfdata_reader *r, const char *name, const struct perfdata_stream *s)
{
	static const char *const ends[] = {
		[PERFDATA_CUT] = "ends in the middle of a record",
		[PERFDATA_DAMAGED] = "has a damaged record",
		[PERFDATA_UNZSTD] = "has damaged compressed data",
	};

	if (s->end)
		strbuf_addf(r->notes, "%s %s: what is before is used\n", name, ends[s->end]);
}

static void note_stream(struct perfdata_reader *r, const struct perfdata_stream *s)
{
	if (!r->is_pipe && !r->header.data.size)
		strbuf_adds(r->notes, "perf did not end its recording (size 0 in the header): all "
				      "whole records are used\n");
	note_end(r, "it", s);
	if (s->skipped)
		strbuf_addf(r->notes,
			"%" PRIu64 " bytes of hardware traces are left out: perf script reads "
			"them\n",
			s->skipped);
}

static void note_records(struct perfdata_reader *r)
{
	uint64_t lost = r->rec->lost[LOST_TRANSPORT];

	if (lost)
		strbuf_addf(r->notes,
			"perf lost %" PRIu64 " events: larger buffers help, perf record -m 16M\n",
			lost);
	if (r->throttled)
		strbuf_addf(r->notes,
			"the kernel has paused the events, as samples took too long (throttled): "
			"%" PRIu64 " times; a lower rate helps, perf record -F\n",
			r->throttled);
	if (r->unreadable)
		strbuf_addf(r->notes, "samples left out: %" PRIu64 ", whose fields do not fit\n",
			r->unreadable);
	if (r->rows.nr_branched)
		strbuf_addf(r->notes,
			"%" PRIu64 " samples have branches of the processor, which only bt-export "
			"--autofdo and --bolt read\n",
			r->rows.nr_branched);
	add_capped(&r->rec->lost[LOST_UNREADABLE], r->unreadable);
}

/* Gives maps the build-ids that perf has listed. */
static void set_build_ids(struct perfdata_reader *r)
{
	for (size_t i = 0; i < r->rec->nr_maps; i++) {
		struct rec_map *map = &r->rec->maps[i];
		const uint32_t *listed = table_get(&r->files.build_ids, map->path, 0);

		if (!map->build_id && listed)
			map->build_id = *listed;
	}
}

static void set_seconds(struct perfdata_reader *r)
{
	char *seconds = xasprintf("%.3f", (double)(r->rows.ended - r->rows.began) / 1e9);

	if (r->rows.began)
		recording_set_meta(r->rec, "seconds", seconds);
	recording_set_meta(r->rec, "engine", "perf");
	free(seconds);
}

/* Reads the data behind the record of their size, which has the fields B. */
static void read_tracing(struct perfdata_reader *r, struct perfdata_stream *s, struct bytes b)
{
	uint64_t size = take_u32(&b);
	const unsigned char *bytes = perfdata_stream_behind(s, size, SECTIONS_MAX);

	if (bytes)
		read_feature(r, PERFDATA_HAS_TRACING, (struct bytes){bytes, bytes + size, false});
}

/* Returns -1 with a message if there are records in other files that cannot be read. */
static int check_folder(struct perfdata_reader *r)
{
	if (!r->dir_format)
		return 0;
	if (r->dir_format == PERFDATA_DIR_PARTS && r->folder)
		return 0;
	r->failed = true;
	if (!r->folder)
		return fail(r->notes, "its records are in the files beside it, data.0 and others: "
				      "give the folder\n");
	return fail(r->notes,
		"version %" PRIu64 " of perf's folders is not known: run perf script on it first\n",
		r->dir_format);
}

/* Reads the records that are in files of their own. */
static void read_parts(struct perfdata_reader *r)
{
	enum { ROUND = 4096 /* records */ };
	const struct perfdata_stream *stream;
	struct perf_event_header h;
	struct perfdata_parts parts;
	const unsigned char *record;
	const char *name;

	r->failed = perfdata_parts_open(&parts, r->folder, &r->places, r->notes);
	for (unsigned nr = 1; !r->failed && (record = perfdata_parts_next(&parts, &h)); nr++) {
		take_raw(r, &h, record);
		if (nr % ROUND == 0)
			perfdata_rounds_finish(&r->rounds);
	}
	for (size_t i = 0; (name = perfdata_parts_get(&parts, i, &stream)); i++) {
		note_end(r, name, stream);
		r->is_cut |= stream->end != PERFDATA_WHOLE;
	}
	perfdata_parts_release(&parts);
}

/* Names, judges and describes what the records of S have given. */
static void settle(struct perfdata_reader *r, const struct perfdata_stream *s)
{
	perfdata_rows_end(&r->rows);
	perfdata_judge(r->rec, &r->files);
	set_build_ids(r);
	perfdata_kernel_name(r->rec, &r->kernel, r->notes);
	perfdata_name_memory(r->rec);
	perfdata_labels_note(
		&r->rows.labels, &r->events, !r->is_pipe && !r->is_read_ahead, r->notes);
	set_seconds(r);
	perfdata_jit_note(&r->jit);
	note_stream(r, s);
	note_records(r);
	r->is_cut |= s->end || (!r->is_pipe && !r->header.data.size);
	r->rec->complete = !r->is_cut && !r->unreadable;
}

static int read_records(struct perfdata_reader *r, uint64_t size)
{
	struct perfdata_stream s;
	struct perf_event_header h;
	const unsigned char *record;

	perfdata_stream_init(&s, r->lines, size);
	while ((record = perfdata_stream_next(&s, &h)) && !r->failed)
		if (h.type == PERFDATA_TRACING_DATA)
			read_tracing(r, &s, fields_of(record));
		else
			take_raw(r, &h, record);
	if (!r->failed && !check_folder(r) && r->dir_format)
		read_parts(r);
	perfdata_rounds_flush(&r->rounds);
	if (!r->is_pipe && !r->is_read_ahead && !s.end) {
		read_behind(r);
		check_folder(r);
	}
	if (!r->failed)
		settle(r, &s);
	perfdata_stream_release(&s);
	if (r->lines->error && !r->failed)
		return fail(r->notes, "%s\n", strerror(r->lines->error));
	return r->failed ? -1 : 0;
}

int perfdata_read(struct recording *rec, struct lines *lines,
	const struct perfdata_options *options, struct strbuf *notes)
{
	struct perfdata_reader r = {.rec = rec, .lines = lines, .notes = notes};
	uint64_t size;
	int ret;

	perfdata_events_init(&r.events);
	perfdata_tasks_init(&r.tasks, rec);
	perfdata_files_init(&r.files, rec, &options->paths);
	perfdata_jit_init(&r.jit, rec, &r.files.opener, options->paths.root, notes);
	perfdata_rows_init(&r.rows, rec, &r.events, &r.tasks, &r.files, &r.jit);
	perfdata_rounds_init(&r.rounds, take_record, &r);
	perfdata_labels_init(&r.rows.labels, rec, options->by, options->labels);
	r.kernel.folder = r.folder = options->folder;
	r.kernel.caches = options->paths.path;
	r.rows.samples = options->samples;
	r.rows.keeps_branches = options->branches;
	size = read_header(&r);
	ret = size ? read_records(&r, size) : -1;
	perfdata_rounds_release(&r.rounds);
	perfdata_labels_release(&r.rows.labels);
	perfdata_rows_release(&r.rows);
	perfdata_jit_release(&r.jit);
	perfdata_files_release(&r.files);
	perfdata_tasks_release(&r.tasks);
	perfdata_events_release(&r.events);
	free(r.kernel.list);
	free(r.off_cpu.words);
	return ret;
}
