/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jitdump.h"
#include "lib/bytes.h"
#include "lib/limits/memory.h"
#include "lib/lines.h"
#include "lib/search.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0x4a695444,
	OTHER_MAGIC = 0x4454694a, /* written by a processor of the other byte order */
	KNOWN_VERSION = 1,
	HEADER = 40,
	HEADER_MAX = 1 << 16,
	PREFIX = 16, /* of each record: its kind, size and time */
	LOAD = 40,   /* fields of a load before the name */
	HAS_CYCLES = 1,
	TEXT_MAX = 1 << 24, /* bytes of a record that are not code */
	KEPT_MAX = 256 << 20,
	KEPT_PART = 16, /* or this part of the memory limit */
	PAGE_BITS = 12,
	V8_SHIFT = 64, /* what V8 adds to the addresses of lines: the size of an ELF header */
};

#define READ_MAX (16ULL << 30) /* most bytes to read of the file */

/* Kinds of records. */
enum { CODE_LOAD, CODE_MOVE, CODE_LINES, CODE_CLOSE };

struct function {
	uint64_t time, start, size;
	uint32_t order; /* in the file */
	uint32_t name;  /* offset in the texts */
	uint32_t lines, nr_lines;
};

struct code_line {
	uint64_t address; /* distance from the function's start */
	uint32_t file, line;
};

/* A function that has code in a page. */
struct resident {
	uint32_t function;
	uint32_t earlier; /* number of another one of this page + 1, or 0 */
};

struct jitdump {
	struct function *functions; /* in the order of time */
	size_t nr, alloc;
	struct code_line *lines;
	size_t nr_lines, lines_alloc;
	struct resident *residents;
	size_t nr_residents, residents_alloc;
	struct table pages; /* page -> number of its latest resident + 1 */
	struct strbuf texts;
	size_t kept, kept_max; /* bytes */
	bool has_cycles, is_cut;
};

/* What is needed only while the file is read. */
struct dump_reading {
	struct jitdump *d;
	struct lines in;
	const struct jitdump_clock *clock;
	struct table by_index; /* of a function in the file -> number + 1 */
	/* The last lines, which belong to the next function if it is at this address. */
	uint64_t address;
	size_t first_line;
	uint32_t last_file; /* offset in the texts, or 0 */
};

/* A record, without its code. */
struct record {
	uint64_t kind, size, time;
};

static uint32_t add_text(struct jitdump *d, const char *text, size_t len)
{
	size_t at = d->texts.len;

	strbuf_add(&d->texts, text, len);
	strbuf_addch(&d->texts, '\0');
	d->kept += len + 1;
	return (uint32_t)at;
}

static const char *text_at(const struct jitdump *d, uint32_t at)
{
	return d->texts.buf + at;
}

/* Returns the next N bytes. B is bad if there are fewer. */
static struct bytes take(struct dump_reading *r, uint64_t n)
{
	const char *bytes = NULL;
	size_t got = n <= TEXT_MAX ? lines_take(&r->in, n, &bytes) : 0;
	struct bytes b = {(const unsigned char *)bytes, (const unsigned char *)bytes + got, false};

	b.bad = got < n;
	return b;
}

/* Skips N bytes. Returns false if there are fewer. */
static bool skip(struct dump_reading *r, uint64_t n)
{
	while (n) {
		uint64_t part = n < LINES_MAX ? n : LINES_MAX;

		if (take(r, part).bad)
			return false;
		n -= part;
	}
	return true;
}

static uint64_t time_of(const struct dump_reading *r, uint64_t cycles)
{
	const struct jitdump_clock *c = r->d->has_cycles ? r->clock : NULL;

	if (!c || c->shift > 63)
		return cycles;
	return c->zero + (cycles >> c->shift) * c->multiplier +
	       (((cycles & ((1ULL << c->shift) - 1)) * c->multiplier) >> c->shift);
}

static uint64_t pages_of(const struct function *f)
{
	return ((f->start + f->size - 1) >> PAGE_BITS) - (f->start >> PAGE_BITS) + 1;
}

static void add_function(struct dump_reading *r, struct function f, uint64_t index)
{
	struct jitdump *d = r->d;
	bool is_new;

	f.order = (uint32_t)d->nr;
	d->kept += sizeof(f) + pages_of(&f) * sizeof(struct resident);
	ALLOC_GROW(d->functions, d->nr, d->alloc);
	d->functions[d->nr++] = f;
	*table_put(&r->by_index, index, 0, &is_new) = (uint32_t)d->nr;
}

/*
 * V8 expects that perf copies the code to an ELF file, behind its header, and tells the addresses
 * of lines as they are there.
 */
static void shift_lines(struct dump_reading *r, const char *name)
{
	static const char *const starts[] = {"JS:", "LazyCompile:", "Function:", "Script:"};
	bool is_v8 = false;

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		is_v8 |= !strncmp(name, starts[i], strlen(starts[i]));
	for (size_t i = r->first_line; is_v8 && i < r->d->nr_lines; i++)
		r->d->lines[i].address -= V8_SHIFT;
}

/* Reads a load, whose record has SIZE bytes behind the prefix. Returns false if it is cut. */
static bool read_load(struct dump_reading *r, const struct record *record, uint64_t size)
{
	struct function f = {.time = time_of(r, record->time)};
	struct bytes b = take(r, size < LOAD ? size : LOAD);
	uint64_t index, text;

	if (b.bad)
		return false;
	bytes_take(&b, 16); /* the process, the thread, and the address again */
	f.start = bytes_number(&b, 8);
	f.size = bytes_number(&b, 8);
	index = bytes_number(&b, 8);
	text = size - LOAD - f.size;
	if (b.bad || f.size > size - LOAD || text > TEXT_MAX)
		return size < LOAD || skip(r, size - LOAD);
	b = take(r, text);
	if (b.bad)
		return false;

	size_t len = text ? strnlen((const char *)b.at, text) : 0;

	if (len && len < text && f.size && f.size - 1 <= UINT64_MAX - f.start) {
		f.name = add_text(r->d, (const char *)b.at, len);
		if (r->address == f.start && r->d->nr_lines > r->first_line) {
			f.lines = (uint32_t)r->first_line;
			f.nr_lines = (uint32_t)(r->d->nr_lines - r->first_line);
			shift_lines(r, text_at(r->d, f.name));
		}
		add_function(r, f, index);
	}
	r->first_line = r->d->nr_lines;
	return skip(r, f.size);
}

static bool read_move(struct dump_reading *r, const struct record *record, uint64_t size)
{
	struct bytes b = take(r, size);
	uint64_t to;
	const uint32_t *number;

	if (b.bad)
		return false;
	bytes_take(&b, 24);
	to = bytes_number(&b, 8);
	bytes_take(&b, 8);
	uint64_t index = bytes_number(&b, 8);

	number = b.bad ? NULL : table_get(&r->by_index, index, 0);
	if (!number)
		return true;
	struct function f = r->d->functions[*number - 1];

	f.time = time_of(r, record->time);
	f.start = to;
	if (f.size - 1 <= UINT64_MAX - to)
		add_function(r, f, index);
	return true;
}

/* Returns the number of a file, which is often the one of the line before. */
static uint32_t add_file(struct dump_reading *r, const char *name, size_t len)
{
	const char *last = r->last_file ? text_at(r->d, r->last_file) : NULL;

	if (last && ((len == 1 && *name == '\xff') ||
			    (strlen(last) == len && !memcmp(last, name, len))))
		return r->last_file;
	return r->last_file = add_text(r->d, name, len);
}

static bool read_lines(struct dump_reading *r, uint64_t size)
{
	struct bytes b = take(r, size);

	if (b.bad)
		return false;
	r->address = bytes_number(&b, 8);
	r->first_line = r->d->nr_lines;

	uint64_t nr = bytes_number(&b, 8);

	while (nr--) {
		struct code_line line = {.address = bytes_number(&b, 8) - r->address};
		const char *file;
		size_t left, len;

		line.line = (uint32_t)bytes_number(&b, 4);
		bytes_take(&b, 4);
		file = (const char *)b.at;
		left = (size_t)(b.end - b.at);
		len = b.bad ? left : strnlen(file, left);
		if (len == left)
			break;
		bytes_take(&b, len + 1);
		line.file = add_file(r, file, len);
		ALLOC_GROW(r->d->lines, r->d->nr_lines, r->d->lines_alloc);
		r->d->lines[r->d->nr_lines++] = line;
		r->d->kept += sizeof(line);
	}
	return true;
}

/* Reads the next record. Returns false at the end, or behind what can be used. */
static bool read_record(struct dump_reading *r, struct record *record)
{
	const char *bytes;
	bool at_end = !lines_peek(&r->in, 1, &bytes);
	struct bytes b = take(r, PREFIX);

	record->kind = bytes_number(&b, 4);
	record->size = bytes_number(&b, 4);
	record->time = bytes_number(&b, 8);
	r->d->is_cut = !at_end;
	if (b.bad || record->size < PREFIX || r->d->kept > r->d->kept_max)
		return false;

	uint64_t size = record->size - PREFIX;

	if (record->kind == CODE_LOAD)
		return read_load(r, record, size);
	if (record->kind == CODE_MOVE && size <= TEXT_MAX)
		return read_move(r, record, size);
	if (record->kind == CODE_LINES && size <= TEXT_MAX)
		return read_lines(r, size);
	return skip(r, size);
}

static void read_records(struct dump_reading *r)
{
	struct record record;

	while (read_record(r, &record))
		if (record.kind == CODE_CLOSE) {
			r->d->is_cut = false;
			return;
		}
}

static int read_header(struct dump_reading *r, struct strbuf *err)
{
	struct bytes b = take(r, HEADER);
	uint64_t magic = bytes_number(&b, 4), version = bytes_number(&b, 4), size;

	if (magic == OTHER_MAGIC)
		return fail(err, "it was written by a processor of the other byte order");
	if (b.bad || magic != MAGIC)
		return fail(err, "it is not a dump of a JIT compiler");
	if (version > KNOWN_VERSION)
		return fail(err, "version %u of dumps is not known", (unsigned)version);
	size = bytes_number(&b, 4);
	bytes_take(&b, 20);
	r->d->has_cycles = bytes_number(&b, 8) & HAS_CYCLES;
	if (size < HEADER || size > HEADER_MAX || !skip(r, size - HEADER))
		return fail(err, "its header is damaged");
	return 0;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->time == y->time ? compare_u64(x->order, y->order) : compare_u64(x->time, y->time);
}

static void index_pages(struct jitdump *d)
{
	qsort(d->functions, d->nr, sizeof(*d->functions), compare_functions);
	for (uint32_t i = 0; i < d->nr; i++) {
		const struct function *f = &d->functions[i];

		for (uint64_t k = 0; k < pages_of(f); k++) {
			bool is_new;
			uint32_t *latest =
				table_put(&d->pages, (f->start >> PAGE_BITS) + k, 0, &is_new);

			ALLOC_GROW(d->residents, d->nr_residents, d->residents_alloc);
			d->residents[d->nr_residents++] = (struct resident){i, *latest};
			*latest = (uint32_t)d->nr_residents;
		}
	}
}

struct jitdump *jitdump_read(int fd, const struct jitdump_clock *clock, struct strbuf *err)
{
	struct jitdump *d = xcalloc(1, sizeof(*d));
	struct dump_reading r = {.d = d, .clock = clock};
	int ret;

	d->kept_max = memory_share(KEPT_MAX, KEPT_PART);
	d->texts = (struct strbuf)STRBUF_INIT;
	strbuf_addch(&d->texts, '\0'); /* no file */
	table_init(&d->pages);
	table_init(&r.by_index);
	lines_init(&r.in, fd);
	r.in.left = READ_MAX;
	ret = read_header(&r, err);
	if (!ret) {
		read_records(&r);
		if (d->nr)
			index_pages(d);
	}
	lines_release(&r.in);
	table_release(&r.by_index);
	if (ret) {
		jitdump_free(d);
		return NULL;
	}
	return d;
}

void jitdump_free(struct jitdump *d)
{
	if (!d)
		return;
	free(d->functions);
	free(d->lines);
	free(d->residents);
	table_release(&d->pages);
	strbuf_release(&d->texts);
	free(d);
}

bool jitdump_is_cut(const struct jitdump *d)
{
	return d->is_cut;
}

bool jitdump_has_cycles(const struct jitdump *d)
{
	return d->has_cycles;
}

uint32_t jitdump_nr(const struct jitdump *d)
{
	return (uint32_t)d->nr;
}

uint32_t jitdump_passed(const struct jitdump *d, uint64_t time)
{
	return (uint32_t)COUNT_UNTIL(d->functions, d->nr, time, time);
}

uint32_t jitdump_find(const struct jitdump *d, uint64_t address, uint64_t time)
{
	const uint32_t *latest = table_get(&d->pages, address >> PAGE_BITS, 0);
	uint32_t found = JITDUMP_NONE;

	for (uint32_t at = latest ? *latest : 0; at; at = d->residents[at - 1].earlier) {
		uint32_t number = d->residents[at - 1].function;
		const struct function *f = &d->functions[number];

		if (address - f->start >= f->size)
			continue;
		found = number;
		if (f->time <= time)
			break;
	}
	return found;
}

const char *jitdump_name(const struct jitdump *d, uint32_t function)
{
	return text_at(d, d->functions[function].name);
}

uint64_t jitdump_start(const struct jitdump *d, uint32_t function)
{
	return d->functions[function].start;
}

uint32_t jitdump_line(
	const struct jitdump *d, uint32_t function, uint64_t address, const char **file)
{
	const struct function *f = &d->functions[function];
	const struct code_line *best = NULL;

	for (uint32_t i = 0; i < f->nr_lines; i++) {
		const struct code_line *line = &d->lines[f->lines + i];

		if (line->address <= address - f->start &&
			(!best || line->address >= best->address))
			best = line;
	}
	*file = best ? text_at(d, best->file) : NULL;
	return best ? best->line : 0;
}
