/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "picture.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "notes.h"
#include "stack_account.h"
#include "text_format.h"

#include <expat.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION_MAX = 2,
	DEPTH_MAX = 64,       /* maximum nesting of elements */
	TOKEN_MAX = 16 << 20, /* bytes that the parser may buffer */
	CHUNK = 1 << 16,
};

/* expat 2.9 deprecates the functions that older versions have. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define current_line XML_GetCurrentLineNumber64
#define current_byte XML_GetCurrentByteIndex64
#else
#define current_line XML_GetCurrentLineNumber
#define current_byte XML_GetCurrentByteIndex
#endif

enum part {
	PART_NONE,
	PART_TITLE,
	PART_MODULES,
	PART_FRAMES,
	PART_FILES,
	PART_LINES,
	PART_TREE,
};

/* Maps numbers in the file to numbers in the profile. */
struct numbers {
	uint32_t *list;
	size_t nr, alloc;
};

/* Printable ASCII without markup, quotes and backslash. */
const char picture_digits[PICTURE_LAST + PICTURE_MORE + 1] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%()*+,-./:;=?@[]^_`{|}~";

struct picture_reader {
	XML_Parser parser;
	struct profile *p;
	struct strbuf *notes;
	bool failed, is_ours, has_data;
	unsigned depth;
	enum part part;
	struct strbuf text; /* the incomplete line, or the title */

	uint64_t total, scale, nodes;          /* as in the file */
	struct numbers modules, frames, files; /* in the profile */

	signed char digit[256]; /* value of each digit, or -1 for other characters */
	struct number {
		uint64_t value, factor;
	} number; /* the current, incomplete number */
	enum { READ_FRAME, READ_PLACE, READ_SELF } expects;
	uint32_t frame, node;
	uint64_t nr_nodes;
};

/* Stops with the message WHY. Only the first message is kept. */
static void stop(struct picture_reader *r, const char *why)
{
	if (r->failed)
		return;
	r->failed = true;
	strbuf_addf(r->notes, "%s\n", why);
	XML_StopParser(r->parser, XML_FALSE);
}

static void damaged(struct picture_reader *r)
{
	stop(r, "the data in the picture is damaged");
}

static size_t decode(struct strbuf *text)
{
	text->len = word_decode(text->buf, text->len);
	text->buf[text->len] = '\0';
	return text->len;
}

static void add_number(struct numbers *numbers, uint32_t number)
{
	ALLOC_GROW(numbers->list, numbers->nr, numbers->alloc);
	numbers->list[numbers->nr++] = number;
}

char picture_kind_letter(enum frame_kind kind)
{
	static const char letters[FRAME_KINDS] = {
		[FRAME_USER] = 'u',
		[FRAME_KERNEL] = 'k',
		[FRAME_INLINE] = 'i',
		[FRAME_JIT] = 'j',
		[FRAME_WAKER] = 'w',
		[FRAME_TASK] = 't',
		[FRAME_NOTE] = 'n',
	};

	return frame_language(kind) ? frame_language(kind)->letter : letters[kind];
}

static void read_path(struct picture_reader *r, struct numbers *paths)
{
	decode(&r->text);
	add_number(paths, strpool_add(&r->p->names, r->text.buf, r->text.len));
}

static int kind_of_letter(char letter)
{
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		if (picture_kind_letter(kind) == letter)
			return kind;
	return -1;
}

static uint32_t add_text(struct picture_reader *r, char *s, size_t len)
{
	return strpool_add(&r->p->names, s, word_decode(s, len));
}

/*
 * Reads the line of a frame: "u3", which is a kind and a shade; the module's number; ",RANK", once
 * or twice, but not in version 1; a blank and the name; optionally a tab and the source.
 */
static void read_frame(struct picture_reader *r)
{
	char *s = r->text.buf, *blank = memchr(s, ' ', r->text.len), *digits = s + 2;
	uint64_t module = 0;
	int kind = kind_of_letter(*s);

	if (!blank || digits > blank || kind < 0) {
		damaged(r);
		return;
	}
	size_t n = strspn(digits, "0123456789");

	if ((n && !parse_u64(digits, n, 10, &module)) || module > r->modules.nr) {
		damaged(r);
		return;
	}
	char *name = blank + 1, *end = s + r->text.len;
	char *tab = memchr(name, '\t', (size_t)(end - name));
	struct frame frame = {
		.kind = (enum frame_kind)kind,
		.module = module ? r->modules.list[module - 1] : 0,
		.name = add_text(r, name, (size_t)((tab ? tab : end) - name)),
		.source = tab ? add_text(r, tab + 1, (size_t)(end - tab - 1)) : 0,
	};

	if (frame.kind == FRAME_NOTE)
		frame.label = note_label(strpool_get(&r->p->names, frame.name),
			strpool_len(&r->p->names, frame.name));
	add_number(&r->frames, profile_add_frame(r->p, &frame));
}

/* Reads where a frame was executed: "FRAME,FILE,FIRST,LAST", perhaps without LAST. */
static void read_frame_lines(struct picture_reader *r)
{
	uint64_t n[4] = {0};
	unsigned nr = 0;
	bool whole = true;

	for (const char *s = r->text.buf; *s && nr < ARRAY_LEN(n); nr++) {
		size_t len = strcspn(s, ",");

		whole &= parse_u64(s, len, 10, &n[nr]) && n[nr] <= UINT32_MAX;
		s += len + (s[len] == ',');
	}
	if (!whole || nr < 3 || n[0] >= r->frames.nr || !n[1] || n[1] > r->files.nr) {
		damaged(r);
		return;
	}
	struct frame *f = &r->p->frames[r->frames.list[n[0]]];

	f->file = r->files.list[n[1] - 1];
	f->first_line = (uint32_t)n[2];
	f->last_line = (uint32_t)n[nr - 1];
}

static void read_line(struct picture_reader *r)
{
	switch (r->part) {
	case PART_MODULES:
		read_path(r, &r->modules);
		break;
	case PART_FILES:
		read_path(r, &r->files);
		break;
	case PART_LINES:
		read_frame_lines(r);
		break;
	default:
		read_frame(r);
	}
}

static void read_lines(struct picture_reader *r, const char *s, size_t len)
{
	while (len && !r->failed) {
		const char *nl = memchr(s, '\n', len);
		size_t n = nl ? (size_t)(nl - s) : len;

		strbuf_add(&r->text, s, n);
		if (r->text.len > LINES_MAX)
			damaged(r);
		if (!nl)
			return;
		read_line(r);
		strbuf_reset(&r->text);
		s += n + 1;
		len -= n + 1;
	}
}

/* Reads 2 * UP + S (picture.h). */
static void read_place(struct picture_reader *r, uint64_t value)
{
	uint64_t up = value / 2;

	for (; up && r->node; up--)
		r->node = r->p->nodes[r->node].parent;
	if (up || ++r->nr_nodes > r->nodes) {
		damaged(r);
		return;
	}
	r->node = profile_child(r->p, r->node, r->frame);
	r->expects = value % 2 ? READ_SELF : READ_FRAME;
}

static void add_self(struct picture_reader *r, uint32_t node, uint64_t weight)
{
	add_product_capped(&r->p->nodes[node].self, weight, r->scale);
}

static void read_number(struct picture_reader *r, uint64_t value)
{
	switch (r->expects) {
	case READ_FRAME:
		if (value >= r->frames.nr) {
			damaged(r);
			return;
		}
		r->frame = r->frames.list[value];
		r->expects = READ_PLACE;
		break;
	case READ_PLACE:
		read_place(r, value);
		break;
	case READ_SELF:
		if (value == UINT64_MAX)
			damaged(r);
		else
			add_self(r, r->node, value + 1);
		r->expects = READ_FRAME;
		break;
	}
}

/* Adds the next digit to NUMBER. Returns false if it exceeds 64 bits. */
static bool add_digit(struct number *number, unsigned digit)
{
	uint64_t part;

	return !__builtin_mul_overflow(digit, number->factor, &part) &&
	       !__builtin_add_overflow(number->value, part, &number->value);
}

static void read_tree(struct picture_reader *r, const char *s, size_t len)
{
	for (size_t i = 0; i < len && !r->failed; i++) {
		int digit = r->digit[(unsigned char)s[i]];

		if (digit < 0 || !add_digit(&r->number, (unsigned)digit)) {
			damaged(r);
		} else if (digit < PICTURE_LAST) {
			read_number(r, r->number.value);
			r->number = (struct number){.factor = 1};
		} else if (__builtin_mul_overflow(
				   r->number.factor, PICTURE_MORE, &r->number.factor)) {
			damaged(r);
		}
	}
}

static void XMLCALL on_text(void *arg, const char *s, int len)
{
	struct picture_reader *r = arg;

	switch (r->part) {
	case PART_TITLE:
		if (r->text.len < LINES_MAX)
			strbuf_add(&r->text, s, (size_t)len);
		break;
	case PART_MODULES:
	case PART_FRAMES:
	case PART_FILES:
	case PART_LINES:
		read_lines(r, s, (size_t)len);
		break;
	case PART_TREE:
		read_tree(r, s, (size_t)len);
		break;
	case PART_NONE:
		break;
	}
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}

/* Returns false if the attribute exists and is not a number. */
static bool number_attribute(const char **attributes, const char *name, uint64_t *value)
{
	const char *s = attribute(attributes, name);

	return !s || parse_u64(s, strlen(s), 10, value);
}

static void set_unit(struct picture_reader *r, const char *unit)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, unit);
	decode(&text);
	profile_set(&r->p->unit, text.buf);
	strbuf_release(&text);
}

static void set_text(const char **attributes, const char *name, char **field)
{
	struct strbuf text = STRBUF_INIT;

	if (!attribute(attributes, name))
		return;
	strbuf_adds(&text, attribute(attributes, name));
	decode(&text);
	profile_set(field, text.buf);
	strbuf_release(&text);
}

static void set_origin(struct picture_reader *r, const char **attributes)
{
	struct timing *t = &r->p->timing;
	uint64_t cpus = 0;

	set_text(attributes, "target", &r->p->origin.target);
	set_text(attributes, "host", &r->p->origin.host);
	set_text(attributes, "engine", &r->p->origin.engine);
	if (!number_attribute(attributes, "started", &t->started) ||
		!number_attribute(attributes, "duration", &t->duration) ||
		!number_attribute(attributes, "cpus", &cpus) || cpus > UINT32_MAX)
		damaged(r);
	t->cpus = (uint32_t)cpus;
}

static void begin_profile(struct picture_reader *r, const char **attributes)
{
	uint64_t version = 0, self = 0;

	r->scale = 1;
	if (!number_attribute(attributes, "version", &version) ||
		!number_attribute(attributes, "total", &r->total) ||
		!number_attribute(attributes, "scale", &r->scale) ||
		!number_attribute(attributes, "nodes", &r->nodes) ||
		!number_attribute(attributes, "self", &self) || r->has_data)
		damaged(r);
	else if (version < 1 || version > VERSION_MAX)
		stop(r, "its data format is newer: use a newer flametap");
	else if (attribute(attributes, "before"))
		stop(r, "it is a difference of two profiles: use the profiles themselves");
	else if (attribute(attributes, "unit"))
		set_unit(r, attribute(attributes, "unit"));
	r->has_data = true;
	r->p->reversed = attribute(attributes, "reversed");
	set_origin(r, attributes);
	add_self(r, 0, self);
}

static enum part part_of(const struct picture_reader *r, const char *name)
{
	static const struct {
		const char *name;
		enum part part;
	} parts[] = {{"modules", PART_MODULES}, {"frames", PART_FRAMES}, {"files", PART_FILES},
		{"lines", PART_LINES}, {"t", PART_TREE}};

	for (size_t i = 0; i < ARRAY_LEN(parts) && r->has_data; i++)
		if (!strcmp(name, parts[i].name))
			return parts[i].part;
	return PART_NONE;
}

/*
 * Stops if the outermost element, with or without a namespace, is not the svg element of a picture.
 */
static void check_root(struct picture_reader *r, const char *name)
{
	const char *bar = strrchr(name, '|');

	if (strcmp(bar ? bar + 1 : name, "svg"))
		stop(r, "it is XML, but not SVG");
}

static void XMLCALL on_start(void *arg, const char *name, const char **attributes)
{
	static const char ours[] = "urn:flametap:profile|", svg[] = "http://www.w3.org/2000/svg|";
	struct picture_reader *r = arg;
	const char *class = attribute(attributes, "class");

	if (r->failed)
		return;
	if (++r->depth > DEPTH_MAX)
		stop(r, "its elements are nested too deeply");
	if (r->part != PART_NONE)
		damaged(r);
	if (r->depth == 1) {
		check_root(r, name);
		r->is_ours = class && !strncmp(class, "flametap", strlen("flametap"));
	}
	if (r->depth == 2 && !strncmp(name, svg, sizeof(svg) - 1) &&
		!strcmp(name + sizeof(svg) - 1, "title"))
		r->part = PART_TITLE;
	if (!strncmp(name, ours, sizeof(ours) - 1)) {
		name += sizeof(ours) - 1;
		if (!strcmp(name, "profile"))
			begin_profile(r, attributes);
		else
			r->part = part_of(r, name);
	}
}

static void XMLCALL on_end(void *arg, const char *name)
{
	struct picture_reader *r = arg;

	(void)name;
	if (r->failed)
		return;
	if (r->part == PART_TITLE && !r->p->title && strcmp(r->text.buf, "Flame graph")) {
		decode(&r->text);
		profile_set(&r->p->title, r->text.buf);
		r->p->titled = true;
	}
	if (r->part >= PART_MODULES && r->part <= PART_LINES && r->text.len)
		damaged(r);
	strbuf_reset(&r->text);
	r->part = PART_NONE;
	r->depth--;
}

/* Rejects files with a DOCTYPE, which could declare entities that expand without limit. */
static void XMLCALL on_doctype(
	void *arg, const char *name, const char *system, const char *public, int internal)
{
	(void)system;
	(void)public;
	(void)internal;
	check_root(arg, name);
	stop(arg, "it is an SVG file of another program: it contains no profile");
}

static void parse(struct picture_reader *r, struct lines *lines)
{
	uint64_t given = 0;
	const char *bytes;
	size_t n;

	do {
		n = lines_take(lines, CHUNK, &bytes);
		given += n;
		if (XML_Parse(r->parser, bytes, (int)n, n == 0) == XML_STATUS_ERROR && !r->failed) {
			strbuf_addf(r->notes, "invalid XML: %s in line %lu\n",
				XML_ErrorString(XML_GetErrorCode(r->parser)),
				(unsigned long)current_line(r->parser));
			r->failed = true;
		}
		int64_t at = current_byte(r->parser);

		if (n && at >= 0 && given - (uint64_t)at > TOKEN_MAX)
			stop(r, "an element is too long");
	} while (n && !r->failed);
}

/* Makes the checks that are possible only at the end. */
static void check(struct picture_reader *r, const struct lines *lines)
{
	if (r->failed)
		return;
	if (lines->error)
		stop(r, strerror(lines->error));
	else if (!r->has_data && !r->is_ours)
		stop(r, "it is an SVG file of another program: it contains no profile");
	else if (r->nr_nodes != r->nodes || r->expects != READ_FRAME || r->number.factor != 1)
		damaged(r);
	profile_recount(r->p);
	if (r->scale == 1 && r->p->account.kept != r->total)
		damaged(r);
	else if (r->scale > 1)
		strbuf_addf(r->notes, "its weights are multiples of %" PRIu64 "\n", r->scale);
}

/* Whether the picture has tasks. It has them only if they were requested when it was drawn. */
static bool has_tasks(const struct profile *p)
{
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (p->frames[i].kind == FRAME_TASK)
			return true;
	return false;
}

static int picture_read(struct text_input *in)
{
	struct picture_reader r = {
		.parser = XML_ParserCreateNS(NULL, '|'),
		.p = in->p,
		.notes = in->notes,
		.text = STRBUF_INIT,
		.scale = 1,
		.number.factor = 1,
	};

	if (!r.parser)
		return fail(in->notes, "out of memory\n");
	memset(r.digit, -1, sizeof(r.digit));
	for (int i = 0; i < PICTURE_LAST + PICTURE_MORE; i++)
		r.digit[(unsigned char)picture_digits[i]] = (signed char)i;
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	parse(&r, in->lines);
	check(&r, in->lines);
	in->several = has_tasks(in->p);
	XML_ParserFree(r.parser);
	strbuf_release(&r.text);
	free(r.modules.list);
	free(r.frames.list);
	free(r.files.list);
	return r.failed ? -1 : 0;
}

static bool is_xml(const char *bytes, size_t n)
{
	while (n && (is_blank(*bytes) || *bytes == '\r' || *bytes == '\n')) {
		bytes++;
		n--;
	}
	return begins_with(bytes, n, "<?xml") || begins_with(bytes, n, "<svg");
}

const struct text_format picture_format = {
	.name = "picture",
	.is_head = is_xml,
	.has_meta = true,
	.read = picture_read,
};
