/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_values.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>

static size_t put_shape(struct vm_values *v, const struct python_shape *shape)
{
	struct strbuf text = STRBUF_INIT;

#define ADD(name) strbuf_addf(&text, "%s%x", text.len ? "." : "", (unsigned)shape->name);
	PYTHON_NUMBERS(ADD)
#undef ADD
	size_t number = vm_values_put(v, "python_shapes", text.buf);

	strbuf_release(&text);
	return number;
}

static size_t put_program(struct vm_values *v, size_t shape, const struct python_layout *l)
{
	char *text = xasprintf("%zx.%" PRIx64 ".%" PRIx64 ".%" PRIx64, shape, l->interpreters,
		l->code_type, l->current);
	size_t number = vm_values_put(v, "python_programs", text);

	free(text);
	return number;
}

bool python_values_add(struct vm_values *v, uint32_t pid, const struct python_layout *l)
{
	size_t shape = put_shape(v, &l->shape), program = shape ? put_program(v, shape, l) : 0;

	return vm_values_put_process(v, "python_processes", pid, program);
}
