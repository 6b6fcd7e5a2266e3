/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_values.h"
#include "lib/strbuf.h"

#include <inttypes.h>

static void add_number(struct strbuf *text, uint64_t number)
{
	strbuf_addf(text, "%s%" PRIx64, text->len ? "." : "", number);
}

static size_t put_shape(struct vm_values *v, const struct perl_shape *shape)
{
	struct strbuf text = STRBUF_INIT;

#define NUMBER(name, ...) add_number(&text, shape->name);
	PERL_SHAPE_ALL(NUMBER)
#undef NUMBER
	size_t number = vm_values_put(v, "perl_shapes", text.buf);

	strbuf_release(&text);
	return number;
}

static size_t put_path(struct vm_values *v, size_t shape, const struct perl_layout *l)
{
	struct strbuf text = STRBUF_INIT;

	add_number(&text, shape);
	add_number(&text, l->threads);
	add_number(&text, l->interpreter.per_thread);
	add_number(&text, l->interpreter.nr);
	for (size_t i = 0; i < PATH_STEPS; i++)
		add_number(&text, l->interpreter.step[i]);
	add_number(&text, l->curcop);
	add_number(&text, l->curstackinfo);
	add_number(&text, l->op);
	add_number(&text, l->stack_sp);
	size_t number = vm_values_put(v, "perl_paths", text.buf);

	strbuf_release(&text);
	return number;
}

bool perl_values_add(struct vm_values *v, uint32_t pid, const struct perl_layout *l)
{
	size_t shape = put_shape(v, &l->shape), path = shape ? put_path(v, shape, l) : 0;

	return vm_values_put_process(v, "perl_processes", pid, path);
}
