/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the texts of CPython's frames and finds their lines, in the kernel and in user space. Needs
 * python_step.h, and
 *
 *	void PYTHON_FIND_LINE(struct python_walk *w, const struct python_layout *l)
 *
 * which calls python_line_step() until it returns nonzero, at most PYTHON_LINE_STEPS times. The
 * tables are described in CPython's Objects/lnotab_notes.txt and InternalDocs/code_objects.md.
 */
#ifndef RUNTIME_PYTHON_PYTHON_TEXT_H
#define RUNTIME_PYTHON_PYTHON_TEXT_H

#include "python_step.h"
#include "unwind/format.h"

/* ---- lines ---- */

/* What the next byte of a table is. */
enum python_line_state {
	PYTHON_LINE_HEAD,  /* the first byte of an entry */
	PYTHON_LINE_DELTA, /* a part of its difference of lines */
	PYTHON_LINE_SKIP,  /* anything up to the next entry */
};

/* Begins the next range of instructions, or returns whether the current one has the wanted one. */
static inline bool python_line_covers(struct python_line *p)
{
	if (p->wanted < p->address + p->size)
		return true;
	p->address += p->size;
	p->size = 0;
	return false;
}

/* A pair: the size of the range before, and the difference of lines of the next one. */
static inline int python_lnotab_byte(struct python_line *p, uint8_t byte)
{
	if (p->state == PYTHON_LINE_DELTA) {
		p->line += (int8_t)byte;
		p->state = PYTHON_LINE_HEAD;
		return 0;
	}
	p->size = byte;
	p->state = PYTHON_LINE_DELTA;
	return python_line_covers(p);
}

/* A pair: the size of a range, and the difference of its line, or -128 if it has none. */
static inline int python_ranges_byte(struct python_line *p, uint8_t byte)
{
	if (p->state == PYTHON_LINE_HEAD) {
		p->size = byte;
		p->state = PYTHON_LINE_DELTA;
		return 0;
	}
	p->has_line = (int8_t)byte != -128;
	if (p->has_line)
		p->line += (int8_t)byte;
	p->state = PYTHON_LINE_HEAD;
	return python_line_covers(p);
}

/* The first byte of an entry, which alone has bit 7. It tells the kind, and the units less 1. */
static inline int python_location_head(struct python_line *p, uint8_t byte)
{
	uint32_t kind = byte >> 3 & 15;

	if (python_line_covers(p))
		return 1;
	p->size = ((byte & 7u) + 1) * 2;
	p->has_line = kind != 15;
	p->delta = 0;
	p->bits = 0;
	p->state = PYTHON_LINE_SKIP;
	if (kind >= 10 && kind <= 12)
		p->line += (int32_t)kind - 10;
	else if (kind == 13 || kind == 14)
		p->state = PYTHON_LINE_DELTA;
	return 0;
}

/* A number: 6 bits in each byte, the lowest first; bit 6 tells that there are more. */
static inline int python_location_byte(struct python_line *p, uint8_t byte)
{
	if (byte & 0x80)
		return python_location_head(p, byte);
	if (p->state != PYTHON_LINE_DELTA)
		return 0;
	if (p->bits <= 24)
		p->delta |= (byte & 63) << p->bits;
	p->bits += 6;
	if (byte & 64)
		return 0;
	p->line += p->delta & 1 ? -(p->delta >> 1) : p->delta >> 1;
	p->state = PYTHON_LINE_SKIP;
	return 0;
}

/* Reads the next byte of the table. Returns nonzero when the line is known, or there is none. */
static inline int python_line_step(struct python_walk *w, const struct python_layout *l)
{
	struct python_line *p = &w->line;
	uint8_t byte;

	if (p->at >= p->end || VM_READ(w, &byte, 1, p->at)) {
		/* the last entry of lnotab has no end */
		if (l->shape.lines != PYTHON_LNOTAB && !python_line_covers(p))
			p->has_line = false;
		return 1;
	}
	p->at++;
	switch (l->shape.lines) {
	case PYTHON_LNOTAB:
		return python_lnotab_byte(p, byte);
	case PYTHON_RANGES:
		return python_ranges_byte(p, byte);
	default:
		return python_location_byte(p, byte);
	}
}

/* Returns the line of the instruction at OFFSET, as in a frame, of the code in w->code, or 0. */
static inline uint32_t python_line_at(
	struct python_walk *w, const struct python_layout *l, uint32_t offset)
{
	const struct python_shape *s = &l->shape;
	uint64_t table = python_of_code(w, s->code_lines), size;
	uint32_t first = python_first_line(w, s);

	if (offset < 2) /* the first instruction is yet to come */
		return first;
	if (python_pointer(w, &size, table + s->bytes_size))
		return 0;
	w->line = (struct python_line){.at = table + s->bytes_data,
		.end = table + s->bytes_data + size,
		.wanted = offset - 2,
		.line = (int32_t)first,
		.has_line = true};
	PYTHON_FIND_LINE(w, l);
	return w->line.has_line && w->line.line > 0 ? (uint32_t)w->line.line : 0;
}

/* ---- texts ---- */

/* The bits of PyASCIIObject.state. */
enum {
	PYTHON_KIND_SHIFT = 2,
	PYTHON_KIND = 7 << PYTHON_KIND_SHIFT,
	PYTHON_KIND_MOVED = 6, /* bits */
	PYTHON_COMPACT = 1 << 5,
	PYTHON_ASCII = 1 << 6,
};

/* Reads the str at TEXT. Returns false if it cannot be read, or is no compact str. */
static inline bool python_read_text(struct python_walk *w, const struct python_shape *s,
	uint64_t text, struct python_text *head, char *to, uint32_t max)
{
	uint64_t length, size;
	uint32_t state;

	head->size = 0;
	if (!text || python_pointer(w, &length, text + s->string_length) ||
		VM_READ(w, &state, sizeof(state), text + s->string_state))
		return false;
	if (!(state & PYTHON_KIND)) /* the bits before it have a byte in free-threaded builds */
		state >>= PYTHON_KIND_MOVED;
	if (!(state & PYTHON_COMPACT))
		return false;
	head->kind = (state & PYTHON_KIND) >> PYTHON_KIND_SHIFT;
	if (head->kind != 1 && head->kind != 2 && head->kind != 4)
		return false;
	head->cut = length > max / head->kind;
	head->size = (uint16_t)(head->cut ? max : length * head->kind);
	size = UNWIND_OPAQUE(head->size); /* the verifier has to see the comparison */
	if (!size)
		return true;
	return size <= max &&
	       !VM_READ(w, to, size,
		       text + (state & PYTHON_ASCII ? s->ascii_size : s->compact_size));
}

/* Reads the texts of F. The flags in T tell which of them could be read. */
static inline void python_read_texts(struct python_walk *w, const struct python_layout *l,
	const struct vm_frame *f, struct python_texts *t)
{
	const struct python_shape *s = &l->shape;

	t->line = t->first_line = 0;
	t->named = t->placed = false;
	if (!python_read_code(w, l, f->what & VM_ADDRESS))
		return;
	t->first_line = python_first_line(w, s);
	t->named = python_read_text(
		w, s, python_of_code(w, s->code_name), &t->name_head, t->name, PYTHON_NAME_MAX);
	t->placed = python_read_text(
		w, s, python_of_code(w, s->code_file), &t->file_head, t->file, PYTHON_FILE_MAX);
	t->line = python_line_at(w, l, f->at & ((1U << PYTHON_OFFSET) - 1));
}

#endif
