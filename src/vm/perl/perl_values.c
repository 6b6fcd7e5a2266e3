/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_values.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4095 }; /* of a variable: what the scripts are compiled with, and its NUL */

static void release(struct perl_value *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->list[i]);
	free(t->list);
	*t = (struct perl_value){0};
}

void perl_values_release(struct perl_values *v)
{
	release(&v->shapes);
	release(&v->ways);
	release(&v->processes);
}

/* The number of TEXT from 1 on, new or not; 0: there is no room. */
static size_t add(struct perl_value *t, const char *text)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->list[i], text))
			return i + 1;
	if (t->len + !!t->nr + strlen(text) > TEXT_MAX)
		return 0;
	t->len += !!t->nr + strlen(text);
	ALLOC_GROW(t->list, t->nr, t->alloc);
	t->list[t->nr++] = xstrdup(text);
	return t->nr;
}

static void add_number(struct strbuf *text, uint64_t number)
{
	strbuf_addf(text, "%s%" PRIx64, text->len ? "." : "", number);
}

static size_t add_shape(struct perl_values *v, const struct perl_shape *shape)
{
	struct strbuf text = STRBUF_INIT;

#define NUMBER(name, ...) add_number(&text, shape->name);
	PERL_SHAPE_ALL(NUMBER)
#undef NUMBER
	size_t number = add(&v->shapes, text.buf);

	strbuf_release(&text);
	return number;
}

static size_t add_way(struct perl_values *v, size_t shape, const struct perl_layout *l)
{
	struct strbuf text = STRBUF_INIT;

	add_number(&text, shape);
	add_number(&text, l->threads);
	add_number(&text, l->interpreter.per_thread);
	add_number(&text, l->interpreter.nr);
	for (size_t i = 0; i < WAY_STEPS; i++)
		add_number(&text, l->interpreter.step[i]);
	add_number(&text, l->curcop);
	add_number(&text, l->curstackinfo);
	add_number(&text, l->op);
	add_number(&text, l->stack_sp);
	size_t number = add(&v->ways, text.buf);

	strbuf_release(&text);
	return number;
}

bool perl_values_add(struct perl_values *v, uint32_t pid, const struct perl_layout *l)
{
	size_t shape = add_shape(v, &l->shape), way = shape ? add_way(v, shape, l) : 0;
	char *text = xasprintf("%" PRIx32 ".%zx", pid, way);
	bool added = way && add(&v->processes, text);

	free(text);
	return added;
}

static void give(const struct perl_value *t, const char *name, struct argv *argv)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < t->nr; i++)
		strbuf_addf(&text, "%s%s", i ? "." : "", t->list[i]);
	if (t->nr)
		argv_add(argv, xasprintf("%s=%s", name, text.buf));
	strbuf_release(&text);
}

void perl_values_give(const struct perl_values *v, struct argv *argv)
{
	give(&v->shapes, "perl_shapes", argv);
	give(&v->ways, "perl_ways", argv);
	give(&v->processes, "perl_processes", argv);
}
