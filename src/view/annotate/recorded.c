/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorded.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/names/demangle_profile.h"
#include "weighing.h"

#include <stdlib.h>

struct recorder {
	struct recorded *r;
	const struct recording *rec;
	struct demangler demangler;
	uint32_t *numbers; /* for each name of the recording, its number in the demangler */
	struct strbuf text;
};

static uint32_t add_function(
	struct recorded *r, const struct rec_frame *f, uint32_t name, uint32_t module)
{
	bool is_new;
	uint32_t *at = table_put(&r->by_name, name, module, &is_new);

	if (!is_new)
		return *at;
	*at = r->nr;
	ALLOC_GROW(r->list, r->nr, r->alloc);
	r->list[r->nr] = (struct recorded_function){
		.name = name,
		.module = module,
		.kind = f->kind,
		.at_address = f->kind == FRAME_KERNEL ? f->place == AT_ADDRESS : f->place == AT_MAP,
	};
	return r->nr++;
}

static uint32_t add_module(struct recorder *w, const struct rec_frame *f, uint32_t module)
{
	const struct recording *rec = w->rec;
	uint32_t path = f->place == AT_MAP ? rec->maps[f->map].path : 0;

	/* an interpreter's function is the same one when it is compiled */
	if (f->kind == FRAME_JIT && f->place == AT_NAME)
		module = 0;
	return strpool_import(&w->r->names, &rec->strings, module ? module : path);
}

static uint32_t add_named(struct recorder *w, const struct rec_frame *f, uint32_t number)
{
	const struct rec_name *n = &w->rec->names[number];
	struct recorded *r = w->r;
	uint32_t label = strpool_import(&r->names, &w->rec->strings, n->function), name = label;
	uint32_t module = add_module(w, f, n->module);
	bool is_new;
	size_t len;

	if (w->numbers[number]) {
		const char *shown = demangler_get(&w->demangler, w->numbers[number], &len);

		name = strpool_add(&r->names, shown, len);
	}
	uint32_t function = add_function(r, f, name, module);

	r->list[function].mangled = label;
	r->list[function].has_line |= f->place == AT_NAME && n->file && n->line;
	*table_put(&r->by_label, label, module, &is_new) = function + 1;
	return function;
}

static uint32_t add_unnamed(struct recorder *w, const struct rec_frame *f)
{
	struct recorded *r = w->r;

	strbuf_reset(&w->text);
	recording_add_unnamed(w->rec, f, &w->text);
	return add_function(
		r, f, strpool_add(&r->names, w->text.buf, w->text.len), add_module(w, f, 0));
}

static void add_frames(struct recorder *w, struct weighing *t)
{
	const struct recording *rec = w->rec;
	struct recorded *r = w->r;

	for (uint32_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];
		uint32_t function = f->nr_names ? 0 : add_unnamed(w, f);

		for (uint32_t k = f->names; k < f->names + f->nr_names; k++) {
			function = r->of_name[k] = add_named(w, f, k);
			while (t->nr < r->nr)
				weighing_add(t);
			weighing_link(t, i, function);
		}
		while (t->nr < r->nr)
			weighing_add(t);
		if (!f->nr_names)
			weighing_link(t, i, function);
		r->of_frame[i] = function;
		r->list[function].out_of_line = true;
	}
}

void recorded_init(struct recorded *r, const struct recording *rec,
	const struct recording_view *view, enum demangle how)
{
	struct recorder w = {.r = r, .rec = rec, .text = STRBUF_INIT};
	struct weighing t;

	*r = (struct recorded){
		.of_name = xcalloc(rec->nr_names, sizeof(*r->of_name)),
		.of_frame = xcalloc(rec->nr_frames, sizeof(*r->of_frame)),
	};
	strpool_init(&r->names);
	table_init(&r->by_name);
	table_init(&r->by_label);
	demangler_init(&w.demangler, how);
	w.numbers = demangler_add_recording(&w.demangler, rec);
	weighing_init(&t, rec);
	add_frames(&w, &t);
	r->is_part = !weighing_sum(&t, rec, view);
	for (uint32_t i = 0; i < r->nr; i++) {
		r->list[i].self = t.list[i].self;
		r->list[i].total = t.list[i].total;
	}
	r->weight = t.weight;
	weighing_release(&t);
	free(w.numbers);
	demangler_release(&w.demangler);
	strbuf_release(&w.text);
}

void recorded_release(struct recorded *r)
{
	strpool_release(&r->names);
	table_release(&r->by_name);
	table_release(&r->by_label);
	free(r->list);
	free(r->of_name);
	free(r->of_frame);
	*r = (struct recorded){0};
}

const char *recorded_name(const struct recorded *r, uint32_t function)
{
	return strpool_get(&r->names, r->list[function].name);
}

const char *recorded_module(const struct recorded *r, uint32_t function)
{
	return strpool_get(&r->names, r->list[function].module);
}

uint32_t recorded_find(struct recorded *r, const char *mangled, const char *module)
{
	uint32_t label = strpool_adds(&r->names, mangled);
	const uint32_t *at = table_get(&r->by_label, label, strpool_adds(&r->names, module));

	return at && *at ? *at - 1 : NO_FUNCTION;
}
