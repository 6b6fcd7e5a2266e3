/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ruby's row in the table of interpreters. */
#include "lib/strbuf.h"
#include "ruby_find.h"
#include "ruby_splice.h"
#include "ruby_values.h"
#include "ruby_walk.h"

#include <inttypes.h>

static int find(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
	struct strbuf *err)
{
	const struct target_file *file = ruby_file(t);

	(void)like; /* nothing that it knows takes long to find */
	*layout = (struct vm_layout){.kind = VM_RUBY, .path = file ? file->path : NULL};
	return ruby_find(t, &layout->ruby, err);
}

static void describe(const struct vm_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct ruby_layout *l = &layout->ruby;

	strbuf_addf(out, "ruby %u.%u.%u in '%s' of process %" PRIu32 ", known by its version%s",
		l->major, l->minor, l->patch, layout->path, pid,
		l->gc.nr ? "" : "; its garbage collection is not seen");
}

static bool add_values(struct vm_values *values, uint32_t pid, const struct vm_layout *layout)
{
	return ruby_values_add(values, pid, &layout->ruby);
}

static enum vm_end walk(const struct vm_layout *layout, const struct memory *memory,
	uint64_t thread, uint64_t sp, struct vm_stack *stack)
{
	(void)sp;
	return ruby_walk_thread(&layout->ruby, memory, thread, stack);
}

static void read_texts(const struct vm_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts)
{
	(void)below;
	ruby_frame_texts(&layout->ruby, memory, frame, &texts->ruby);
}

static bool add_name(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
	struct strbuf *name)
{
	(void)layout;
	return ruby_texts_name(&texts->ruby, ruby_frame_type(what), name);
}

static bool add_place(const union vm_texts *texts, struct strbuf *file, uint32_t *line)
{
	*line = texts->ruby.line;
	return ruby_texts_file(&texts->ruby, file);
}

const struct vm ruby_vm = {
	.language = &languages[LANGUAGE_RUBY],
	.kind = VM_RUBY,
	.symbol = RUBY_SYMBOL,
	.find = find,
	.describe = describe,
	.add_values = add_values,
	.walk = walk,
	.read_texts = read_texts,
	.add_name = add_name,
	.add_place = add_place,
	.splice = &ruby_splice,
	.maps = {{"ruby_cache", RUBY_CACHE_SIZE}},
};
