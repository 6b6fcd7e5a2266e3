/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_walk.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "runtime/pointer_path_follow.h"
#include "runtime/vm_walk.h"

#include <inttypes.h>
#include <string.h>

#define PERL_CACHED_SUB(w, cv) NULL
#include "perl_step.h"
#include "perl_text.h"

static int step(struct vm_walk *w, const void *layout)
{
	return perl_step((struct perl_walk *)w, layout);
}

enum vm_end perl_walk(const struct perl_layout *l, const struct memory *memory,
	uint64_t interpreter, struct vm_stack *stack)
{
	struct perl_walk w = {.vm = {.mixed = stack->mixed, .memory = memory}};

	return vm_walk_run(&w.vm, perl_begin(&w, l, interpreter), step, l, stack);
}

enum vm_end perl_walk_thread(const struct perl_layout *l, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack)
{
	uint64_t interpreter;
	enum vm_end end = pointer_path_follow(&l->interpreter, memory, thread, &interpreter);

	stack->nr = 0;
	return end == VM_ON ? perl_walk(l, memory, interpreter, stack) : end;
}

/* ---- names ---- */

void perl_frame_texts(const struct perl_layout *l, const struct memory *memory,
	const struct vm_frame *frame, struct perl_texts *texts)
{
	struct perl_walk w = {.vm.memory = memory};

	perl_read_texts(&w, l, frame, texts);
}

static void add_bytes(const struct perl_text *text, size_t from, struct strbuf *out)
{
	for (size_t i = from; i < text->len && i < PERL_TEXT_MAX; i++) {
		unsigned char c = (unsigned char)text->bytes[i];

		if (text->latin && c & 0x80)
			strbuf_addch(out, (char)(0xc0 | c >> 6));
		strbuf_addch(out, (char)(text->latin && c & 0x80 ? 0x80 | (c & 0x3f) : c));
	}
	if (text->cut)
		strbuf_adds(out, "[truncated]");
}

/* Returns whether a text may be a file name, which freed memory seldom looks like. */
static bool is_text(const struct perl_text *text)
{
	for (size_t i = 0, n; i < text->len && i < PERL_TEXT_MAX; i += n) {
		uint32_t c = (unsigned char)text->bytes[i];

		n = text->latin ? 1 : utf8_decode(text->bytes + i, text->len - i, &c);
		if (!n)
			return text->cut && text->len - i < 4;
		if (c < ' ' || c == 0x7f)
			return false;
	}
	return true;
}

static bool add_file(const struct perl_texts *t, const struct perl_text *file, struct strbuf *out)
{
	if (!is_text(file) || (t->in_globs && (file->len < 3 || memcmp(file->bytes, "_<", 2))))
		return false;
	add_bytes(file, t->in_globs ? 2 : 0, out);
	return true;
}

static bool is_anonymous(const struct perl_text *name)
{
	return name->len == PERL_ANON_LEN && !memcmp(name->bytes, "__ANON__", PERL_ANON_LEN);
}

static void add_sub(const struct perl_texts *t, struct strbuf *out)
{
	if (t->has_package && !t->package.len)
		strbuf_adds(out, "__ANON__");
	else if (t->has_package)
		add_bytes(&t->package, 0, out);
	strbuf_adds(out, t->has_package ? "::" : "");
	add_bytes(&t->name, 0, out);
	if (!t->begins || !is_anonymous(&t->name) || !is_text(&t->start_file))
		return;
	strbuf_addch(out, '[');
	add_file(t, &t->start_file, out);
	strbuf_addf(out, ":%" PRIu32 "]", t->start_line);
}

bool perl_texts_name(const struct perl_texts *t, enum perl_type kind, struct strbuf *name)
{
	if (kind == PERL_EVAL)
		strbuf_adds(name, "(eval)");
	else if (kind == PERL_MAIN)
		strbuf_adds(name, "main");
	else if (t->named && !t->name.len)
		strbuf_adds(name, "(unknown)");
	else if (t->named)
		add_sub(t, name);
	return t->named;
}

/* Whether FILE is what perl calls the text of an eval, such as "(eval 12)". */
static bool is_eval_text(const char *file)
{
	return !strncmp(file, "(eval ", strlen("(eval "));
}

static bool is_module(const char *file)
{
	return ends_with(file, ".pm") || ends_with(file, ".pl");
}

bool perl_name_eval(
	const struct vm_place *frame, const struct vm_place *caller, struct strbuf *name)
{
	bool same = !strcmp(frame->file, caller->file);

	if (!*frame->file || !*caller->file || !caller->line)
		return false;
	if (is_module(frame->file) && !same)
		strbuf_addf(name, "require %s", file_name(frame->file));
	else if (!is_eval_text(frame->file) && !same) /* a text may have #line with any name */
		return false;
	else if (is_eval_text(caller->file))
		strbuf_adds(name, "(eval in eval)");
	else
		strbuf_addf(name, "(eval %s:%" PRIu32 ")", file_name(caller->file), caller->line);
	return true;
}

bool perl_texts_file(const struct perl_texts *t, struct strbuf *file)
{
	return t->placed && add_file(t, &t->file, file);
}
