/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name and the location of a Ruby frame from the target's memory while the thread does
 * not run. The same code runs in the kernel (BPF) and in user space. Include it after ruby_step.h.
 */
#ifndef RUNTIME_RUBY_RUBY_TEXT_H
#define RUNTIME_RUBY_RUBY_TEXT_H

#include "ruby_step.h"

/* Members that are the same in all versions. */
enum {
	RUBY_BODY_LOCATION = 64, /* rb_iseq_location_t: pathobj, base_label, label */
	RUBY_BODY_LABEL = 80,
	RUBY_TYPE_METHOD = 1, /* ISEQ_TYPE_METHOD */
	RUBY_ME_OWNER = 32,   /* rb_method_entry_t, rb_method_definition_t */
	RUBY_DEF_ORIGINAL_ID = 32,
	RUBY_OUTSIDE = 1 << 13, /* RSTRING_NOEMBED; the opposite for arrays: RARRAY_EMBED_FLAG */
	RUBY_SHORT_SHIFT = 14,
	RUBY_SHORT_MASK = 0x1f,
	RUBY_ARRAY_HERE = 16,
	RUBY_ARRAY_POINTER = 32,
	RUBY_CLASS_EXT = 24, /* until 3.1: a class's pointer to rb_classext_t */
	RUBY_EXT_IV_TABLE = 8,
	RUBY_TABLE_ENTRIES = 48, /* st_table: struct st_table_entry { hash, key, record } */
	RUBY_TABLE_LOOK = 6,     /* entries that are searched */
	RUBY_CLASS_VALUES = 32, /* 3.2: a class's pointer to the values of its instance variables */
	RUBY_SHAPE_LOOK = 32,   /* shapes that are searched */
	RUBY_OPERATORS = 256,   /* IDs that are operators, whose serial number is the ID itself */
	RUBY_ID_SHIFT = 4,
	RUBY_IDS_UNIT = 512, /* IDs in an array of names, each with a name and a symbol */
	RUBY_TEXT_MOST = 1 << 20,
};

static inline int ruby_read_word(struct ruby_walk *w, uint64_t *to, uint64_t address)
{
	return VM_READ(w, to, sizeof(*to), address);
}

/* Reads the string at ADDRESS. */
static inline int ruby_read_string(
	struct ruby_walk *w, const struct ruby_shape *s, uint64_t address, struct ruby_text *text)
{
	uint64_t flags = ruby_read_object(w, address), len = w->words[2], bytes = w->words[3];

	text->len = 0;
	if ((flags & RUBY_TYPE) != RUBY_T_STRING)
		return -1;
	if (!(flags & RUBY_OUTSIDE)) {
		bytes = address + s->embedded;
		if (s->short_length)
			len = flags >> RUBY_SHORT_SHIFT & RUBY_SHORT_MASK;
	}
	if (len > RUBY_TEXT_MOST)
		return -1;
	text->cut = len > RUBY_TEXT_MAX;
	if (len > RUBY_TEXT_MAX)
		len = RUBY_TEXT_MAX;
	text->len = (uint16_t)len;
	return len ? VM_READ(w, text->bytes, (uint32_t)len, bytes) : 0;
}

/* Returns the length of the string at ADDRESS, or 0. */
static inline uint32_t ruby_string_length(
	struct ruby_walk *w, const struct ruby_shape *s, uint64_t address)
{
	uint64_t flags = ruby_read_object(w, address), len = w->words[2];

	if ((flags & RUBY_TYPE) != RUBY_T_STRING)
		return 0;
	if (!(flags & RUBY_OUTSIDE) && s->short_length)
		len = flags >> RUBY_SHORT_SHIFT & RUBY_SHORT_MASK;
	return len > RUBY_TEXT_MAX ? 0 : (uint32_t)len;
}

/* Reads element INDEX of the array at ADDRESS, whose length is known to suffice. */
static inline int ruby_read_element(
	struct ruby_walk *w, uint64_t address, uint64_t index, uint64_t *element)
{
	uint64_t flags = ruby_read_object(w, address), at = address + RUBY_ARRAY_HERE;

	if ((flags & RUBY_TYPE) != RUBY_T_ARRAY)
		return -1;
	if (!(flags & RUBY_OUTSIDE) && ruby_read_word(w, &at, address + RUBY_ARRAY_POINTER))
		return -1;
	return ruby_read_word(w, element, at + index * sizeof(*element));
}

/* Finds the name of ID, a string, as rb_id2str() does. */
static inline int ruby_find_id(
	struct ruby_walk *w, const struct ruby_layout *l, uint64_t id, uint64_t *name)
{
	uint64_t serial = id < RUBY_OPERATORS ? id : id >> RUBY_ID_SHIFT, all, some;

	return ruby_read_word(w, &all, l->ids) ||
	       ruby_read_element(w, all, serial / RUBY_IDS_UNIT, &some) ||
	       ruby_read_element(w, some, serial % RUBY_IDS_UNIT * 2, name);
}

/* ---- classes ---- */

/*
 * Looks for the instance variable ID in the table of the class at CLASS. Here and in the next
 * function *VALUE also takes the addresses on the way, as Linux 5.10 has no more room on the stack.
 */
static inline int ruby_find_variable(
	struct ruby_walk *w, uint64_t class, uint64_t id, uint64_t *value)
{
	uint64_t entries;

	if (ruby_read_word(w, value, class + RUBY_CLASS_EXT) ||
		ruby_read_word(w, value, *value + RUBY_EXT_IV_TABLE) || !*value ||
		ruby_read_word(w, value, *value + RUBY_TABLE_ENTRIES))
		return -1;
	entries = *value;
	for (int i = 0; i < RUBY_TABLE_LOOK; i++, entries += 3 * sizeof(uint64_t)) {
		if (VM_READ(w, w->words, 3 * sizeof(uint64_t), entries))
			return -1;
		*value = w->words[2];
		if (w->words[1] == id)
			return 0;
	}
	return -1;
}

/*
 * Looks for the instance variable ID of the class at CLASS by its object shape (shape.h), whose
 * number is in the flags of the class. A shape tells the variable that was set last, and the shape
 * before that.
 */
static inline int ruby_find_by_shape(struct ruby_walk *w, const struct ruby_classes *c,
	uint64_t class, uint64_t id, uint64_t *value)
{
	uint64_t shape = ruby_read_object(w, class) >> 32;

	if (ruby_read_word(w, value, class + RUBY_CLASS_VALUES))
		return -1;
	for (int i = 0; i < RUBY_SHAPE_LOOK; i++) {
		/* rb_shape_t: edges; edge_name; next_iv_index, capacity; type, parent_id */
		if (VM_READ(w, w->words, sizeof(w->words), c->shapes + shape * sizeof(w->words)))
			return -1;
		if (w->words[1] == id)
			return ruby_read_word(
				w, value, *value + ((uint32_t)w->words[2] - 1ULL) * sizeof(*value));
		shape = w->words[3] >> 32;
	}
	return -1;
}

/* Reads a fact of the class at CLASS: FACT is C->name or C->attached. */
static inline int ruby_find_fact(struct ruby_walk *w, const struct ruby_classes *c, uint64_t class,
	uint64_t fact, uint64_t *value)
{
	if (c->facts == RUBY_IN_TABLE)
		return ruby_find_variable(w, class, fact, value);
	if (c->facts == RUBY_BY_SHAPES)
		return ruby_find_by_shape(w, c, class, fact, value);
	return ruby_read_word(w, value, class + fact);
}

/* Reads the name of the class that the method of T belongs to, if it has one. */
static inline void ruby_read_class(
	struct ruby_walk *w, const struct ruby_layout *l, uint64_t class, struct ruby_texts *t)
{
	const struct ruby_classes *c = &l->classes;
	uint64_t flags = ruby_read_object(w, class), type = flags & RUBY_TYPE, name;

	t->singleton = type == RUBY_T_CLASS && c->is_singleton && flags & c->is_singleton;
	if (t->singleton) {
		if (ruby_find_fact(w, c, class, c->attached, &class))
			return;
		type = ruby_read_object(w, class) & RUBY_TYPE;
	}
	if (type != RUBY_T_CLASS && type != RUBY_T_MODULE)
		return;
	t->qualified = !ruby_find_fact(w, c, class, c->name, &name) &&
		       !ruby_read_string(w, &l->shape, name, &t->class) && t->class.len;
}

static inline void ruby_read_owner(
	struct ruby_walk *w, const struct ruby_layout *l, uint64_t method, struct ruby_texts *t)
{
	uint64_t owner;

	if (method && !ruby_read_word(w, &owner, method + RUBY_ME_OWNER))
		ruby_read_class(w, l, owner, t);
}

/* ---- lines ---- */

/* Returns the number of bits that are set. */
static inline uint32_t ruby_count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (uint32_t)(v * 0x0101010101010101ULL >> 56);
}

/*
 * struct succ_index_table, a set of positions: for the first RUBY_FIRST of them their ranks, of 7
 * bits, 9 in a word; then blocks, each for 512 positions, with the rank before it, the ranks of its
 * words, of 9 bits, and the words, with a bit for each position.
 */
enum { RUBY_FIRST = 54, RUBY_BLOCKS_AT = 48, RUBY_BLOCK_SIZE = 80, RUBY_BLOCK_BITS = 16 };

/* Finds how many positions of the set at TABLE are up to POSITION. */
static inline int ruby_find_rank(
	struct ruby_walk *w, uint64_t table, uint64_t position, uint64_t *rank)
{
	uint64_t word, bit, small;

	if (position < RUBY_FIRST) {
		if (ruby_read_word(w, &word, table + position / 9 * sizeof(word)))
			return -1;
		*rank = word >> position % 9 * 7 & 0x7f;
		return 0;
	}
	position -= RUBY_FIRST;
	table += RUBY_BLOCKS_AT + position / 512 * RUBY_BLOCK_SIZE;
	bit = position % 512;
	small = bit / 64;
	if (VM_READ(w, w->words, 2 * sizeof(uint64_t), table) ||
		ruby_read_word(w, &word, table + RUBY_BLOCK_BITS + small * sizeof(word)))
		return -1;
	*rank = (uint32_t)w->words[0] + ruby_count_bits(word << (63 - bit % 64));
	if (small)
		*rank += w->words[1] >> (small - 1) * 9 & 0x1ff;
	return 0;
}

/* Reads the line of the instruction before PC, in the code at BODY. */
static inline int ruby_read_line(
	struct ruby_walk *w, const struct ruby_shape *s, uint64_t body, uint64_t pc, uint32_t *line)
{
	uint64_t encoded, info[4], position, rank = 1; /* entries, positions, size, table */

	if (ruby_read_word(w, &encoded, body + 8) ||
		VM_READ(w, info, sizeof(info), body + s->insns_info))
		return -1;
	position = (pc - encoded) / sizeof(uint64_t);
	if (position)
		position--;
	info[2] &= UINT32_MAX;
	if (info[2] > 1 && ruby_find_rank(w, info[3], position, &rank))
		return -1;
	if (!rank || rank > info[2])
		return -1;
	return VM_READ(w, line, sizeof(*line), info[0] + (rank - 1) * s->entry_size);
}

/* ---- frames ---- */

/* Reads the path, which is a string, or the first of two. */
static inline int ruby_read_path(
	struct ruby_walk *w, const struct ruby_shape *s, uint64_t path, struct ruby_text *text)
{
	if ((ruby_read_object(w, path) & RUBY_TYPE) == RUBY_T_ARRAY &&
		ruby_read_element(w, path, 0, &path))
		return -1;
	return ruby_read_string(w, s, path, text);
}

/*
 * Reads the name of the method, or other code, that the code at BODY is a part of, and the class of
 * METHOD if it is a method.
 */
static inline void ruby_read_method(struct ruby_walk *w, const struct ruby_layout *l, uint64_t body,
	uint64_t method, struct ruby_texts *t)
{
	uint64_t iseq, label;
	uint32_t type;

	t->named = !ruby_read_word(w, &iseq, body + l->shape.local_iseq) &&
		   !ruby_read_word(w, &body, iseq + RUBY_ISEQ_BODY) &&
		   !VM_READ(w, &type, sizeof(type), body) &&
		   !ruby_read_word(w, &label, body + RUBY_BODY_LABEL) &&
		   !ruby_read_string(w, &l->shape, label, &t->method);
	if (t->named && type == RUBY_TYPE_METHOD)
		ruby_read_owner(w, l, method, t);
}

static inline void ruby_read_code(struct ruby_walk *w, const struct ruby_layout *l,
	const struct vm_frame *f, struct ruby_texts *t)
{
	const struct ruby_shape *s = &l->shape;
	uint64_t body, location[3]; /* pathobj, base_label, label */

	if (ruby_read_word(w, &body, (f->what & VM_ADDRESS) + RUBY_ISEQ_BODY) ||
		VM_READ(w, location, sizeof(location), body + RUBY_BODY_LOCATION))
		return;
	t->placed = !ruby_read_path(w, s, location[0], &t->file);
	if (f->at && ruby_read_line(w, s, body, f->at, &t->line))
		t->placed = false;
	t->base = ruby_string_length(w, s, location[1]);
	if (!ruby_read_string(w, s, location[2], &t->label))
		ruby_read_method(w, l, body, f->with, t);
}

static inline void ruby_read_cfunc(struct ruby_walk *w, const struct ruby_layout *l,
	const struct vm_frame *f, struct ruby_texts *t)
{
	uint64_t method = f->what & VM_ADDRESS, definition, id, name;

	t->named = !ruby_read_word(w, &definition, method + RUBY_ME_DEF) &&
		   !ruby_read_word(w, &id, definition + RUBY_DEF_ORIGINAL_ID) &&
		   !ruby_find_id(w, l, id, &name) &&
		   !ruby_read_string(w, &l->shape, name, &t->method);
	ruby_read_owner(w, l, method, t);
}

/* Reads the texts of F. The flags in T tell which of them could be read. */
static inline void ruby_read_texts(struct ruby_walk *w, const struct ruby_layout *l,
	const struct vm_frame *f, struct ruby_texts *t)
{
	t->line = t->base = 0;
	t->named = t->placed = t->qualified = t->singleton = false;
	t->label.len = t->method.len = t->class.len = t->file.len = 0;
	if (ruby_frame_type(f->what) == RUBY_CODE)
		ruby_read_code(w, l, f, t);
	else if (ruby_frame_type(f->what) == RUBY_CFUNC)
		ruby_read_cfunc(w, l, f, t);
	else
		t->named = true;
}

#endif
