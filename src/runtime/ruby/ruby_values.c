/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruby_values.h"
#include "lib/strbuf.h"

#include <inttypes.h>

static void add_path(struct strbuf *text, const struct pointer_path *path)
{
	strbuf_addf(text, ".%x.%" PRIx32, path->per_thread, path->nr);
	for (size_t i = 0; i < PATH_STEPS; i++)
		strbuf_addf(text, ".%" PRIx64, path->step[i]);
}

static size_t put_program(struct vm_values *v, const struct ruby_layout *l)
{
	struct strbuf text = STRBUF_INIT;

#define ADD(name, member)                                                                          \
	strbuf_addf(&text, "%s%" PRIx64, text.len ? "." : "", (uint64_t)l->member);
	RUBY_NUMBERS(ADD)
#undef ADD
	add_path(&text, &l->ec);
	add_path(&text, &l->gc);
	size_t number = vm_values_put(v, "ruby_programs", text.buf);

	strbuf_release(&text);
	return number;
}

bool ruby_values_add(struct vm_values *v, uint32_t pid, const struct ruby_layout *l)
{
	return vm_values_put_process(v, "ruby_processes", pid, put_program(v, l));
}
