/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_walk.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "runtime/vm_walk.h"

#include <string.h>

#define PYTHON_CACHED_THREAD(w) NULL
#define PYTHON_SEARCH(w, l) search(w, l)
#define PYTHON_FIND_LINE(w, l) find_line(w, l)

static void search(struct python_walk *w, const struct python_layout *l);
static void find_line(struct python_walk *w, const struct python_layout *l);

#include "python_step.h"
#include "python_text.h"

static void search(struct python_walk *w, const struct python_layout *l)
{
	for (int i = 0; i < PYTHON_SEARCH_STEPS; i++)
		if (python_search_step(w, l))
			return;
	w->state = 0;
}

static void find_line(struct python_walk *w, const struct python_layout *l)
{
	for (int i = 0; i < PYTHON_LINE_STEPS; i++)
		if (python_line_step(w, l))
			return;
	w->line.has_line = false;
}

static int step(struct vm_walk *w, const void *layout)
{
	return python_step((struct python_walk *)w, layout);
}

enum vm_end python_walk(const struct python_layout *l, const struct memory *memory, uint64_t thread,
	struct vm_stack *stack)
{
	struct python_walk w = {.vm = {.mixed = stack->mixed, .memory = memory}};

	return vm_walk_run(&w.vm, python_begin(&w, l, thread), step, l, stack);
}

void python_frame_texts(const struct python_layout *l, const struct memory *memory,
	const struct vm_frame *frame, struct python_texts *texts)
{
	struct python_walk w = {.vm.memory = memory};

	python_read_texts(&w, l, frame, texts);
}

/* ---- names ---- */

enum { UNICODE_MAX = 0x10ffff, REPLACEMENT = 0xfffd };

static uint32_t character(const struct python_text *head, const char *bytes, size_t i)
{
	uint32_t wide;
	uint16_t half;

	if (head->kind == 1)
		return (unsigned char)bytes[i];
	if (head->kind == 2)
		return memcpy(&half, bytes + 2 * i, sizeof(half)), half;
	return memcpy(&wide, bytes + 4 * i, sizeof(wide)), wide;
}

/* Appends C in UTF-8. Bytes of file names that are no UTF-8 are U+DC80 to U+DCFF in Python. */
static void add_character(uint32_t c, struct strbuf *out)
{
	if (c >= 0xdc80 && c < 0xdd00)
		strbuf_addch(out, (char)c);
	else
		utf8_add(out, c <= UNICODE_MAX ? c : REPLACEMENT);
}

static void add_text(
	const struct python_text *head, const char *bytes, size_t max, struct strbuf *out)
{
	size_t nr = head->size <= max ? head->size : max;

	for (size_t i = 0; head->kind && i < nr / head->kind; i++)
		add_character(character(head, bytes, i), out);
	if (head->cut)
		strbuf_adds(out, "[truncated]");
}

bool python_texts_file(const struct python_texts *t, struct strbuf *file)
{
	if (!t->placed || !t->file_head.size)
		return false;
	add_text(&t->file_head, t->file, PYTHON_FILE_MAX, file);
	return true;
}

/*
 * Returns the part of PATH that is the module's name: behind the folder of packages or of the
 * standard library, or else the last part.
 */
static const char *module_in(const char *path)
{
	static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
	const char *at, *found = NULL;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		for (at = path; (at = strstr(at, folders[i])); at++)
			found = at + strlen(folders[i]);
	for (at = path; !found && (at = strstr(at, "/python3")); at++) {
		len = strlen("/python3") + strspn(at + strlen("/python3"), ".0123456789t");
		if (at[len] == '/')
			found = at + len + 1;
	}
	if (!found && (at = strrchr(path, '/')) && !strcmp(at, "/__init__.py")) {
		while (at > path && at[-1] != '/')
			at--;
		return at;
	}
	at = strrchr(path, '/');
	return found ? found : at ? at + 1 : path;
}

/* Appends the name of the module whose code is in the file PATH. */
static void add_module(const char *path, struct strbuf *out)
{
	static const char suffix[] = ".py", package[] = "/__init__", frozen[] = "<frozen ";
	const char *name = module_in(path);
	size_t len = strlen(name);

	if (*path == '<') { /* "<frozen os>", "<string>" */
		bool is_frozen = !strncmp(path, frozen, strlen(frozen));

		name = is_frozen ? path + strlen(frozen) : path;
		strbuf_add(out, name, strlen(name) - is_frozen);
		return;
	}
	if (len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix))
		len -= strlen(suffix);
	if (len > strlen(package) &&
		!memcmp(name + len - strlen(package), package, strlen(package)))
		len -= strlen(package);
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, name[i] == '/' ? '.' : name[i]);
}

void python_name_add(const char *name, const char *file, struct strbuf *out)
{
	if (*file) {
		add_module(file, out);
		strbuf_addch(out, ':');
	}
	strbuf_adds(out, name);
}

bool python_texts_name(const struct python_texts *t, struct strbuf *name)
{
	struct strbuf function = STRBUF_INIT, file = STRBUF_INIT;

	if (!t->named)
		return false;
	add_text(&t->name_head, t->name, PYTHON_NAME_MAX, &function);
	if (!t->file_head.cut)
		python_texts_file(t, &file);
	python_name_add(function.buf, file.buf, name);
	strbuf_release(&function);
	strbuf_release(&file);
	return true;
}
