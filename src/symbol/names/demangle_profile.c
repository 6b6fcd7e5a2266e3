/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangle_profile.h"
#include "demangler.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>

static bool has_function(enum frame_kind kind)
{
	return kind == FRAME_USER || kind == FRAME_KERNEL || kind == FRAME_INLINE ||
	       kind == FRAME_JIT || kind == FRAME_WAKER;
}

/*
 * Adds the names of P's frames to D. Returns their numbers in D, or 0 for names that do not change.
 * The caller frees the array.
 */
static uint32_t *add_frames(struct demangler *d, const struct profile *p)
{
	uint32_t *numbers = xcalloc(p->nr_frames, sizeof(*numbers));
	size_t len;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const char *name = profile_name(p, i, &len);

		if (has_function(p->frames[i].kind))
			numbers[i] = demangler_add(d, name, len);
	}
	return numbers;
}

/* Returns the number in P of FRAME's new name, to which its source is appended. */
static uint32_t shown_name(const struct demangler *d, struct profile *p, uint32_t frame,
	uint32_t number, struct strbuf *text)
{
	const struct frame *f = &p->frames[frame];
	size_t len;

	if (!number && !f->source)
		return f->name;
	const char *name = number ? demangler_get(d, number, &len) : profile_name(p, frame, &len);

	strbuf_reset(text);
	strbuf_add(text, name, len);
	if (f->source) {
		strbuf_addch(text, ' ');
		strbuf_add(
			text, strpool_get(&p->names, f->source), strpool_len(&p->names, f->source));
	}
	return strpool_add(&p->names, text->buf, text->len);
}

static void rename_frames(const struct demangler *d, struct profile *p, const uint32_t *numbers)
{
	uint32_t *names = xcalloc(p->nr_frames, sizeof(*names));
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 1; i < p->nr_frames; i++)
		names[i] = shown_name(d, p, i, numbers[i], &text);
	profile_rename(p, names);
	strbuf_release(&text);
	free(names);
}

void demangle_profiles(struct profile **profiles, size_t n, enum demangle how)
{
	uint32_t **numbers = xcalloc(n, sizeof(*numbers));
	struct demangler d;

	demangler_init(&d, how);
	for (size_t i = 0; i < n; i++)
		numbers[i] = add_frames(&d, profiles[i]);
	demangler_settle(&d);
	for (size_t i = 0; i < n; i++) {
		rename_frames(&d, profiles[i], numbers[i]);
		free(numbers[i]);
	}
	demangler_release(&d);
	free(numbers);
}

uint32_t *demangler_add_recording(struct demangler *d, const struct recording *rec)
{
	uint32_t *numbers = xcalloc(rec->nr_names, sizeof(*numbers));

	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];

		for (uint32_t k = f->names; has_function(f->kind) && k < f->names + f->nr_names;
			k++) {
			uint32_t function = rec->names[k].function;

			numbers[k] = demangler_add(d, recording_get(rec, function),
				strpool_len(&rec->strings, function));
		}
	}
	demangler_settle(d);
	return numbers;
}

void demangle_recording(struct recording *rec, enum demangle how)
{
	struct demangler d;
	size_t len;

	demangler_init(&d, how);
	uint32_t *numbers = demangler_add_recording(&d, rec);

	for (size_t i = 0; i < rec->nr_names; i++)
		if (numbers[i]) {
			const char *name = demangler_get(&d, numbers[i], &len);

			rec->names[i].function = strpool_add(&rec->strings, name, len);
		}
	free(numbers);
	demangler_release(&d);
}
