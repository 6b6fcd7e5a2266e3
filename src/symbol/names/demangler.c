/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangler.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "tidy.h"

#include <stdlib.h>
#include <string.h>

enum {
	SHARED = UINT32_MAX,
	REFERENCES_MAX = 32, /* limits libiberty's work to some hundred thousand steps */
	COSTLY_S = 5,
};

void demangler_init(struct demangler *d, enum demangle how)
{
	*d = (struct demangler){.how = how};
	strpool_init(&d->texts);
	ALLOC_GROW(d->list, 0, d->alloc);
	d->list[0] = (struct demangler_text){0};
	d->nr = 1;
}

void demangler_release(struct demangler *d)
{
	strpool_release(&d->texts);
	free(d->list);
	free(d->costly);
	*d = (struct demangler){0};
}

/* Returns the number of a text. A new text is not yet the form of any name. */
static uint32_t add_text(struct demangler *d, const char *s, size_t len)
{
	uint32_t id = strpool_add(&d->texts, s, len);

	if (id == d->nr) {
		ALLOC_GROW(d->list, d->nr, d->alloc);
		d->list[d->nr++] = (struct demangler_text){0};
	}
	return id;
}

static uint32_t add_form(struct demangler *d, const struct strbuf *text)
{
	return add_text(d, text->buf, text->len);
}

/* Sets the FORMS of the mangled name NUMBER. A missing form is the same as the next longer form. */
static void add_forms(struct demangler *d, uint32_t number, uint32_t *forms)
{
	/* a copy, as the strings move when texts are added */
	char *name = xstrdup(strpool_get(&d->texts, number));
	struct strbuf text = STRBUF_INIT, full = STRBUF_INIT;
	enum mangling language = demangle_add(&full, name, DEMANGLE_FULL);

	forms[FORM_FULL] = language ? add_form(d, &full) : number;
	forms[FORM_ARGUMENTS] = forms[FORM_SHORT] = forms[FORM_FULL];
	if (d->how == DEMANGLE_SHORT) {
		if (language == CPP) {
			tidy_add(&text, full.buf, false);
			forms[FORM_ARGUMENTS] = add_form(d, &text);
		}
		strbuf_reset(&text);
		if (demangle_add(&text, name, DEMANGLE_SHORT))
			forms[FORM_SHORT] = add_form(d, &text);
	}
	strbuf_release(&text);
	strbuf_release(&full);
	free(name);
}

static void set_forms(struct demangler *d, uint32_t number, const uint32_t *forms)
{
	uint32_t owner = forms[FORM_FULL];

	memcpy(d->list[number].forms, forms, FORMS * sizeof(*forms));
	for (size_t i = 0; i < FORMS; i++) {
		struct demangler_text *text = &d->list[forms[i]];

		text->owner = text->owner && text->owner != owner ? SHARED : owner;
	}
}

/*
 * Returns whether libiberty may take forever for NAME. Substitutions (S1_, T_) make a huge tree of
 * a few letters, and to print a parameter pack libiberty searches all of it, even if there is no
 * output.
 */
static bool is_costly(const char *name)
{
	unsigned int references = 0;

	if (!strstr(name, "Dp") && !strstr(name, "sZ") && !strstr(name, "sP"))
		return false;
	for (const char *s = name; *s; s++)
		references += (*s == 'S' || *s == 'T') &&
			      s[1 + strspn(s + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
	return references > REFERENCES_MAX;
}

uint32_t demangler_add(struct demangler *d, const char *name, size_t len)
{
	uint32_t number = add_text(d, name, len);
	uint32_t forms[FORMS] = {number, number, number};

	if (d->list[number].forms[FORM_FULL])
		return number;
	bool mangled = d->how != DEMANGLE_NONE && *name == '_' && strlen(name) == len;

	if (mangled && is_costly(name)) {
		ALLOC_GROW(d->costly, d->nr_costly, d->costly_alloc);
		d->costly[d->nr_costly++] = number;
		memcpy(d->list[number].forms, forms, sizeof(forms));
		return number;
	}
	if (mangled)
		add_forms(d, number, forms);
	set_forms(d, number, forms);
	return number;
}

/* Demangles the costly names. The output is empty, as only whether this ends counts. */
static void try_costly(void *arg, struct strbuf *output)
{
	const struct demangler *d = arg;

	for (size_t i = 0; i < d->nr_costly; i++) {
		demangle_add(output, strpool_get(&d->texts, d->costly[i]), DEMANGLE_FULL);
		strbuf_reset(output);
	}
}

void demangler_settle(struct demangler *d)
{
	struct worker worker = {
		.work = try_costly, .arg = d, .no_files = true, .output = STRBUF_INIT};

	if (d->nr_costly)
		workers_run(&worker, 1, COSTLY_S);
	for (size_t i = 0; i < d->nr_costly; i++) {
		uint32_t number = d->costly[i], forms[FORMS] = {number, number, number};

		if (worker.end == WORKER_DONE)
			add_forms(d, number, forms);
		set_forms(d, number, forms);
	}
	d->nr_costly = 0;
	strbuf_release(&worker.output);
}

const char *demangler_get(const struct demangler *d, uint32_t number, size_t *len)
{
	const uint32_t *forms = d->list[number].forms;
	enum demangler_form form = FORM_SHORT;

	while (form < FORM_FULL && d->list[forms[form]].owner == SHARED)
		form++;
	*len = strpool_len(&d->texts, forms[form]);
	return strpool_get(&d->texts, forms[form]);
}
