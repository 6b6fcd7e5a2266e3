/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl's row in the table of interpreters. */
#include "lib/strbuf.h"
#include "perl_splice.h"
#include "perl_values.h"
#include "perl_walk.h"
#include "runtime/operator_names.h"

#include <inttypes.h>

static int find(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
	struct strbuf *err)
{
	const struct target_file *file = perl_file(t);

	*layout = (struct vm_layout){.kind = VM_PERL, .path = file ? file->path : NULL};
	return perl_find(t, like ? &like->perl : NULL, &layout->perl, err);
}

static void describe(const struct vm_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct perl_layout *l = &layout->perl;

	strbuf_addf(out, "perl 5.%u.%u in '%s' of process %" PRIu32 ", known by %s", l->minor,
		l->patch, layout->path, pid,
		l->source == PERL_FROM_TABLE ? "its version" : "its debug file");
}

static bool add_values(struct vm_values *values, uint32_t pid, const struct vm_layout *layout)
{
	return perl_values_add(values, pid, &layout->perl);
}

static enum vm_end walk(const struct vm_layout *layout, const struct memory *memory,
	uint64_t thread, uint64_t sp, struct vm_stack *stack)
{
	(void)sp;
	return perl_walk_thread(&layout->perl, memory, thread, stack);
}

static void read_texts(const struct vm_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts)
{
	(void)below;
	perl_frame_texts(&layout->perl, memory, frame, &texts->perl);
}

static void find_operators(const struct target *t, struct vm_layout *layout)
{
	struct operator_array names = {.max = OPERATOR_NAMES_MAX, .end = "freed"};

	for (size_t i = 0; !names.address && i < t->nr_files; i++)
		names.address = target_symbol(&t->files[i], "PL_op_name");
	layout->perl.operators = operator_names_read(&t->memory, &names);

	uint32_t sort = operator_names_find(layout->perl.operators, "sort");

	layout->perl.sort = sort < names.max ? VM_OP(sort) : 0;
}

static const char *operator_name(const struct vm_layout *layout, uint32_t number)
{
	return operator_names_get(layout->perl.operators, number);
}

static bool add_name(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
	struct strbuf *name)
{
	(void)layout;
	return perl_texts_name(&texts->perl, perl_frame_type(what), name);
}

static bool add_place(const union vm_texts *texts, struct strbuf *file, uint32_t *line)
{
	*line = texts->perl.line;
	return perl_texts_file(&texts->perl, file);
}

static bool name_in_stack(
	const struct vm_place *frame, const struct vm_place *caller, struct strbuf *name)
{
	return perl_frame_type(frame->what) == PERL_EVAL && perl_name_eval(frame, caller, name);
}

const struct vm perl_vm = {
	.language = &languages[LANGUAGE_PERL],
	.kind = VM_PERL,
	.symbol = PERL_SYMBOL,
	.find = find,
	.describe = describe,
	.add_values = add_values,
	.walk = walk,
	.read_texts = read_texts,
	.find_operators = find_operators,
	.operator_name = operator_name,
	.add_name = add_name,
	.add_place = add_place,
	.name_in_stack = name_in_stack,
	.splice = &perl_splice,
	.maps = {{"perl_sub_cache", PERL_SUB_CACHE_SIZE}},
};
