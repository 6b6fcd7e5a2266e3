/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python's row in the table of interpreters. */
#include "lib/strbuf.h"
#include "python_find.h"
#include "python_splice.h"
#include "python_values.h"
#include "python_walk.h"

#include <inttypes.h>
#include <string.h>

static int find(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
	struct strbuf *err)
{
	const struct target_file *file = python_file(t);

	(void)like;
	*layout = (struct vm_layout){.kind = VM_PYTHON, .path = file ? file->path : NULL};
	return python_find(t, &layout->python, err);
}

static void describe(const struct vm_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct python_layout *l = &layout->python;

	strbuf_addf(out, "python 3.%u", l->minor);
	if (l->micro != PYTHON_ANY_MICRO)
		strbuf_addf(out, ".%u", l->micro);
	strbuf_addf(out, " in '%s' of process %" PRIu32 ", known by %s", layout->path, pid,
		l->published ? "the offsets that it publishes" : "its version");
}

static bool add_values(struct vm_values *values, uint32_t pid, const struct vm_layout *layout)
{
	return python_values_add(values, pid, &layout->python);
}

/* Prepends the module, which the script does not know. */
static bool name_by_script(
	const struct vm_layout *layout, const struct vm_printed *frame, struct strbuf *out)
{
	static const char cut[] = "[truncated]";
	const char *file = frame->file;
	size_t len = strlen(file);

	(void)layout;
	if (!*frame->name)
		return false;
	if (len >= strlen(cut) && !strcmp(file + len - strlen(cut), cut))
		file = "";
	python_name_add(frame->name, file, out);
	return true;
}

static enum vm_end walk(const struct vm_layout *layout, const struct memory *memory,
	uint64_t thread, uint64_t sp, struct vm_stack *stack)
{
	(void)sp;
	return python_walk(&layout->python, memory, thread, stack);
}

static void read_texts(const struct vm_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts)
{
	(void)below;
	python_frame_texts(&layout->python, memory, frame, &texts->python);
}

static bool add_name(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
	struct strbuf *name)
{
	(void)layout;
	(void)what;
	return python_texts_name(&texts->python, name);
}

static bool add_place(const union vm_texts *texts, struct strbuf *file, uint32_t *line)
{
	*line = texts->python.line;
	return python_texts_file(&texts->python, file);
}

static uint32_t first_line(const union vm_texts *texts)
{
	return texts->python.first_line;
}

static const char *const states[PYTHON_NR_STATES + 1] = {
#define STATE(name, text) [PYTHON_STATE_##name] = (text),
	PYTHON_STATES(STATE)
#undef STATE
};

const struct vm python_vm = {
	.language = &languages[LANGUAGE_PYTHON],
	.kind = VM_PYTHON,
	.states = states,
	.symbol = PYTHON_SYMBOL,
	.find = find,
	.describe = describe,
	.add_values = add_values,
	.name_by_script = name_by_script,
	.walk = walk,
	.read_texts = read_texts,
	.add_name = add_name,
	.add_place = add_place,
	.first_line = first_line,
	.splice = &python_splice,
	.maps = {{"python_threads", PYTHON_THREAD_CACHE_SIZE}},
};
