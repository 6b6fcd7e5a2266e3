/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tally.h"
#include "engine/label_sets.h"
#include "label/label_processes.h"
#include "label/memberships.h"
#include "lib/util.h"
#include "lib/word.h"
#include "process/task.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MASK = 1023, /* bits of a stack's id: number of frames */
	KERNEL_BIT = 1024,
	VM_BIT = 2048,     /* set if there is an interpreter's stack */
	PART_FRAMES = 100, /* addresses or frames in one line */
	PARTS_MAX = 32,    /* parts of an interpreter's stack */
	NOTES_MAX = 4096,  /* bytes of notes */
	SLICES_MAX = RECORDING_SLICES_MAX,
};

void tally_init(struct tally *t, struct processes *ps, struct samples *samples)
{
	*t = (struct tally){.ps = ps, .samples = samples, .notes = STRBUF_INIT};
	table_init(&t->by_id);
	table_init(&t->by_frame);
	table_init(&t->by_tid);
}

void tally_release(struct tally *t)
{
	for (size_t i = 0; i < t->nr_stacks; i++) {
		free(t->stacks[i].addresses);
		free(t->stacks[i].frames);
	}
	free(t->stacks);
	free(t->frames);
	free(t->rows);
	waiters_release(&t->waiters);
	strbuf_release(&t->notes);
	table_release(&t->by_id);
	table_release(&t->by_frame);
	table_release(&t->by_tid);
	*t = (struct tally){0};
}

static bool parse_number(const struct word *w, int base, uint64_t max, uint64_t *value)
{
	return parse_u64(w->s, w->len, base, value) && *value <= max;
}

static struct tally_stack *add_stack(struct tally *t, uint64_t id)
{
	bool is_new;
	uint32_t *at = table_put(&t->by_id, id, 0, &is_new);

	if (!is_new)
		return &t->stacks[*at];
	*at = (uint32_t)t->nr_stacks;
	ALLOC_GROW(t->stacks, t->nr_stacks, t->stacks_alloc);
	struct tally_stack *s = &t->stacks[t->nr_stacks++];

	*s = (struct tally_stack){
		.id = id, .kernel = id & KERNEL_BIT, .has_vm = id & VM_BIT, .nr = id & DEPTH_MASK};
	s->missing = s->nr;
	s->addresses = xcalloc(s->nr, sizeof(*s->addresses));
	return s;
}

/* Parses the addresses of S from frame FIRST on. Returns false if TEXT is invalid. */
static bool parse_addresses(struct tally_stack *s, uint32_t first, char *text, size_t len)
{
	uint32_t n = first;

	while (len && n < s->nr) {
		char *blank = memchr(text, ' ', len);
		size_t word = blank ? (size_t)(blank - text) : len;
		uint64_t address;

		if (!parse_u64(text, word, 16, &address) || !address)
			return false;
		if (!s->kernel || n != 1 || address != s->addresses[0]) {
			s->missing -= !s->addresses[n];
			s->addresses[n++] = address;
		}
		text += word + !!blank;
		len -= word + !!blank;
	}
	return true;
}

/* Scans the process again if an address is in no mapping, but at most 20 times per second. */
static void scan_if_unmapped(struct tally *t, uint32_t pid, const struct tally_stack *s)
{
	struct process *p = processes_get(t->ps, pid);

	for (uint32_t i = 0; i < s->nr; i++)
		if (s->addresses[i] && !process_find(t->ps, p, s->addresses[i])) {
			process_scan_soon(t->ps, p);
			return;
		}
}

/* Parses "stack ID PID PART PARTS ADDRESS…". */
static bool parse_stack(struct tally *t, struct word *w, size_t nr)
{
	uint64_t id, pid, part, parts;

	if (nr < 6 || !parse_number(&w[1], 16, UINT64_MAX, &id) ||
		!parse_number(&w[2], 10, UINT32_MAX, &pid) ||
		!parse_number(&w[3], 10, DEPTH_MASK, &part) ||
		!parse_number(&w[4], 10, DEPTH_MASK, &parts) || !(id & DEPTH_MASK) || part >= parts)
		return false;
	struct tally_stack *s = add_stack(t, id);

	if (!parse_addresses(s, (uint32_t)part * PART_FRAMES, w[5].s, w[5].len))
		return false;
	if (!s->kernel)
		scan_if_unmapped(t, (uint32_t)pid, s);
	return true;
}

/* Appends the character of NR hexadecimal digits to TO in UTF-8; returns the new end. */
static char *decode_wide(const char *digits, size_t nr, char *to)
{
	uint64_t c;

	if (!parse_u64(digits, nr, 16, &c) || c > 0x10ffff)
		return to;
	if (c >= 0x10000) {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
	} else if (c >= 0x800) {
		*to++ = (char)(0xe0 | c >> 12);
	}
	if (c >= 0x800)
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	else if (c >= 0x80)
		*to++ = (char)(0xc0 | c >> 6);
	*to++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	return to;
}

/* Decodes up to three octal digits; returns a pointer to the last one. */
static const char *decode_octal(const char *at, const char *end, char *to)
{
	unsigned c = 0;

	for (int k = 0; k < 3 && at < end && *at >= '0' && *at <= '7'; k++)
		c = c * 8 + (unsigned)(*at++ - '0');
	*to = (char)c;
	return at - 1;
}

char *tally_text(const char *s, size_t len)
{
	static const char from[] = "abfnrtv", into[] = "\a\b\f\n\r\t\v";
	char *out = xmalloc(len + 1), *to = out;

	for (const char *end = s + len; s < end; s++) {
		size_t wide = *s != '\\' || s + 1 == end ? 0
			      : s[1] == 'u'              ? 4
			      : s[1] == 'U'              ? 8
							 : 0;

		if (*s != '\\' || s + 1 == end) {
			*to++ = *s;
		} else if (wide && (size_t)(end - s) >= wide + 2) {
			to = decode_wide(s + 2, wide, to);
			s += wide + 1;
		} else if (s[1] >= '0' && s[1] <= '7') {
			s = decode_octal(s + 1, end, to++);
		} else {
			const char *found = strchr(from, *++s);

			*to++ = found && *found ? into[found - from] : *s;
		}
	}
	*to = '\0';
	return out;
}

/* Decodes the quoted string at *AT and moves *AT past it. Returns NULL if it is invalid. */
static char *parse_quoted(const char **at, const char *end)
{
	const char *begin = *at + 1, *s = begin;

	if (*at >= end || **at != '"')
		return NULL;
	while (s < end && *s != '"')
		s += 1 + (*s == '\\');
	if (s >= end)
		return NULL;
	*at = s + 1;
	return tally_text(begin, (size_t)(s - begin));
}

/* Parses "frame ID VM PID WHAT FIRST LINE "NAME" "FILE"". A later line changes nothing. */
static bool parse_frame(struct tally *t, struct word *w, size_t nr)
{
	struct tally_frame f = {0};
	uint64_t id, pid, first, line;
	bool is_new;

	if (nr < 8 || !parse_number(&w[1], 16, UINT64_MAX, &id) ||
		!(f.vm = vm_named(w[2].s, w[2].len)) ||
		!parse_number(&w[3], 10, UINT32_MAX, &pid) ||
		!parse_number(&w[4], 16, UINT64_MAX, &f.name.what) ||
		!parse_number(&w[5], 16, UINT32_MAX - 1, &first) ||
		!parse_number(&w[6], 10, UINT32_MAX - 1, &line))
		return false;
	const char *at = w[7].s, *end = at + w[7].len;
	char *name = parse_quoted(&at, end);
	char *file = name && at < end && *at++ == ' ' ? parse_quoted(&at, end) : NULL;
	bool is_valid = file && at == end;

	if (is_valid) {
		uint32_t *known = table_put(&t->by_frame, id, 0, &is_new);

		f.pid = (uint32_t)pid;
		f.name.line = (uint32_t)line;
		f.name.first_line = (uint32_t)first;
		f.name.function = strpool_adds(&t->samples->strings, name);
		f.name.file = strpool_adds(&t->samples->strings, file);
		ALLOC_GROW(t->frames, t->nr_frames, t->frames_alloc);
		if (is_new) {
			*known = (uint32_t)t->nr_frames;
			t->frames[t->nr_frames++] = f;
		}
	}
	free(name);
	free(file);
	return is_valid;
}

static bool has_all_of_vm(const struct tally_stack *s)
{
	return s->vm_end != VM_ON && !(s->parts & (s->parts + 1));
}

/* Parses the frame ids of S from frame FIRST on; returns their number, or -1 if TEXT is invalid. */
static int parse_frame_ids(struct tally_stack *s, uint32_t first, char *text, size_t len)
{
	int n = 0;

	if (s->nr_frames < first + PART_FRAMES) {
		s->frames = xrealloc(s->frames, first + PART_FRAMES, sizeof(*s->frames));
		memset(s->frames + s->nr_frames, 0,
			(first + PART_FRAMES - s->nr_frames) * sizeof(*s->frames));
		s->nr_frames = first + PART_FRAMES;
	}
	while (len) {
		char *blank = memchr(text, ' ', len);
		size_t word = blank ? (size_t)(blank - text) : len;

		if (n == PART_FRAMES || !parse_u64(text, word, 16, &s->frames[first + (uint32_t)n]))
			return -1;
		n++;
		text += word + !!blank;
		len -= word + !!blank;
	}
	return n;
}

/* Parses "vm ID VM PID PART END [FRAME…]", where END is 0 except in the last part. */
static bool parse_vm(struct tally *t, struct word *w, size_t nr)
{
	const struct vm *vm = nr < 6 ? NULL : vm_named(w[2].s, w[2].len);
	uint64_t id, pid, part, end;

	if (!vm || !parse_number(&w[1], 16, UINT64_MAX, &id) ||
		!parse_number(&w[3], 10, UINT32_MAX, &pid) ||
		!parse_number(&w[4], 10, PARTS_MAX - 1, &part) ||
		!parse_number(&w[5], 10, VM_ENDS - 1, &end) || !(id & VM_BIT))
		return false;
	struct tally_stack *s = add_stack(t, id);

	if (has_all_of_vm(s))
		return true;
	s->vm = vm;
	int n = parse_frame_ids(
		s, (uint32_t)part * PART_FRAMES, nr > 6 ? w[6].s : NULL, nr > 6 ? w[6].len : 0);

	if (n < 0 || (end == VM_ON && n != PART_FRAMES))
		return false;
	s->parts |= 1U << part;
	if (end != VM_ON) {
		s->vm_end = (enum vm_end)end;
		s->nr_frames = (uint32_t)part * PART_FRAMES + (uint32_t)n;
	}
	return true;
}

/* Parses "task TID PID COMM". A later line replaces an earlier one, as exec changes the name. */
static bool parse_task(struct tally *t, struct word *w, size_t nr)
{
	uint64_t tid, pid;
	bool is_new;

	if (nr < 4 || !parse_number(&w[1], 10, UINT32_MAX, &tid) ||
		!parse_number(&w[2], 10, UINT32_MAX, &pid))
		return false;
	uint32_t *at = table_put(&t->by_tid, tid, 0, &is_new);
	uint64_t start = task_start((uint32_t)pid, (uint32_t)tid);
	char *comm = tally_text(w[3].s, w[3].len);

	if (is_new) {
		processes_get(t->ps, (uint32_t)pid);
		if (t->ms)
			memberships_see(t->ms, (uint32_t)pid);
	} else if (!start) {
		start = t->samples->tasks[*at].start;
	}
	*at = samples_task(t->samples, (uint32_t)pid, (uint32_t)tid, start, comm);
	free(comm);
	return true;
}

/* Returns whether the text is "KEY=VALUE" separated by blanks. */
static bool is_labels(const char *text, size_t len)
{
	const char *end = text + len;

	if (memchr(text, '\0', len)) /* the labels will be read as a string */
		return false;
	for (const char *blank; text < end; text = blank + 1) {
		const char *equals = memchr(text, '=', (size_t)(end - text));

		blank = memchr(text, ' ', (size_t)(end - text));
		if (!blank)
			blank = end;
		if (!equals || equals == text || equals > blank)
			return false;
	}
	return true;
}

/*
 * Puts a label, "KEY=NUMBER" or "KEY=LENGTH,TEXT", into SET. Labels that the source does not have
 * are skipped.
 */
static void put_label(
	const struct label_source *source, struct label_new_set *set, const char *text, size_t len)
{
	size_t key = strcspn(text, "="), digits = strspn(text + key + 1, "0123456789abcdef");
	const char *end = text + len, *at = text + key + 1 + digits;
	int index = label_key_index(source, text, key);
	uint64_t number;
	char *value = NULL;

	if (index < 0 || !parse_u64(text + key + 1, digits, 16, &number))
		return;
	if (at < end && *at == ',')
		value = tally_text(at + 1, (size_t)(end - at - 1));
	source->put(set, index, number, value);
	free(value);
}

/* Parses "labels SET PID KEY=VALUE…": see tapsets/label. A set may come twice. */
static bool parse_labels(struct tally *t, struct word *w, size_t nr)
{
	const struct label_source *source =
		t->sets ? label_only(&t->sets->processes->chosen) : NULL;
	struct label_new_set set = {0};
	uint64_t number, pid;

	if (nr < 4 || !parse_number(&w[1], 16, UINT64_MAX, &number) ||
		!parse_number(&w[2], 10, UINT32_MAX, &pid) || !is_labels(w[3].s, w[3].len))
		return false;
	if (!source)
		return true;
	set.id = label_set_id(source->kind, number);
	if (table_get(&t->sets->by_id, set.id, 0))
		return true;
	char *text = xstrndup(w[3].s, w[3].len);

	set.tgid = (uint32_t)pid;
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, " ");

		put_label(source, &set, at, len);
		at += len + (at[len] == ' ');
	}
	label_sets_add(t->sets, &set);
	free(text);
	return true;
}

/* Returns the set in samples of W, which is_labels(). */
static uint32_t add_labels(struct tally *t, const struct word *w)
{
	char *text = xstrndup(w->s, w->len);
	uint32_t labels = 0;

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, " "), key = strcspn(at, "=");
		char *name = xstrndup(at, key), *value = tally_text(at + key + 1, len - key - 1);

		labels = samples_label(t->samples, labels, name, value);
		free(name);
		free(value);
		at += len + (at[len] == ' ');
	}
	free(text);
	return labels;
}

/* Parses "#SET " at the beginning of W, if it has one, and moves W past it. */
static bool parse_set(struct word *w, uint64_t *set)
{
	size_t len;

	if (!w->len || *w->s != '#')
		return true;
	const char *blank = memchr(w->s, ' ', w->len);

	len = blank ? (size_t)(blank - w->s) : w->len;
	if (!parse_u64(w->s + 1, len - 1, 16, set))
		return false;
	w->s += len + !!blank;
	w->len -= len + !!blank;
	return true;
}

/* Parses the number at the beginning of W, and moves W to the next one after a slash, if there is
 * one. */
static bool parse_key_part(struct word *w, uint64_t max, uint64_t *n)
{
	const char *slash = memchr(w->s, '/', w->len);
	size_t len = slash ? (size_t)(slash - w->s) : w->len;

	if (!parse_u64(w->s, len, 10, n) || *n > max || (slash && len + 1 == w->len))
		return false;
	w->s += len + !!slash;
	w->len -= len + !!slash;
	return true;
}

/* Parses "TID", "TID/SLICE" or "TID/SLICE/SLICES". */
static bool parse_key(const struct word *w, struct tally_row *row)
{
	struct word rest = *w;
	uint64_t tid, slice = 0, slices = 1;

	if (!parse_key_part(&rest, UINT32_MAX, &tid) ||
		(rest.len && !parse_key_part(&rest, SLICES_MAX, &slice)) ||
		(rest.len && !parse_key_part(&rest, SLICES_MAX - slice, &slices)) || rest.len ||
		!slices)
		return false;
	row->tid = (uint32_t)tid;
	row->slice = (uint32_t)slice;
	row->more = (uint32_t)slices - 1;
	return true;
}

/* Parses "row TID[/SLICE[/SLICES]] USER KERNEL COUNT SUM [[#SET ]LABELS]". */
static bool parse_row(struct tally *t, struct word *w, size_t nr)
{
	struct tally_row row = {0};

	if (nr < 6 || !parse_key(&w[1], &row) || !parse_number(&w[2], 16, UINT64_MAX, &row.user) ||
		!parse_number(&w[3], 16, UINT64_MAX, &row.kernel) ||
		!parse_number(&w[4], 10, UINT64_MAX, &row.count) ||
		!parse_number(&w[5], 10, UINT64_MAX, &row.sum) ||
		(nr > 6 && (!parse_set(&w[6], &row.set) || !is_labels(w[6].s, w[6].len))))
		return false;
	if (nr > 6)
		row.labels = add_labels(t, &w[6]);
	ALLOC_GROW(t->rows, t->nr_rows, t->rows_alloc);
	t->rows[t->nr_rows++] = row;
	return true;
}

static bool parse_lost(struct tally *t, struct word *w, size_t nr)
{
	uint64_t n;

	if (nr < 3 || !parse_number(&w[2], 10, UINT64_MAX, &n))
		return false;
	int reason = lost_reason_parse(w[1].s);

	if (reason < 0)
		return false;
	add_capped(&t->samples->lost[reason], n);
	return true;
}

/* Parses "flametap-script NAME STACKS …". stap_module_open() parses the rest. */
static bool parse_header(struct tally *t, struct word *w, size_t nr)
{
	if (nr < 3)
		return false;
	t->vm = w[2].len && !memchr(w[2].s, 'u', w[2].len) ? vm_of_letter(*w[2].s) : NULL;
	return true;
}

/* Parses "ready [NS]". */
static bool parse_ready(struct tally *t, struct word *w, size_t nr)
{
	uint64_t began = 0;

	t->ready = true;
	if (nr > 1 && !parse_number(&w[1], 10, INT64_MAX, &began))
		return false;
	t->began_ns = (int64_t)began;
	waiters_update(&t->waiters);
	return true;
}

/* Parses "until NS". */
static bool parse_until(struct tally *t, struct word *w, size_t nr)
{
	uint64_t until;

	if (nr != 2 || !parse_number(&w[1], 10, INT64_MAX, &until))
		return false;
	t->until_ns = (int64_t)until;
	return true;
}

/* Parses "waits TID". */
static bool parse_waiter(struct tally *t, struct word *w, size_t nr)
{
	uint64_t tid;

	if (nr != 2 || !parse_number(&w[1], 10, UINT32_MAX, &tid))
		return false;
	waiters_add(&t->waiters, (uint32_t)tid);
	return true;
}

/* Parses "note TEXT". */
static bool parse_note(struct tally *t, struct word *w, size_t nr)
{
	if (nr != 2 || t->notes.len > NOTES_MAX || memchr(w[1].s, '\0', w[1].len))
		return false;
	strbuf_add(&t->notes, w[1].s, w[1].len);
	strbuf_addch(&t->notes, '\n');
	return true;
}

/* Parses "slices NUMBER". The last ones may have no rows. */
static bool parse_slices(struct tally *t, struct word *w, size_t nr)
{
	uint64_t n;

	if (nr != 2 || !parse_number(&w[1], 10, SLICES_MAX, &n))
		return false;
	t->nr_slices = (uint32_t)n;
	return true;
}

static bool parse_end(struct tally *t, struct word *w, size_t nr)
{
	(void)w;
	t->ended = true;
	return nr == 1;
}

static const struct {
	const char *word;
	size_t words; /* to split the line into; the last word is the rest of the line */
	bool (*parse)(struct tally *t, struct word *w, size_t nr);
} kinds[] = {
	{"stack", 6, parse_stack},
	{"vm", 7, parse_vm},
	{"frame", 8, parse_frame},
	{"task", 4, parse_task},
	{"row", 7, parse_row},
	{"labels", 4, parse_labels},
	{"lost", 4, parse_lost},
	{"waits", 3, parse_waiter},
	{"until", 3, parse_until},
	{"note", 2, parse_note},
	{"slices", 2, parse_slices},
	{"flametap-script", 4, parse_header},
	{"ready", 2, parse_ready},
	{"end", 2, parse_end},
};

void tally_line(struct tally *t, char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);
	size_t kind = blank ? (size_t)(blank - line) : len;

	if (!len)
		return;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct word words[9];

		if (strlen(kinds[i].word) != kind || memcmp(kinds[i].word, line, kind))
			continue;
		if (!kinds[i].parse(t, words, words_split(line, len, words, kinds[i].words)))
			t->samples->lost[LOST_UNREADABLE]++;
		return;
	}
	t->samples->lost[LOST_UNREADABLE]++;
}

const struct tally_stack *tally_stack(const struct tally *t, uint64_t id)
{
	const uint32_t *at = table_get(&t->by_id, id, 0);
	const struct tally_stack *s = at ? &t->stacks[*at] : NULL;

	return s && !s->missing && (!s->has_vm || has_all_of_vm(s)) ? s : NULL;
}

const struct tally_frame *tally_frame(const struct tally *t, uint64_t id)
{
	const uint32_t *at = table_get(&t->by_frame, id, 0);

	return at ? &t->frames[*at] : NULL;
}
