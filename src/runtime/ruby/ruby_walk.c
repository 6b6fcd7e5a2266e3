/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruby_walk.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "runtime/pointer_path_follow.h"
#include "runtime/vm_walk.h"

#include <string.h>

static struct ruby_cached *no_cache(uint64_t iseq, uint64_t pc)
{
	(void)iseq;
	(void)pc;
	return NULL;
}

#define RUBY_CACHED(w, iseq, pc) no_cache(iseq, pc)
#include "ruby_step.h"
#include "ruby_text.h"

static int step(struct vm_walk *w, const void *layout)
{
	return ruby_step((struct ruby_walk *)w, layout);
}

enum vm_end ruby_walk_thread(const struct ruby_layout *l, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack)
{
	struct ruby_walk w = {.vm = {.mixed = stack->mixed, .memory = memory}};
	uint64_t ec, gc;
	int end = pointer_path_follow(&l->ec, memory, thread, &ec);

	if (end == VM_ON)
		end = ruby_begin(&w, ec);
	if (end == VM_ON && l->gc.nr && pointer_path_follow(&l->gc, memory, thread, &gc) == VM_ON)
		ruby_find_gc(&w, l, gc);
	return vm_walk_run(&w.vm, end, step, l, stack);
}

/* ---- names ---- */

void ruby_frame_texts(const struct ruby_layout *l, const struct memory *memory,
	const struct vm_frame *frame, struct ruby_texts *texts)
{
	struct ruby_walk w = {.vm.memory = memory};

	ruby_read_texts(&w, l, frame, texts);
}

bool ruby_string_is(const struct ruby_layout *l, const struct memory *memory, uint64_t address,
	const char *wanted)
{
	struct ruby_walk w = {.vm.memory = memory};
	struct ruby_text text;

	return !ruby_read_string(&w, &l->shape, address, &text) && text.len == strlen(wanted) &&
	       !memcmp(text.bytes, wanted, text.len);
}

bool ruby_id_name(
	const struct ruby_layout *l, const struct memory *memory, uint64_t id, uint64_t *name)
{
	struct ruby_walk w = {.vm.memory = memory};

	return !ruby_find_id(&w, l, id, name);
}

static void add_bytes(const struct ruby_text *text, size_t from, size_t to, struct strbuf *out)
{
	for (size_t i = from; i < to && i < text->len && i < RUBY_TEXT_MAX; i++)
		strbuf_addch(out, text->bytes[i]);
	if (text->cut && to >= text->len)
		strbuf_adds(out, "[truncated]");
}

/* Returns whether a text may be a name, which freed memory seldom looks like. */
static bool is_text(const struct ruby_text *text)
{
	size_t len = text->len < RUBY_TEXT_MAX ? text->len : RUBY_TEXT_MAX;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = (unsigned char)text->bytes[i];

		n = utf8_decode(text->bytes + i, len - i, &c);
		if (!n)
			return text->cut && len - i < 4;
		if (c < ' ' || c == 0x7f)
			return false;
	}
	return len;
}

/*
 * Appends "block in " or "block (2 levels) in " if the label has it. Ruby 3.4 does not show "rescue
 * in " and "ensure in ", which may be before it.
 */
static void add_block(const struct ruby_texts *t, struct strbuf *out)
{
	static const char block[] = "block ";
	const struct ruby_text *label = &t->label;
	const char *at = memmem(label->bytes, label->len, block, strlen(block));
	size_t from = at ? (size_t)(at - label->bytes) : label->len;

	if (!label->cut && from + t->base < label->len && is_text(label))
		add_bytes(label, from, label->len - t->base, out);
}

bool ruby_texts_name(const struct ruby_texts *t, enum ruby_type type, struct strbuf *name)
{
	if (type == RUBY_GC) {
		strbuf_adds(name, "(garbage collection)");
		return true;
	}
	if (!t->named || !is_text(&t->method))
		return false;
	add_block(t, name);
	/* a class without a name has one like "#<Class:0x…>", which Ruby does not show either */
	if (t->qualified && is_text(&t->class) && *t->class.bytes != '#') {
		add_bytes(&t->class, 0, t->class.len, name);
		strbuf_addch(name, t->singleton ? '.' : '#');
	}
	add_bytes(&t->method, 0, t->method.len, name);
	return true;
}

bool ruby_texts_file(const struct ruby_texts *t, struct strbuf *file)
{
	if (!t->placed || !is_text(&t->file))
		return false;
	add_bytes(&t->file, 0, t->file.len, file);
	return true;
}
