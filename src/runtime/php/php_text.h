/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name and the location of a PHP frame from the target's memory while the thread does not
 * run. The same code runs in the kernel (BPF) and in user space. Include it after php_step.h.
 */
#ifndef RUNTIME_PHP_PHP_TEXT_H
#define RUNTIME_PHP_PHP_TEXT_H

#include "php_frame.h"
#include "php_layout.h"

enum { PHP_STRING_MAX = 1 << 16 };

/* Reads at most MAX bytes of the string at STRING. Returns its length, or 0 if it is no string. */
static inline uint16_t php_read_string(struct php_walk *w, uint64_t string, char *to, uint32_t max)
{
	struct {
		uint32_t count, type;
		uint64_t hash, len;
	} head;

	if (!string || VM_READ(w, &head, sizeof(head), string) ||
		(head.type & 0xf) != PHP_IS_STRING || !head.len || head.len > PHP_STRING_MAX - 1)
		return 0;
	if (VM_READ(w, to, head.len < max ? (uint32_t)head.len : max, string + PHP_STRING_TEXT))
		return 0;
	return (uint16_t)head.len;
}

static inline bool php_read_name(struct php_walk *w, const struct vm_frame *f, struct php_texts *t)
{
	uint64_t scope, name;

	t->name_len = php_read_string(w, f->what & VM_ADDRESS, t->name, PHP_NAME_MAX);
	if (!t->name_len || php_read_word(w, &scope, f->with + PHP_FUNC_SCOPE))
		return false;
	if (!scope)
		return true;
	if (php_read_word(w, &name, scope + PHP_CLASS_NAME))
		return false;
	t->class_len = php_read_string(w, name, t->class, PHP_NAME_MAX);
	return t->class_len;
}

static inline bool php_read_place(struct php_walk *w, const struct php_shape *s,
	const struct vm_frame *f, struct php_texts *t)
{
	uint64_t file, opline = f->at & VM_ADDRESS;

	t->line = php_line(w, &opline);
	if (php_read_word(w, &file, f->with + s->filename))
		return false;
	t->file_len = php_read_string(w, file, t->file, PHP_FILE_MAX);
	return t->file_len;
}

/* Returns how the frame BELOW includes a file, or 0 if that is not known. */
static inline uint8_t php_read_called(struct php_walk *w, const struct vm_frame *below)
{
	struct {
		uint32_t extended, line;
		uint8_t code, types[3];
	} op;
	enum php_type type = php_frame_type(below->what);

	if (!type || type == PHP_IN_C || !(below->at & VM_ADDRESS) ||
		VM_READ(w, &op, sizeof(op), (below->at & VM_ADDRESS) + PHP_OP_EXTENDED))
		return 0;
	return op.code == PHP_INCLUDE_OR_EVAL ? (uint8_t)op.extended : 0;
}

/* Reads the texts of F. The flags in T tell which of them could be read. */
static inline void php_read_texts(struct php_walk *w, const struct php_layout *l,
	const struct vm_frame *f, const struct vm_frame *below, struct php_texts *t)
{
	enum php_type type = php_frame_type(f->what);

	t->line = 0;
	t->called = type == PHP_FILE ? php_read_called(w, below) : 0;
	t->class_len = t->name_len = t->file_len = 0;
	t->placed = type != PHP_IN_C && php_read_place(w, &l->shape, f, t);
	t->named = type < PHP_MAIN ? php_read_name(w, f, t) : t->placed;
}

#endif
