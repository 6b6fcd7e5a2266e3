/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PHP's row in the table of interpreters. */
#include "php_find.h"
#include "php_splice.h"
#include "php_values.h"
#include "php_walk.h"
#include "runtime/operator_names.h"

static int find(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
	struct strbuf *err)
{
	const struct target_file *file = php_file(t);

	*layout = (struct vm_layout){.kind = VM_PHP, .path = file ? file->path : NULL};
	return php_find(t, like ? &like->php : NULL, &layout->php, err);
}

static void describe(const struct vm_layout *layout, uint32_t pid, struct strbuf *out)
{
	php_describe(&layout->php, layout->path, pid, out);
}

static bool add_values(struct vm_values *values, uint32_t pid, const struct vm_layout *layout)
{
	return php_values_add(values, pid, &layout->php);
}

static enum vm_end walk(const struct vm_layout *layout, const struct memory *memory,
	uint64_t thread, uint64_t sp, struct vm_stack *stack)
{
	(void)sp;
	return php_walk(&layout->php, memory, thread, NULL, stack);
}

static void read_texts(const struct vm_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts)
{
	php_frame_texts(&layout->php, memory, frame, below, &texts->php);
}

static void find_operators(const struct target *t, struct vm_layout *layout)
{
	layout->php.operators = php_find_operators(t);
}

static const char *operator_name(const struct vm_layout *layout, uint32_t number)
{
	return operator_names_get(layout->php.operators, number);
}

static bool add_name(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
	struct strbuf *name)
{
	(void)layout;
	return php_texts_name(&texts->php, php_frame_type(what), name);
}

static bool add_place(const union vm_texts *texts, struct strbuf *file, uint32_t *line)
{
	*line = texts->php.line;
	return php_texts_file(&texts->php, file);
}

const struct vm php_vm = {
	.language = &languages[LANGUAGE_PHP],
	.kind = VM_PHP,
	.symbol = PHP_SYMBOL,
	.find = find,
	.describe = describe,
	.add_values = add_values,
	.walk = walk,
	.read_texts = read_texts,
	.find_operators = find_operators,
	.operator_name = operator_name,
	.add_name = add_name,
	.add_place = add_place,
	.splice = &php_splice,
};
