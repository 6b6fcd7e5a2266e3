/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "php_values.h"
#include "lib/strbuf.h"

#include <inttypes.h>

static size_t put_program(struct vm_values *v, const struct php_layout *l)
{
	struct strbuf text = STRBUF_INIT;

#define ADD(name, member)                                                                          \
	strbuf_addf(&text, "%s%" PRIx64, text.len ? "." : "", (uint64_t)l->member);
	PHP_NUMBERS(ADD)
#undef ADD
	for (size_t i = 0; i < PATH_STEPS; i++)
		strbuf_addf(&text, ".%" PRIx64, l->globals.step[i]);
	size_t number = vm_values_put(v, "php_programs", text.buf);

	strbuf_release(&text);
	return number;
}

bool php_values_add(struct vm_values *v, uint32_t pid, const struct php_layout *l)
{
	return vm_values_put_process(v, "php_processes", pid, put_program(v, l));
}
