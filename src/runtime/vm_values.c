/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_values.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4095 }; /* bytes of a variable: MAXSTRINGLEN of the scripts without the NUL */

void vm_values_release(struct vm_values *v)
{
	for (size_t i = 0; i < v->nr; i++) {
		for (size_t k = 0; k < v->vars[i].nr; k++)
			free(v->vars[i].list[k]);
		free(v->vars[i].list);
	}
	free(v->vars);
	*v = (struct vm_values){0};
}

static struct vm_value *variable(struct vm_values *v, const char *name)
{
	for (size_t i = 0; i < v->nr; i++)
		if (!strcmp(v->vars[i].name, name))
			return &v->vars[i];
	ALLOC_GROW(v->vars, v->nr, v->alloc);
	v->vars[v->nr] = (struct vm_value){.name = name};
	return &v->vars[v->nr++];
}

size_t vm_values_put(struct vm_values *v, const char *name, const char *text)
{
	struct vm_value *t = variable(v, name);
	size_t more = !!t->nr + strlen(text);

	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->list[i], text))
			return i + 1;
	if (t->len + more > TEXT_MAX)
		return 0;
	t->len += more;
	ALLOC_GROW(t->list, t->nr, t->alloc);
	t->list[t->nr++] = xstrdup(text);
	return t->nr;
}

bool vm_values_put_process(struct vm_values *v, const char *name, uint32_t pid, size_t number)
{
	char *text = xasprintf("%" PRIx32 ".%zx", pid, number);
	bool added = number && vm_values_put(v, name, text);

	free(text);
	return added;
}

void vm_values_give(const struct vm_values *v, struct argv *argv)
{
	for (size_t i = 0; i < v->nr; i++) {
		const struct vm_value *t = &v->vars[i];
		struct strbuf text = STRBUF_INIT;

		for (size_t k = 0; k < t->nr; k++)
			strbuf_addf(&text, "%s%s", k ? "." : "", t->list[k]);
		if (t->nr)
			argv_add(argv, xasprintf("%s=%s", t->name, text.buf));
		strbuf_release(&text);
	}
}
