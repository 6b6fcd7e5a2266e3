/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "php_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/pointer_path_follow.h"
#include "runtime/vm_walk.h"

#include <string.h>

#include "php_step.h"
#include "php_text.h"

static int step(struct vm_walk *w, const void *layout)
{
	return php_step((struct php_walk *)w, layout);
}

enum vm_end php_walk(const struct php_layout *l, const struct memory *memory, uint64_t thread,
	const struct vm_native *native, struct vm_stack *stack)
{
	struct php_walk w = {.vm = {.memory = memory, .with_op = stack->with_op}};
	uint64_t globals;
	int end = pointer_path_follow(&l->globals, memory, thread, &globals);

	if (native)
		w.vm.native = *native;
	if (end == VM_ON)
		end = php_begin(&w, l, globals);
	return vm_walk_run(&w.vm, end, step, l, stack);
}

/* ---- names ---- */

void php_frame_texts(const struct php_layout *l, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct php_texts *texts)
{
	struct php_walk w = {.vm.memory = memory};

	php_read_texts(&w, l, frame, below, texts);
}

/* Appends a text of LEN bytes, of which at most MAX were read, up to a NUL as in the names of
 * anonymous classes. */
static void add_text(const char *text, size_t len, size_t max, struct strbuf *out)
{
	strbuf_add(out, text, strnlen(text, len < max ? len : max));
	if (len > max)
		strbuf_adds(out, "[truncated]");
}

static const char *word_of(const struct php_texts *t)
{
	switch (t->called) {
	case PHP_CALLS_INCLUDE_ONCE:
		return "include_once ";
	case PHP_CALLS_REQUIRE:
		return "require ";
	case PHP_CALLS_REQUIRE_ONCE:
		return "require_once ";
	default:
		return "include ";
	}
}

/* Appends "require file.php", without the file's directory. */
static void add_included(const struct php_texts *t, struct strbuf *name)
{
	struct strbuf file = STRBUF_INIT;

	add_text(t->file, t->file_len, PHP_FILE_MAX, &file);
	strbuf_adds(name, word_of(t));
	strbuf_adds(name, file_name(file.buf));
	strbuf_release(&file);
}

bool php_texts_name(const struct php_texts *t, enum php_type type, struct strbuf *name)
{
	if (!t->named)
		return false;
	if (type == PHP_MAIN)
		strbuf_adds(name, "{main}");
	else if (type == PHP_EVAL)
		strbuf_adds(name, "eval");
	else if (type == PHP_FILE)
		add_included(t, name);
	if (type >= PHP_MAIN)
		return true;
	if (t->class_len)
		add_text(t->class, t->class_len, PHP_NAME_MAX, name);
	strbuf_adds(name, t->class_len ? "::" : "");
	add_text(t->name, t->name_len, PHP_NAME_MAX, name);
	return true;
}

bool php_texts_file(const struct php_texts *t, struct strbuf *file)
{
	if (!t->placed)
		return false;
	add_text(t->file, t->file_len, PHP_FILE_MAX, file);
	return true;
}
